"""The content of simulated workers: a reference with seeded errors, and judgments of it.

The module is the part `simulation` of the scheme.

The same arguments always give the same content. At skill 1, it equals the reference. Consolidators and
verifiers see the annotators' records and the sentence only (`simulated_judges`).
"""

import random
from collections.abc import Mapping, Sequence

from schemes.contract.items import ItemContext
from schemes.contract.values import Json
from schemes.frames.comparison import head_of
from schemes.frames.content import CORE, EMPTY
from schemes.frames.error_rates import RATES
from schemes.frames.merging import FIELDS
from schemes.frames.simulated_judges import consolidate, validate
from schemes.frames.visible_signs import content_words, frames_of_lemma, known_roles, usual_role
from schemes.simulated_person import Person

__all__ = ["consolidate", "generate", "invent", "nothing", "published", "validate"]

nothing = {**EMPTY, "skip": "other"}
published: Mapping[str, str] = {}
_SURE, _UNSURE = 5, 3
_FALLBACK_FRAME = "Undergoing"


def generate(reference: Json, context: ItemContext, person: Person, seed: str) -> Json:
    """Return the reference with a person's errors, none at skill 1.

    People choose other frames, miss and invent arguments, and choose other heads, elements and roles.
    """
    if reference.get("skip") or not reference.get("frame"):
        return {**nothing, "skip": reference.get("skip") or "no-frame"}
    rng = random.Random(seed)  # noqa: S311
    frame = reference["frame"]
    if person.errs(RATES.other_frame, rng):
        frame = _other_frame(frame, reference["lemma"], context, rng)
    is_same = frame == reference["frame"]
    arguments = [
        _blurred(argument, frame if is_same else "", context, person, rng)
        for argument in reference["arguments"]
        if not person.misses(RATES.missed_argument, rng)
    ]
    if person.invents(RATES.invented_argument, rng):
        arguments += _invented(reference, context, rng)
    confidence = reference.get("confidence") or _SURE
    return {
        "skip": "",
        "verb": reference["verb"],
        "lemma": reference["lemma"],
        "frame": frame,
        "arguments": _distinct(arguments),
        "confidence": _UNSURE if person.errs(RATES.unsure, rng) else confidence,
    }


def _other_frame(frame: str, lemma: str, context: ItemContext, rng: random.Random) -> str:
    """Return another frame, one that the verb can also evoke if the lexicon has any."""
    lexicon = context.resources.get("lexicon")
    others = [name for name in (lexicon["frames"] if lexicon else ()) if name != frame]
    confusable = [name for name in frames_of_lemma(lemma, context) if name != frame]
    return str(rng.choice(confusable or others or [_FALLBACK_FRAME]))


def _blurred(
    argument: Json, frame: str, context: ItemContext, person: Person, rng: random.Random
) -> Json:
    """Return the argument, with other parts if the worker errs. `frame` is "" if another was chosen."""
    blurred = {name: argument[name] for name in FIELDS}
    if not frame:
        # Another frame has other elements.
        blurred["element"] = ""
        blurred["role"] = blurred["role"] or usual_role(context)
    elif blurred["element"] and person.errs(RATES.other_element, rng):
        blurred["element"] = _other_element(frame, blurred["element"], context, rng)
    if person.errs(RATES.moved_head, rng):
        at = argument["head"][0] + rng.choice((-1, 1))
        if 0 <= at < len(context.tokens):
            blurred |= {"head": [at], "filler": ""}
    if person.errs(RATES.other_role, rng):
        others = [role for role in known_roles(context) if role != blurred["role"]]
        blurred["role"] = rng.choice(others) if others else blurred["role"]
    return blurred


def _other_element(frame: str, element: str, context: ItemContext, rng: random.Random) -> str:
    """Return another peripheral element of the frame, since core elements can't be used twice."""
    lexicon = context.resources.get("lexicon")
    elements = lexicon["frames"][frame]["elements"] if lexicon else ()
    others = [
        other["name"]
        for other in elements
        if other["core"] not in CORE and other["name"] != element
    ]
    return str(rng.choice(others)) if others else element


def _invented(reference: Json, context: ItemContext, rng: random.Random) -> list[Json]:
    """Return an argument that the reference lacks, if a word is left for it."""
    taken = {at for argument in reference["arguments"] for at in argument["head"]}
    free = [at for at in content_words(context.tokens) if at not in taken | {*reference["verb"]}]
    roles = known_roles(context)
    if not (free and roles):
        return []
    head, role = rng.choice(free), rng.choice(roles)
    return [{"head": [head], "filler": "", "element": "", "role": role}]


def _distinct(arguments: Sequence[Json]) -> list[Json]:
    """Return the arguments with a label, without those whose head another one has."""
    by_head: dict[tuple[int, ...], Json] = {}
    for argument in arguments:
        if not (argument["element"] or argument["role"]):
            continue
        by_head.setdefault(head_of(argument), argument)
    return list(by_head.values())


def invent(context: ItemContext) -> Json:
    """Return a made-up record for a verb without a reference, for trial runs only.

    The word before the verb is the Agent, the one after it the Theme.
    """
    verb, lemma = context.target["verb"], context.target["lemma"]
    lexicon = context.resources.get("lexicon")
    frames = lexicon["frames"] if lexicon else {}
    unit = f"{lemma.replace('_', ' ')}.v"
    matching = [name for name, frame in frames.items() if unit in frame["units"]]
    frame = next(iter([*matching, *frames]), _FALLBACK_FRAME)
    places = ((verb[0] - 1, "Agent"), (verb[-1] + 1, "Theme"))
    arguments = [
        {"head": [at], "filler": "", "element": "", "role": role}
        for at, role in places
        if 0 <= at < len(context.tokens) and context.tokens[at][:1].isalnum()
    ]
    record = {"skip": "", "verb": verb, "lemma": lemma, "frame": frame, "confidence": None}
    return {**record, "arguments": arguments}
