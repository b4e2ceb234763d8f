"""`python -m scripts.check_tracked_files`: no tracked file tells of one machine.

Refused: host names of package registries (a lock file with addresses works for its author only)
and absolute paths of a home directory or of a checkout.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Each with one letter in brackets, so that this file does not accuse itself.
REGISTRIES = (
    r"py[p]i\.org",
    r"pythonhoste[d]\.org",
    r"registry\.npm[j]s\.org",
    r"registry\.yarn[p]kg\.com",
    r"cdn\.jsdeliv[r]\.net",
    r"unpk[g]\.com",
    r"crate[s]\.io",
    r"rubygem[s]\.org",
    r"deb\.debia[n]\.org",
    r"archive\.ubunt[u]\.com",
    r"repo1?\.mave[n]\.org",
    r"proxy\.golan[g]\.org",
    r"file:///\S*simpl[e]",
)
HOMES = r"(?<![\w.])/(?:roo[t]|hom[e]/\w+|User[s]/\w+)/"


def _git(*arguments: str) -> str:
    return subprocess.run(
        ["git", "-C", str(ROOT), *arguments],
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def _tracked_files() -> list[Path]:
    names = _git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def _checkouts() -> list[str]:
    lines = _git("worktree", "list", "--porcelain").splitlines()
    return [line.removeprefix("worktree ") for line in lines if line.startswith("worktree ")]


def forbidden(checkouts: list[str]) -> re.Pattern[str]:
    places = [re.escape(place) + r"(?![\w-])" for place in checkouts if place.count("/") > 1]
    return re.compile("|".join([*REGISTRIES, HOMES, *places]))


def traces(path: Path, pattern: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Line number (from 1) and the text found; nothing for a file that is not text."""
    data = path.read_bytes()
    if b"\0" in data:
        return
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
        if found := pattern.search(line):
            yield number, found.group()


def main() -> None:
    pattern = forbidden(_checkouts())
    found = [
        f"{path.relative_to(ROOT)}, line {line}: {text!r} belongs to one machine; take it out."
        for path in _tracked_files()
        for line, text in traces(path, pattern)
    ]
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
