"""No app names a scheme or its words. Only the scheme's own folders do."""

import re
from pathlib import Path

import pytest

from tests.environment import ROOT

WORDS = (
    *("qasrl", "qa-srl", "question", "questions", "verb", "verbs", "predicate", "predicates"),
    *("propbank", "ua", "la", "framenet", "verbnet", "semeval"),
)
# Matches words in prose and in identifiers, between characters that are not letters.
_WORD = re.compile(rf"(?<![a-z])({'|'.join(WORDS)})(?![a-z])", re.IGNORECASE)
SUFFIXES = {".py", ".html", ".js", ".css", ".svg"}
# The apps and their pages. The marketplace and the providers use MTurk's terms, in which a question
# is a page. Schemes have separate folders.
FOLDERS = (
    *(
        "accounts",
        "annotation",
        "audit",
        "benchmarks",
        "config",
        "consolidation",
        "crowd",
        "dashboard",
        "datasets",
    ),
    *(
        "jobs",
        "operations",
        "projects",
        "qualification",
        "rehearsal",
        "releases",
        "web",
        "templates",
        "static",
    ),
)
LEFT_OUT = (
    "crowd/providers/",
    "templates/marketplace/",
    "templates/schemes/",
    "static/js/marketplace/",
    "static/js/schemes/",
    "static/css/marketplace/",
    "static/css/schemes/",
)
#: Places that still name a scheme. Keep this empty.
EXCEPTIONS: tuple[str, ...] = ()


def _files() -> list[Path]:
    files = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    return [
        path
        for path in files
        if path.suffix in SUFFIXES
        and "migrations" not in path.parts
        and not str(path.relative_to(ROOT)).startswith(LEFT_OUT)
    ]


def places_in(text: str) -> list[str]:
    """Return the words of schemes in a text."""
    # LaTeX is one word, and the metric LA another.
    separated = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text.replace("LaTeX", "latex"))
    return [match[0] for match in _WORD.finditer(separated.replace("_", " "))]


def test_no_app_names_a_scheme():
    words_by_path = {
        str(path.relative_to(ROOT)): words
        for path in _files()
        if (words := places_in(path.read_text("utf-8")))
    }
    assert {name: words for name, words in words_by_path.items() if name not in EXCEPTIONS} == {}
    assert EXCEPTIONS == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("questions_per_item", ["questions"]),
        ("class QuestionBox", ["Question"]),
        ("UA.f1 of a verb", ["UA", "verb"]),
        ("adverbs, queue, verbose, layout", []),
        ("LaTeX tables", []),
        ("LA and la_f1", ["LA", "la"]),
    ],
)
def test_words_in_prose_and_identifiers_are_detected(text, words):
    assert places_in(text) == words
