"""Check that tracked files contain no traces of one machine.

Forbidden are host names of package registries and absolute paths of home directories or checkouts.
A lock file that names a registry works only for its author.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# The brackets keep these patterns from matching this file.
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
    paths = [re.escape(path) + r"(?![\w-])" for path in checkouts if path.count("/") > 1]
    return re.compile("|".join([*REGISTRIES, HOMES, *paths]))


def traces(path: Path, pattern: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Yield the line number (from 1) and the text of each match. Skip binary files."""
    data = path.read_bytes()
    if b"\0" in data:
        return
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
        if match := pattern.search(line):
            yield number, match.group()


def main() -> None:
    pattern = forbidden(_checkouts())
    problems = [
        f"{path.relative_to(ROOT)}, line {line}: {text!r} is specific to one machine. Remove it."
        for path in _tracked_files()
        for line, text in traces(path, pattern)
    ]
    if problems:
        sys.exit("\n".join(problems))


if __name__ == "__main__":
    main()
