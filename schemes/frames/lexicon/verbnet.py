"""VerbNet 3: generic roles, and the classes and roles of verbs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from schemes.contract.errors import FileError
from schemes.contract.values import Json
from schemes.frames.lexicon.roles import ADDED_ROLES, VERBNET_ROLES, described_role
from schemes.frames.lexicon.value import EMPTY, MAX_CLASS_ROLES, MAX_CLASSES, MAX_VERBS
from schemes.xml_files import LinedElement, XmlFile, xml_files


@dataclass
class _Release:
    verbs: dict[str, list[Json]] = field(default_factory=dict)
    roles: set[str] = field(default_factory=set)
    classes: set[str] = field(default_factory=set)


def read_verbnet(path: Path, current: Json | None) -> Json:
    """Return the lexicon with VerbNet's roles and verbs. Frames and switches stay.

    The roles are those of VerbNet's classes, and those that annotation adds. Raise FileError.
    """
    release = _Release()
    with xml_files(path) as files:
        for file in files:
            for element in file.elements("VNCLASS"):
                _read_class(element, file, [], release)
    if not release.classes:
        raise FileError(path.name, None, "has no <VNCLASS>; is this a VerbNet release?")
    lexicon = current or EMPTY
    return {
        **lexicon,
        "name": lexicon["name"] or _name_of_release(path),
        "roles": _inventory(release.roles),
        "verbs": dict(sorted(release.verbs.items())),
    }


def _read_class(
    element: LinedElement, file: XmlFile, inherited: list[str], release: _Release
) -> None:
    """Add the members and roles of a class and of its subclasses, which inherit roles."""
    class_id = element.get("ID", "").strip()
    if not class_id:
        raise file.error(f"<{element.tag}> has no ID.", element.line)
    if class_id in release.classes:
        raise file.error(f"the class {class_id!r} appears twice.", element.line)
    release.classes.add(class_id)
    roles = list(dict.fromkeys([*inherited, *_roles(element, file)]))
    if len(roles) > MAX_CLASS_ROLES:
        message = f"the class {class_id!r} has more than {MAX_CLASS_ROLES} roles."
        raise file.error(message, element.line)
    release.roles.update(roles)
    lemmas: dict[str, LinedElement] = {}
    for member in _descendants(element, "MEMBERS", "MEMBER"):
        lemma = " ".join(member.get("name", "").replace("_", " ").split()).lower()
        if not lemma:
            raise file.error("<MEMBER> has no name.", member.line)
        lemmas.setdefault(lemma, member)
    for lemma, member in lemmas.items():
        classes = release.verbs.setdefault(lemma, [])
        if len(release.verbs) > MAX_VERBS:
            raise file.error(f"follows {MAX_VERBS:,} verbs, the most of a lexicon.", member.line)
        if len(classes) == MAX_CLASSES:
            message = f"the verb {lemma[:80]!r} is in more than {MAX_CLASSES} classes."
            raise file.error(message, member.line)
        classes.append({"class": class_id, "roles": roles})
    for subclass in _descendants(element, "SUBCLASSES", "VNSUBCLASS"):
        _read_class(subclass, file, roles, release)


def _roles(element: LinedElement, file: XmlFile) -> Iterator[str]:
    for role in _descendants(element, "THEMROLES", "THEMROLE"):
        name = "_".join(role.get("type", "").removeprefix("?").split())
        if not name:
            raise file.error("<THEMROLE> has no type.", role.line)
        yield name


def _descendants(element: LinedElement, group: str, tag: str) -> Iterator[LinedElement]:
    for parent in element:
        if parent.tag == group:
            for child in parent:
                if child.tag == tag and isinstance(child, LinedElement):
                    yield child


def _inventory(names: set[str]) -> list[Json]:
    """Return the roles in the order of the preset, and new ones after them."""
    names = names | set(ADDED_ROLES)
    known = [dict(role) for role in VERBNET_ROLES if role["name"] in names]
    new = sorted(names - {role["name"] for role in VERBNET_ROLES})
    return [*known, *map(described_role, new)]


def _name_of_release(path: Path) -> str:
    match = re.search(r"\d+\.\d+", path.name)
    return f"VerbNet {match[0]}" if match else "VerbNet"
