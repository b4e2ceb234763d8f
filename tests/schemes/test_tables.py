"""Tests of tables in every container, and of files that look like tables."""

import datetime
import gzip
import zipfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from openpyxl import Workbook
from openpyxl.styles import numbers

from schemes.contract.errors import FileError, refuse
from schemes.tables import Table
from tests.schemes.workbooks import containers, saved, separated_bytes, workbook_bytes, zip_bytes

HEADER = ("id", "text")
ROWS = [("a:1", "Mary sold a hat ."), ("a:2", "“Ça va?”, he said; 5|6\tor so .")]
# Spreadsheets turn line ends into those of their own, and have no control characters.
_CELLS = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=12
)


def written(folder: Path, name: str, content: bytes) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_bytes(content)
    return path


def read(path: Path) -> tuple[list[tuple[str, ...]], list[FileError]]:
    errors: list[FileError] = []
    with Table(path, required=HEADER, on_error=errors.append) as table:
        return [tuple(fields) for _, fields in table], errors


@pytest.mark.parametrize("name", sorted(set(containers(HEADER, ROWS)) - {"wide.csv"}))
def test_table_is_read_from_every_container(tmp_path, name):
    path = written(tmp_path, name, containers(HEADER, ROWS)[name])
    assert read(path) == (ROWS, [])


@given(rows=st.lists(st.tuples(_CELLS.filter(str.strip), _CELLS), min_size=1, max_size=4))
@example(rows=[("=1+1", "'0"), ('"', 'a "quoted" word')])
@example(rows=[("_x0041_", "TRUE"), ("1.0", "007")])
def test_same_table_is_the_same_in_every_container(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("tables")
    files = containers(HEADER, rows)
    # UTF-16 is decoded before tables are read, and the writer of workbooks makes formulas of texts.
    names = [name for name in files if name not in ("wide.csv", "book.zip", "table.xlsx")]
    found = {name: read(written(folder, name, files[name])) for name in names}
    assert {name: table for name, table in found.items() if table != (rows, [])} == {}


def test_rows_of_csv_and_workbooks_have_their_lines(tmp_path):
    for name, content in (
        ("a.csv", separated_bytes(HEADER, [*ROWS, ("a:3", "two\nlines"), ("a:4", "x")])),
        ("a.xlsx", workbook_bytes(HEADER, [*ROWS, (), ("a:4", "x")])),
    ):
        with Table(written(tmp_path, name, content), on_error=refuse) as table:
            assert [line for line, _ in table][-1] == {"a.csv": 6, "a.xlsx": 5}[name]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b'id\ttext\na\t" I sold it , " he said .\n', [("a", '" I sold it , " he said .')]),
        (b'id\ttext\na\t"Hello .\nb\tHi .\n', [("a", '"Hello .'), ("b", "Hi .")]),
        (b'id\ttext\na\t"He said ""no"" ."\n', [("a", 'He said "no" .')]),
        (b'id\ttext\n"a\nb"\tx\n', [("a\nb", "x")]),
        (b"id,text\ra,x\rb,y\r", [("a", "x"), ("b", "y")]),
        (b"id;text\na;x, y\n", [("a", "x, y")]),
        (b"id,text\na,x; y; z\n", [("a", "x; y; z")]),
        (b"id,text;\na,x\n", None),
    ],
)
def test_separators_and_quotes_are_found(tmp_path, content, expected):
    path = written(tmp_path, "a.txt", content)
    if expected is None:
        with pytest.raises(FileError, match="text: the column is missing"):
            read(path)
    else:
        assert read(path) == (expected, [])


def test_texts_of_a_table_of_one_column_may_contain_commas(tmp_path):
    path = written(
        tmp_path, "a.csv", b'text\nMary sold a hat, and left.\n"She ""ran"", too."\nHi;\n'
    )
    with Table(path, required=("text",), on_error=refuse) as table:
        rows = [fields for _, fields in table]
    assert rows == [["Mary sold a hat, and left."], ['She "ran", too.'], ["Hi;"]]
    path = written(tmp_path, "b.csv", b"item\ns1,2\ns2,3\n")
    errors: list[FileError] = []
    with Table(path, required=("item",), on_error=errors.append) as table:
        assert list(table) == []
    assert "has 2 fields where the header has 1" in str(errors[0])


