"""What simulated workers write: a reference with seeded errors, or a published gold replayed.

Contents are those of `schemes.qasrl.content`. The same arguments always give the same content.
"""

import random
from collections.abc import Sequence
from typing import Any

from schemes.base import Json, Tokens

NOTHING = {"questions": [], "no_question": "The sentence answers no question about this verb."}
Span = list[int]


def _generation(questions: list[dict[str, Any]]) -> Json:
    return {"questions": questions, "no_question": ""} if questions else dict(NOTHING)


def _bare(question: Json) -> dict[str, Any]:
    return {"question": question["question"], "answers": [list(one) for one in question["answers"]]}


def simulate_generation(reference: Json, *, tokens: Tokens, skill: float, seed: str) -> Json:
    """The reference with errors: at `skill` 1 none, towards 0 ever more questions missed or asked
    wrongly, and answers cut short or drawn too long."""
    rng = random.Random(seed)  # noqa: S311
    kept = [_bare(one) for one in reference["questions"] if rng.random() < skill]
    taken = {position for one in kept for span in one["answers"] for position in range(*span)}
    for one in kept:
        one["answers"] = [_blurred(span, taken, len(tokens), skill, rng) for span in one["answers"]]
        if rng.random() > skill:
            one["question"] = _other_question(one["question"])
    return _generation(_distinct(kept))


def _blurred(span: Span, taken: set[int], length: int, skill: float, rng: random.Random) -> Span:
    """The span, or one that errs by a token at either end without touching another answer."""
    start, end = span
    if rng.random() < skill:
        return [start, end]
    if end - start > 1 and rng.random() < 0.5:
        return [start + 1, end] if rng.random() < 0.5 else [start, end - 1]
    if start > 0 and start - 1 not in taken:
        taken.add(start - 1)
        return [start - 1, end]
    if end < length and end not in taken:
        taken.add(end)
        return [start, end + 1]
    return [start, end]


def _other_question(question: str) -> str:
    """A question for another role: the person asked for as a thing, or the other way round."""
    for mine, other in (
        ("Who ", "What "),
        ("What ", "Who "),
        ("When ", "Where "),
        ("Where ", "When "),
    ):
        if question.startswith(mine):
            return other + question[len(mine) :]
    return question


