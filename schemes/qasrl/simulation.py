"""The content of simulated workers: a reference with seeded errors, or made up.

The module is the part `simulation` of the scheme.

Content has the format of `schemes.qasrl.content`. The same arguments always give the same content.
Generators are in `simulated_generator`, consolidators and validators in `simulated_judges`.
"""

from collections.abc import Mapping

from schemes.contract.items import ItemContext
from schemes.contract.values import Json, Tokens
from schemes.qasrl.paper_figures import (
    CONSOLIDATED_LA,
    CONSOLIDATED_UA,
    PROTOCOL,
    SIZES,
    TABLE_4,
    WORKERS_UA,
)
from schemes.qasrl.simulated_generator import generate
from schemes.qasrl.simulated_judges import consolidate, validate

__all__ = ["consolidate", "generate", "invent", "nothing", "published", "validate"]

Span = list[int]


def invent(context: ItemContext) -> Json:
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


_EXPERT_SET = TABLE_4["This work"]
# By the keys of `rehearsal.domain.figures`. The paper compares pairs by UA only.
published: Mapping[str, str] = {
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
nothing = {"questions": [], "no_question": "Nothing of this generator was published."}