def test_unclosed_quote_is_named(tmp_path):
    for separator in (",", ";", "|"):
        text = f'id{separator}text\na{separator}"x\nb{separator}y\n'
        rows, [error] = read(written(tmp_path, "a.csv", text.encode()))
        assert (rows, error.line) == ([], 2)
        assert "not closed" in str(error)


def test_numbers_and_truth_are_as_they_are_shown(tmp_path):
    rows = [(1, 1.0), (2.5, True), (10**12, False), (3, None), (0.1 + 0.2, "=1+1")]
    found, errors = read(written(tmp_path, "a.xlsx", workbook_bytes(HEADER, rows)))
    assert errors == []
    assert found == [
        ("1", "1"), ("2.5", "TRUE"), ("1000000000000", "FALSE"), ("3", ""), ("0.3", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (datetime.time(2, 4), "02:04:00 is a time"),
        (datetime.timedelta(hours=30), "is a time"),
        (datetime.date(2024, 1, 5), "2024-01-05 is a date"),
        (datetime.datetime(2024, 1, 5, 3), "is a date"),  # noqa: DTZ001 - workbooks have no zones
    ],
)
def test_times_and_dates_in_needed_columns_are_named(tmp_path, value, kind):
    content = workbook_bytes((*HEADER, "other"), [("a", value, ""), ("b", "x", value)])
    rows, [error] = read(written(tmp_path, "a.xlsx", content))
    assert [row[0] for row in rows] == ["b"]
    assert (error.line, error.field) == (2, "text")
    assert kind in error.message


def test_first_visible_sheet_is_read(tmp_path):
    book = Workbook()
    book.active.sheet_state = "hidden"
    book.active.append(["secret"])
    sheet = book.create_sheet("Data")
    for row in (HEADER, *ROWS):
        sheet.append(row)
    book.create_sheet("Notes").append(["note"])
    assert read(written(tmp_path, "a.xlsx", saved(book))) == (ROWS, [])


def test_merged_cells_are_bad_rows(tmp_path):
    book = Workbook()
    sheet = book.active
    for row in (HEADER, *ROWS, ("a:3", "x"), ("a:4", "y")):
        sheet.append(row)
    sheet.merge_cells("A4:A5")
    rows, errors = read(written(tmp_path, "a.xlsx", saved(book)))
    assert rows == ROWS
    assert [(error.line, "merged" in error.message) for error in errors] == [(4, True), (5, True)]


def test_percentages_are_numbers(tmp_path):
    book = Workbook()
    book.active.append(HEADER)
    book.active.append(["a", 0.5])
    book.active["B2"].number_format = numbers.FORMAT_PERCENTAGE
    assert read(written(tmp_path, "a.xlsx", saved(book))) == ([("a", "0.5")], [])


def test_sparse_workbook_can_not_use_up_the_memory(tmp_path):
    book = Workbook()
    book.active.append(HEADER)
    book.active["XFD1048576"] = "far"
    with pytest.raises(FileError, match="too large or damaged"):
        read(written(tmp_path, "a.xlsx", saved(book)))


