"""Simulated consolidators and verifiers, who see the annotators' records and the sentence only.

They never read the reference. What they go by is what a reader sees (`visible_signs`): whether annotators
agree, whether the lexicon has the frame for the verb, whether a head is a content word, and whether a
word beside the verb has no argument. Wrong parts that look right pass, at any skill.
"""

import random
from collections.abc import Sequence

from schemes.contract.items import ItemContext
from schemes.contract.values import Json
from schemes.frames.comparison import head_of
from schemes.frames.content import CORE
from schemes.frames.error_rates import RATES
from schemes.frames.merging import FIELDS
from schemes.frames.visible_signs import (
    content_words,
    frames_of_lemma,
    is_doubtful_frame,
    is_doubtful_head,
    known_roles,
    usual_role,
)
from schemes.simulated_person import Person

# The rest of the verification of a skipped record
NO_VERIFICATION: Json = {"verb": None, "frame": None, "arguments": [], "missing": []}
_SURE = 5
_WHY = "This looks wrong to me."
_FEW = 2


def consolidate(sources: Sequence[Json], context: ItemContext, person: Person, seed: str) -> Json:
    """Return a consolidation of the records.

    The better frame and its record's arguments come first, then arguments of other records. A person of
    skill 1 expects exact records, and keeps all arguments.
    """
    rng = random.Random(seed)  # noqa: S311
    records = [source for source in sources if not source["skip"]]
    if not records:
        return {**sources[0], "confidence": None}
    best = _better_record(records, context, person, rng)
    arguments: list[Json] = []
    for place, argument in _arguments(sources, best):
        same = [own for _, own in _arguments(sources, best) if head_of(own) == head_of(argument)]
        if head_of(argument) in map(head_of, arguments):
            continue
        if len(same) > 1 or _accepts(
            person, rng, is_doubtful=is_doubtful_head(argument["head"], context)
        ):
            frame = best["frame"] if sources[place["submission"]]["frame"] == best["frame"] else ""
            fitted = _fitted(argument, arguments, frame, context)
            if fitted["element"] or fitted["role"]:
                arguments.append({**fitted, "source": place})
    return {
        "skip": "",
        "verb": best["verb"],
        "lemma": best["lemma"],
        "frame": best["frame"],
        "arguments": arguments,
        "confidence": best.get("confidence") or _SURE,
    }


def _arguments(sources: Sequence[Json], best: Json) -> list[tuple[Json, Json]]:
    """Return the arguments with their places, those of the best record first."""
    order = sorted(range(len(sources)), key=lambda at: sources[at] is not best)
    return [
        ({"submission": at, "unit": unit}, argument)
        for at in order
        for unit, argument in enumerate(sources[at]["arguments"])
    ]


def _better_record(
    records: Sequence[Json], context: ItemContext, person: Person, rng: random.Random
) -> Json:
    """Return a record with the frame that most have, or else one that fits the verb."""
    if len({record["frame"] for record in records}) == 1:
        return records[0]
    if person.errs(RATES.chose_worse, rng):
        return rng.choice(records)
    frames = [record["frame"] for record in records]
    return max(
        records,
        key=lambda record: (
            frames.count(record["frame"]),
            not is_doubtful_frame(record, context),
        ),
    )


def _fitted(argument: Json, others: Sequence[Json], frame: str, context: ItemContext) -> Json:
    """Return the argument without an element that the frame lacks, or has already as a core one."""
    fitted = {name: argument[name] for name in FIELDS}
    lexicon = context.resources.get("lexicon")
    elements = lexicon["frames"][frame]["elements"] if lexicon and frame else ()
    core = {element["name"] for element in elements if element["core"] in CORE}
    is_repeated = fitted["element"] in {other["element"] for other in others}
    if not frame or (is_repeated and (lexicon is None or fitted["element"] in core)):
        fitted["element"] = ""
        fitted["role"] = fitted["role"] or usual_role(context)
    return fitted


def _accepts(person: Person, rng: random.Random, *, is_doubtful: bool) -> bool:
    if person.is_exact():
        return True
    if is_doubtful:
        return person.errs(RATES.kept_doubtful, rng)
    return not person.errs(RATES.dropped_plausible, rng)


def validate(sources: Sequence[Json], context: ItemContext, person: Person, seed: str) -> Json:
    """Return a verification of the record. A person of skill 1 verifies everything."""
    rng = random.Random(seed)  # noqa: S311
    record = sources[0]

    def judged(*, is_doubtful: bool, proposal: str = "") -> Json:
        if _accepts(person, rng, is_doubtful=is_doubtful):
            return {"verdict": "verified", "reason": "", "proposal": ""}
        return {"verdict": "disputed", "reason": _WHY, "proposal": proposal}

    if record["skip"]:
        return {"skip": judged(is_doubtful=False)} | NO_VERIFICATION
    arguments = []
    for argument in record["arguments"]:
        head = judged(is_doubtful=is_doubtful_head(argument["head"], context))
        is_disputed = head["verdict"] == "disputed"
        labels = {
            part: None if is_disputed else judged(is_doubtful=False) for part in ("element", "role")
        }
        arguments.append({"head": head, **labels})
    known = frames_of_lemma(record["lemma"], context)
    is_doubtful = is_doubtful_frame(record, context)
    return {
        "skip": None,
        "verb": judged(is_doubtful=False),
        "frame": judged(is_doubtful=is_doubtful, proposal=known[0] if is_doubtful else ""),
        "arguments": arguments,
        "missing": _missing(record, context, person, rng),
    }


def _missing(record: Json, context: ItemContext, person: Person, rng: random.Random) -> list[Json]:
    """Return the word before or after the verb as an argument, if the record has few arguments."""
    taken = {at for argument in record["arguments"] for at in argument["head"]}
    free = [at for at in content_words(context.tokens) if at not in taken]
    for at, role in ((record["verb"][0] - 1, "Agent"), (record["verb"][-1] + 1, "Theme")):
        is_doubtful = (
            len(record["arguments"]) < _FEW and at in free and role in known_roles(context)
        )
        if is_doubtful and not _accepts(person, rng, is_doubtful=True):
            return [{"head": [at], "filler": "", "element": "", "role": role}]
    return []
