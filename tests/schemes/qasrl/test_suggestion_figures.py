"""How often the first suggestions agree with the gold, in a generated set and in wikinews.dev."""

from itertools import product

import pytest

from schemes.contract.items import Suggestions
from schemes.english.verbs import verb_forms_at
from schemes.qasrl.grammar import item_table
from schemes.qasrl.walker import Walker
from scripts.learn_suggestions import Verb, verbs_of
from scripts.measure_suggestions import TOPS, measure_first, report

from .published_data import GOLD, SENTENCES, needs_published_data

KINDS = [Suggestions.GRAMMAR, Suggestions.LEARNED]
# The words before the verb, its form, and the beginnings of questions about agent and patient.
ACTIVE = (
    ("", 1, "who {past}", "what did someone {stem}"),
    ("did n't", 0, "who didn't {stem}", "what didn't someone {stem}"),
    ("never", 1, "who didn't {stem}", "what didn't someone {stem}"),
    ("can", 0, "who can {stem}", "what can someone {stem}"),
    ("cannot", 0, "who can't {stem}", "what can't someone {stem}"),
    ("could", 0, "who might {stem}", "what might someone {stem}"),
    ("must", 0, "who should {stem}", "what should someone {stem}"),
    ("will probably", 0, "who will {stem}", "what will someone {stem}"),
    ("wo n't", 0, "who won't {stem}", "what won't someone {stem}"),
    ("is likely to", 0, "who might {stem}", "what might someone {stem}"),
    ("is unlikely to", 0, "who might not {stem}", "what might someone not {stem}"),
    ("failed to", 0, "who didn't {stem}", "what didn't someone {stem}"),
)
VERBS = (
    ("carry", "carried"),
    ("examine", "examined"),
    ("repair", "repaired"),
    ("follow", "followed"),
)
SUBJECTS = ("Perry", "The new owner", "They")


def generated() -> list[Verb]:
    """Return a verb for each subject, verb and verb phrase, with its two main questions."""
    return [
        verb_in(f"{subject} {before} {forms[at]} the old machine .".split(), forms, at, asked)
        for subject, forms, (before, at, *asked) in product(SUBJECTS, VERBS, ACTIVE)
    ]


def verb_in(tokens: list[str], forms: tuple[str, str], at: int, asked: list[str]) -> Verb:
    verb_idx = tokens.index(forms[at])
    spellings = verb_forms_at(tokens, verb_idx)
    named = [text.format(stem=forms[0], past=forms[1]) for text in asked]
    texts = (f"{named[0]} something?", f"{named[1]}?")
    walker = Walker(item_table(spellings, tokens))
    readings = tuple(reading for reading in map(walker.read, texts) if reading)
    assert len(readings) == 2
    return Verb(tokens, verb_idx, spellings, texts, readings, " ".join(tokens))


@pytest.mark.parametrize("kind", KINDS)
def test_first_three_suggestions_have_the_modality_and_polarity_of_generated_sentences(kind):
    counts = measure_first(generated(), kind)
    total = counts["all", "verbs", 0]
    assert total == 144
    for measure in ("sentence", "modal", "phrase"):
        assert counts["all", measure, 3] == total, report(counts)
    assert counts["all", "hit", 1] >= 0.75 * total, report(counts)
    assert counts["all", "hit", 3] >= 0.9 * total, report(counts)


def test_nothing_is_measured_when_suggestions_are_off():
    counts = measure_first(generated()[:3], Suggestions.OFF)
    assert [counts["all", "hit", top] for top in TOPS] == [0, 0, 0]


@pytest.mark.slow
@needs_published_data
@pytest.mark.parametrize(("kind", "hits"), [(KINDS[0], 0.35), (KINDS[1], 0.6)])
def test_first_three_suggestions_of_published_verbs(kind, hits):
    """The learned costs were learned from these verbs."""
    counts = measure_first(verbs_of(GOLD, SENTENCES), kind)
    total = counts["all", "verbs", 0]
    assert counts["all", "hit", 3] >= hits * total, report(counts)
    assert counts["all", "phrase", 3] >= 0.9 * total, report(counts)
    assert counts["all", "sentence", 3] >= 0.99 * total, report(counts)
