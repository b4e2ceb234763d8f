import csv
import io
import re
import time
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.contract.errors import FileError
from schemes.contract.records import SentenceRecord
from schemes.qasrl.gold_csv import read_gold_csv, read_items
from schemes.qasrl.published_csv import (
    GOLD_COLUMNS,
    GoldRow,
    csv_line,
    read_gold_rows,
    read_predicates,
    read_sentence_rows,
    sentence_file,
    write_gold_rows,
)
from schemes.qasrl.slots import Slots
from schemes.table_rows import MAX_LINE_BYTES

from .published_data import EXPERT, GOLD, SENTENCES, needs_published_data

HEADER = "qasrl_id,verb_idx,question,answer_range"


def raised(error: FileError) -> None:
    raise error


def gold(tmp_path: Path, text: str | bytes) -> tuple[list[GoldRow], list[FileError]]:
    path = tmp_path / "gold.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    errors: list[FileError] = []
    return list(read_gold_rows(path, on_error=errors.append)), errors


def slots(**changes: object) -> Slots:
    empty = {
        "wh": "who",
        "aux": "",
        "subj": "",
        "verb_prefix": "",
        "verb_slot_inflection": "Past",
        "obj": "something",
        "prep": "",
        "obj2": "",
        "is_passive": False,
        "is_negated": False,
    }
    return Slots(**{**empty, **changes})


def row(**changes: object) -> GoldRow:
    values = {
        "qasrl_id": "s1",
        "verb_idx": 1,
        "verb": "cut",
        "worker_id": "w",
        "assign_id": "a",
        "source_assign_id": "b",
        "question": "Who cut something?",
        "is_redundant": False,
        "answers": ((0, 1),),
        "slots": slots(),
        "line": 2,
    }
    return GoldRow(**{**values, **changes})


def test_gold_rows_need_only_the_minimal_columns_in_any_order(tmp_path):
    rows, errors = gold(tmp_path, "answer_range,question,qasrl_id,verb_idx\n0:1~!~3:5,Who?,s1,2\n")
    assert errors == []
    assert rows == [
        row(
            verb_idx=2,
            verb="",
            worker_id="",
            assign_id="",
            source_assign_id="",
            question="Who?",
            answers=((0, 1), (3, 5)),
            slots=None,
        )
    ]


def test_gold_rows_accept_a_byte_order_mark_and_unwrap_some(tmp_path):
    text = f"\ufeff{HEADER},source_assign_id\ns1,2,Who?,0:1,Some(3ABC)\ns1,3,Who?,0:1,3ABC\n"
    rows, errors = gold(tmp_path, text)
    assert errors == []
    assert [row.source_assign_id for row in rows] == ["3ABC", "3ABC"]


def test_gold_row_without_question_and_answer_adds_a_predicate(tmp_path):
    rows, errors = gold(tmp_path, f"{HEADER}\ns1,2,,\n")
    assert errors == []
    assert [(row.question, row.answers) for row in rows] == [("", ())]


@pytest.mark.parametrize(
    ("fields", "field", "words"),
    [
        ("s1,x,Who?,0:1", "verb_idx", "not a position"),
        ("s1,-1,Who?,0:1", "verb_idx", "not a position"),
        ("s1,１,Who?,0:1", "verb_idx", "not a position"),
        ("s1," + "9" * 5000 + ",Who?,0:1", "verb_idx", "not a position"),
        (",1,Who?,0:1", "qasrl_id", "is empty"),
        ("s1,1,Who?,", "answer_range", "no answer"),
        ("s1,1,,0:1", "question", "no question"),
        ("s1,1,Who?,3:1", "answer_range", "ends before it starts"),
        ("s1,1,Who?,3:3", "answer_range", "ends before it starts"),
        ("s1,1,Who?,3", "answer_range", "not start:end"),
        ("s1,1,Who?,3:x", "answer_range", "not a position"),
        ("s1,1,Who?,0:1~!~", "answer_range", "not start:end"),
        ("s1,1,Who?", "", "3 fields where the header has 4"),
        ('s1,1,"Who"x,0:1', "", "not CSV"),
    ],
)
def test_bad_gold_row_is_reported_and_skipped(tmp_path, fields, field, words):
    rows, errors = gold(tmp_path, f"{HEADER}\ns0,1,Who?,0:1\n{fields}\ns2,1,Who?,0:1\n")
    assert [row.qasrl_id for row in rows] == ["s0", "s2"]
    (error,) = errors
    assert (error.file, error.line, error.field) == ("gold.csv", 3, field)
    assert words in error.message


