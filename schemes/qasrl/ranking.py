"""Costs of questions about a verb in its sentence. Likely questions are cheap.

Costs are tenths of a nat: -10 ln of the probability. `scripts/learn_suggestions.py` learns them from
wikinews.dev. The page receives the item's table with the item, and `shared_costs` once.
static/js/schemes/qasrl/grammar.js adds them up.
"""

import json
from collections.abc import Sequence
from functools import cache
from itertools import product
from math import exp, log
from pathlib import Path

from schemes.contract.values import Json, Tokens
from schemes.english.forms import VerbForms
from schemes.qasrl.context_cues import cues_of
from schemes.qasrl.patterns import ANY, PATIENT, Pattern, pattern_of
from schemes.qasrl.preposition_cues import USES, cues_of_preposition, offered
from schemes.qasrl.prepositional_verbs import preposition_after
from schemes.qasrl.sentence_phrases import SHAPES, TENSES, put_own_phrase_first
from schemes.qasrl.verb_context import Cue, cue_of
from schemes.qasrl.verb_frames import frame_cost

WEIGHTS_FILE = Path(__file__).with_name("ranking_weights.json")


@cache
def learned_weights() -> Json:
    weights: Json = json.loads(WEIGHTS_FILE.read_text(encoding="utf-8"))
    return weights


def shared_costs(weights: Json | None = None) -> Json:
    """Return the patterns, and the costs that are the same for all items."""
    weights = weights or learned_weights()
    return {
        "patterns": weights["patterns"],
        "relations": weights["relations"],
        "changes": weights["changes"],
        "not": weights["not"],
        "used": {use: _cost_of_use(weights, use) for use in USES},
    }


def ranking_table(
    tokens: Tokens, verb_idx: int, forms: VerbForms, *, weights: Json | None = None
) -> Json:
    """Return an item's costs.

    `patterns` has a cost for each pattern of `shared_costs`, `prepositions` the costs by use.
    `negated` and, by voice, `time` are the costs of a verb phrase. `time` has TENSES by SHAPES.
    """
    weights = weights or learned_weights()
    cue = cue_of(tokens, verb_idx, forms)
    rows = [weights["cues"].get(name) for name in cues_of(tokens, verb_idx, forms)]
    totals = [sum(costs) for costs in zip(*(row for row in rows if row), strict=True)]
    taken = "" if cue.is_passive else preposition_after(tokens, verb_idx, forms.stem)
    if taken:
        totals = [
            cost + _cost_beside_preposition(pattern_of(text))
            for cost, text in zip(totals, weights["patterns"], strict=True)
        ]
    prepositions = _preposition_costs(
        tokens, verb_idx, offered(tokens, forms), weights["prepositions"]
    )
    if taken in prepositions:
        prepositions[taken] = [max(0, cost - _TAKEN) for cost in prepositions[taken]]
    totals = [
        cost + frame_cost(pattern_of(text), forms.stem)
        for cost, text in zip(totals, weights["patterns"], strict=True)
    ]
    cheapest = min(totals)
    table = {
        "patterns": [cost - cheapest for cost in totals],
        "prepositions": prepositions,
        "time": [_time_costs(cue, weights, is_passive=voice) for voice in (False, True)],
        "negated": weights["polarities"][str(cue.is_negated)],
    }
    put_own_phrase_first(table, cue)
    return table


# Costs of a verb whose preposition follows it, such as "looked at". They are not learned, because most
# such verbs are too rare in wikinews.dev.
_OBJECT = 25  # "Who looked something?"
_PREPOSITION_ASKED = -8  # "What did someone look at?"
_PREPOSITION_FILLED = -12  # "Who looked at something?"
_TAKEN = 10  # the verb's preposition before others


def _cost_beside_preposition(pattern: Pattern) -> int:
    """Return what a pattern costs in addition if the verb takes a preposition in the sentence."""
    if pattern.is_passive:
        return 0
    if pattern.obj or (pattern.role == PATIENT and ANY not in pattern.prep):
        return _OBJECT
    return {"filled": _PREPOSITION_FILLED, "asked": _PREPOSITION_ASKED}.get(pattern.use, 0)


def _time_costs(cue: Cue, weights: Json, *, is_passive: bool) -> list[int]:
    """Return the costs of each tense and shape, from counts and, where they are few, from each alone."""
    tenses = weights["tenses"].get(cue.tense, weights["tenses"][""])
    shapes = weights["shapes"].get(shape_key(cue, is_passive=is_passive), _UNKNOWN_SHAPE)
    counts = weights["times"].get(time_key(cue, is_passive=is_passive), {})
    total = sum(counts.values()) + _PRIOR
    costs = []
    for tense, shape in product(TENSES, SHAPES):
        prior = _PRIOR * exp(-(tenses[tense] + shapes[shape]) / 10)
        costs.append(round(-10 * log((counts.get(f"{tense} {shape}", 0) + prior) / total)))
    return costs


# The weight of tense and shape alone, as a number of questions.
_PRIOR = 3
_UNKNOWN_SHAPE = {"": 2, "progressive": 25, "perfect": 25, "perfect progressive": 50}


def time_key(cue: Cue, *, is_passive: bool) -> str:
    """Return what tense and shape together depend on."""
    return f"{cue.tense} {shape_key(cue, is_passive=is_passive)}"


def shape_key(cue: Cue, *, is_passive: bool) -> str:
    """Return what the shape of a verb phrase depends on."""
    shape = f"{'perfect ' * cue.is_perfect}{'progressive ' * cue.is_progressive}{cue.form}"
    return f"{shape} {'same' if cue.is_passive == is_passive else 'other'} voice"


def _preposition_costs(
    tokens: Tokens, verb_idx: int, phrases: Sequence[str], weights: Json
) -> dict[str, list[int]]:
    """Return the costs of each preposition and pair, in the order of USES."""
    costs = {}
    for phrase in phrases:
        cues = list(cues_of_preposition(tokens, verb_idx, phrase))
        costs[phrase] = [
            sum(weights.get(f"{kind}: {cue}", 0) for cue in cues for kind in (use, "any"))
            for use in USES
        ]
    by_use = zip(*costs.values(), strict=True)
    totals = [round(10 * log(sum(exp(-cost / 10) for cost in column))) for column in by_use]
    return {
        phrase: [cost + total for cost, total in zip(row, totals, strict=True)]
        for phrase, row in costs.items()
    }


def _cost_of_use(weights: Json, use: str) -> int:
    """Return the cost of a preposition that an earlier question used, usually negative."""
    prepositions = weights["prepositions"]
    return int(prepositions.get(f"{use}: used", 0) + prepositions.get("any: used", 0))
