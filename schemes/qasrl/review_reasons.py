"""Reasons why a person should check questions before their bonus is paid."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from schemes.contract.content import CheckedWork, FreeForm, ReviewReason
from schemes.contract.texts import Translatable
from schemes.contract.values import Json
from schemes.qasrl.slots import Slots, strict_match_key
from schemes.review_reasons import are_equally_spaced

FREE_FORM = FreeForm(
    code="free-form",
    label="Allow free-form questions",
    help_text="Accept questions that don't fit the template. Their bonus is paid after a review.",
)
REPEATED = "repeated"
SHOWN = 3  # questions in a text
# A question that differs in one word from this number of others is one of a series of copies. In the
# published gold standard, no question does.
NEIGHBOURS = 2
# This number of questions whose answers are at equal distances is unlikely. No verb of the published
# gold has them.
SPACED = 4
# Questions that are alike except for the verb, and the recent items that must have them. Two questions
# are often "Who ...?" and "What ...?", so they are not compared. Three must also be in the same order.
COMPARED, ORDERED = 3, 3
ITEMS_WITH_QUESTIONS = 2
ITEMS_WITH_ANSWERS = 1  # of the recent items that have their answers at the same positions


def review_reasons(work: CheckedWork) -> list[ReviewReason]:
    """Return the reasons to review the questions that the person wrote. Validators write none."""
    if work.role == "validator":
        return []
    questions = work.content["questions"]
    written = [question for question in questions if question.get("source") is None]
    found = [*_outside(written), *_repeated(written)]
    if work.role == "generator":
        found += [*_equal_distances(written), *_as_before(written, work)]
    return found


def sound_questions(questions: Sequence[Json]) -> int:
    """Return the number of one person's questions that are in the template and no repeats."""
    repeats = set(_repeats(questions))
    return sum(
        not _is_outside(question) and position not in repeats
        for position, question in enumerate(questions)
    )


def _outside(questions: Sequence[Json]) -> Iterator[ReviewReason]:
    texts = [question["question"] for question in questions if _is_outside(question)]
    if texts:
        text = Translatable("Free-form questions: %(questions)s.", questions=_quoted(texts))
        yield ReviewReason(FREE_FORM.code, text)


def _is_outside(question: Json) -> bool:
    return question.get("slots", {}) is None


def _repeated(questions: Sequence[Json]) -> Iterator[ReviewReason]:
    texts = [questions[position]["question"] for position in _repeats(questions)]
    if texts:
        text = Translatable(
            "Very similar to another question: %(questions)s.", questions=_quoted(texts)
        )
        yield ReviewReason(REPEATED, text)


def _equal_distances(questions: Sequence[Json]) -> Iterator[ReviewReason]:
    starts = [start for start, _ in _answers(questions)]
    # The answers of fewer questions may be an enumeration, which is regular.
    if min(len(questions), len(starts)) >= SPACED and are_equally_spaced(starts):
        text = Translatable(
            "The answers of %(count)s questions are at equal distances in the sentence.",
            count=len(questions),
        )
        yield ReviewReason("equal-distances", text)


def _as_before(questions: Sequence[Json], work: CheckedWork) -> Iterator[ReviewReason]:
    """Report questions or positions of answers that recent items have too, like those of a script."""
    if len(questions) < COMPARED:
        return
    recent = [content["questions"] for content in work.recent]
    pattern, answers = _pattern(questions), _answers(questions)
    same = sum(_pattern(others) == pattern for others in recent)
    if same >= ITEMS_WITH_QUESTIONS:
        text = Translatable(
            "Except for the verb, %(count)s recent tasks have the same questions.", count=same
        )
        yield ReviewReason("same-questions", text)
    same = sum(_answers(others) == answers for others in recent)
    if len(answers) >= COMPARED and same >= ITEMS_WITH_ANSWERS:
        text = Translatable(
            "A recent task has answers at exactly these positions too.",
            plural="%(count)s recent tasks have answers at exactly these positions too.",
            count=same,
        )
        yield ReviewReason("same-positions", text)


def _pattern(questions: Sequence[Json]) -> list[str]:
    """Return the questions without their verb. More than ORDERED are sorted."""
    patterns = [_without_verb(question) for question in questions]
    return sorted(patterns) if len(patterns) > ORDERED else patterns


def _without_verb(question: Json) -> str:
    slots = question.get("slots")
    if not slots:
        return str(question["question"]).casefold()
    return "|".join(slots[name] for name in ("wh", "subj", "obj", "prep", "obj2"))


def _answers(questions: Sequence[Json]) -> list[tuple[int, int]]:
    """Return the answers of all questions in the sentence, in ascending order."""
    return sorted((start, end) for question in questions for start, end in question["answers"])


def _quoted(texts: Sequence[str]) -> str:
    quoted = ", ".join(f"“{text}”" for text in texts[:SHOWN])
    if len(texts) <= SHOWN:
        return quoted
    return Translatable("%(texts)s and %(count)s more", texts=quoted, count=len(texts) - SHOWN)


def _repeats(questions: Sequence[Json]) -> list[int]:
    """Return the positions of questions that repeat an earlier one or its copies."""
    words = [question["question"].casefold().rstrip("?").split() for question in questions]
    neighbours: dict[int, set[int]] = {position: set() for position in range(len(questions))}
    repeats: set[int] = set()
    for first, second in combinations(range(len(questions)), 2):
        if _means_the_same(questions[first], questions[second]):
            repeats.add(second)
        if _differ_in_one_word(words[first], words[second]):
            neighbours[first].add(second)
            neighbours[second].add(first)
    for position, near in neighbours.items():
        if len(near) >= NEIGHBOURS:
            repeats |= {position, *near} - {min(position, *near)}
    return sorted(repeats)


def _means_the_same(first: Json, second: Json) -> bool:
    """Return True if the questions differ only in tense, aspect or the modal."""
    slots, other = first.get("slots"), second.get("slots")
    if not slots or not other:
        return False
    if (slots["prep"], slots["obj2"]) != (other["prep"], other["obj2"]):
        return False
    return strict_match_key(Slots(**slots)) == strict_match_key(Slots(**other))


def _differ_in_one_word(first: list[str], second: list[str]) -> bool:
    """Return True for one word replaced, added or removed after the same question word."""
    shorter, longer = sorted((first, second), key=len)
    if not shorter or _question_word(first) != _question_word(second):
        return False
    if len(shorter) == len(longer):
        return sum(a != b for a, b in zip(shorter[1:], longer[1:], strict=True)) <= 1
    removed = (longer[:at] + longer[at + 1 :] for at in range(1, len(longer)))
    return len(longer) - len(shorter) == 1 and shorter in removed


def _question_word(words: list[str]) -> str:
    """Return the first word. Who and what both ask for a participant."""
    return "who" if words[0] == "what" else words[0]