def test_bad_boolean_is_reported(tmp_path):
    rows, errors = gold(tmp_path, f"{HEADER},is_redundant\ns0,1,Who?,0:1,perhaps\n")
    assert rows == []
    assert (errors[0].line, errors[0].field) == (2, "is_redundant")


def test_unclosed_quote_names_the_lost_lines(tmp_path):
    rows, errors = gold(tmp_path, f'{HEADER}\ns0,1,Who?,0:1\ns1,1,"Who?,0:1\ns2,1,Who?,0:1\n')
    assert [row.qasrl_id for row in rows] == ["s0"]
    assert errors[0].line == 3
    assert "lines 3 to 4 left out" in errors[0].message


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "is a PNG image"),
        (b"PK\x03\x04 no csv at all\n", "is a damaged ZIP archive"),
        (b"PKno csv at all\n", "qasrl_id: the column is missing"),
        (f"{HEADER}\ns1,1,Qui\u00e9n?,0:1\n".encode("latin-1"), "line 2: is not UTF-8"),
        (f"{HEADER}\n".encode("utf-16"), "not UTF-8"),
        (b"qasrl_id,verb_idx,answer_range\n", "question: the column is missing"),
        (f"{HEADER},question\n".encode(), "names a column twice"),
        (f"{HEADER}\ns1,1,Who\0?,0:1\n".encode(), "line 2: contains a NUL byte"),
        (b'"qasrl_id"x,verb_idx\n', "not the header of a CSV file"),
    ],
)
def test_unreadable_file_is_refused_with_a_reason(tmp_path, content, words):
    with pytest.raises(FileError, match=words):
        gold(tmp_path, content)


def test_missing_file_is_a_file_error(tmp_path):
    with pytest.raises(FileError, match="cannot be opened"):
        list(read_gold_rows(tmp_path / "none.csv", on_error=raised))


