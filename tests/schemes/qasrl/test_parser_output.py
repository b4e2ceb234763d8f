import json

import pytest

from schemes.contract.errors import FileError
from schemes.qasrl.parser_output import Thresholds, read_parser_output

TOKENS = ["Perry", "cut", "the", "cake", "yesterday", "."]
FORMS = {
    "stem": "cut", "presentSingular3rd": "cuts", "presentParticiple": "cutting",
    "past": "cut", "pastParticiple": "cut",
}  # fmt: skip


def shape(wh: str, aux: str, subj: str, verb: str, obj: str) -> dict:
    return {"wh": wh, "aux": aux, "subj": subj, "verb": verb, "obj": obj, "prep": "_", "obj2": "_"}


WHO = shape("who", "_", "_", "past", "something")
WHAT = shape("what", "was", "_", "pastParticiple", "_")
WHEN = shape("when", "didn't", "someone", "stem", "something")


def allennlp(**changes) -> dict:
    pairs = [
        {"question": "Who cut something?", "spans": [span(0, 0, 0.9)]},
        {"question": "What was cut?", "spans": [span(2, 3, 0.8), span(3, 3, 0.4)]},
        {"question": "Why was something cut?", "spans": [span(4, 4, 0.1)]},
    ]
    verb = {"verb": "cut", "index": 1, "qa_pairs": pairs}
    return {"words": TOKENS, "verbs": [{**verb, **changes}], "qasrl_id": "s1"}


def span(start: int, last: int, score: float | None = None) -> dict:
    spanned = {"start": start, "end": last, "text": " ".join(TOKENS[start : last + 1])}
    return spanned if score is None else {**spanned, "score": score}


def bank(field: str, beam: list) -> dict:
    verb = {"verbIndex": 1, "verbInflectedForms": FORMS, field: beam}
    return {"sentenceId": "s1", "sentenceTokens": TOKENS, "verbs": [verb]}


@pytest.fixture
def read(tmp_path):
    def read_entries(*entries, **options):
        path = tmp_path / "parser.jsonl"
        path.write_text("".join(json.dumps(entry) + "\n" for entry in entries), "utf-8")
        errors: list[FileError] = []
        records = list(read_parser_output(path, on_error=errors.append, **options))
        return records, [str(error) for error in errors]

    return read_entries


def answers_of(record) -> dict:
    return {
        question["question"]: [tuple(answer) for answer in question["answers"]]
        for question in record.content["questions"]
    }


def test_question_answer_pairs_are_read_with_inclusive_ends(read):
    (record,), errors = read(allennlp())
    assert errors == []
    assert (record.item.external_id, record.item.local_key) == ("s1", "1")
    assert record.item.target == {"verb_idx": 1, "verb": "cut"}
    assert answers_of(record) == {"Who cut something?": [(0, 1)], "What was cut?": [(2, 4)]}


@pytest.mark.parametrize(
    ("threshold", "number"), [(0.0, 4), (0.4, 3), (0.5, 2), (0.85, 1), (1.0, 0)]
)
def test_answers_below_the_threshold_are_left_out(read, threshold, number):
    (record,), _ = read(allennlp(), thresholds=Thresholds(threshold))
    assert sum(map(len, answers_of(record).values())) == number


def test_answers_without_scores_are_kept(read):
    (record,), _ = read(allennlp(qa_pairs=[{"question": "Who?", "spans": [span(0, 0)]}]))
    assert answers_of(record) == {"Who?": [(0, 1)]}


def test_beam_of_questions_is_read_with_its_probabilities(read):
    beam = [
        {"questionSlots": WHO, "questionProb": 0.9, "answerSpans": [[[0, 1], 0.9], [[2, 4], 0.1]]},
        {"questionSlots": WHAT, "questionProb": 0.2, "invalidProb": 0.1,
         "answerSpans": [{"span": [2, 4], "spanProb": 0.7}]},
        {"questionSlots": WHEN, "invalidProb": 0.9, "answerSpans": [[[4, 5], 1.0]]},
    ]  # fmt: skip
    (record,), errors = read(bank("questions", beam))
    assert errors == []
    assert record.item.target == {"verb_idx": 1, "forms": FORMS}
    assert answers_of(record) == {"Who cut something?": [(0, 1)], "What was cut?": [(2, 4)]}
    slots = [question["slots"] for question in record.content["questions"]]
    assert [(s["wh"], s["is_passive"], s["is_negated"]) for s in slots] == [
        ("who", False, False),
        ("what", True, False),
    ]
    (record,), _ = read(bank("questions", beam), thresholds=Thresholds(0.5, 0.5))
    assert list(answers_of(record)) == ["Who cut something?"]


