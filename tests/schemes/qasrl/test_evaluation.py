import pytest

from metrics.argument_scores import argument_scores
from metrics.counts import Counts
from schemes.contract.errors import FileError
from schemes.qasrl.annotation_files import (
    read_annotation_file,
    read_annotations_by_worker,
    read_sentence_tokens,
)
from schemes.qasrl.evaluation import ALIGNMENT_COLUMNS, ITEM_COLUMNS, ScoredFiles, scores_by_worker
from tests.schemes.qasrl.published_data import EXPERT, GOLD, SENTENCES, needs_published_data

HEADER = "qasrl_id,verb_idx,verb,worker_id,question,is_redundant,answer_range"
REFERENCE = f"""\
{HEADER}
s1,3,sold,W1,Who sold something?,False,0:2
s1,3,sold,W1,What did someone sell?,False,4:6~!~7:8
s2,1,ran,W1,Who ran?,False,0:1
"""
PREDICTED = f"""\
{HEADER}
s1,3,sold,W2,Who sold something?,False,0:2
s1,3,sold,W2,What was sold?,False,4:6
s1,3,sold,W2,When did someone sell something?,False,10:12
s2,1,ran,W3,Who ran?,True,0:1
s3,0,go,W3,Who goes?,False,1:2
"""


@pytest.fixture
def file(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def evaluation(file):
    return ScoredFiles(
        read_annotation_file(file("reference.csv", REFERENCE)),
        read_annotation_file(file("predicted.csv", PREDICTED)),
    )


def test_figures_follow_the_contract(evaluation):
    assert evaluation.figures() == {
        "predicates": 2,
        "ignored_predicates": 1,
        "UA": {"tp": 2, "fp": 1, "fn": 2, "precision": 2 / 3, "recall": 0.5, "f1": 4 / 7},
        "LA": {"tp": 1, "fp": 2, "fn": 3, "precision": 1 / 3, "recall": 0.25, "f1": 2 / 7},
    }


def test_redundant_role_is_ignored_but_its_predicate_counts(file):
    reference = read_annotation_file(file("reference.csv", REFERENCE))
    predicted = read_annotations_by_worker(file("predicted.csv", PREDICTED))
    by_worker = scores_by_worker(reference, predicted)
    assert list(by_worker) == ["W2", "W3"]
    assert by_worker["W3"].items == 1
    assert by_worker["W3"].ignored_items == 1
    assert by_worker["W3"].ua == Counts(0, 0, 1)
    assert by_worker["W2"].ua == Counts(2, 1, 1)


def test_role_recall_counts_reference_questions(evaluation):
    assert evaluation.role_figures() == {"found": 2, "roles": 3, "recall": 2 / 3}


def test_rows_are_written_per_predicate(evaluation):
    rows = [dict(zip(ITEM_COLUMNS, row, strict=True)) for row in evaluation.item_rows()]
    assert [(row["qasrl_id"], row["verb_idx"], row["verb"]) for row in rows] == [
        ("s1", 3, "sold"),
        ("s2", 1, "ran"),
    ]
    assert (rows[0]["ua_tp"], rows[0]["la_fp"], rows[0]["ua_f1"]) == (2, 2, 2 / 3)
    assert (rows[1]["ua_precision"], rows[1]["ua_recall"]) == (None, 0.0)


def test_rows_per_span_show_words_if_sentences_are_given(evaluation, file):
    sentences = read_sentence_tokens(
        file(
            "sentences.csv",
            "qasrl_id,tokens,sentence\ns1,A man has sold an old red car only just last week .,x\n"
            "s2,He ran,x\n",
        )
    )
    rows = [dict(zip(ALIGNMENT_COLUMNS, row, strict=True)) for row in evaluation.alignment_rows()]
    assert [(row["state"], row["reference_range"], row["predicted_range"]) for row in rows] == [
        ("matched", "0:2", "0:2"),
        ("label-differs", "4:6", "4:6"),
        ("missed", "7:8", ""),
        ("extra", "", "10:12"),
        ("missed", "0:1", ""),
    ]
    assert rows[1]["predicted_questions"] == "What was sold?"
    assert rows[1]["reference_text"] == ""
    rows = [dict(zip(ALIGNMENT_COLUMNS, row, strict=True))
             for row in evaluation.alignment_rows(sentences)]  # fmt: skip
    assert [row["reference_text"] for row in rows] == ["A man", "an old", "car", "", "He"]
    assert rows[3]["predicted_text"] == "last week"


def test_rows_of_the_same_question_form_one_role(file):
    text = f"{HEADER}\ns1,3,sold,W1,Who sold it?,False,0:2\ns1,3,sold,W2,who sold it?,False,4:5\n"
    annotation = read_annotation_file(file("two.csv", text))["s1", 3]
    assert annotation.roles == {"who sold it?": {(0, 2), (4, 5)}}
    assert annotation.labels[0, 2] == annotation.labels[4, 5]


def test_predicate_without_questions_is_an_item(file):
    text = f"{HEADER}\ns1,3,sold,W1,,,\n"
    reference = read_annotation_file(file("empty.csv", text))
    figures = ScoredFiles(reference, reference).figures()
    assert figures["predicates"] == 1
    assert figures["UA"]["f1"] is None


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("s1,3,sold,W1,Who?,False,5:5", "bad.csv, line 3: answer_range: 5:5"),
        ("s1,3,sold,W1,Who?,False,5", "bad.csv, line 3: answer_range"),
        ("s1,x,sold,W1,Who?,False,5:6", "bad.csv, line 3: verb_idx"),
        ("s1,3,sold,W1,Who?,False,", "bad.csv, line 3: answer_range"),
        ("s1,3,sold", "bad.csv, line 3: has 3 fields"),
    ],
)
def test_first_bad_row_stops_the_evaluation(file, row, complaint):
    path = file("bad.csv", f"{HEADER}\ns1,3,sold,W1,Who sold?,False,0:2\n{row}\n")
    with pytest.raises(FileError) as excinfo:
        read_annotation_file(path)
    assert str(excinfo.value).startswith(complaint)


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("s1,1,b,W1,Who?,False,1:3", "line 2: answer_range: 1:3 ends beyond the sentence of 2"),
        ("s1,2,b,W1,Who?,False,0:1", "line 2: verb_idx: 2 is beyond the sentence of 2"),
        ("s9,1,b,W1,Who?,False,0:1", "line 2: qasrl_id: the sentence s9 is not in"),
    ],
)
def test_spans_must_be_within_the_given_sentences(file, row, complaint):
    sentences = read_sentence_tokens(file("s.csv", "qasrl_id,tokens,sentence\ns1,a b,a b\n"))
    with pytest.raises(FileError) as excinfo:
        read_annotation_file(file("bad.csv", f"{HEADER}\n{row}\n"), sentences=sentences)
    assert complaint in str(excinfo.value)


@needs_published_data
def test_published_check_figures_are_reproduced():
    sentences = read_sentence_tokens(SENTENCES)
    evaluation = ScoredFiles(
        read_annotation_file(EXPERT, sentences=sentences),
        read_annotation_file(GOLD, sentences=sentences),
    )
    assert evaluation.scores.items == 49
    assert evaluation.scores.ua == Counts(155, 12, 22)
    assert evaluation.scores.la == Counts(134, 33, 43)
    assert evaluation.role_figures() == {"found": 137, "roles": 148, "recall": 137 / 148}


@needs_published_data
def test_published_gold_scores_perfectly_against_itself():
    gold = read_annotation_file(GOLD)
    table = {key: annotation.labels for key, annotation in gold.items()}
    scores = argument_scores(table, table)
    assert scores.items == 1264
    assert scores.ua == scores.la == Counts(4315, 0, 0)
