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


def split_by_source(reference: Json, provenance: Sequence[Json]) -> list[Json]:
    """One generation for each `source_assign_id`, in the order of the ids.

    A question that the file holds in several rows was asked by the source of each, with that row's
    answers.
    """
    by_source: dict[str, list[dict[str, Any]]] = {}
    for question, origin in zip(reference["questions"], provenance, strict=True):
        for row in origin.get("rows", [{**origin, "answers": question["answers"]}]):
            asked = by_source.setdefault(row.get("source_assign_id", ""), [])
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
