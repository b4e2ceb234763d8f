"""Statistics of QA-SRL annotations: roles and arguments, and the questions by their slots.

The module is the part `statistics` of the scheme.

A modal is the auxiliary "can", "might", "will" and so on, whether or not it changes the factuality. Voice
and negation are those of the published columns. Questions outside the template count only as such.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from metrics.counts import ratio
from schemes.contract.statistics import AnnotatedItem, Frequencies, StatisticsTable
from schemes.contract.values import Json

figures: Sequence[tuple[str, str]] = (
    ("verbs", "Verbs"),
    ("sentences", "Sentences"),
    ("tokens", "Tokens"),
    ("verb_types", "Different verbs"),
    ("without_questions", "Verbs without questions"),
    ("roles", "Roles"),
    ("roles_per_verb", "Roles per verb"),
    ("arguments", "Arguments"),
    ("arguments_per_role", "Arguments per role"),
    ("tokens_per_argument", "Tokens per argument"),
    ("passive", "Passive questions"),
    ("negated", "Negated questions"),
    ("modal", "Questions with a modal"),
    ("free_form", "Free-form questions"),
)
steps: Sequence[tuple[str, str]] = ()
MODALS = ("can", "will", "might", "would", "should", "could", "may", "must", "shall")
_NEGATED_FORMS = {"can't": "can", "cannot": "can", "won't": "will", "shan't": "shall"}


def modal_of(aux: str) -> str:
    """Return the modal of an auxiliary without its negation, or "" if it is not a modal."""
    aux = aux.lower()
    modal = _NEGATED_FORMS.get(aux, aux.removesuffix("n't"))
    return modal if modal in MODALS else ""


def count(items: Iterable[AnnotatedItem]) -> dict[str, int | float | None]:
    """Return the counts of a group by key."""
    sentences: dict[str, int] = {}
    numbers = Counter[str]()
    verbs: set[str] = set()
    for item in items:
        numbers["verbs"] += 1
        sentences[item.external_id] = len(item.context.tokens)
        verbs.add(item.context.target.get("forms", {}).get("stem", ""))
        numbers["without_questions"] += not item.content.get("questions")
        for question in item.content.get("questions", ()):
            numbers["roles"] += 1
            numbers["arguments"] += len(question["answers"])
            numbers["answer_tokens"] += sum(end - start for start, end in question["answers"])
            numbers.update(_properties(question))
    counts: dict[str, int | float | None] = {key: numbers[key] for key, _ in figures}
    return counts | {
        "sentences": len(sentences),
        "tokens": sum(sentences.values()),
        "verb_types": len(verbs),
        "roles_per_verb": ratio(numbers["roles"], numbers["verbs"]),
        "arguments_per_role": ratio(numbers["arguments"], numbers["roles"]),
        "tokens_per_argument": ratio(numbers["answer_tokens"], numbers["arguments"]),
    }


def _properties(question: Json) -> list[str]:
    slots = question.get("slots")
    if not slots:
        return ["free_form"]
    return [
        name
        for name, holds in (
            ("passive", slots["is_passive"]),
            ("negated", slots["is_negated"]),
            ("modal", modal_of(slots["aux"])),
        )
        if holds
    ]


def is_skipped(content: Json) -> bool:
    return False


def tables(items: Sequence[AnnotatedItem]) -> list[StatisticsTable]:
    """Return the questions by question word and by modal, with voice and negation."""
    slots = list(_slots(items))
    if not slots:
        return []
    return [
        _table("Question word", [(slot["wh"], slot) for slot in slots]),
        _table("Modal", [(modal_of(slot["aux"]), slot) for slot in slots]),
    ]


def _table(heading: str, slots: Sequence[tuple[str, Json]]) -> StatisticsTable:
    """Return a row per value, most frequent first, with the numbers of passives and negations."""
    questions, passive, negated = Counter[str](), Counter[str](), Counter[str]()
    for value, slot in slots:
        questions[value] += 1
        passive[value] += bool(slot["is_passive"])
        negated[value] += bool(slot["is_negated"])
    rows = [
        (value or "none", number, passive[value], negated[value])
        for value, number in questions.most_common()
    ]
    caption = f"Questions by {heading.lower()}"
    return StatisticsTable(caption, (heading, "Questions", "Passive", "Negated"), rows)


def frequencies(items: Sequence[AnnotatedItem]) -> Frequencies | None:
    """Return the number of questions of each question word, and of those outside the template."""
    words = Counter(
        question["slots"]["wh"] if question.get("slots") else "free-form"
        for item in items
        for question in item.content.get("questions", ())
    )
    return Frequencies("Questions by question word", words.most_common()) if words else None


def _slots(items: Iterable[AnnotatedItem]) -> Iterator[Json]:
    for item in items:
        for question in item.content.get("questions", ()):
            if question.get("slots"):
                yield question["slots"]
