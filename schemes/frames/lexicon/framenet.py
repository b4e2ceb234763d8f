"""A FrameNet release: `frame/*.xml`, with `frRelation.xml` where it is present."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element

from schemes.contract.errors import ContentError, FileError
from schemes.contract.values import Json
from schemes.frames.lexicon.markup import parse_markup
from schemes.frames.lexicon.value import (
    CORE_TYPES,
    EMPTY,
    MAX_ELEMENTS,
    MAX_EXAMPLES,
    MAX_FRAMES,
    MAX_RELATIONS,
    MAX_TEXT,
    MAX_UNITS,
)
from schemes.xml_files import LinedElement, XmlFile, xml_files

# How many examples a frame has after those of its elements are added.
ENOUGH_EXAMPLES = 4
# The relations in frame files, as (type, whether the named frame is the parent). A parent is the
# general, whole, neutral, earlier or causing frame.
_RELATIONS = {
    "inherits from": ("Inheritance", True),
    "is inherited by": ("Inheritance", False),
    "perspective on": ("Perspective_on", True),
    "is perspectivized in": ("Perspective_on", False),
    "uses": ("Using", True),
    "is used by": ("Using", False),
    "subframe of": ("Subframe", True),
    "has subframe(s)": ("Subframe", False),
    "precedes": ("Precedes", False),
    "is preceded by": ("Precedes", True),
    "is causative of": ("Causative_of", False),
    "is inchoative of": ("Inchoative_of", False),
    "see also": ("See_also", False),
}


@dataclass
class _Release:
    frames: dict[str, Json] = field(default_factory=dict)
    # Relations as (type, parent, child), in order and without repetition.
    relations: dict[tuple[str, str, str], None] = field(default_factory=dict)


def read_framenet(path: Path, current: Json | None) -> Json:
    """Return the lexicon with the release's frames. Roles, verbs and switches stay.

    Extra units of frames that the release lacks are dropped. Raise FileError.
    """
    release = _Release()
    with xml_files(path) as files:
        folder = _folder_of_frames(files, path)
        for file in files:
            if file.path.parent == folder:
                _read_frame(file, release)
        for file in files:
            if file.path == folder.parent / "frRelation.xml":
                release.relations.update(dict.fromkeys(_relations_of_release(file)))
    try:
        add_relations(release.frames, release.relations)
    except ContentError as error:
        raise FileError(path.name, None, error.message, field=error.path) from error
    lexicon = current or EMPTY
    extra = [row for row in lexicon["extra_units"] if row[1] in release.frames]
    name = _name_of_release(path, folder)
    return {**lexicon, "name": name, "frames": release.frames, "extra_units": extra}


def _folder_of_frames(files: list[XmlFile], path: Path) -> PurePosixPath:
    folders = {file.path.parent for file in files if file.path.parent.name == "frame"}
    if not folders and path.name == "frame":
        folders = {file.path.parent for file in files if file.path.parent == PurePosixPath()}
    if not folders:
        raise FileError(path.name, None, "has no frame/*.xml; is this a FrameNet release?")
    if len(folders) > 1:
        names = ", ".join(sorted(map(str, folders)))[:200]
        raise FileError(path.name, None, f"holds several releases ({names}); choose one.")
    return folders.pop()


def _name_of_release(path: Path, folder: PurePosixPath) -> str:
    """Return the release's name with its version, which names of folders and archives have."""
    for name in (folder.parent.name, path.name, path.parent.name):
        if match := re.search(r"\d+\.\d+", name):
            return f"FrameNet {match[0]}"
    return "FrameNet"


def _read_frame(file: XmlFile, release: _Release) -> None:
    """Add the frame and the relations of a frame file."""
    number = 0
    for element in file.elements("frame"):
        number += 1
        name = _name(element, file)
        if name in release.frames:
            raise file.error(f"the frame {name!r} appears twice.", element.line)
        if len(release.frames) == MAX_FRAMES:
            raise file.error(f"follows {MAX_FRAMES:,} frames, the most of a lexicon.", element.line)
        release.frames[name] = _frame(element, file)
        for relation in _relations_of_frame(name, element):
            release.relations[relation] = None
    if not number:
        raise file.error("has no <frame>; is this a FrameNet release?", 1)


