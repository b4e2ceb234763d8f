"""Texts of lexica as runs: FrameNet's markup, and the braces of our own JSON.

Runs hold text only, so no markup of a file reaches a page.
"""

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from html import unescape

from schemes.contract.errors import ContentError

Run = list[str]
Runs = list[Run]
# A tag, a comment or a declaration. Possessive, because Python's parser of HTML and a search that goes
# back take a time that grows with the square of a text without ends of tags.
_TAG = re.compile(
    r"<(?:(?P<end>/)?(?P<tag>[A-Za-z][^\s<>/]*+)(?P<attributes>[^<>]*+)|[!?][^<>]*+)>", re.ASCII
)
_NAME = re.compile(r"""\bname\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"']++))""", re.IGNORECASE)
# Tags that are open at once, far more than those of a release. The text of more is read, not their marks.
_MAX_OPEN = 50
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
    parser.parse(text)
    return parser.result()


def parse_braces(text: str, elements: Collection[str], path: str) -> Runs:
    """Parse `{Seller}` and `{Seller|the shop}`. Doubled braces are literal ones.

    Raise ContentError for a single brace or an unknown element.
    """
    runs: Runs = []
    end = 0
    for match in _MENTION.finditer(text):
        runs.append([text[end : match.start()], ""])
        runs.append(_mention(match, elements, path))
        end = match.end()
    return joined_runs([*runs, [text[end:], ""]])


def joined_runs(runs: Iterable[Run]) -> Runs:
    """Return the runs with single blanks, and neighbours with the same mark joined."""
    parts: list[tuple[list[str], str]] = []
    for text, mark in runs:
        collapsed = re.sub(r"\s+", " ", text)
        if not parts or parts[-1][0][-1].endswith(" "):
            collapsed = collapsed.removeprefix(" ")
        if not collapsed:
            continue
        if parts and parts[-1][1] == mark:
            parts[-1][0].append(collapsed)
        else:
            parts.append(([collapsed], mark))
    joined = [["".join(texts), mark] for texts, mark in parts]
    if joined:
        joined[-1][0] = joined[-1][0].rstrip(" ")
    return [run for run in joined if run[0]]


def text_of(runs: Iterable[Run]) -> str:
    return "".join(text for text, _ in runs)


def _mention(match: re.Match[str], known: Collection[str], path: str) -> Run:
    if match[0] in ("{{", "}}"):
        return [match[0][0], ""]
    if match[1] is None:
        raise ContentError(path, f"has a single {match[0]!r}; double it to write the character.")
    name = match[1].strip()
    if name not in known:
        raise ContentError(path, f"mentions {name[:80]!r}, which is no element of the frame.")
    return [name if match[2] is None else match[2], name]


class _MarkupParser:
    def __init__(self, name_of: Callable[[str], str]) -> None:
        self._name_of = name_of
        self._open: list[tuple[str, str]] = []  # tags with the elements that they mark
        self._definition: Runs = []
        self._examples: list[Runs] = []

    def parse(self, text: str) -> None:
        end = 0
        for match in _TAG.finditer(text):
            self._add_text(text[end : match.start()])
            end = match.end()
            tag, attributes = (match["tag"] or "").lower(), match["attributes"] or ""
            if tag and not match["end"]:
                self._start(tag, attributes)
            if match["end"] or attributes.endswith("/"):
                self._end(tag)
        self._add_text(text[end:])

    def _start(self, tag: str, attributes: str) -> None:
        if tag == "br":
            self._add_text(" ")
            return
        if tag == "ex":
            self._examples.append([])
        name = _NAME.search(attributes) if tag == "fex" else None
        mark = self._name_of(_unescaped(name[1] or name[2] or name[3] or "")) if name else ""
        if len(self._open) < _MAX_OPEN:
            self._open.append((tag, mark))

    def _end(self, tag: str) -> None:
        if any(opened == tag for opened, _ in self._open):
            while self._open.pop()[0] != tag:
                pass

    def _add_text(self, text: str) -> None:
        if not text:
            return
        text = _unescaped(text)
        tags = {tag for tag, _ in self._open}
        runs = self._examples[-1] if "ex" in tags else self._definition
        runs.append([text, self._mark(text)])

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


def _unescaped(text: str) -> str:
    try:
        return unescape(text)
    except ValueError:  # a reference with thousands of digits
        return text