@pytest.mark.slow
def test_workbook_that_repeats_a_long_text_can_not_use_up_the_memory(tmp_path):
    text = b"x" * (16 << 20)
    cells = b"".join(
        b'<row r="%d"><c r="A%d" t="s"><v>0</v></c></row>' % (n, n) for n in range(1, 201)
    )
    main = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    office = b"http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    files = {
        "xl/workbook.xml": b'<workbook %s xmlns:r="%s"><sheets><sheet name="S" sheetId="1" r:id="a"/>'
        b"</sheets></workbook>" % (main, office),
        "_rels/.rels": b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        b'<Relationship Id="c" Type="%s/officeDocument" Target="xl/workbook.xml"/></Relationships>'
        % office,
        "xl/_rels/workbook.xml.rels": b'<Relationships xmlns="http://schemas.openxmlformats.org/package/'
        b'2006/relationships"><Relationship Id="a" Type="%s/worksheet" Target="worksheets/sheet1.xml"/>'
        b'<Relationship Id="b" Type="%s/sharedStrings" Target="sharedStrings.xml"/></Relationships>'
        % (office, office),
        "xl/sharedStrings.xml": b"<sst %s><si><t>%s</t></si></sst>" % (main, text),
        "xl/worksheets/sheet1.xml": b"<worksheet %s><sheetData>%s</sheetData></worksheet>"
        % (main, cells),
    }
    with pytest.raises(FileError, match="too large or damaged"):
        read(written(tmp_path, "bomb.xlsx", zip_bytes(files)))


def test_workbook_with_links_to_other_files_is_read_without_them(tmp_path):
    path = written(tmp_path, "a.xlsx", workbook_bytes(HEADER, ROWS))
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    files["xl/worksheets/sheet1.xml"] = files["xl/worksheets/sheet1.xml"].replace(
        b"<worksheet", b'<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/hostname">]><worksheet', 1
    )
    rows, errors = read(written(tmp_path, "b.xlsx", zip_bytes(files)))
    assert (rows, errors) == (ROWS, [])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'[{"id": "a", "text": "x"},]', "is not JSON"),
        (b'[{"id": "a", "text": "x"}', "the list has no end"),
        (b'[{"id": "a"} {"id": "b"}]', "is not JSON"),
        (b"[" * 100_000, "nested too deeply|is not JSON"),
        (b'{"a": ' * 100_000, "contains no JSON object"),
        (b"{\n", "contains no JSON object"),
        (b"[1, 2]", "contains no JSON object"),
        (
            b'[{"a": 1, "a": 2}]',
            "contains no JSON object with values. Line 1 has the key “a” twice",
        ),
    ],
)
def test_broken_json_is_refused(tmp_path, content, message):
    with pytest.raises(FileError, match=message):
        read(written(tmp_path, "a.json", content))


def test_json_values_become_cells(tmp_path):
    content = (
        b'[{"id": 1, "text": ["Mary", "sold"]}, {"text": null, "id": 2.0},\n'
        b' {"id": NaN, "text": []}, {"id": "x", "text": ["New\\nYork"]}, 7]'
    )
    rows, errors = read(written(tmp_path, "a.json", content))
    assert rows == [("1", "Mary sold"), ("2", ""), ("", "")]
    assert [(error.line, error.field) for error in errors] == [(2, "text"), (2, "")]
    assert "a line feed (U+000A)" in errors[0].message


@pytest.mark.parametrize("name", ["a.json", "a.jsonl"])
@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("true", "True is a truth value, not text."),
        ("-Infinity", "-inf is an infinite number, not text."),
        ("1e400", "inf is an infinite number, not text."),
        ('{"a": 1}', '{"a": 1} is an object, not text.'),
        ("[1, 2]", "[1, 2] is a list, not text."),
        ('[["a"], "b"]', '[["a"], "b"] is a list, not text.'),
    ],
)
def test_json_values_that_are_no_text_make_bad_rows(tmp_path, name, value, message):
    for column, other in (HEADER, HEADER[::-1]):
        content = f'{{"{column}": {value}, "{other}": "x", "more": {value}}}'
        whole = content if name.endswith("l") else f"[{content}]"
        rows, errors = read(written(tmp_path, name, whole.encode()))
        assert (rows, [(e.line, e.field, e.message) for e in errors]) == (
            [],
            [(1, column, message)],
        )


def test_json_values_of_unused_columns_are_not_checked(tmp_path):
    content = (
        b'{"id": 1, "text": "x", "flag": true, "tags": ["a"], "score": 1e400, "meta": {"a": 1}}'
    )
    path = written(tmp_path, "a.jsonl", content)
    with Table(path, required=HEADER, on_error=refuse) as table:
        assert [fields for _, fields in table] == [["1", "x", "True", "a", "inf", '{"a": 1}']]


