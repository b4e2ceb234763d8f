import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.contract.errors import FileError
from schemes.frames.records import SEPARATOR, Argument, Record, joined, read_records

SAMPLE = """\
#20671029 11 sell.Commerce_sell
#20671030 11 sell.Commerce_sell fund-:-2-:-Seller bond-:-14-:-Goods
#20671031 11 sell.na fund-:-2-:-Agent bond-:-14-:-Theme
#22006007 12_13 buy_back.unkn it-:-10-:-nsubj common_share-:-17_18-:-rscmpx
"""


def _read(path: Path) -> tuple[list[Record], list[FileError]]:
    errors: list[FileError] = []
    return list(read_records(path, on_error=errors.append)), errors


def record_line(record: Record) -> str:
    arguments = [
        SEPARATOR.join((argument.filler, joined(argument.positions), argument.role))
        for argument in record.arguments
    ]
    verb = f"{record.lemma}.{record.frame}"
    return " ".join([record.sentence, joined(record.positions), verb, *arguments])


def write_records(records: list[Record], path: Path) -> None:
    path.write_text("".join(f"{record_line(record)}\n" for record in records), "utf-8")


@pytest.fixture
def written(tmp_path):
    def write(text: str | bytes) -> Path:
        path = tmp_path / "frames.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_formats_of_all_tasks_are_read(written):
    records, errors = _read(written(SAMPLE))
    assert errors == []
    assert records[0] == Record("#20671029", (11,), "sell", "Commerce_sell", (), 1)
    assert records[1].arguments == (
        Argument("fund", (2,), "Seller"),
        Argument("bond", (14,), "Goods"),
    )
    assert records[2].frame == "na"
    assert records[3] == Record(
        "#22006007",
        (12, 13),
        "buy_back",
        "unkn",
        (Argument("it", (10,), "nsubj"), Argument("common_share", (17, 18), "rscmpx")),
        4,
    )


def test_line_is_written_back_unchanged(written):
    records, _ = _read(written(SAMPLE))
    assert [record_line(record) for record in records] == SAMPLE.splitlines()


def test_fillers_and_roles_may_contain_unusual_characters(written):
    line = "#1 3 go.F $5.5-:-%-&-:-2_9-:-Co-Agent U.S.-:-4-:-Agent/Experiencer"
    (record,), errors = _read(written(line))
    assert errors == []
    assert record.arguments == (
        Argument("$5.5-:-%-&", (2, 9), "Co-Agent"),
        Argument("U.S.", (4,), "Agent/Experiencer"),
    )
    assert record_line(record) == line


def test_lemma_may_contain_a_full_stop(written):
    (record,), _ = _read(written("#1 3 o.k..Approve"))
    assert (record.lemma, record.frame) == ("o.k.", "Approve")


def test_line_ends_byte_order_mark_tabs_and_blank_lines_are_ignored(written):
    records, errors = _read(written(b"\xef\xbb\xbf#1 3 go.F  \r\n\r\n#1\t4 go.F\n"))
    assert [record.positions for record in records] == [(3,), (4,)]
    assert [record.line for record in records] == [1, 3]
    assert errors == []


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("#1 3", "line 2: has 2 fields"),
        ("#1 x go.F", "line 2: position: 'x' is not a token number"),
        ("#1 0 go.F", "line 2: position: '0' is on no token"),
        ("#1 4_3 go.F", "line 2: position: '4_3' must ascend"),
        ("#1 3_3 go.F", "line 2: position: '3_3' must ascend"),
        ("#1 ٣ go.F", "is not a token number"),
        ("#1 3 go", "line 2: verb: 'go' is not lemma.frame"),
        ("#1 3 .F", "verb"),
        ("#1 3 go.", "verb"),
        ("#1 3 go.F it", "argument: 'it' is not filler-:-position-:-role"),
        ("#1 3 go.F it-:-0-:-A", "argument: '0' is on no token"),
        ("#1 3 go.F it-:-2-:-", "argument"),
        ("#1 3 go.F it-:-2-:-A he-:-2-:-B", "the argument at position 2 is repeated"),
        ("#1 2 run.G", "the verb #1 2 is repeated from line 1"),
    ],
)
def test_broken_line_is_reported_and_skipped(written, line, complaint):
    records, errors = _read(written(f"#1 2 go.F\n{line}\n#9 2 go.F\n"))
    assert [record.sentence for record in records] == ["#1", "#9"]
    (error,) = errors
    assert error.line == 2
    assert complaint in str(error)
    assert str(error).startswith("frames.txt, line 2: ")


@pytest.mark.parametrize(
    "content", [b"\x89PIC\r\n\x1a\n\0\0", b"#1 2 go.F\n#1 3 g\xff.F\n", b"a\0b"]
)
def test_undecodable_file_is_refused_by_line(written, content):
    with pytest.raises(FileError, match=r"frames.txt, line \d"):
        _read(written(content))


def test_missing_file_is_reported(tmp_path):
    with pytest.raises(FileError, match=r"gone\.txt: cannot be opened"):
        _read(tmp_path / "gone.txt")


_words = st.text(string.ascii_letters + "%&$.-_/é", min_size=1, max_size=6)
_positions = st.sets(st.integers(1, 99), min_size=1, max_size=3).map(lambda s: tuple(sorted(s)))
_labels = st.text(string.ascii_letters + "-/_", min_size=1, max_size=6).filter(
    lambda label: "-:-" not in label
)
_arguments = st.lists(
    st.builds(Argument, _words, _positions, _labels), max_size=3, unique_by=lambda a: a.positions
).map(tuple)


@pytest.mark.slow
@given(
    st.lists(
        st.builds(Record, _words.map("#".__add__), _positions, _words, _labels, _arguments),
        unique_by=lambda record: (record.sentence, record.positions),
    )
)
def test_records_survive_a_round_trip(tmp_path_factory, records):
    path = tmp_path_factory.mktemp("frames") / "frames.txt"
    write_records(records, path)
    records_read, errors = _read(path)
    assert errors == []
    assert [record_line(record) for record in records_read] == [
        record_line(record) for record in records
    ]
    assert [(record.lemma, record.frame, record.arguments) for record in records_read] == [
        (record.lemma, record.frame, record.arguments) for record in records
    ]
