"""`evaluate qasrl` with third-party files and with corrections."""

import gzip
import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.schemes.qasrl.test_parser_output import FORMS, TOKENS, WHO, allennlp, bank

HEADER = "qasrl_id,verb_idx,verb,worker_id,question,is_redundant,answer_range"


def judgments(*spans) -> list[dict]:
    """Return a judgment for each span. None gives an invalid judgment."""
    return [
        {"sourceId": f"turk-{at}", "isValid": place is not None}
        | ({} if place is None else {"spans": [place]})
        for at, place in enumerate(spans)
    ]


LABELS = {
    "Who cut something?": judgments([0, 1], [0, 1], [0, 1], [0, 1], [0, 1], None),
    "What did someone cut?": judgments([2, 4], [2, 4], [2, 4], None, None, None),
    "When did someone cut?": judgments([4, 5], None, None, None, None, None),
    "Why did someone cut?": judgments(None, None, None, None, None, None),
    "Where did someone cut?": judgments([5, 6], [5, 6], [5, 6]),
}


@pytest.fixture
def files(tmp_path):
    labels = {
        text: {"questionString": text, "questionSources": ["turk-0"], "answerJudgments": answers}
        for text, answers in LABELS.items()
    }
    labels["Who cut something?"]["questionSlots"] = WHO
    verb = {"verbIndex": 1, "verbInflectedForms": FORMS, "questionLabels": labels}
    entry = {"sentenceId": "s1", "sentenceTokens": TOKENS, "verbEntries": {"1": verb}}
    with gzip.open(tmp_path / "dense.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")
    (tmp_path / "gold.csv").write_text(
        f"{HEADER}\ns1,1,cut,w,Who cut something?,False,0:1\ns1,1,cut,w,What was cut?,False,2:4\n"
    )
    sentence = " ".join(TOKENS)
    (tmp_path / "sentences.csv").write_text(f"qasrl_id,tokens\ns1,{sentence}\n")
    without_id = {name: value for name, value in allennlp().items() if name != "qasrl_id"}
    (tmp_path / "parser.jsonl").write_text(json.dumps(without_id) + "\n")
    beam = [{"span": [0, 1], "spanProb": 0.4, "questionSlots": WHO}]
    (tmp_path / "beam.jsonl").write_text(json.dumps(bank("beam", beam)) + "\n")
    return tmp_path


def evaluate(*arguments) -> dict:
    output = StringIO()
    call_command("evaluate", "qasrl", *map(str, arguments), "--json", stdout=output)
    return json.loads(output.getvalue())


def counts(figures: dict, name: str = "UA") -> tuple[int, int, int]:
    return tuple(figures[name][count] for count in ("tp", "fp", "fn"))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), (2, 2, 0)),
        (("--min-valid", 1, "--of", 6), (2, 1, 0)),
        (("--min-valid", 3, "--of", 6), (2, 0, 0)),
        (("--min-valid", 5, "--of", 6), (1, 0, 1)),
        (("--min-valid", 6, "--of", 6), (0, 0, 2)),
        # Each question has three judgments. Only the last question has three valid judgments.
        (("--min-valid", 3, "--of", 3), (0, 1, 2)),
    ],
)
def test_bank_questions_require_enough_valid_judgments(files, options, expected):
    figures = evaluate(files / "gold.csv", files / "dense.jsonl.gz", *options)
    assert counts(figures) == expected


def test_bank_serves_as_reference(files):
    figures = evaluate(files / "dense.jsonl.gz", files / "gold.csv", "--min-valid", 3, "--of", 6)
    assert (figures["predicates"], counts(figures), counts(figures, "LA")) == (
        1,
        (2, 0, 0),
        (1, 1, 1),
    )


