"""Versions, authors and their ORCID iDs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from releases.domain.details import (
    Author,
    ReleaseDetails,
    ReleaseDetailsError,
    authors_text,
    details_of_json,
    is_orcid,
    parse_authors,
    parse_version,
)


@pytest.mark.parametrize(
    "orcid",
    ["0000-0002-1825-0097", "0000-0001-5109-3700", "0000-0002-1694-233X", "0000-0002-9079-593X"],
)
def test_published_examples_of_orcid_are_accepted(orcid):
    assert is_orcid(orcid)
    others = set("0123456789X") - {orcid[-1]}
    assert not any(is_orcid(orcid[:-1] + digit) for digit in others)


@given(st.integers(0, 10**15 - 1), st.integers(0, 14), st.integers(1, 9))
def test_a_wrong_digit_of_an_orcid_is_found(number, place, by):
    digits = f"{number:015d}"
    [check] = [last for last in "0123456789X" if is_orcid(digits + last)]
    wrong = digits[:place] + str((int(digits[place]) + by) % 10) + digits[place + 1 :]
    assert not is_orcid(wrong + check)


@pytest.mark.parametrize(
    ("text", "version"), [("0.1", (0, 1)), ("1.0", (1, 0)), ("12.345", (12, 345))]
)
def test_version_has_two_numbers(text, version):
    assert parse_version(text) == version


@pytest.mark.parametrize(
    "text", ["", "1", "1.", ".1", "1.0.0", "01.0", "1.00", "v1.0", "1.0 ", "１.0", "9999999.0"]
)
def test_other_versions_are_refused(text):
    with pytest.raises(ReleaseDetailsError, match="is no version"):
        parse_version(text)


def test_authors_are_read_and_written():
    text = """
        Doe, Jane; https://orcid.org/0000-0002-1825-0097; Example Lab
        de la Cruz, María José; University of Somewhere

        Example Consortium
    """
    authors = parse_authors(text)
    assert authors == [
        Author("Doe", "Jane", "0000-0002-1825-0097", "Example Lab"),
        Author("de la Cruz", "María José", "", "University of Somewhere"),
        Author("Example Consortium"),
    ]
    assert parse_authors(authors_text(authors)) == authors
    assert [author.name for author in authors] == [
        "Jane Doe",
        "María José de la Cruz",
        "Example Consortium",
    ]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("Doe, Jane; 0000-0002-1825-0098", "line 2: 0000-0002-1825-0098 is no ORCID iD"),
        ("Doe, Jane; A; B", "line 2: 'A' is no ORCID iD"),
        ("Doe, Jane; A; B; C", "line 2: write"),
        (", Jane", "line 2: write"),
    ],
)
def test_wrong_author_is_named_by_line(line, message):
    with pytest.raises(ReleaseDetailsError, match=message):
        parse_authors(f"Doe, John\n{line}")


def test_details_survive_storage():
    details = ReleaseDetails(
        version="1.0",
        licence="MIT",
        authors=[Author("Doe", "Jane")],
        partitions=["train", ""],
        answers={"uses": "Parsing."},
    )
    assert details_of_json(details.as_json()) == details
