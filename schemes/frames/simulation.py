"""The content of simulated workers: a reference with seeded errors.

The same arguments always give the same content. At skill 1, it equals the reference.
"""

import random
from collections.abc import Sequence

from schemes.base import ItemContext, Json, Simulation
from schemes.frames.comparison import head_of
from schemes.frames.content import EMPTY
from schemes.frames.merging import FIELDS

NOTHING = {**EMPTY, "skip": "other"}
# The rest of the verification of a skipped record
NO_VERIFICATION: Json = {"verb": None, "frame": None, "arguments": [], "missing": []}
_SURE, _UNSURE = 5, 3
_FALLBACK_FRAME = "Undergoing"
# The share of wrong verdicts in a careless verification.
_CARELESS_ERRORS = 0.3
_ROLES = ("Agent", "Theme", "Patient", "Goal", "Instrument")
_WHY = "The expert sees this differently."


def generate(reference: Json, context: ItemContext, skill: float, seed: str) -> Json:
    """Return the reference with errors, none at `skill` 1.

    Lower skill means more other frames, missing arguments, shifted heads and other labels.
    """
    if reference.get("skip") or not reference.get("frame"):
        return {**NOTHING, "skip": reference.get("skip") or "no-frame"}
    rng = random.Random(seed)  # noqa: S311
    frame = reference["frame"]
    if rng.random() > skill:
        frame = _other_frame(frame, context, rng)
    arguments: list[Json] = []
    for argument in reference["arguments"]:
        if rng.random() < skill:
            arguments.append(
                _blurred(argument, context, skill, rng, same=frame == reference["frame"])
            )
    confidence = reference.get("confidence") or _SURE
    return {
        "skip": "",
        "verb": reference["verb"],
        "lemma": reference["lemma"],
        "frame": frame,
        "arguments": _distinct(arguments),
        "confidence": confidence if rng.random() < skill else _UNSURE,
    }


def _other_frame(frame: str, context: ItemContext, rng: random.Random) -> str:
    lexicon = context.resources.get("lexicon")
    others = [name for name in (lexicon["frames"] if lexicon else ()) if name != frame]
    return rng.choice(others) if others else _FALLBACK_FRAME


def _blurred(
    argument: Json, context: ItemContext, skill: float, rng: random.Random, *, same: bool
) -> Json:
    """Return the argument, with another head or label if the worker errs. `same` is the frame."""
    blurred = {name: argument[name] for name in FIELDS}
    if not same:
        # Another frame has other elements.
        blurred["element"] = ""
        blurred["role"] = blurred["role"] or "Theme"
    if rng.random() > skill:
        at = argument["head"][0] + rng.choice((-1, 1))
        if 0 <= at < len(context.tokens):
            blurred |= {"head": [at], "filler": ""}
    if rng.random() > skill:
        blurred["role"] = rng.choice([role for role in _ROLES if role != blurred["role"]])
    return blurred


def _distinct(arguments: Sequence[Json]) -> list[Json]:
    """Return the arguments without those whose head another one has."""
    by_head: dict[tuple[int, ...], Json] = {}
    for argument in arguments:
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


def split(reference: Json, provenance: Sequence[Json]) -> list[Json]:
    """Return the record as the only generation."""
    return [reference]


def consolidate(reference: Json, sources: Sequence[Json], skill: float, seed: str) -> Json:
    """Return the reference as a consolidation. Below skill 1, arguments are missed."""
    if reference.get("skip") or not reference.get("frame"):
        return {**NOTHING, "skip": reference.get("skip") or "no-frame"}
    rng = random.Random(seed)  # noqa: S311
    places = {
        head_of(argument): {"submission": at, "unit": unit}
        for at, source in reversed(list(enumerate(sources)))
        for unit, argument in enumerate(source.get("arguments", ()))
    }
    arguments = [
        {**{name: argument[name] for name in FIELDS}, "source": places.get(head_of(argument))}
        for argument in reference["arguments"]
        if rng.random() < skill
    ]
    return {
        "skip": "",
        "verb": reference["verb"],
        "lemma": reference["lemma"],
        "frame": reference["frame"],
        "arguments": arguments,
        "confidence": reference.get("confidence") or _SURE,
    }


def validate(reference: Json, asked: Json, context: ItemContext, skill: float, seed: str) -> Json:
    """Return a verification against the reference.

    Below skill 1, some verifications are careless, and some of their verdicts are wrong.
    """
    rng = random.Random(seed)  # noqa: S311
    error_rate = 0.0 if rng.random() < skill else _CARELESS_ERRORS

    def judged(expected: object, found: object) -> Json:
        is_right = expected == found
        if (rng.random() >= error_rate) == is_right:
            return {"verdict": "verified", "reason": "", "proposal": ""}
        proposal = expected if not is_right and expected is not None else ""
        return {"verdict": "disputed", "reason": _WHY, "proposal": proposal}

    is_skipped = bool(reference.get("skip") or not reference.get("frame"))
    if asked["skip"]:
        return {"skip": judged(None, None if is_skipped else asked["skip"])} | NO_VERIFICATION
    expected = {head_of(argument): argument for argument in reference.get("arguments", ())}
    arguments = []
    for argument in asked["arguments"]:
        own = expected.pop(head_of(argument), None)
        head = judged(None if own is None else own["head"], argument["head"])
        if head["verdict"] == "disputed":
            arguments.append({"head": head, "element": None, "role": None})
            continue
        parts = {
            part: judged((own or argument)[part], argument[part]) for part in ("element", "role")
        }
        arguments.append({"head": head, **parts})
    verb = judged(reference.get("verb") or asked["verb"], asked["verb"])
    frame = judged(reference.get("frame", ""), asked["frame"])
    missing = [
        {name: argument[name] for name in FIELDS}
        for argument in expected.values()
        if rng.random() >= error_rate
    ]
    return {
        "skip": None,
        "verb": verb,
        "frame": frame,
        "arguments": arguments,
        "missing": missing,
    }


SIMULATION = Simulation(
    generate=generate,
    invent=invent,
    split=split,
    nothing=NOTHING,
    consolidate=consolidate,
    validate=validate,
)
