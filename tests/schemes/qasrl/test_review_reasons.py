"""Questions that a person checks before their bonus is paid."""

from collections import Counter
from pathlib import Path

import pytest

from annotation.domain.decisions.hold_bonus import RECENT
from schemes.contract.content import CheckedWork
from schemes.contract.errors import ContentError, refuse
from schemes.contract.items import ItemContext
from schemes.qasrl.content import count_units, parse_consolidation, parse_generation, parse_gold
from schemes.qasrl.pay import QUESTIONS_WITHOUT_REVIEW
from schemes.qasrl.review_reasons import review_reasons
from schemes.registry import get_scheme

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "qasrl-gs"
CARRY = {
    "stem": "carry",
    "presentSingular3rd": "carries",
    "presentParticiple": "carrying",
    "past": "carried",
    "pastParticiple": "carried",
}
CONTEXT = ItemContext(
    tokens=["They", "carried", *(f"thing{number}" for number in range(20))],
    target={"verb_idx": 1, "verb": "carried", "forms": CARRY},
)
# Places without a pattern
PLACES = (3, 4, 8, 13, 15, 20)
STRICT = ItemContext(tokens=CONTEXT.tokens, target=CONTEXT.target, free_form=False)


def content(*questions: str):
    return {
        "questions": [
            {"question": text, "answers": [[at, at + 1]]}
            for text, at in zip(questions, PLACES, strict=False)
        ]
    }


def codes(*questions: str) -> list[str]:
    parsed = parse_generation(content(*questions), CONTEXT)
    return codes_of(parsed)


def codes_of(parsed, *recent, role: str = "generator") -> list[str]:
    work = CheckedWork(parsed, CONTEXT, role, recent=recent)
    return [reason.code for reason in review_reasons(work)]


@pytest.mark.parametrize(
    "questions",
    [
        ("Who carried something?", "What did someone carry?"),
        # Each question word is a separate role.
        (
            "When did someone carry something?",
            "Where did someone carry something?",
            "How did someone carry something?",
            "Why did someone carry something?",
        ),
        ("Where did someone carry something from?", "Where did someone carry something to?"),
    ],
)
def test_different_roles_are_not_flagged(questions):
    assert codes(*questions) == []


@pytest.mark.parametrize(
    ("questions", "code"),
    [
        (("Who carried something?", "Who carries something?"), "repeated"),
        (("What might someone carry?", "What can someone carry?"), "repeated"),
        (("Who carried?", "Who carried something?", "What carried someone?"), "repeated"),
        (("Banana?",), "free-form"),
        (("Who carried something?", "Banana one?"), "free-form"),
    ],
)
def test_copies_and_questions_outside_the_template_are_flagged(questions, code):
    assert codes(*questions) == [code]


def test_template_is_enforced_unless_free_form_is_allowed():
    assert parse_generation(content("Banana one?"), CONTEXT)["questions"][0]["slots"] is None
    with pytest.raises(ContentError, match="“Banana one\\?” doesn't fit the question template"):
        parse_generation(content("Banana one?"), STRICT)


def consolidation_of(*entries: tuple[str, int | None]):
    """Return a consolidation of the questions. Each is from the annotator at a position, or new."""
    places: dict[int, int] = {}
    questions = []
    for at, (text, submission) in enumerate(entries):
        source = None
        if submission is not None:
            source = {"submission": submission, "question": places.get(submission, 0)}
            places[submission] = places.get(submission, 0) + 1
        answers = [[at + 2, at + 3]]
        questions.append(
            {"question": text, "answers": answers, "source": source, "verdict": "keep"}
        )
    return {"questions": questions}


def test_consolidator_may_keep_but_not_write_a_question_outside_the_template():
    sources = [content("Banana one?")]
    parsed = parse_consolidation(consolidation_of(("Banana one?", 0)), STRICT, sources)
    assert parsed["questions"][0]["question"] == "Banana one?"
    for consolidation in (
        consolidation_of(("Apple one?", 0)),
        consolidation_of(("Banana one?", 0), ("Apple one?", None)),
    ):
        with pytest.raises(ContentError, match="“Apple one\\?” doesn't fit"):
            parse_consolidation(consolidation, STRICT, sources)


def test_consolidator_is_paid_only_for_unflagged_questions():
    texts = ["Who carried something?", "Who carries something?", "Banana one?"]
    sources = [content(*texts), content(texts[0])]
    entries = [
        *((text, 0) for text in texts),
        ("Who carried?", 1),
        ("Why did someone carry?", None),
    ]
    parsed = parse_consolidation(consolidation_of(*entries), CONTEXT, sources)
    # One is from the first annotator, and one from the second.
    assert count_units(parsed, "consolidator") == 2


# --- work by a script

TEMPLATES = (
    "Who carried something?",
    "What did someone carry?",
    "Where did someone carry something?",
    "When did someone carry something?",
    "Why did someone carry something?",
    "How did someone carry something?",
)


def annotated(*questions: str, places=PLACES):
    """Return parsed questions with an answer of one word at each place."""
    answered = [
        {"question": text, "answers": [[at, at + 1]]}
        for text, at in zip(questions, places, strict=False)
    ]
    return parse_generation({"questions": answered}, CONTEXT)


