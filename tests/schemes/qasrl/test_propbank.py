import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from schemes.qasrl.published_csv import GOLD_COLUMNS
from tests.schemes.qasrl.test_conll2009 import FARMER, _block

TOKENS = [row[0] for row in FARMER]
SOLD = 7
# PropBank of `sold`: A0 [0, 7), A1 [8, 9), A2 [9, 12), AM-TMP [6, 7).
ROLES = [
    ("who sold something?", "0:3"),
    ("what did someone sell?", "8:9"),
    ("where did someone sell something?", "9:12"),
]


@pytest.fixture
def files(tmp_path):
    propbank = tmp_path / "farm.conll"
    propbank.write_text(
        _block(FARMER)
        + "\n"
        + _block(
            [
                ("Rain", "NN", 0, "_"),
            ]
        ),
        "utf-8",
    )
    sentences = tmp_path / "sentences.csv"
    sentences.write_text(f"qasrl_id,sentence,tokens\ns1,{' '.join(TOKENS)},{' '.join(TOKENS)}\n")
    predicted = tmp_path / "predicted.csv"
    lines = [",".join(GOLD_COLUMNS)]
    for question, ranges in ROLES:
        known = {"qasrl_id": "s1", "verb_idx": SOLD, "verb": "sold", "question": question,
                 "is_redundant": "False", "answer_range": ranges, "answer": "x"}  # fmt: skip
        lines.append(",".join(str(known.get(name, "")) for name in GOLD_COLUMNS))
    predicted.write_text("\n".join(lines) + "\n")
    return propbank, predicted, sentences


def evaluate(files, *options) -> str:
    propbank, predicted, sentences = map(str, files)
    output = StringIO()
    call_command(
        "evaluate",
        "propbank",
        propbank,
        predicted,
        "--sentences",
        sentences,
        *options,
        stdout=output,
    )
    return output.getvalue()


def test_figures_are_macro_averages_over_common_predicates(files):
    figures = json.loads(evaluate(files, "--json"))
    assert (figures["predicates"], figures["only_propbank"], figures["only_qasrl"]) == (1, 1, 0)
    assert figures["unknown_sentences"] == 1
    # The farmer's span is cut at the relative clause of another verb, so 3 of 5 tokens match.
    assert figures["all"]["precision"] == 1
    assert figures["all"]["recall"] == 3 / 4
    assert figures["all"]["f1"] == pytest.approx(6 / 7)
    assert (figures["core"]["precision"], figures["core"]["recall"]) == (1, 1)
    # The adjunct question `where` has PropBank's core argument. `yesterday` is missed.
    assert (figures["adjunct"]["precision"], figures["adjunct"]["recall"]) == (1, 0)
    assert figures["adjunct"]["f1"] == 0


def test_text_names_the_source_of_predicates(files):
    text = evaluate(files)
    assert text.startswith("1 predicates that both annotate; 1 of PropBank alone")
    assert [line.split()[0] for line in text.splitlines()[-3:]] == ["all", "core", "adjunct"]


def test_broken_file_is_reported_with_its_line(files):
    files[0].write_text("1\tRain\n")
    with pytest.raises(CommandError, match=r"farm.conll, line 1: has 2 columns") as excinfo:
        evaluate(files)
    assert excinfo.value.returncode == 2