@pytest.mark.parametrize("opening", [b"s1,1,", b's1,1,"'])
def test_line_of_50_megabytes_is_refused_in_bounded_memory(tmp_path, opening):
    path = tmp_path / "gold.csv"
    with path.open("wb") as file:
        file.write(HEADER.encode() + b"\n" + opening)
        for _ in range(50):
            file.write(b"x" * (1 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(FileError, match=r"line 2: is longer than 1 MiB") as excinfo:
            list(read_gold_rows(path, on_error=raised))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert excinfo.value.line == 2
    assert peak < 4 * MAX_LINE_BYTES


def test_quoted_field_over_many_lines_is_limited(tmp_path):
    text = f'{HEADER}\ns1,1,"' + "\n".join(["x" * 1000] * 6000) + '",0:1\ns2,1,Who?,0:1\n'
    rows, errors = gold(tmp_path, text)
    assert "field larger than field limit" in errors[0].message
    assert len(text) > 5 * MAX_LINE_BYTES
    assert [row.qasrl_id for row in rows] == ["s2"]


def test_predicates_are_distinct_and_in_file_order(tmp_path):
    path = tmp_path / "qa.csv"
    path.write_text("qasrl_id,verb_idx,verb\ns1,4,cut\ns1,2,run\ns1,4,cut\ns2,x,go\n,1,a\n")
    errors: list[FileError] = []
    predicates = list(read_predicates(path, on_error=errors.append))
    assert predicates == [("s1", 4, "cut", 2), ("s1", 2, "run", 3)]
    assert [(error.line, error.field) for error in errors] == [(5, "verb_idx"), (6, "qasrl_id")]


def test_sentences_drop_repeats_and_refuse_other_tokens(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text(
        "qasrl_id,tokens,sentence\n"
        "s1,A b .,A b .\n"
        "s1,A b .,A b .\n"
        "s1,A c .,A c .\n"
        "s2,A  b,A b\n"
        "s3,,\n"
        "s4,no\u00a0break space,x\n"
    )
    errors: list[FileError] = []
    sentences = list(read_sentence_rows(path, on_error=errors.append))
    assert sentences == [
        SentenceRecord("s1", ("A", "b", "."), 2),
        SentenceRecord("s4", ("no\u00a0break", "space"), 7, text="x"),
    ]
    assert [(error.line, error.field) for error in errors] == [
        (4, "qasrl_id"),
        (5, "tokens"),
        (6, "tokens"),
    ]


def test_written_gold_is_read_back_unchanged(tmp_path):
    rows = [
        row(answers=((0, 1), (2, 4))),
        row(question='Who, "said" someone\n?', is_redundant=True, line=3),
        row(slots=None, line=5),
    ]
    path = tmp_path / "gold.csv"
    assert write_gold_rows([(row, ["A", "cut", "B", "é,"]) for row in rows], path) == 3
    header, first, *_ = csv.reader(path.read_text(encoding="utf-8").splitlines())
    assert tuple(header) == GOLD_COLUMNS
    assert first[8:10] == ["0:1~!~2:4", "A~!~B é,"]
    back = list(read_gold_rows(path, on_error=raised))
    assert back[:2] == [
        replace(rows[0], answer="A~!~B é,"),
        replace(rows[1], answer=back[1].answer),
    ]
    assert back[2].slots is not None  # the columns exist but are empty
    assert back[2].slots.wh == ""


@given(
    st.lists(
        st.lists(
            st.text(st.characters(blacklist_categories=["Cs", "Cc", "Z"])),
            min_size=1,
        ).filter(all),
        min_size=1,
        max_size=5,
    )
)
def test_written_sentences_are_read_back_unchanged(tmp_path_factory, sentences):
    records = [
        SentenceRecord(f"s{at}", tuple(tokens), at + 2)
        for at, tokens in enumerate(sentences)
        if " ".join(tokens).strip()
    ]
    path = tmp_path_factory.mktemp("s") / "s.csv"
    with sentence_file(path) as add:
        for sentence in records:
            add(sentence)
    back = list(read_sentence_rows(path, on_error=raised))
    assert [(sentence.external_id, sentence.tokens) for sentence in back] == [
        (sentence.external_id, sentence.tokens) for sentence in records
    ]


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_reported(tmp_path_factory, noise):
    path = tmp_path_factory.mktemp("noise") / "gold.csv"
    path.write_bytes(HEADER.encode() + b"\n" + noise)
    errors: list[FileError] = []
    try:
        rows = list(read_gold_rows(path, on_error=errors.append))
    except FileError as error:
        rows, errors = [], [*errors, error]
    assert all(start < end for row in rows for start, end in row.answers)
    assert {error.file for error in errors} <= {"gold.csv"}


@needs_published_data
def test_published_files_are_read_completely():
    rows = list(read_gold_rows(GOLD, on_error=raised))
    assert len(rows) == 3714
    assert sum(len(row.answers) for row in rows) == 4315
    assert len({(row.qasrl_id, row.verb_idx) for row in rows}) == 1264
    assert len(list(read_predicates(GOLD, on_error=raised))) == 1264
    assert len(list(read_sentence_rows(SENTENCES, on_error=raised))) == 917
    expert = list(read_gold_rows(EXPERT, on_error=raised))
    assert len(expert) == 148
    assert all(row.slots and not row.worker_id for row in expert)


@needs_published_data
def test_written_rows_equal_the_published_bytes(tmp_path):
    """Exceptions are the wrapper `Some(...)` and the letters that the file has lost."""
    tokens = {
        sentence.external_id: sentence.tokens
        for sentence in read_sentence_rows(SENTENCES, on_error=raised)
    }
    rows = list(read_gold_rows(GOLD, on_error=raised))
    out = tmp_path / "out.csv"
    write_gold_rows(((row, tokens[row.qasrl_id]) for row in rows), out)
    published = re.sub(r"Some\((\w+)\)", r"\1", GOLD.read_text(encoding="utf-8")).splitlines()
    written = out.read_text(encoding="utf-8").splitlines()
    differing = [
        (published_line, written_line)
        for published_line, written_line in zip(published, written, strict=True)
        if published_line != written_line
    ]
    assert len(differing) == 3
    assert all(
        "?" in published_line and not written_line.isascii()
        for published_line, written_line in differing
    )


def test_reading_is_fast_enough_for_a_corpus(tmp_path):
    """The bound is loose enough for slow machines. The benchmark prints the figure."""
    path = tmp_path / "gold.csv"
    path.write_text(f"{HEADER}\n" + "s1,1,Who?,0:1\n" * 50_000)
    started = time.perf_counter()
    assert len(list(read_gold_rows(path, on_error=raised))) == 50_000
    assert time.perf_counter() - started < 5


# --- lines

FIELDS = st.lists(
    st.text(alphabet=st.sampled_from('a,"\n\r é~!;\u2028\x0b'), max_size=6), min_size=2
)


@given(FIELDS)
def test_lines_equal_those_of_the_csv_module(fields):
    line = csv_line(fields)
    assert next(csv.reader(io.StringIO(line, newline=""))) == fields
    if not any("\r" in field for field in fields):
        written = io.StringIO(newline="")
        csv.writer(written, lineterminator="\n").writerow(fields)
        assert line == written.getvalue()


def sentence_errors(tmp_path: Path, text: str) -> tuple[list[str], list[str]]:
    path = tmp_path / "s.csv"
    path.write_text(text)
    errors: list[FileError] = []
    records = read_sentence_rows(path, on_error=errors.append)
    return [record.external_id for record in records], [str(error) for error in errors]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("qasrl_id,tokens,sentence", "repeats the header"),
        ("a:2,It's here.,It 's here .", "fewer words than the sentence. Are the columns swapped?"),
        ("a:2,The\u00a0dog\u00a0barked,x", "joined by single blanks"),
    ],
)
def test_row_with_swapped_or_joined_columns_is_a_bad_row(tmp_path, row, message):
    text = f"qasrl_id,tokens,sentence\na:1,It 's here .,It's here.\n{row}\n"
    ids, (error,) = sentence_errors(tmp_path, text)
    assert ids == ["a:1"]
    assert "line 3" in error
    assert message in error


def test_token_may_have_a_no_break_space(tmp_path):
    text = "qasrl_id,tokens,sentence\na:1,New\u00a0York sleeps .,New\u00a0York sleeps.\n"
    assert sentence_errors(tmp_path, text) == (["a:1"], [])


WITH_FLAGS = "qasrl_id,verb_idx,verb,question,answer_range,is_redundant\n"
OF_DOG = "a:1,2,barked,Who barked?,0:2,False\n"
OF_CAT = "a:2,1,purred,What purred?,0:1,False\n"
OF_COW = "a:3,1,mooed,What mooed?,0:1,False\n"


@pytest.mark.parametrize(
    ("broken", "left"),
    [
        # The end of a line that was broken in two is the row of another predicate.
        (f"{OF_DOG}a\n:2,1,purred,What purred?,0:1,False\n{OF_CAT}{OF_COW}", {"a:3"}),
        (f"{OF_DOG}b:1,2,barked,When?,0:2,no\n{OF_CAT}{OF_COW}", {"a:2", "a:3"}),
        (f"{OF_DOG}a:1,4,barked,When?,0:2,no\n{OF_CAT}{OF_COW}", {"a:2", "a:3"}),
        (f"{OF_DOG}{OF_CAT}b:3,1,mooed,When?,0:2,no\n{OF_COW}", {"a:1", "a:2"}),
        (f"{OF_DOG}a:9,9,sang,When?,0:2,no\n{OF_CAT}{OF_COW}", {"a:1", "a:2", "a:3"}),
    ],
)
def test_predicate_that_a_bad_row_may_belong_to_is_left_out(tmp_path, broken, left):
    path = tmp_path / "gold.csv"
    path.write_text(WITH_FLAGS + broken)
    errors: list[FileError] = []
    records = list(read_gold_csv(path, on_error=errors.append))
    assert {record.item.external_id for record in records} == left
    assert errors


@pytest.mark.parametrize("read", [read_gold_csv, read_items, read_sentence_rows])
@pytest.mark.parametrize("more", ["", ",is_verbal"])
def test_file_without_rows_is_refused(tmp_path, read, more):
    path = tmp_path / "gold.csv"
    path.write_text(f"qasrl_id,verb_idx,verb,question,answer_range,tokens{more}\n")
    with pytest.raises(FileError, match="a header, but no rows"):
        list(read(path, on_error=raised))


def test_items_of_nouns_need_the_column_that_tells_them_from_verbs(tmp_path):
    path = tmp_path / "nouns.csv"
    path.write_text('qasrl_id,target_idx,noun,verb_form,"is_verbal\na:1,2,sale,sell,True\n')
    with pytest.raises(FileError, match="not the header of a CSV file"):
        list(read_items(path, on_error=raised))
    path.write_text("qasrl_id,target_idx,noun,verb_form\na:1,2,sale,sell\n")
    with pytest.raises(FileError, match="is_verbal: the column is missing"):
        list(read_items(path, on_error=raised))
