"""English function words, by their spelling alone."""

DETERMINERS = frozenset(
    """
    a all an any both each every her his its my no our some that the their these this those your
    """.split()  # noqa: SIM905 - a table of words
)
CONJUNCTIONS = frozenset(
    """
    after although and because before but if nor or since so than that though unless until when where
    whether which while who whom whose why
    """.split()  # noqa: SIM905 - a table of words
)
AUXILIARIES = frozenset(
    """
    am are be been being can could did do does had has have is may might must n't not shall should
    to was were will would
    """.split()  # noqa: SIM905 - a table of words
)
PREPOSITIONS = frozenset(
    """
    about across after against along among around as at before behind between by during for from in
    inside into near of off on onto out over since through to toward under until up upon with within
    without
    """.split()  # noqa: SIM905 - a table of words
)
_ALL = DETERMINERS | CONJUNCTIONS | AUXILIARIES | PREPOSITIONS


def is_function_word(token: str) -> bool:
    return token.lower() in _ALL