def test_list_of_texts_is_no_id(tmp_path):
    rows, errors = read(written(tmp_path, "a.json", b'[{"id": ["a", "b"], "text": ["x", "y"]}]'))
    assert rows == []
    assert [error.message for error in errors] == ["a b is a list of texts, not text."]


@pytest.mark.parametrize(
    "rest", ['[{"id": "b", "text": "y"}]', "]", "x", '{"id": "b"}', "," * 70_000]
)
@pytest.mark.parametrize("blanks", ["\n", "\n" + " " * 70_000])
def test_text_after_a_json_list_is_refused_with_its_line(tmp_path, rest, blanks):
    content = f'[{{"id": "a", "text": "x"}}]{blanks}{rest}'.encode()
    with pytest.raises(FileError, match=r"a\.json, line 2: has text after the end of its list"):
        read(written(tmp_path, "a.json", content))


def test_repeated_key_makes_a_bad_row(tmp_path):
    objects = [
        '{"id": "a", "id": "b", "text": "x"}',
        '{"id": "c", "text": "x"}',
        '{"id": "d", "text": "x", "more": [{"e": 1, "e": 1}]}',
    ]
    listed = ",\n".join(objects)
    contents = {"a.json": f"[{listed}]", "a.jsonl": "\n".join(objects)}
    for name, content in contents.items():
        rows, errors = read(written(tmp_path, name, content.encode()))
        assert rows == [("c", "x")]
        assert [(error.line, error.message) for error in errors] == [
            (1, "has the key “id” twice."),
            (3, "has the key “e” twice."),
        ]


def test_repeated_key_at_the_end_of_a_chunk_makes_a_bad_row(tmp_path):
    long = "x" * 70_000
    content = f'[{{"id": 1, "id": 2, "text": "{long}"}}, {{"id": 3, "text": "y"}}]'.encode()
    rows, errors = read(written(tmp_path, "a.json", content))
    assert (rows, [error.line for error in errors]) == ([("3", "y")], [1])


def test_bad_lines_of_json_lines_are_skipped(tmp_path):
    content = b'{"id": "a", "text": "x"}\n{"id": "b", "text": "x"},\n\n[]\n'
    rows, errors = read(written(tmp_path, "a.jsonl", content))
    assert rows == [("a", "x")]
    assert [error.line for error in errors] == [2, 4]
    assert "ends with a comma" in errors[0].message


def test_compressed_file_that_unpacks_to_gigabytes_is_refused(tmp_path):
    content = gzip.compress(b"id,text\n" + b"a,x\n" * (20 << 20))
    with pytest.raises(FileError, match="unpacks to more than"):
        read(written(tmp_path, "a.csv.gz", content))
    with pytest.raises(FileError, match="ends in the middle or is damaged"):
        read(written(tmp_path, "b.csv.gz", gzip.compress(b"id,text\na,x\n")[:-5]))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"%PDF-1.7\n", "is a PDF. Export its text"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "is an old .xls workbook"),
        (b"<!DOCTYPE html><p>", "is an HTML page"),
        (b"{\\rtf1 x}", "is an RTF document"),
        (b"PAR1\0\0", "is a Parquet file"),
        (zip_bytes({"word/document.xml": b"x", "a": b""}), "is a Word document"),
        (zip_bytes({"a.csv": b"x", "b.csv": b"y"}), r"is a ZIP of 2 files \(a.csv, b.csv\)"),
        (zip_bytes({"mimetype": b"application/vnd.oasis.opendocument.text", "b": b""}), "OpenDoc"),
        (zip_bytes({}), "is not|column is missing|without files"),
    ],
)
def test_other_files_are_named(tmp_path, content, message):
    with pytest.raises(FileError, match=message):
        read(written(tmp_path, "a.csv", content))