def test_parser_is_scored_at_a_threshold(files):
    sentences = ("--sentences", files / "sentences.csv")
    parsed = evaluate(files / "gold.csv", files / "parser.jsonl", *sentences)
    assert (counts(parsed), counts(parsed, "LA")) == ((2, 0, 0), (2, 0, 0))
    low = evaluate(files / "gold.csv", files / "parser.jsonl", *sentences, "--threshold", 0)
    assert counts(low) == (2, 1, 0)
    beam = files / "beam.jsonl"
    assert counts(evaluate(files / "gold.csv", beam)) == (0, 0, 2)
    assert counts(evaluate(files / "gold.csv", beam, "--threshold", 0.4)) == (1, 0, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--min-valid", 5), "--min-valid and --of need each other"),
        (("--min-valid", 7, "--of", 6), "--min-valid 7 --of 6: give numbers from 1"),
        (("--min-valid", 0, "--of", 6), "--min-valid 0 --of 6: give numbers from 1"),
        (("--threshold", 2), "argument --threshold: invalid probability value: '2'"),
    ],
)
def test_invalid_option_combinations_are_refused(files, options, message):
    with pytest.raises(CommandError, match=message):
        evaluate(files / "gold.csv", files / "dense.jsonl.gz", *options)


def test_parser_output_without_ids_requires_sentences(files):
    with pytest.raises(CommandError, match="its tokens need a sentences file") as excinfo:
        evaluate(files / "gold.csv", files / "parser.jsonl")
    assert excinfo.value.returncode == 2


@pytest.mark.parametrize("text", ['{"verbs": []}\n', "[]\n", "qasrl_id,verb_idx\n"])
def test_unrelated_json_file_is_refused(files, text):
    (files / "other.jsonl").write_text(text)
    with pytest.raises(CommandError, match=r"^other\.jsonl, line 1: "):
        evaluate(files / "gold.csv", files / "other.jsonl")


def test_file_of_blank_lines_is_refused(files):
    (files / "blank.jsonl").write_text("\n\n")
    assert counts(evaluate(files / "gold.csv", files / "blank.jsonl")) == (0, 0, 2)


@pytest.fixture
def corrected(files):
    def with_rows(*rows, header="item,kind,reference,predicted"):
        path = files / "corrections.csv"
        path.write_text("\n".join([header, *rows]) + "\n")
        predicted = files / "predicted.csv"
        predicted.write_text(
            f"{HEADER}\ns1,1,cut,w,What cut something?,False,0:1\ns1,1,cut,w,When?,False,4:5\n"
        )
        return evaluate(files / "gold.csv", predicted, "--corrections", path)

    return with_rows


def test_corrections_add_a_second_set_of_figures(corrected):
    figures = corrected("s1/1,label-accepted,0-1,0-1", "s1/1,answer-accepted,,4-5")
    assert (counts(figures), counts(figures, "LA")) == ((1, 1, 1), (0, 2, 2))
    second = figures["corrected"]
    assert (counts(second), counts(second, "LA")) == ((2, 0, 1), (2, 0, 1))
    published = corrected(
        "s1,1,pair-refused,0-1,0-1", header="qasrl_id,verb_idx,kind,reference,predicted"
    )
    assert counts(published["corrected"]) == (0, 2, 2)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("s1/9,pair-refused,0-1,0-1", "corrections.csv: the reference has no predicate s1/9."),
        ("s1/1,pair-refused,0-1,7-8", "corrections.csv: s1/1: "),
        ("s1/1,refused,0-1,0-1", "corrections.csv, line 2: kind: must be one of pair-accepted"),
        ("s1/x,pair-refused,0-1,0-1", "corrections.csv, line 2: item: must be"),
        ("s1/1,pair-refused,0:1,0-1", "corrections.csv, line 2: reference: '0:1' is not a token"),
        ("s1/1,pair-refused,,0-1", "corrections.csv, line 2: reference: pair-refused needs one"),
        ("s1/1,answer-accepted,0-1,0-1", "line 2: reference: answer-accepted needs none"),
    ],
)
def test_bad_correction_is_reported(corrected, row, message):
    with pytest.raises(CommandError, match=message) as excinfo:
        corrected(row)
    assert excinfo.value.returncode == 2


def test_text_shows_the_corrected_figures(files):
    path = files / "corrections.csv"
    path.write_text("item,kind,reference,predicted\ns1/1,pair-refused,0-1,0-1\n")
    out = StringIO()
    gold = str(files / "gold.csv")
    call_command("evaluate", "qasrl", gold, gold, "--corrections", str(path), stdout=out)
    assert [line.split("  ")[0] for line in out.getvalue().splitlines()[3:]] == [
        "UA",
        "LA",
        "UA corrected",
        "LA corrected",
    ]
