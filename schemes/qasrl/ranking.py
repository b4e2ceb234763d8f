"""Costs of question words about a verb in its sentence. Likely words are cheap.

Costs are tenths of a nat, rounded: -10 ln of the probability. Probabilities come from the published
questions of wikinews.dev where possible and are estimates elsewhere. The page receives the table
with the item. `suggestions.py` and static/js/schemes/qasrl/grammar.js add costs that depend on
earlier questions.
"""

from functools import partial

from schemes.base import Json, Tokens
from schemes.english.forms import VerbForms
from schemes.qasrl.prepositions import PREPOSITIONS
from schemes.qasrl.verb_context import Cue, cue_of

_WH = {"what": 5, "who": 5, "when": 20, "where": 21, "how": 22, "why": 24}
_TENSES = ("past", "present", "can", "will", "might", "would", "should")
_UNLIKELY = 45
_TENSE_COSTS = {
    "past": {"past": 1, "present": 25, "might": 35, "would": 35},
    "present": {"present": 2, "past": 20, "might": 30, "will": 30},
    "might": {"might": 2, "can": 22, "would": 25, "will": 25, "past": 30, "should": 35},
    "can": {"can": 4, "might": 14, "will": 30, "present": 30},
    "will": {"will": 2, "might": 25, "would": 25, "present": 30},
    "would": {"would": 3, "might": 15, "will": 25, "past": 25},
    "should": {"should": 3, "might": 20, "would": 30, "will": 30},
    "to": {"might": 12, "past": 14, "present": 18, "will": 16, "would": 16, "should": 24},
    "": {"past": 6, "present": 12, "might": 25, "will": 28, "would": 28},
}


def ranking_table(tokens: Tokens, verb_idx: int, forms: VerbForms) -> Json:
    """Return costs by tense, shape (`perfect progressive passive`), preposition and more."""
    verb_context = cue_of(tokens, verb_idx, forms)
    known = _TENSE_COSTS[verb_context.tense]
    return {
        "wh": _WH,
        "tense": {tense: known.get(tense, _UNLIKELY) for tense in _TENSES},
        "shape": _shape_costs(verb_context),
        "negated": 2 if verb_context.is_negated else 35,
        "plain": 12 if verb_context.is_negated else 0,
        "preposition": _preposition_costs(tokens, verb_idx),
        "object": _object_costs(tokens, verb_idx),
        "to do": 8 if _infinitive_follows(tokens, verb_idx) else 45,
    }


def shape_name(*, perfect: bool, progressive: bool, passive: bool) -> str:
    flags = (("perfect", perfect), ("progressive", progressive), ("passive", passive))
    return " ".join(name for name, holds in flags if holds)


def _shape_costs(verb_context: Cue) -> dict[str, int]:
    shape = partial(
        shape_name, perfect=verb_context.is_perfect, progressive=verb_context.is_progressive
    )
    active, passive = shape(passive=False), shape(passive=True)
    own = passive if verb_context.is_passive else active
    costs = {"": 16, "passive": 22, "progressive": 26, "perfect": 30}
    if verb_context.form == "presentParticiple" and not verb_context.is_progressive:
        costs |= {"": 6, "progressive": 8}
    # The other voice has the same tense and aspect: "Who carried something?" for "was carried".
    costs |= {active: 14 if verb_context.is_passive else 0, passive: 24}
    return costs | {own: 0 if own else costs[""] if verb_context.form == "presentParticiple" else 0}


def _preposition_costs(tokens: Tokens, verb_idx: int) -> dict[str, int]:
    """Return costs of prepositions and pairs, lower near the verb."""
    costs: dict[str, int] = {}
    words = [token.lower() for token in tokens]
    for at, word in enumerate(words):
        if word not in PREPOSITIONS:
            continue
        cost = _place_cost(at - verb_idx)
        costs[word] = min(cost, costs.get(word, cost))
        if at + 1 < len(words) and words[at + 1] in PREPOSITIONS:
            pair = f"{word} {words[at + 1]}"
            costs[pair] = min(cost, costs.get(pair, cost))
    return costs


def _object_costs(tokens: Tokens, verb_idx: int) -> dict[str, int]:
    """Return the costs of an active verb's object: named, omitted or questioned.

    In wikinews.dev, 27 % of verbs directly before a preposition or the sentence's end have an
    object in their questions, and 79 % of the others.
    """
    following = tokens[verb_idx + 1].lower() if verb_idx + 1 < len(tokens) else "."
    if following in PREPOSITIONS or following in (".", ","):
        return {"named": 13, "away": 4, "nothing": 8, "asked": 12}
    return {"named": 2, "away": 20, "nothing": 0, "asked": 2}


def _place_cost(distance: int) -> int:
    if distance < 0:
        return 40
    return 6 if distance == 1 else min(20 + distance, 34)


def _infinitive_follows(tokens: Tokens, verb_idx: int) -> bool:
    return "to" in (token.lower() for token in tokens[verb_idx + 1 : verb_idx + 6])
