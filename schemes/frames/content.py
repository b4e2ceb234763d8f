"""Validation of records. Input becomes normalised JSON or raises a ContentError.

Schema version 1. A record is

    {"skip": "", "verb": [4, 5], "lemma": "come_from", "frame": "Origin", "confidence": 4,
     "arguments": [{"head": [1], "filler": "wine", "element": "Entity", "role": "Theme"}]}

Positions are zero-based tokens in ascending order, and may have gaps. `verb` is the verb with its
particles. An argument's semantic head has a frame element, a generic role, or both. A skipped record
has a reason in `skip` and no frame, arguments or confidence. `lemma` and `filler` name the words, as
in files, and are added if they are absent.

In a consolidation, each argument also has `source`: `{"submission", "unit"}` or null.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field

from schemes.content_models import Strict, clean_text, json_schemas, validated
from schemes.contract.errors import ContentError, UnknownLabelError
from schemes.contract.items import ItemContext
from schemes.contract.values import Json
from schemes.frames.skips import SKIP_REASONS

SCHEMA_VERSION = 1
MAX_ARGUMENTS = 60
MAX_HEAD = 20
MAX_NAME = 200
CONFIDENCES = range(1, 6)
CORE = ("Core", "Core-Unexpressed")
EMPTY: Json = {
    "skip": "",
    "verb": [],
    "lemma": "",
    "frame": "",
    "arguments": [],
    "confidence": None,
}

_Positions = Annotated[list[int], Field(max_length=MAX_HEAD)]
_Name = Annotated[str, Field(max_length=MAX_NAME)]


class _Argument(Strict):
    head: _Positions
    filler: _Name = ""
    element: _Name = ""
    role: _Name = ""


class _Record(Strict):
    # The page sends whether the annotator has confirmed the first step.
    understood: bool = True
    skip: _Name = ""
    verb: _Positions = Field(default_factory=list)
    lemma: _Name = ""
    frame: _Name = ""
    arguments: Annotated[list[_Argument], Field(max_length=MAX_ARGUMENTS)] = Field(
        default_factory=list
    )
    confidence: int | None = None


class _Source(Strict):
    submission: int
    unit: int


class _MergedArgument(_Argument):
    source: _Source | None = None


class _Consolidation(_Record):
    arguments: Annotated[list[_MergedArgument], Field(max_length=MAX_ARGUMENTS)] = Field(  # type: ignore[assignment]
        default_factory=list
    )


JSON_SCHEMAS = json_schemas(generation=_Record, gold=_Record, consolidation=_Consolidation)


def parse_generation(content: object, context: ItemContext) -> Json:
    """Parse an annotator's record. Raise ContentError."""
    record = validated(_Record, content)
    if not record.skip:
        if not record.understood:
            raise ContentError(
                "understood", "confirm that you understand the sentence, or skip it."
            )
        _check_frame(record)
        if record.confidence is None:
            raise ContentError("confidence", "rate your confidence from 1 to 5.")
    return _parsed(record, context)


def parse_gold(content: object, context: ItemContext) -> Json:
    """Parse a reference, which may lack a frame or a confidence. Raise ContentError."""
    return _parsed(validated(_Record, content), context)


def parse_consolidation(content: object, context: ItemContext, sources: Sequence[Json]) -> Json:
    """Parse a consolidator's record, with or without a confidence.

    Raise ContentError, also for an unknown source.
    """
    record = validated(_Consolidation, content)
    if not record.skip:
        _check_frame(record)
    parsed = _parsed(record, context)
    used = set()
    for at, argument in enumerate(record.arguments):
        source = argument.source
        if source is not None:
            path, key = f"arguments[{at}].source", (source.submission, source.unit)
            if not _is_argument(key, sources):
                raise ContentError(path, "names an argument that no annotator marked.")
            if key in used:
                raise ContentError(path, "names an argument that is used twice.")
            used.add(key)
        parsed["arguments"][at]["source"] = source and source.model_dump()
    return parsed


def filler_of(head: Sequence[int], context: ItemContext) -> str:
    """Return the words of a head as files name them: as in the corpus, else lemmas, else words.

    Names keep their capital letters.
    """
    key = "_".join(str(at + 1) for at in head)
    return str(context.target.get("fillers", {}).get(key) or _lemmas(head, context))


def lemma_of(verb: Sequence[int], context: ItemContext) -> str:
    """Return the lemma of the verb with its particles."""
    if list(verb) == context.target.get("verb"):
        return str(context.target["lemma"])
    head = (context.target.get("verb") or [None])[0]
    parts = str(context.target.get("lemma", "")).split("_")
    words = [parts[0] if at == head and parts[0] else _lemmas([at], context).lower() for at in verb]
    return "_".join(words)


def count_units(content: Json, role: str) -> int:
    """Return the number of arguments. For a consolidator, only those from annotators count."""
    arguments = content.get("arguments", ())
    if role != "consolidator":
        return len(arguments)
    return sum(argument.get("source") is not None for argument in arguments)


def count_parts(content: Json) -> dict[str, int]:
    return {
        "arguments": len(content.get("arguments", ())),
        "skipped": int(bool(content.get("skip"))),
    }


def is_blank(content: Json) -> bool:
    """Return True for a record without frame, arguments and reason to skip, as in blind files."""
    return not (content["frame"] or content["arguments"] or content["skip"])


def _check_frame(record: _Record) -> None:
    if not record.frame:
        raise ContentError("frame", "choose a frame, or skip the record.")