@pytest.mark.parametrize("is_nested", [True, False], ids=["nested", "flat"])
def test_beam_of_spans_has_its_most_probable_questions(read, is_nested):
    beam = []
    for where, probability, questions in [
        ([4, 5], 0.9, [(WHEN, 0.5), (WHAT, 0.4)]),
        ([0, 1], 0.8, [(WHAT, 0.1), (WHO, 0.2)]),
        ([2, 3], 0.3, [(WHAT, 0.9)]),
    ]:
        span_entry = {"span": where, "spanProb": probability}
        question_entries = [
            {"questionSlots": slots, "questionProb": weight} for slots, weight in questions
        ]
        beam += (
            [{**span_entry, "questions": question_entries}]
            if is_nested
            else [{**span_entry, **question} for question in question_entries]
        )
    (record,), errors = read(bank("beam", beam))
    assert errors == []
    assert answers_of(record) == {
        "When didn't someone cut something?": [(4, 5)],
        "Who cut something?": [(0, 1)],
    }
    (record,), _ = read(bank("beam", beam), thresholds=Thresholds(0.5, 0.3))
    assert list(answers_of(record)) == ["When didn't someone cut something?"]


def test_sentences_without_ids_are_identified_by_their_tokens(read):
    entry = allennlp()
    del entry["qasrl_id"]
    (record,), errors = read(entry, ids={tuple(TOKENS): ["s7"]})
    assert (record.item.external_id, errors) == ("s7", [])
    assert read(entry)[1] == [
        "parser.jsonl, line 1: sentenceId: the sentence has no id; its tokens need a sentences file."
    ]


def test_tokens_of_another_tokeniser_are_refused(read):
    records, errors = read(allennlp(), ids={("Perry", "cut", "it"): ["s1"]})
    assert records == []
    assert "tokens are not those of a sentence" in errors[0]


def test_tokens_of_another_or_of_several_sentences_are_refused(read):
    entry = {**allennlp(), "qasrl_id": "s1"}
    records, errors = read(entry, ids={tuple(TOKENS): ["s7", "s8"]})
    assert (records, "its tokens are those of s7, not s1" in errors[0]) == ([], True)
    assert read({**entry, "qasrl_id": "s8"}, ids={tuple(TOKENS): ["s7", "s8"]})[1] == []
    del entry["qasrl_id"]
    records, errors = read(entry, ids={tuple(TOKENS): ["s7", "s8"]})
    assert (records, "those of 2 sentences" in errors[0]) == ([], True)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"id": "other"}, "id: is not the qasrl_id"),
        ({"tokens": ["Perry", "cut", "it"]}, "tokens: has other tokens than words"),
    ],
)
def test_fields_that_contradict_each_other_are_refused(read, fields, message):
    records, errors = read({**allennlp(), **fields})
    assert (records, message in errors[0]) == ([], True)
    assert read({**allennlp(), "id": allennlp()["qasrl_id"], "tokens": TOKENS})[1] == []


@pytest.mark.parametrize("score", [95, -3, float("nan"), float("inf")])
def test_score_that_is_no_probability_is_refused(read, score):
    pairs = [{"question": "Who cut something?", "spans": [{**span(0, 0), "score": score}]}]
    records, errors = read(allennlp(qa_pairs=pairs))
    assert (records, "is not a probability" in errors[0]) == ([], True)


def test_spelling_of_the_words_of_a_span_does_not_matter(read):
    pairs = [{"question": "Who cut something?", "spans": [{**span(0, 0), "text": "PERRY"}]}]
    (record,), errors = read(allennlp(qa_pairs=pairs))
    assert (record.content["questions"][0]["answers"], errors) == ([[0, 1]], [])


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (allennlp(index=9), "index: 9 is on no token"),
        (allennlp(index="1"), "index: must be a position"),
        (allennlp(qa_pairs=[{"question": "Who?", "spans": ["Perry"]}]), "spans: must be a list of"),
        (
            allennlp(qa_pairs=[{"question": "Who?", "spans": [{**span(0, 0), "text": "the"}]}]),
            "spans: 0 to 0 is “Perry”, not 'the'",
        ),
        (allennlp(qa_pairs=[{"question": "Who?", "spans": [span(0, 9)]}]), "spans: [0, 10] is no"),
        (bank("beam", [{"span": [0, 1], "questionSlots": {}}]), "questionSlots: must have"),
        (bank("beam", [{"span": [0, 1], "spanProb": "x"}]), "spanProb: must be a number"),
        (bank("questions", [{"questionSlots": WHO, "answerSpans": [3]}]), "answerSpans: must be"),
        ({"sentenceId": "s1", "sentenceTokens": TOKENS}, "verbs: must be a list"),
    ],
)
def test_bad_line_is_reported_and_skipped(read, entry, message):
    records, (error,) = read(entry, allennlp())
    assert len(records) == 1
    assert error.startswith(f"parser.jsonl, line 1: {message}")
