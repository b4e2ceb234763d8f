"""No app names a crowd provider. Only `crowd.providers` and the settings do."""

import re
from pathlib import Path

import pytest

from tests.environment import ROOT

_WORD = re.compile(r"(m|mechanical )?turk(?![a-z])|turk(?=submit)|prolific", re.IGNORECASE)
SUFFIXES = {".py", ".html", ".js", ".css", ".svg"}
FOLDERS = (
    *(
        "accounts",
        "annotation",
        "audit",
        "benchmarks",
        "consolidation",
        "crowd",
        "dashboard",
        "datasets",
    ),
    *("jobs", "operations", "projects", "qualification", "rehearsal", "releases", "web"),
    *("templates", "static"),
)
# The marketplace is a separate provider. The file formats of schemes have established names.
LEFT_OUT = ("crowd/providers/", "templates/marketplace/", "static/js/marketplace/")
#: Places that still name a provider. Keep this empty.
EXCEPTIONS: tuple[str, ...] = ()


def _files() -> list[Path]:
    return [
        path
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*")
        if path.suffix in SUFFIXES
        and "migrations" not in path.parts
        and not str(path.relative_to(ROOT)).startswith(LEFT_OUT)
    ]


def test_no_app_names_a_provider():
    places = [
        f"{path.relative_to(ROOT)}:{number}: {match[0]}"
        for path in _files()
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        for match in [_WORD.search(line)]
        if match and str(path.relative_to(ROOT)) not in EXCEPTIONS
    ]
    assert places == []


@pytest.mark.parametrize(
    "text", ["MTURK_IS_OURS", "turkSubmitTo", "Mechanical Turk", "prolific_token", "an MTurk HIT"]
)
def test_provider_word_is_detected(text):
    assert _WORD.search(text)


@pytest.mark.parametrize("text", ["Turkish", "proliferate"])
def test_other_word_is_not_detected(text):
    assert not _WORD.search(text)