def _parsed(record: _Record, context: ItemContext) -> Json:
    """Return the record as it is stored, checked against the sentence and the lexicon."""
    verb = _verb(record, context)
    lemma = _word(record.lemma, "lemma") or lemma_of(verb, context)
    if record.skip:
        if record.skip not in SKIP_REASONS:
            known = ", ".join(SKIP_REASONS)
            raise ContentError(
                "skip",
                "%(reason)s is not a reason. Known: %(known)s.",
                reason=repr(record.skip[:40]),
                known=known,
            )
        return {**EMPTY, "skip": record.skip, "verb": verb, "lemma": lemma, "arguments": []}
    if record.confidence is not None and record.confidence not in CONFIDENCES:
        raise ContentError("confidence", "must be a whole number from 1 to 5.")
    lexicon = context.resources.get("lexicon")
    frame = _frame(record.frame, lexicon)
    arguments = [
        _argument(argument, f"arguments[{at}]", context)
        for at, argument in enumerate(record.arguments)
    ]
    _check_heads(arguments)
    _check_elements(arguments, record.frame, frame)
    _check_roles(arguments, lexicon)
    return {
        "skip": "",
        "verb": verb,
        "lemma": lemma,
        "frame": _word(record.frame, "frame"),
        "arguments": arguments,
        "confidence": record.confidence,
    }


def _verb(record: _Record, context: ItemContext) -> list[int]:
    verb: list[int] = record.verb or context.target.get("verb") or []
    _check_positions(verb, "verb", context)
    given = context.target.get("verb") or verb
    if given[0] not in verb:
        raise ContentError("verb", "must contain the verb of this record.")
    return list(verb)


def _frame(name: str, lexicon: Json | None) -> Json | None:
    """Return the frame in the lexicon, or None without a lexicon or a frame."""
    if lexicon is None or not name:
        return None
    frame: Json | None = lexicon["frames"].get(name)
    if frame is None:
        raise ContentError(
            "frame",
            "the lexicon has no frame %(name)s. Choose another frame.",
            name=repr(name[:80]),
        )
    return frame


def _argument(argument: _Argument, path: str, context: ItemContext) -> Json:
    _check_positions(argument.head, f"{path}.head", context)
    element = _word(argument.element, f"{path}.element")
    role = _word(argument.role, f"{path}.role")
    if not (element or role):
        raise ContentError(path, "choose a frame element or a role for this argument.")
    filler = _word(argument.filler, f"{path}.filler") or filler_of(argument.head, context)
    return {"head": list(argument.head), "filler": filler, "element": element, "role": role}


def _check_positions(positions: Sequence[int], path: str, context: ItemContext) -> None:
    if not positions:
        raise ContentError(path, "mark at least one word.")
    for at in positions:
        if not 0 <= at < len(context.tokens):
            raise ContentError(
                path,
                "%(position)s is on no token; the sentence has %(length)s.",
                position=at,
                length=len(context.tokens),
            )
    if any(first >= second for first, second in pairwise(positions)):
        raise ContentError(path, "must be in ascending order.")


def _check_heads(arguments: Sequence[Json]) -> None:
    seen: dict[tuple[int, ...], int] = {}
    for at, argument in enumerate(arguments):
        first = seen.setdefault(tuple(argument["head"]), at)
        if first != at:
            raise ContentError(
                f"arguments[{at}].head",
                "is also the head of argument %(number)s.",
                number=first + 1,
            )


def _check_elements(arguments: Sequence[Json], name: str, frame: Json | None) -> None:
    """Check that the frame has the elements, and that a core element is used once."""
    core_types = {} if frame is None else {e["name"]: e["core"] for e in frame["elements"]}
    seen: set[str] = set()
    for at, argument in enumerate(arguments):
        element, path = argument["element"], f"arguments[{at}].element"
        if not element:
            continue
        if frame is not None and element not in core_types:
            raise ContentError(
                path,
                "%(frame)s has no element %(element)s.",
                frame=name,
                element=repr(element[:80]),
            )
        if element in seen and core_types.get(element, CORE[0]) in CORE:
            raise ContentError(path, "%(element)s is used twice.", element=element[:80])
        seen.add(element)


def _check_roles(arguments: Sequence[Json], lexicon: Json | None) -> None:
    if lexicon is None:
        return
    known = {role["name"] for role in lexicon["roles"]}
    for at, argument in enumerate(arguments):
        if argument["role"] and argument["role"] not in known:
            raise UnknownLabelError(
                f"arguments[{at}].role",
                "%(role)s is not a role of this project.",
                resource="lexicon",
                role=repr(argument["role"][:80]),
            )


def _word(text: str, path: str) -> str:
    """Return a name, which has no blanks in files."""
    if any(character.isspace() for character in clean_text(text, path)):
        raise ContentError(path, "%(text)s contains a blank.", text=repr(text[:40]))
    return clean_text(text, path)


def _lemmas(positions: Sequence[int], context: ItemContext) -> str:
    lemmas: Any = context.metadata.get("lemmas") or context.tokens
    words = (str(lemmas[at]) if lemmas[at] != "_" else context.tokens[at] for at in positions)
    return "_".join("_".join(word.split()) for word in words)


def _is_argument(key: tuple[int, int], sources: Sequence[Json]) -> bool:
    submission, unit = key
    return 0 <= submission < len(sources) and 0 <= unit < len(
        sources[submission].get("arguments", ())
    )