def _frame(frame: LinedElement, file: XmlFile) -> Json:
    elements: dict[str, LinedElement] = {}
    abbreviations: dict[str, str] = {}
    for element in _children(frame, "FE"):
        name = _name(element, file)
        if name in elements:
            message = f"the element {name!r} of {_name(frame, file)!r} appears twice."
            raise file.error(message, element.line)
        if len(elements) == MAX_ELEMENTS:
            message = f"{_name(frame, file)!r} has more than {MAX_ELEMENTS:,} elements."
            raise file.error(message, element.line)
        elements[name] = element
        abbreviations.setdefault(element.get("abbrev", "").strip().lower(), name)
    lower = {**abbreviations, **{name.lower(): name for name in elements}}
    lower.pop("", None)

    def name_of(text: str) -> str:
        return lower.get("_".join(text.lower().split()), "")

    text = parse_markup(_definition(frame, file), name_of)
    examples = text.examples[:MAX_EXAMPLES]
    described = []
    for name, element in elements.items():
        definition = parse_markup(_definition(element, file), name_of)
        examples += definition.examples[: max(0, ENOUGH_EXAMPLES - len(examples))]
        described.append(
            {"name": name, "core": _core(element, file), "definition": definition.definition}
        )
    units = dict.fromkeys(_name(unit, file, blank=" ") for unit in _children(frame, "lexUnit"))
    if len(units) > MAX_UNITS:
        message = f"{_name(frame, file)!r} has more than {MAX_UNITS:,} lexical units."
        raise file.error(message, frame.line)
    return {
        "definition": text.definition,
        "examples": examples,
        "elements": described,
        "units": list(units),
        "relations": [],
    }


def _children(parent: Element, tag: str) -> Iterator[LinedElement]:
    return (child for child in parent if child.tag == tag and isinstance(child, LinedElement))


def _name(element: LinedElement, file: XmlFile, *, blank: str = "_") -> str:
    name = blank.join(element.get("name", "").split())
    if not name:
        raise file.error(f"<{element.tag}> has no name.", element.line)
    return name


def _core(element: LinedElement, file: XmlFile) -> str:
    core = element.get("coreType", "")
    if core not in CORE_TYPES:
        known = ", ".join(CORE_TYPES)
        raise file.error(f"{core[:40]!r} is not a core type ({known}).", element.line)
    return core


def _definition(element: LinedElement, file: XmlFile) -> str:
    definition = element.find("definition")
    text = "" if definition is None else "".join(definition.itertext())
    if len(text) > MAX_TEXT:
        raise file.error(f"the definition is longer than {MAX_TEXT:,} characters.", element.line)
    return text


def _relations_of_frame(name: str, frame: Element) -> Iterator[tuple[str, str, str]]:
    for relation in _children(frame, "frameRelation"):
        kind = " ".join(relation.get("type", "").lower().split())
        known, is_parent = _RELATIONS.get(kind, (kind.capitalize().replace(" ", "_"), False))
        for related in _children(relation, "relatedFrame"):
            other = "_".join("".join(related.itertext()).split())
            if known and other:
                yield (known, other, name) if is_parent else (known, name, other)


def _relations_of_release(file: XmlFile) -> Iterator[tuple[str, str, str]]:
    """Yield the relations of a release's list, whose types enclose them."""
    for group in file.elements("frameRelationType"):
        kind = "_".join(group.get("name", "").split())
        for relation in _children(group, "frameRelation"):
            parent, child = relation.get("superFrameName"), relation.get("subFrameName")
            if kind and parent and child:
                yield kind, "_".join(parent.split()), "_".join(child.split())


def add_relations(frames: dict[str, Json], relations: Iterable[tuple[str, str, str]]) -> None:
    """Add each relation to both of its frames. Relations of unknown frames are left out.

    Raise ContentError for a frame with more than MAX_RELATIONS.
    """
    known = {
        (name, row["type"], row["frame"], row["is_parent"])
        for name, frame in frames.items()
        for row in frame["relations"]
        if is_relation(row)
    }
    for kind, parent, child in relations:
        if parent not in frames or child not in frames:
            continue
        for owner, other, is_parent in (
            (child, parent, kind != "See_also"),
            (parent, child, False),
        ):
            if (owner, kind, other, is_parent) in known:
                continue
            known.add((owner, kind, other, is_parent))
            rows = frames[owner]["relations"]
            if len(rows) >= MAX_RELATIONS:
                message = f"{owner[:80]!r} has more than {MAX_RELATIONS:,} relations."
                raise ContentError("relations", message)
            rows.append({"type": kind, "frame": other, "is_parent": is_parent})


def is_relation(row: object) -> bool:
    """Return True for a relation whose fields have the types of the stored value."""
    return isinstance(row, dict) and [
        type(row.get(key)) for key in ("type", "frame", "is_parent")
    ] == [str, str, bool]
