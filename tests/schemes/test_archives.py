"""Damaged ZIP archives are refused, and no member is missing without a message."""

import io
import random
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from schemes.contract.errors import FileError
from schemes.custom.formats import brat
from schemes.file_kinds import data_files
from schemes.unpack import unpack
from schemes.xml_files import xml_files
from tests.schemes.custom.samples import starter

FILES = {
    "a.txt": "Ada met Grace here\n",
    "a.ann": "T1\tPER 0 3\tAda\n",
    "b.txt": "Ida met Grace there\n",
    "b.ann": "T1\tPER 0 3\tIda\n",
    "ids.tsv": "a\tx:1\n",
}
ENTRY = b"PK\x01\x02"


def packed(files=FILES, mode=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", mode) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return buffer.getvalue()


def read(path):
    """Return the items of an archive by their ids, and the errors."""
    errors = []
    try:
        entries = list(brat.read(path, starter("entities"), errors.append))
    except FileError as error:
        return {}, [error]
    return {entry.external_id: (entry.tokens, entry.answers) for entry in entries}, errors


@pytest.mark.slow
def test_changed_bytes_never_lose_or_change_an_item_without_a_message(tmp_path):
    path = tmp_path / "b.zip"
    data = packed()
    path.write_bytes(data)
    truth, errors = read(path)
    assert (len(truth), errors) == (2, [])
    rng = random.Random(7)
    for at in range(len(data)):
        for value in {data[at] ^ (1 << rng.randrange(8)), data[at] ^ 0x20, rng.randrange(256)}:
            path.write_bytes(data[:at] + bytes([value]) + data[at + 1 :])
            items, errors = read(path)
            assert errors or items == truth, (at, value)
            assert all(truth[name] == item for name, item in items.items()), (at, value)


@pytest.mark.slow
def test_changed_bytes_of_a_packed_file_are_refused_or_harmless(tmp_path):
    path = tmp_path / "a.zip"
    data = packed({"a.csv": "id,text\n1,Ada met Grace\n"})
    for at in range(data.find(ENTRY), len(data)):
        for value in range(0, 256, 17):
            path.write_bytes(data[:at] + bytes([value]) + data[at + 1 :])
            with TemporaryDirectory() as folder:
                try:
                    unpacked = unpack(path, Path(folder))
                except FileError:
                    continue
                assert unpacked == path or unpacked.read_text() == "id,text\n1,Ada met Grace\n"


def test_archive_that_lists_fewer_files_is_refused(tmp_path):
    """A damaged length hides the files that follow in the directory."""
    data = bytearray(packed())
    data[data.find(ENTRY) + 33] = 0xFF  # of the comment of the first file
    path = tmp_path / "b.zip"
    path.write_bytes(data)
    for opened in (data_files, lambda path: xml_files(path).__enter__()):
        with pytest.raises(FileError, match="lists 1 files, but should have 5"):
            opened(path)


def test_file_that_another_name_hides_is_refused(tmp_path):
    path = tmp_path / "b.zip"
    data = packed()
    at = data.rfind(b"b.ann")
    path.write_bytes(data[:at] + b"b.anm" + data[at + 5 :])
    items, [error] = read(path)
    assert (items, error.file, "'b.anm'" in error.message) == ({}, "b.zip", True)


def test_valid_archives_are_read(tmp_path):
    path = tmp_path / "b.zip"
    names = {**FILES, "B.TXT": "Eve slept\n", "B.ANN": "T1\tPER 0 3\tEve\n", "notes/": ""}
    for files, mode in ((FILES, zipfile.ZIP_STORED), (names, zipfile.ZIP_LZMA)):
        path.write_bytes(packed(files, mode))
        items, errors = read(path)
        assert errors == []
        assert all(answers["entities"] for _, answers in items.values())
    assert set(items) == {"x:1", "b", "B"}
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"Made for tests. " * 100
    assert len(read(path)[0]) == 3


def test_names_that_differ_in_the_case_of_their_ending_are_refused(tmp_path):
    path = tmp_path / "b.zip"
    path.write_bytes(packed({**FILES, "b.TXT": "Eve slept\n"}))
    items, [error] = read(path)
    assert (items, "as well" in error.message) == ({}, True)
