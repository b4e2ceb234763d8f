"""The content of simulated workers: a reference with seeded errors, or a replayed gold.

Content has the format of `schemes.qasrl.content`. The same arguments always give the same content.
"""

import random
from collections.abc import Sequence
from typing import Any

from schemes.base import ItemContext, Json, Simulation, Tokens

NOTHING = {
    "questions": [],
    "no_question": "The sentence doesn't answer any question about this verb.",
}
Span = list[int]
_OTHER_WORDS = {"Who": "What", "What": "Who", "When": "Where", "Where": "When"}


def _generation(questions: list[dict[str, Any]]) -> Json:
    return {"questions": questions, "no_question": ""} if questions else dict(NOTHING)


def _bare(question: Json) -> dict[str, Any]:
    return {
        "question": question["question"],
        "answers": [list(span) for span in question["answers"]],
    }


def simulate_generation(reference: Json, context: ItemContext, skill: float, seed: str) -> Json:
    """Return the reference with errors, none at `skill` 1.

    Lower skill means more missing or wrong questions, and more answers that are too short or too
    long.
    """
    if reference.get("is_verbal") is False:
        return {"questions": [], "no_question": "", "is_verbal": False}
    rng = random.Random(seed)  # noqa: S311
    questions = [_bare(question) for question in reference["questions"] if rng.random() < skill]
    taken = {
        position
        for question in questions
        for span in question["answers"]
        for position in range(*span)
    }
    for question in questions:
        question["answers"] = [
            _blurred(span, taken, len(context.tokens), skill, rng) for span in question["answers"]
        ]
        if rng.random() > skill:
            question["question"] = _other_question(question["question"])
    return _generation(_distinct(questions))


def _blurred(span: Span, taken: set[int], length: int, skill: float, rng: random.Random) -> Span:
    """Return the span, or one that is off by a token at either end, without overlaps."""
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
    """Return a question for another role, such as "Who" instead of "What"."""
    first, blank, rest = question.partition(" ")
    return f"{_OTHER_WORDS.get(first, first)}{blank}{rest}"