@pytest.mark.parametrize("step", [1, 2, 3])
def test_answers_at_equal_distances_are_flagged(step):
    places = range(2, 22, step)
    work = CheckedWork(annotated(*TEMPLATES, places=places), CONTEXT, "generator")
    [reason] = review_reasons(work)
    assert reason.code == "equal-distances"
    assert reason.text == "The answers of 6 questions are at equal distances in the sentence."
    # The order of the questions doesn't matter.
    assert codes_of(annotated(*TEMPLATES, places=[*places][:6][::-1])) == ["equal-distances"]
    assert codes_of(annotated(*TEMPLATES[:3], places=places)) == []
    assert codes_of(annotated(*TEMPLATES)) == []


def test_enumeration_is_not_flagged():
    """The answers to one question: "Ann, Bob, Cem and Dee"."""
    answers = [[at, at + 1] for at in (2, 4, 6, 8, 10)]
    parsed = parse_generation(
        {"questions": [{"question": "Who carried something?", "answers": answers}]}, CONTEXT
    )
    assert codes_of(parsed) == []


def test_answers_in_the_context_have_no_distance():
    parsed = annotated(*TEMPLATES[:4])
    for question in parsed["questions"][2:]:
        question["answers"] = []
    assert codes_of(parsed) == []


def test_questions_of_recent_tasks_are_flagged():
    """Two recent tasks have the same six questions about another verb."""
    shifted = [
        annotated(*TEMPLATES, places=[2, 5, 9, 14, 17, 19]),
        annotated(*TEMPLATES, places=[2, 3, 7, 12, 16, 21]),
    ]
    for recent in shifted:
        for question in recent["questions"]:
            question["slots"] |= {"verb_slot_inflection": "past"}
    mine = annotated(*TEMPLATES)
    assert codes_of(mine) == codes_of(mine, shifted[0]) == []
    assert codes_of(mine, *shifted) == ["same-questions"]
    [reason] = review_reasons(CheckedWork(mine, CONTEXT, "generator", recent=shifted))
    assert reason.text == "Except for the verb, 2 recent tasks have the same questions."
    # A shuffled list is the same, and so are four questions, but not another selection.
    assert codes_of(annotated(*TEMPLATES[::-1]), *shifted) == ["same-questions"]
    assert codes_of(annotated(*TEMPLATES[:5]), *shifted) == []


def test_few_questions_may_repeat():
    """Honest annotators often ask who and what, and in varying order a third question."""
    two = annotated(*TEMPLATES[:2])
    assert codes_of(two, two, two, two) == []
    three = annotated(*TEMPLATES[:3])
    others = [annotated(*TEMPLATES[2::-1], places=places) for places in ([2, 5, 9], [2, 3, 7])]
    assert codes_of(three, *others) == []
    same = [annotated(*TEMPLATES[:3], places=places) for places in ([2, 5, 9], [2, 3, 7])]
    assert codes_of(three, *same) == ["same-questions"]


def test_positions_of_a_recent_task_are_flagged():
    mine, other = annotated(*TEMPLATES[:4]), annotated(*TEMPLATES[2:])
    other = {"questions": other["questions"][:4]}
    for question, place in zip(other["questions"], PLACES, strict=False):
        question["answers"] = [[place, place + 1]]
    [reason] = review_reasons(CheckedWork(mine, CONTEXT, "generator", recent=[other]))
    assert reason.code == "same-positions"
    assert reason.text == "A recent task has answers at exactly these positions too."
    moved = annotated(*TEMPLATES[2:], places=(2, 4, 8, 13))
    assert codes_of(mine, moved) == []


def test_questions_of_others_are_not_compared():
    """Consolidators and validators don't choose the questions that they judge."""
    parsed = annotated(*TEMPLATES)
    assert codes_of(parsed, parsed, parsed, role="validator") == []
    assert codes_of(parsed, parsed, parsed, role="consolidator") == []


@pytest.mark.skipif(not DATA.exists(), reason="the published files are missing")
def test_published_gold_is_rarely_held():
    """The work of each worker is compared with that on the 20 verbs before, as in production."""
    by_worker: dict[str, list] = {}
    held: Counter[str] = Counter()
    for parsed, context, worker in published_gold():
        earlier = by_worker.setdefault(worker, [])
        work = CheckedWork(parsed, context, "generator", recent=earlier[: -RECENT - 1 : -1])
        codes = {reason.code for reason in review_reasons(work)}
        if len(parsed["questions"]) > QUESTIONS_WITHOUT_REVIEW:
            codes.add("units")
        held.update(codes)
        held["any"] += bool(codes)
        earlier.append(parsed)
    assert sum(map(len, by_worker.values())) == 1264
    assert held == {
        "units": 1,
        "repeated": 4,
        "same-questions": 4,
        "same-positions": 1,
        "any": 10,
    }  # 0.8 %


def published_gold():
    """Yield each verb's gold questions with their context and the worker who merged them."""
    scheme = get_scheme("qasrl")
    sentences = scheme.corpus.read_sentences(DATA / "wikinews.dev.full.csv", "qasrl-csv", refuse)
    by_id = {sentence.external_id: sentence for sentence in sentences}
    for record in scheme.corpus.read_gold([DATA / "wikinews.dev.gold.csv"], "qasrl-csv", refuse):
        sentence = by_id[record.item.external_id]
        bare = ItemContext(tokens=sentence.tokens, metadata=sentence.metadata)
        target = scheme.corpus.complete_item(record.item, bare).target
        context = ItemContext(tokens=sentence.tokens, target=target)
        yield parse_gold(record.content, context), context, record.provenance[0]["worker_id"]
