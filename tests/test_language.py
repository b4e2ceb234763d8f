"""Words that STYLE.md replaces do not appear in code, templates or docs.

Words that also have a modern use (`hand`, `seat`, `sign`, `kept`, `found`) are left to review.
"""

import re
import subprocess

import pytest

from tests.environment import ROOT

ARCHAIC = re.compile(
    r"\b(anew|whoever|all the same|says whether|tally|told|storey|errand|hasten|hears of|so many|bite|"
    r"for good|for ever|hand(ed)? in)\b",
    re.IGNORECASE,
)
# "Email", "username" and "sign in" are the spellings of the site.
SPELLINGS = re.compile(r"\b(e-mails?|user names?|login pages?|logged in)\b", re.IGNORECASE)
SUFFIXES = {".py", ".html", ".js", ".css", ".md", ".toml", ".yml", ".txt"}
# Guidelines and samples quote other people's sentences, and two tests list the words.
EXEMPT = (
    *("requirements/", "schemes/qasrl/samples/", "schemes/qasrl/guidelines/"),
    *("tests/test_language.py", "tests/wording.py", "tests/test_wording.py"),
)


def tracked_texts() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    paths = [path for path in listed.stdout.split("\0") if (ROOT / path).is_file()]
    return [
        path for path in paths if (ROOT / path).suffix in SUFFIXES and not path.startswith(EXEMPT)
    ]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a git checkout")
@pytest.mark.parametrize("words", [ARCHAIC, SPELLINGS], ids=["archaic words", "other spellings"])
def test_texts_contain_none_of_the_words(words):
    hits = [
        f"{path}:{number}: {match.group()}"
        for path in tracked_texts()
        for number, line in enumerate((ROOT / path).read_text("utf-8").splitlines(), 1)
        if (match := words.search(line))
    ]
    assert not hits, "\n".join(hits)
