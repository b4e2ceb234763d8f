"""Links from errors to headings of the shipped guidelines."""

import re
from pathlib import Path

import pytest

from schemes.qasrl import hints
from schemes.registry import get_scheme
from web.markdown import headings_of

FOLDER = Path(hints.__file__).parent / "guidelines"
CODES = set(re.findall(r'"([a-z]+(?:-[a-z]+)+)"', Path(hints.__file__).read_text("utf-8")))


@pytest.mark.parametrize(
    ("role", "file"), [("generator", "generation.md"), ("consolidator", "consolidation.md")]
)
def test_every_remark_links_to_an_existing_heading(role, file):
    headings = headings_of((FOLDER / file).read_text("utf-8"))
    sections = hints.SECTIONS[role]
    assert set(sections.values()) <= set(headings)
    of_both_roles = set().union(*(links.values() for links in hints.SECTIONS.values()))
    written = CODES - of_both_roles - {"label-differs", "extent-differs"}
    assert written <= set(sections), role


def test_unknown_errors_and_roles_have_no_link():
    scheme = get_scheme("qasrl")
    assert scheme.comparison.section("something-new", "generator") == ""
    assert scheme.comparison.section("modal-missing", "expert") == ""
