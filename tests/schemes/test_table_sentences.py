"""Columns of tables that are swapped, and those that only look like it."""

import pytest

from schemes.contract.errors import FileError
from schemes.custom.corpus import TABLE, CustomCorpus
from schemes.custom.form import Form
from schemes.table_sentences import read_table
from tests.schemes.custom.samples import starter


def read_custom(path, *, on_error):
    return CustomCorpus(Form(starter("entities"))).read_sentences(path, TABLE, on_error)


every_reader = pytest.mark.parametrize("read", [read_table, read_custom])


def read_row(read, header, row, folder):
    path = folder / "a.csv"
    path.write_text(f"{header}\n{row}\n")
    errors: list[FileError] = []
    return list(read(path, on_error=errors.append)), errors


@every_reader
@pytest.mark.parametrize(
    ("header", "row", "field"),
    [
        ("id,text,tokens,document", "1,,Ada slept .,Ada slept.", "text"),
        ("id,text,tokens", "1,Ada did n't sleep .,Ada didn't sleep.", "tokens"),
        ("id,text,tokens", "1,`` Ada '' slept .,“Ada” slept.", "tokens"),
        ("id,text,tokens,document", "1,Ada slept.,,Ada slept .", "tokens"),
    ],
)
def test_swapped_columns_are_refused(read, header, row, field, tmp_path):
    records, errors = read_row(read, header, row, tmp_path)
    assert records == []
    [error] = errors
    assert (error.line, error.field) == (2, field)


@every_reader
@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("id,text,tokens,document", "1,The Salt Road,The Salt Road,The Salt Road"),
        ("id,text,document", "1,The Salt Road.,The Salt Road."),
        ("id,tokens,document", "1,The Salt Road .,The Salt Road."),
        ("id,text,tokens,document", "1,,Ada slept .,Ada"),
        ("id,text,tokens", "1,It cost 12 000 crowns,It cost 12000 crowns"),
        ("id,text,tokens", "1,Ada slept .,Ada slept ."),
        ("id,text,tokens", "1,Ada slept.,Ada slept."),
    ],
)
def test_valid_rows_are_read(read, header, row, tmp_path):
    records, errors = read_row(read, header, row, tmp_path)
    assert errors == []
    assert len(records) == 1


@pytest.mark.parametrize(
    ("header", "row", "field"),
    [
        ("id,text,tokens,skipped", "1,,Ada slept .,Ada slept.", "text"),
        ("id,text", '"[{""start"": 0}]",Ada slept.', "id"),
        ("id,text,document", '1,Ada slept.,"[{""start"": 0}]"', "document"),
    ],
)
def test_other_columns_of_custom_tables_are_compared(header, row, field, tmp_path):
    records, errors = read_row(read_custom, header, row, tmp_path)
    assert (records, [error.field for error in errors]) == ([], [field])
