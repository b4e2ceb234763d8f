"""Texts of lexica as runs: FrameNet's markup, and the braces of our own JSON.

Runs hold text only, so no markup of a file reaches a page.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from html.parser import HTMLParser

from schemes.base import ContentError

Run = list[str]
Runs = list[Run]
_MENTION = re.compile(r"\{\{|\}\}|\{([^{}|]*)(?:\|([^{}]*))?\}|[{}]")


@dataclass
class ParsedText:
    """A definition with its examples."""

    definition: Runs = field(default_factory=list)
    examples: list[Runs] = field(default_factory=list)


def parse_markup(text: str, name_of: Callable[[str], str]) -> ParsedText:
    """Parse FrameNet's markup, whose tags may be unbalanced.

    `name_of` returns the element of a name or abbreviation, or "".
    """
    parser = _MarkupParser(name_of)
    parser.feed(text)
    parser.close()
    return parser.result()


def parse_braces(text: str, elements: Iterable[str], path: str) -> Runs:
    """Parse `{Seller}` and `{Seller|the shop}`. Doubled braces are literal ones.

    Raise ContentError for a single brace or an unknown element.
    """
    known = set(elements)
    runs: Runs = []
    end = 0
    for match in _MENTION.finditer(text):
        runs.append([text[end : match.start()], ""])
        runs.append(_mention(match, known, path))
        end = match.end()
    return joined_runs([*runs, [text[end:], ""]])


def joined_runs(runs: Iterable[Run]) -> Runs:
    """Return the runs with single blanks, and neighbours with the same mark joined."""
    joined: Runs = []
    for text, mark in runs:
        collapsed = re.sub(r"\s+", " ", text)
        if not joined or joined[-1][0].endswith(" "):
            collapsed = collapsed.removeprefix(" ")
        if not collapsed:
            continue
        if joined and joined[-1][1] == mark:
            joined[-1][0] += collapsed
        else:
            joined.append([collapsed, mark])
    if joined:
        joined[-1][0] = joined[-1][0].rstrip(" ")
    return [run for run in joined if run[0]]


def text_of(runs: Iterable[Run]) -> str:
    return "".join(text for text, _ in runs)


def _mention(match: re.Match[str], known: set[str], path: str) -> Run:
    if match[0] in ("{{", "}}"):
        return [match[0][0], ""]
    if match[1] is None:
        raise ContentError(path, f"has a single {match[0]!r}; double it to write the character.")
    name = match[1].strip()
    if name not in known:
        raise ContentError(path, f"mentions {name[:80]!r}, which is no element of the frame.")
    return [name if match[2] is None else match[2], name]


class _MarkupParser(HTMLParser):
    def __init__(self, name_of: Callable[[str], str]) -> None:
        super().__init__(convert_charrefs=True)
        self._name_of = name_of
        self._open: list[tuple[str, str]] = []  # tags with the elements that they mark
        self._definition: Runs = []
        self._examples: list[Runs] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "br":
            self.handle_data(" ")
            return
        if tag == "ex":
            self._examples.append([])
        mark = self._name_of(dict(attrs).get("name") or "") if tag == "fex" else ""
        self._open.append((tag, mark))

    def handle_endtag(self, tag: str) -> None:
        if any(opened == tag for opened, _ in self._open):
            while self._open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        tags = {tag for tag, _ in self._open}
        runs = self._examples[-1] if "ex" in tags else self._definition
        runs.append([data, self._mark(data)])

    def result(self) -> ParsedText:
        examples = [joined_runs(runs) for runs in self._examples]
        return ParsedText(joined_runs(self._definition), [runs for runs in examples if runs])

    def _mark(self, data: str) -> str:
        """Return the element of the innermost tag that names one."""
        for tag, mark in reversed(self._open):
            if tag == "fen" and (name := self._name_of(data.strip())):
                return name
            if mark:
                return mark
        return ""
