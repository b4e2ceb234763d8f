"""Definitions from YAML and JSON text, with the lines of their mistakes.

YAML is read from its events, because loaders expand aliases and read yes and no as booleans. A plain
scalar means what it means in YAML 1.2: only true and false are booleans. Anchors, aliases, merge keys,
tags, directives and further documents are mistakes.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

from schemes.custom.definition import Definition
from schemes.custom.parse_definition import MAX_PROBLEMS, parse_definition
from schemes.custom.problems import DefinitionError, Path, Problem
from schemes.custom.shape import shown

MAX_BYTES = 64_000
MAX_DEPTH = 30
_UNREADABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?")
_INFINITE = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_NULLS = {"", "~", "null", "Null", "NULL"}
_BOOLEANS = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


@dataclass(slots=True)
class Source:
    """A value with the line of each of its parts, and what is wrong with its text."""

    value: Any = None
    lines: dict[Path, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def line_of(self, at: Path) -> int | None:
        """Return the line of a place, or of the closest place around it that the text has."""
        while at and at not in self.lines:
            at = at[:-1]
        return self.lines.get(at)

    def report(self, at: Path, message: str, line: int | None) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(at, message, line))


def read_definition(text: str | bytes) -> Definition:
    """Return the definition in YAML or JSON text. Raise DefinitionError with all mistakes."""
    source = read_source(text)
    if source.problems:
        raise DefinitionError(source.problems)
    try:
        return parse_definition(source.value)
    except DefinitionError as error:
        problems = [problem.on_line(source.line_of(problem.at)) for problem in error.problems]
        in_order = sorted(problems, key=lambda problem: problem.line or 0)
        raise DefinitionError(in_order) from None


def read_source(text: str | bytes) -> Source:
    """Return the value of YAML or JSON text with its lines and problems. JSON begins with a brace."""
    decoded = _decoded(text)
    if decoded.lstrip().startswith("{"):
        return _read_json(decoded)
    return _read_yaml(decoded)


def _decoded(text: str | bytes) -> str:
    size = len(text) if isinstance(text, bytes) else len(text.encode("utf-8", "replace"))
    if size > MAX_BYTES:
        _refuse(f"has {size:,} bytes. A definition has at most {MAX_BYTES:,}.", None)
    try:
        text = text.decode("utf-8") if isinstance(text, bytes) else text
    except UnicodeDecodeError as error:
        _refuse("is not text in UTF-8.", error.object.count(b"\n", 0, error.start) + 1)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if unreadable := _UNREADABLE.search(text):
        line = text.count("\n", 0, unreadable.start()) + 1
        _refuse(f"has the character U+{ord(unreadable[0]):04X}, which is no text.", line)
    if not text.strip():
        _refuse("is empty.", 1)
    return text


def _refuse(message: str, line: int | None) -> NoReturn:
    raise DefinitionError([Problem((), message, line)]) from None


@dataclass(slots=True)
class _Open:
    """A list or mapping that is being read. `key` is that of the next value of a mapping."""

    value: Any
    at: Path
    key: str | None = None
    awaits_value: bool = False


class _Builder:
    """Builds the value of a YAML document from its events."""

    def __init__(self) -> None:
        self.source = Source()
        self._open: list[_Open] = []
        self._documents = 0

    def document(self, line: int) -> None:
        self._documents += 1
        if self._documents == 2:
            self.source.report((), "has a second document. Remove the line ---.", line)

    def open(self, value: Any, line: int) -> None:
        if len(self._open) >= MAX_DEPTH:
            _refuse(f"is nested more than {MAX_DEPTH} levels deep.", line)
        if self._is_key():
            self.source.report(self._open[-1].at, "has a key that is not plain text.", line)
        self._open.append(_Open(value, self._add(value, line)))

    def close(self) -> None:
        self._open.pop()

    def scalar(self, text: str, is_plain: bool, line: int) -> None:
        if self._is_key():
            self._name(text, line)
            return
        at = self._place()
        value: Any = text
        if is_plain:
            try:
                value = plain_value(text)
            except ValueError as error:
                self.source.report(at, str(error), line)
        self._add(value, line)

    def _is_key(self) -> bool:
        last = self._open[-1] if self._open else None
        return last is not None and isinstance(last.value, dict) and not last.awaits_value

    def _name(self, key: str, line: int) -> None:
        last = self._open[-1]
        if key in last.value:
            self.source.report((*last.at, shown(key)), "is there twice.", line)
        if key == "<<":
            self.source.report(last.at, "has a merge key <<. Write its fields out.", line)
        last.key, last.awaits_value = key, True

    def _place(self) -> Path:
        """Return the place of the next value."""
        if not self._open:
            return ()
        last = self._open[-1]
        step = len(last.value) if isinstance(last.value, list) else shown(last.key)
        return (*last.at, step)

    def _add(self, value: Any, line: int) -> Path:
        at = self._place()
        self.source.lines.setdefault(at, line)
        if not self._open:
            if self._documents == 1:
                self.source.value = value
            return at
        last = self._open[-1]
        if isinstance(last.value, list):
            last.value.append(value)
        elif last.awaits_value:
            last.value[last.key] = value
            last.awaits_value = False
        else:  # a key that is no text, which was reported
            last.key, last.awaits_value = "", True
        return at


def plain_value(text: str) -> Any:
    """Return the value of a scalar without quotes. Raise ValueError for numbers that JSON lacks."""
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        number = float(text)
        if number in (float("inf"), float("-inf")):
            raise ValueError("is too large a number.")
        return number
    if _INFINITE.fullmatch(text):
        raise ValueError("must be a finite number. Put texts in quotes.")
    return text


def _read_yaml(text: str) -> Source:
    import yaml  # noqa: PLC0415 - only definitions need it

    builder = _Builder()
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for event in yaml.parse(text, Loader=loader):
            _check_plain(event, builder.source)
            _build(event, builder)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else None
        builder.source.report((), f"is not YAML: {error.problem or error.context}.", line)
    except yaml.YAMLError as error:
        builder.source.report((), f"is not YAML: {str(error).splitlines()[0]}.", None)
    return builder.source


def _check_plain(event: Any, source: Source) -> None:
    """Report what is more than lists, mappings and scalars."""
    line = event.start_mark.line + 1
    anchor, tag = getattr(event, "anchor", None), getattr(event, "tag", None)
    if type(event).__name__ == "AliasEvent":
        source.report((), f"has the alias *{shown(anchor)}. Aliases are not allowed.", line)
    elif anchor:
        source.report((), f"has the anchor &{shown(anchor)}. Anchors are not allowed.", line)
    if tag:
        source.report((), f"has the tag {shown(tag)}. Tags are not allowed.", line)
    if getattr(event, "tags", None) or getattr(event, "version", None):
        source.report((), "has a directive. Remove the line that begins with %.", line)


def _build(event: Any, builder: _Builder) -> None:
    line = event.start_mark.line + 1
    match type(event).__name__:
        case "DocumentStartEvent":
            builder.document(line)
        case "ScalarEvent":
            builder.scalar(event.value, not event.style, line)
        case "AliasEvent":
            builder.scalar("", False, line)
        case "MappingStartEvent":
            builder.open({}, line)
        case "SequenceStartEvent":
            builder.open([], line)
        case "MappingEndEvent" | "SequenceEndEvent":
            builder.close()


_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')


def _read_json(text: str) -> Source:
    source = Source()
    try:
        source.value = json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        _refuse(f"is not JSON: {error.msg}.", error.lineno)
    except RecursionError:
        # Some versions of Python read what is too deep for others, and count its levels later.
        _refuse(f"is nested more than {MAX_DEPTH} levels deep.", 1)
    except ValueError as error:
        _refuse(f"is not JSON: {str(error)[:80]}.", None)
    for at, line, is_repeated in _json_places(text):
        source.lines.setdefault(at, line)
        if is_repeated:
            source.report(at, "is there twice.", line)
    return source


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _json_places(text: str) -> Iterator[tuple[Path, int, bool]]:
    """Yield the place and line of each value of valid JSON, and if its key is repeated."""
    open_: list[tuple[set[str] | None, list[str | int]]] = []
    line, end = 1, 0
    is_repeated = False
    expects_key = False
    for token in _JSON_TOKEN.finditer(text):
        line += text.count("\n", end, token.start())
        end = token.start()
        symbol = token[0]
        if symbol in ",:":
            expects_key = symbol == "," and open_[-1][0] is not None
            if symbol == "," and open_[-1][0] is None:
                open_[-1][1][0] += 1  # type: ignore[operator]
        elif symbol in "]}":
            open_.pop()
            expects_key = False
        elif expects_key:
            keys, step = open_[-1]
            key = json.loads(symbol)
            is_repeated = key in keys  # type: ignore[operator]
            keys.add(key)  # type: ignore[union-attr]
            step[0] = shown(key)
            expects_key = False
        else:
            yield tuple(step[0] for _, step in open_), line, is_repeated
            is_repeated = False
            if symbol in "{[":
                if len(open_) >= MAX_DEPTH:
                    _refuse(f"is nested more than {MAX_DEPTH} levels deep.", line)
                is_object = symbol == "{"
                open_.append((set() if is_object else None, [0]))
                expects_key = is_object