def _distinct(questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Merge questions with the same text, with all their answers."""
    merged: dict[str, dict[str, Any]] = {}
    for question in questions:
        same = merged.setdefault(_key(question), {"question": question["question"], "answers": []})
        same["answers"] += question["answers"]
    return list(merged.values())


def _key(question: Json) -> str:
    return " ".join(str(question["question"]).lower().split())


def invent_reference(context: ItemContext) -> Json:
    """Return made-up questions for a verb without a reference, for trial runs only.

    The words before the verb answer who did it, those after it what was done.
    """
    tokens, target = context.tokens, context.target
    at = target["verb_idx"]
    before, after = _run(tokens, at - 1, -1, 3), _run(tokens, at + 1, 1, 4)
    past, stem = target["forms"]["past"], target["forms"]["stem"]
    candidates = [(f"Who {past} something?", before), (f"What did someone {stem}?", after)]
    return {
        "questions": [{"question": text, "answers": [span]} for text, span in candidates if span]
    }


def _run(tokens: Tokens, first: int, step: int, longest: int) -> Span | None:
    """Return the words from `first` up to the end, a punctuation mark or `longest` words."""
    at = first
    while 0 <= at < len(tokens) and abs(at - first) < longest and tokens[at][:1].isalnum():
        at += step
    if at == first:
        return None
    return [first, at] if step > 0 else [at + 1, first + 1]


def split_by_source(reference: Json, provenance: Sequence[Json]) -> list[Json]:
    """Return one generation per source, in the order of the ids.

    The source is the `source_assign_id`, else the `assign_id`, else the `worker_id`. A question
    with several rows belongs to the source of each row, with that row's answers.
    """
    by_source: dict[str, list[dict[str, Any]]] = {}
    for question, origin in zip(reference["questions"], provenance, strict=True):
        for row in origin.get("rows", [{**origin, "answers": question["answers"]}]):
            names = ("source_assign_id", "assign_id", "worker_id")
            source = next((row[name] for name in names if row.get(name)), "")
            questions = by_source.setdefault(source, [])
            questions.append(_bare({**question, "answers": row["answers"]}))
    return [_generation(by_source[source]) for source in sorted(by_source)]


def simulate_consolidation(
    reference: Json, sources: Sequence[Json], skill: float, seed: str
) -> Json:
    """Return a consolidator's content. Below skill 1, parts of the reference are missed.

    Source questions that are in the reference are kept with its answers. Others are redundant if
    they repeat a kept question by text or answer, else invalid. Missing reference questions are
    added.
    """
    rng = random.Random(seed)  # noqa: S311
    expected = {
        _key(question): _bare(question)
        for question in reference["questions"]
        if rng.random() < skill
    }
    judged: list[dict[str, Any]] = []
    kept: dict[str, int] = {}
    rest: list[tuple[dict[str, Any], Json]] = []
    for submission, source in enumerate(sources):
        for position, question in enumerate(source.get("questions", [])):
            entry = {**_bare(question), "source": {"submission": submission, "question": position}}
            key = _key(question)
            if key in expected and key not in kept:
                kept[key] = len(judged)
                entry |= {"answers": expected[key]["answers"], "verdict": "keep", "same_as": None}
            else:
                rest.append((entry, question))
            judged.append(entry)
    for key, question in expected.items():
        if key not in kept:
            kept[key] = len(judged)
            judged.append({**question, "source": None, "verdict": "keep", "same_as": None})
    for entry, question in rest:
        same = _kept_like(question, judged, kept)
        entry |= {"verdict": "invalid" if same is None else "redundant", "same_as": same}
        entry["answers"] = []
    return {"questions": judged}


def simulate_validation(
    reference: Json, asked: Json, context: ItemContext, skill: float, seed: str
) -> Json:
    """Return a validator's content, equal to the reference at `skill` 1.

    Below that, some good questions are rejected or marked as redundant, some bad ones are answered,
    and answers are blurred.
    """
    rng = random.Random(seed)  # noqa: S311
    expected = {_key(question): question["answers"] for question in reference["questions"]}
    spans = [expected.get(_key({"question": text})) for text in asked["questions"]]
    taken = {at for answers in spans for span in answers or [] for at in range(*span)}
    judged: list[dict[str, Any]] = []
    for answers in spans:
        if (rng.random() < skill) != (answers is not None):
            is_repeat = answers is not None and rng.random() < 0.3
            judged.append(_turned_down(judged, is_repeat=is_repeat))
        elif answers is not None:
            own = [_blurred(list(span), taken, len(context.tokens), skill, rng) for span in answers]
            judged.append({"answers": own, "verdict": "valid", "same_as": None})
        else:
            judged.append(_guessed(taken, len(context.tokens), rng))
    return {"questions": judged}


def _turned_down(judged: Sequence[Json], *, is_repeat: bool) -> dict[str, Any]:
    valid = [at for at, entry in enumerate(judged) if entry["verdict"] == "valid"]
    if is_repeat and valid:
        return {"answers": [], "verdict": "redundant", "same_as": valid[-1]}
    return {"answers": [], "verdict": "invalid", "same_as": None}


def _guessed(taken: set[int], length: int, rng: random.Random) -> dict[str, Any]:
    """Return an answer to a bad question, a word that is in no other answer."""
    free = [at for at in range(length) if at not in taken]
    if not free:
        return _turned_down([], is_repeat=False)
    at = rng.choice(free)
    taken.add(at)
    return {"answers": [[at, at + 1]], "verdict": "valid", "same_as": None}


def _kept_like(question: Json, judged: list[dict[str, Any]], kept: dict[str, int]) -> int | None:
    """Return the kept question that this one repeats by text or answer, or None."""
    if (same := kept.get(_key(question))) is not None:
        return same
    words = {position for span in question["answers"] for position in range(*span)}
    for position in kept.values():
        for start, end in judged[position]["answers"]:
            if words.intersection(range(start, end)):
                return position
    return None


SIMULATION = Simulation(
    generate=simulate_generation,
    invent=invent_reference,
    split=split_by_source,
    nothing={"questions": [], "no_question": "Nothing of this generator was published."},
    consolidate=simulate_consolidation,
    validate=simulate_validation,
)
