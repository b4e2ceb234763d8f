import pytest

from schemes.contract.errors import FileError
from schemes.qasrl.conll2012 import looks_like_conll2012, read_conll2012
from schemes.qasrl.propbank_arguments import PropBankArgument

# Word, part of speech, parse, lemma, frameset, then one column of arguments per predicate.
ROWS = [
    ("The", "DT", "(TOP(S(NP(NP*", "-", "-", "(ARG1*", "(ARG0*"),
    ("man", "NN", "*)", "-", "-", "*)", "*"),
    ("who", "WP", "(SBAR(WHNP*)", "-", "-", "(R-ARG1*)", "*"),
    ("came", "VBD", "(S(VP*))))", "come", "01", "(V*)", "*)"),
    ("might", "MD", "(VP*", "-", "-", "*", "(ARGM-MOD*)"),
    ("not", "RB", "*", "-", "-", "*", "(ARGM-NEG*)"),
    ("leave", "VB", "(VP*", "leave", "01", "*", "(V*)"),
    ("tomorrow", "NN", "(NP*))))", "-", "-", "*", "(ARGM-TMP*)"),
]


def task_rows(rows=ROWS) -> list[str]:
    """Return rows as in the shared task, with senses, speakers, entities and coreference."""
    lines = []
    for at, (form, pos, parse, lemma, frameset, *arguments) in enumerate(rows):
        token = ["nw/a/00/a_0001", "0", str(at), form, pos, parse, lemma, frameset]
        entity, coreference = "(DATE*)" if form == "tomorrow" else "*", "-" if at else "(3)"
        lines.append("  ".join([*token, "-", "Speaker#1", entity, *arguments, coreference]))
    return lines


def release_rows(rows=ROWS) -> list[str]:
    """Return rows as in the releases of PropBank, whose arguments follow the roleset."""
    lines = []
    for at, (form, pos, parse, lemma, frameset, *arguments) in enumerate(rows):
        roleset = "-" if lemma == "-" else f"{lemma}.{frameset}"
        token = ["ewt/a.xml", "4", str(at), form, pos, parse, lemma, roleset]
        lines.append("\t".join([*token, *arguments]))
    return lines


@pytest.fixture
def read(tmp_path):
    def read_lines(lines):
        path = tmp_path / "sample.gold_conll"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        errors: list[FileError] = []
        return list(read_conll2012(path, on_error=errors.append)), errors

    return read_lines


@pytest.mark.parametrize("rows", [task_rows(), release_rows()], ids=["task", "release"])
def test_predicates_are_read_with_their_spans(read, rows):
    assert looks_like_conll2012(rows)
    (sentence,), errors = read(rows)
    assert errors == []
    assert sentence.tokens == tuple(row[0] for row in ROWS)
    came, leave = sentence.predicates
    assert (came.index, came.sense, came.pos) == (3, "come.01", "VBD")
    assert came.arguments == (PropBankArgument("A1", (0, 2)), PropBankArgument("R-A1", (2, 3)))
    assert (leave.index, leave.sense, leave.pos) == (6, "leave.01", "VB")
    assert leave.arguments == (
        PropBankArgument("A0", (0, 4)),
        PropBankArgument("AM-MOD", (4, 5)),
        PropBankArgument("AM-NEG", (5, 6)),
        PropBankArgument("AM-TMP", (7, 8)),
    )


def test_document_lines_are_skipped_but_counted(read):
    plain = ["nw/a/00/a_0001 0 0 Yes UH (TOP(INTJ*)) - - - - * -"]
    lines = ["#begin document (nw/a/00/a_0001); part 000", *plain, "", *task_rows(), ""]
    sentences, errors = read([*lines, "#end document", "", *plain])
    assert errors == []
    described = [(s.line, len(s.tokens), len(s.predicates)) for s in sentences]
    assert described == [(2, 1, 0), (4, 8, 2), (15, 1, 0)]


def test_nested_spans_and_a_verb_of_two_words_are_read(read):
    rows = [
        ("He", "PRP", "*", "-", "-", "(ARG0(ARG1*))"),
        ("gave", "VBD", "*", "give_up", "07", "(V*"),
        ("up", "RP", "*", "-", "-", "*)"),
        ("smoking", "NN", "*", "-", "-", "(C-V*)"),
    ]
    (sentence,), errors = read(task_rows(rows))
    assert errors == []
    (gave,) = sentence.predicates
    assert gave.index == 1
    assert [(a.label, a.span) for a in gave.arguments] == [("A1", (0, 1)), ("A0", (0, 1))]


@pytest.mark.parametrize(
    ("row", "change", "message"),
    [
        (2, ("who", "[WORD]"), "word: the file has no words"),
        (2, ("0  2", "0  7"), "word number: '7' should be 2"),
        (4, ("(ARGM-MOD*)", "ARGM"), "arguments: 'ARGM' is not bracket notation"),
        (4, ("(ARGM-MOD*)", "*)"), "arguments: a bracket is closed that was never opened"),
        (7, ("(ARGM-TMP*)", "(ARGM-TMP*"), "arguments: a bracket is opened and never closed"),
        (5, ("(ARGM-NEG*)", ""), "has 13 columns; 14 are needed"),
    ],
)
def test_malformed_sentence_is_reported_and_skipped(read, row, change, message):
    rows = task_rows()
    rows[row] = rows[row].replace(*change)
    sentences, errors = read([*rows, "", *task_rows()])
    assert len(sentences) == 1
    (error,) = errors
    assert str(error).startswith(f"sample.gold_conll, line {row + 1}: {message}")
