"""The value of a lexicon. Input becomes normalised JSON or raises a ContentError.

    {"name": "FrameNet 1.7",
     "frames": {"Origin": {"definition": RUNS, "examples": [RUNS],
        "elements": [{"name": "Entity", "core": "Core", "definition": RUNS}],
        "units": ["come.v", "come from.v"],
        "relations": [{"type": "Inheritance", "frame": "State", "is_parent": true}]}},
     "roles": [{"name": "Agent", "definition": "Who does it."}],
     "verbs": {"sell": [{"class": "give-13.1", "roles": ["Agent", "Theme", "Recipient"]}]},
     "extra_units": [["come from", "Origin", 0.7]],
     "from_annotations": [["come from", "Origin"]],
     "verb_frames": [["come_from", "Origin", 12]],
     "element_roles": [["Origin", "Entity", "Theme", 9]],
     "core_only": true}

RUNS is a text as a list of `[text, mark]`. A mark is "" or the name of the element that the text
mentions. `is_parent` is true if the relation's frame is the general, whole, earlier or causing one.
Lemmas of several words are written with blanks. `from_annotations` names the extra units that staff
accepted from annotations. `verb_frames` and `element_roles` count what reference
records chose for a lemma and for an element of a frame. Values that were stored earlier lack them. With
`core_only`, pages offer only core elements.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from schemes.content_models import Strict, validated
from schemes.contract.errors import ContentError
from schemes.contract.values import Json
from schemes.frames.content import CORE
from schemes.frames.lexicon.roles import DEFAULT_ROLES

CORE_TYPES = (*CORE, "Peripheral", "Extra-Thematic")
MAX_NAME = 200
MAX_TEXT = 40_000
MAX_FRAMES = 20_000
MAX_EXAMPLES = 100
MAX_ELEMENTS = 200
MAX_UNITS = 5_000
MAX_RELATIONS = 2_000
MAX_VERBS = 50_000
MAX_CLASSES = 100
MAX_CLASS_ROLES = 50
MAX_EXTRA_UNITS = 200_000
MAX_COUNTS = 200_000
MAX_ROLES = 500
MAX_SCORE = 1e9
EMPTY: Json = {
    "name": "",
    "frames": {},
    "roles": list(DEFAULT_ROLES),
    "verbs": {},
    "extra_units": [],
    "from_annotations": [],
    "verb_frames": [],
    "element_roles": [],
    "core_only": True,
}


def _storable(text: str) -> str:
    if "\0" in text:
        raise PydanticCustomError("control_character", "holds a control character")
    return text


def _name(text: str) -> str:
    if not text or not text.isprintable() or " " in text:
        raise PydanticCustomError("name", "must be a name without blanks")
    return text


def _lemma(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise PydanticCustomError("lemma", "must be a word or several")
    return text


_Text = Annotated[str, Field(max_length=MAX_TEXT), AfterValidator(_storable)]
_Name = Annotated[str, Field(max_length=MAX_NAME), AfterValidator(_name)]
_Lemma = Annotated[str, Field(max_length=MAX_NAME), AfterValidator(_lemma)]
_Run = Annotated[list[_Text], Field(min_length=2, max_length=2)]
_Runs = Annotated[list[_Run], Field(max_length=2_000)]


class _Element(Strict):
    name: _Name
    core: Literal["Core", "Core-Unexpressed", "Peripheral", "Extra-Thematic"]
    definition: _Runs


class _Relation(Strict):
    type: _Name
    frame: _Name
    is_parent: bool


class _Frame(Strict):
    definition: _Runs
    examples: Annotated[list[_Runs], Field(max_length=MAX_EXAMPLES)]
    elements: Annotated[list[_Element], Field(max_length=MAX_ELEMENTS)]
    units: Annotated[list[_Lemma], Field(max_length=MAX_UNITS)]
    relations: Annotated[list[_Relation], Field(max_length=MAX_RELATIONS)]


class _Role(Strict):
    name: _Name
    definition: Annotated[str, Field(max_length=1_000), AfterValidator(_storable)]


class _VerbClass(Strict):
    class_: Annotated[str, Field(alias="class", max_length=MAX_NAME), AfterValidator(_storable)]
    roles: Annotated[list[_Name], Field(max_length=MAX_CLASS_ROLES)]


class _Lexicon(Strict):
    name: Annotated[str, Field(max_length=MAX_NAME), AfterValidator(_storable)]
    frames: Annotated[dict[_Name, _Frame], Field(max_length=MAX_FRAMES)]
    roles: Annotated[list[_Role], Field(max_length=MAX_ROLES)]
    verbs: Annotated[
        dict[_Lemma, Annotated[list[_VerbClass], Field(max_length=MAX_CLASSES)]],
        Field(max_length=MAX_VERBS),
    ]
    # JSON has no tuples, so the fields of a row are checked one by one.
    extra_units: Annotated[
        list[Annotated[list[Any], Field(min_length=3, max_length=3)]],
        Field(max_length=MAX_EXTRA_UNITS),
    ]
    from_annotations: Annotated[list[list[_Lemma]], Field(max_length=MAX_EXTRA_UNITS)] = []
    verb_frames: Annotated[list[list[Any]], Field(max_length=MAX_COUNTS)] = []
    element_roles: Annotated[list[list[Any]], Field(max_length=MAX_COUNTS)] = []
    core_only: bool


def parse(value: object) -> Json:
    """Return the lexicon. Raise ContentError with the path of the first invalid field."""
    lexicon = validated(_Lexicon, value)
    for name, frame in lexicon.frames.items():
        _check_frame(name, frame, lexicon)
    _check_unique([role.name for role in lexicon.roles], "roles", "role")
    extra_units = [
        _extra_unit(row, f"extra_units[{at}]", lexicon)
        for at, row in enumerate(lexicon.extra_units)
    ]
    for at, unit in enumerate(lexicon.from_annotations):
        if len(unit) != 2:
            raise ContentError(f"from_annotations[{at}]", "must be a lemma and a frame.")
    _check_counts(lexicon.verb_frames, "verb_frames", 2)
    _check_counts(lexicon.element_roles, "element_roles", 3)
    return {**lexicon.model_dump(by_alias=True), "extra_units": extra_units}


def _check_frame(name: str, frame: _Frame, lexicon: _Lexicon) -> None:
    path = f"frames.{name}"
    elements = {element.name for element in frame.elements}
    _check_unique([element.name for element in frame.elements], f"{path}.elements", "element")
    texts = {
        "definition": frame.definition,
        **{f"examples[{at}]": example for at, example in enumerate(frame.examples)},
        **{f"elements[{at}]": element.definition for at, element in enumerate(frame.elements)},
    }
    for field, runs in texts.items():
        for _, mark in runs:
            if mark and mark not in elements:
                message = f"mentions {mark[:80]!r}, which is no element of the frame."
                raise ContentError(f"{path}.{field}", message)
    for at, relation in enumerate(frame.relations):
        if relation.frame not in lexicon.frames:
            message = f"there is no frame {relation.frame[:80]!r}."
            raise ContentError(f"{path}.relations[{at}].frame", message)


def _check_unique(names: list[str], path: str, noun: str) -> None:
    seen: set[str] = set()
    for at, name in enumerate(names):
        if name in seen:
            raise ContentError(f"{path}[{at}]", f"the {noun} {name[:80]!r} appears twice.")
        seen.add(name)


def _check_counts(rows: list[list[Any]], path: str, names: int) -> None:
    """Check rows of names and how often they occur together."""
    for at, row in enumerate(rows):
        *texts, count = row or [None]
        are_names = all(isinstance(text, str) and 0 < len(text) <= MAX_NAME for text in texts)
        if len(texts) != names or not are_names or type(count) is not int or count < 1:
            raise ContentError(f"{path}[{at}]", f"must be {names} names and a number from 1.")


def _extra_unit(row: list[Any], path: str, lexicon: _Lexicon) -> list[str | float]:
    lemma, frame, score = row
    if not isinstance(lemma, str) or not isinstance(frame, str) or type(score) not in (int, float):
        raise ContentError(path, "must be a lemma, a frame and a number.")
    if not lemma.strip() or not lemma.isprintable() or len(lemma) > MAX_NAME:
        raise ContentError(path, f"{lemma[:40]!r} is not a lemma.")
    if frame not in lexicon.frames:
        raise ContentError(path, f"there is no frame {frame[:80]!r}.")
    if not abs(score) <= MAX_SCORE:
        raise ContentError(path, "the score is not a number that can be compared.")
    return [lemma, frame, float(score)]
