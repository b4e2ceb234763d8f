"""Questions that a person checks before their bonus is paid."""

from pathlib import Path

import pytest

from schemes.base import ContentError, ItemContext, refuse
from schemes.qasrl.content import count_units, parse_consolidation, parse_generation, parse_gold
from schemes.qasrl.doubts import doubts
from schemes.qasrl.pay import QUESTIONS_WITHOUT_REVIEW
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
STRICT = ItemContext(tokens=CONTEXT.tokens, target=CONTEXT.target, free_form=False)


def content(*questions: str):
    return {
        "questions": [
            {"question": text, "answers": [[at + 2, at + 3]]} for at, text in enumerate(questions)
        ]
    }


def codes(*questions: str) -> list[str]:
    parsed = parse_generation(content(*questions), CONTEXT)
    return [doubt.code for doubt in doubts(parsed, CONTEXT, "generator")]


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


@pytest.mark.skipif(not DATA.exists(), reason="the published files are missing")
def test_published_gold_is_rarely_held():
    scheme = get_scheme("qasrl")
    sentences = scheme.corpus.read_sentences(DATA / "wikinews.dev.full.csv", "qasrl-csv", refuse)
    by_id = {sentence.external_id: sentence for sentence in sentences}
    held_items = total = 0
    for record in scheme.corpus.read_gold([DATA / "wikinews.dev.gold.csv"], "qasrl-csv", refuse):
        sentence = by_id[record.item.external_id]
        bare = ItemContext(tokens=sentence.tokens, metadata=sentence.metadata)
        target = scheme.corpus.complete_item(record.item, bare).target
        context = ItemContext(tokens=sentence.tokens, target=target)
        parsed = parse_gold(record.content, context)
        is_long = len(parsed["questions"]) > QUESTIONS_WITHOUT_REVIEW
        held_items += is_long or bool(doubts(parsed, context, "generator"))
        total += 1
    assert total == 1264
    assert held_items / total < 0.005, held_items