def _distinct(questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One question for each text, with the answers of all that share it."""
    merged: dict[str, dict[str, Any]] = {}
    for one in questions:
        same = merged.setdefault(_key(one), {"question": one["question"], "answers": []})
        same["answers"] += one["answers"]
    return list(merged.values())


def _key(question: Json) -> str:
    return " ".join(str(question["question"]).lower().split())


def invent_reference(tokens: Tokens, target: Json) -> Json:
    """A reference for a verb that has none: who did it is read off the words before it, what was done
    off those after it. Good for trying a project out, and for nothing else."""
    at = target["verb_idx"]
    before, after = _run(tokens, at - 1, -1, 3), _run(tokens, at + 1, 1, 4)
    past, stem = target["forms"]["past"], target["forms"]["stem"]
    asked = [(f"Who {past} something?", before), (f"What did someone {stem}?", after)]
    return {"questions": [{"question": text, "answers": [one]} for text, one in asked if one]}


def _run(tokens: Tokens, first: int, step: int, longest: int) -> Span | None:
    """The words from `first` on, up to the sentence's end, a punctuation mark or `longest` words."""
    at = first
    while 0 <= at < len(tokens) and abs(at - first) < longest and tokens[at][:1].isalnum():
        at += step
    if at == first:
        return None
    return [first, at] if step > 0 else [at + 1, first + 1]


def split_by_source(reference: Json, provenance: Sequence[Json]) -> list[Json]:
    """One generation for each `source_assign_id` (where a file has none, for each `assign_id`, else
    for each `worker_id`), in the order of the ids.

    A question that the file holds in several rows was asked by the source of each, with that row's
    answers.
    """
    by_source: dict[str, list[dict[str, Any]]] = {}
    for question, origin in zip(reference["questions"], provenance, strict=True):
        for row in origin.get("rows", [{**origin, "answers": question["answers"]}]):
            names = ("source_assign_id", "assign_id", "worker_id")
            source = next((row[name] for name in names if row.get(name)), "")
            asked = by_source.setdefault(source, [])
            asked.append(_bare({**question, "answers": row["answers"]}))
    return [_generation(by_source[source]) for source in sorted(by_source)]


def simulate_consolidation(
    reference: Json, sources: Sequence[Json], *, skill: float, seed: str
) -> Json:
    """What the sources asked is kept where the reference asks it too (with the reference's answers),
    redundant where it was kept already or its answers are those of another question, else invalid;
    what nobody asked is added. Below skill 1 some of the reference is not seen."""
    rng = random.Random(seed)  # noqa: S311
    wanted = {_key(one): _bare(one) for one in reference["questions"] if rng.random() < skill}
    judged: list[dict[str, Any]] = []
    kept: dict[str, int] = {}
    rest: list[tuple[dict[str, Any], Json]] = []
    for submission, source in enumerate(sources):
        for position, question in enumerate(source.get("questions", [])):
            entry = {**_bare(question), "source": {"submission": submission, "question": position}}
            key = _key(question)
            if key in wanted and key not in kept:
                kept[key] = len(judged)
                entry |= {"answers": wanted[key]["answers"], "verdict": "keep", "same_as": None}
            else:
                rest.append((entry, question))
            judged.append(entry)
    for key, question in wanted.items():
        if key not in kept:
            kept[key] = len(judged)
            judged.append({**question, "source": None, "verdict": "keep", "same_as": None})
    for entry, question in rest:
        same = _kept_like(question, judged, kept)
        entry |= {"verdict": "invalid" if same is None else "redundant", "same_as": same}
        entry["answers"] = []
    return {"questions": judged}


def simulate_validation(
    reference: Json, asked: Sequence[str], *, tokens: Tokens, skill: float, seed: str
) -> Json:
    """At `skill` 1 what the reference asks is valid, with its answers, and the rest invalid. Below it
    some good questions are turned down or taken for repeats, some bad ones answered, and answers
    blurred."""
    rng = random.Random(seed)  # noqa: S311
    wanted = {_key(one): one["answers"] for one in reference["questions"]}
    spans = [wanted.get(_key({"question": text})) for text in asked]
    taken = {at for answers in spans for span in answers or [] for at in range(*span)}
    judged: list[dict[str, Any]] = []
    for answers in spans:
        if (rng.random() < skill) != (answers is not None):
            judged.append(
                _turned_down(judged, is_repeat=answers is not None and rng.random() < 0.3)
            )
        elif answers is not None:
            own = [_blurred(list(span), taken, len(tokens), skill, rng) for span in answers]
            judged.append({"answers": own, "verdict": "valid", "same_as": None})
        else:
            judged.append(_guessed(taken, len(tokens), rng))
    return {"questions": judged}


def _turned_down(judged: Sequence[Json], *, is_repeat: bool) -> dict[str, Any]:
    valid = [at for at, one in enumerate(judged) if one["verdict"] == "valid"]
    if is_repeat and valid:
        return {"answers": [], "verdict": "redundant", "same_as": valid[-1]}
    return {"answers": [], "verdict": "invalid", "same_as": None}


def _guessed(taken: set[int], length: int, rng: random.Random) -> dict[str, Any]:
    """A bad question answered all the same, by a word that no other answer has."""
    free = [at for at in range(length) if at not in taken]
    if not free:
        return _turned_down([], is_repeat=False)
    at = rng.choice(free)
    taken.add(at)
    return {"answers": [[at, at + 1]], "verdict": "valid", "same_as": None}


def _kept_like(question: Json, judged: list[dict[str, Any]], kept: dict[str, int]) -> int | None:
    """The kept question that this one repeats: of the same text, or answered by the same words."""
    if (same := kept.get(_key(question))) is not None:
        return same
    words = {position for span in question["answers"] for position in range(*span)}
    for position in kept.values():
        for start, end in judged[position]["answers"]:
            if words.intersection(range(start, end)):
                return position
    return None
