import pytest

from schemes.contract.errors import FileError
from schemes.text_lines import MAX_LINE_BYTES, numbered_lines


@pytest.fixture
def lines(tmp_path):
    def read(content):
        path = tmp_path / "lines.txt"
        path.write_bytes(content)
        return list(numbered_lines(path))

    return read


def test_lines_are_numbered_without_their_ends_and_byte_order_mark(lines):
    assert lines(b"\xef\xbb\xbfone\r\n\ntwo \n") == [(1, "one"), (2, ""), (3, "two ")]
    assert lines(b"a\r\r\nb") == [(1, "a"), (2, "b")]
    assert lines(b"") == []


def test_carriage_returns_end_the_lines_of_a_file_without_line_feeds(lines):
    assert lines(b"a\rb\r\rc\r") == [(1, "a"), (2, "b"), (3, ""), (4, "c")]


def test_other_separators_end_no_lines(lines):
    assert lines("a\u2028b\x0cc\x0bd\x85e\n".encode()) == [(1, "a\u2028b\x0cc\x0bd\x85e")]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"ok\n\xff\n", "line 2: is not UTF-8 text"),
        (b"ok\na\rb\n", "line 2: contains a carriage return alone"),
        (b"ok\nok\na\0b\n", "line 3: contains a NUL byte"),
        (b"ok\n" + b"x" * (MAX_LINE_BYTES + 1), "line 2: is longer than 16 MiB"),
    ],
    ids=["bytes", "one old line end", "nul", "long"],
)
def test_undecodable_text_is_reported_by_line(lines, content, complaint):
    with pytest.raises(FileError, match=complaint):
        lines(content)


def test_folder_is_refused(tmp_path):
    with pytest.raises(FileError, match="cannot be opened"):
        list(numbered_lines(tmp_path))
