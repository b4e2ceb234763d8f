"""The content of simulated workers: a reference with seeded errors, or a replayed gold.

Content has the format of `schemes.qasrl.content`. The same arguments always give the same content.
Generators are in `simulated_generator`, consolidators and validators in `simulated_judges`.
"""

from collections.abc import Sequence
from typing import Any

from schemes.contract.items import ItemContext
from schemes.contract.simulation import Simulation
from schemes.contract.values import Json, Tokens
from schemes.qasrl.context_answers import is_outside
from schemes.qasrl.paper_figures import (
    CONSOLIDATED_LA,
    CONSOLIDATED_UA,
    PROTOCOL,
    SIZES,
    TABLE_4,
    WORKERS_UA,
)
from schemes.qasrl.simulated_generator import generate, generation_of, question_of
from schemes.qasrl.simulated_judges import consolidate, validate

Span = list[int]


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
        if is_outside(question):
            continue
        for row in origin.get("rows", [{**origin, "answers": question["answers"]}]):
            names = ("source_assign_id", "assign_id", "worker_id")
            source = next((row[name] for name in names if row.get(name)), "")
            questions = by_source.setdefault(source, [])
            questions.append(question_of({**question, "answers": row["answers"]}))
    return [generation_of(by_source[source]) for source in sorted(by_source)]


_EXPERT_SET = TABLE_4["This work"]
# By the keys of `rehearsal.domain.figures`. The paper compares pairs by UA only.
PUBLISHED = {
    "pair UA f1": f"{WORKERS_UA}",
    "teams UA f1": f"{CONSOLIDATED_UA}",
    "teams LA f1": f"{CONSOLIDATED_LA}",
    "roles per item": f"{SIZES['wikinews.dev']['roles per predicate']}",
    "cents per item": f"{PROTOCOL['cents per predicate']}",
    **{
        f"gold {figure} {column}": f"{value}"
        for figure in ("UA", "LA")
        for column, value in zip(
            ("precision", "recall", "f1"), _EXPERT_SET[f"{figure}, automatic"], strict=True
        )
    },
}
SIMULATION = Simulation(
    generate=generate,
    invent=invent_reference,
    split=split_by_source,
    nothing={"questions": [], "no_question": "Nothing of this generator was published."},
    consolidate=consolidate,
    validate=validate,
    published=PUBLISHED,
)
