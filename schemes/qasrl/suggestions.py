"""The costs of suggested questions, for static/js/schemes/qasrl/grammar.js.

The page suggests the questions with the lowest costs that start with the typed text. A suggestion is a
pattern that annotators have used, with a preposition and a verb phrase. Its cost is the sum of theirs
(`ranking.py`) and depends on the questions asked so far.
"""

from schemes.contract.items import Suggestions
from schemes.contract.values import Json, Tokens
from schemes.english.forms import VerbForms
from schemes.qasrl.grammar_ranking import grammar_costs, grammar_table
from schemes.qasrl.ranking import ranking_table, shared_costs


def suggestion_costs() -> Json:
    """Return the costs that all items share, by kind of suggestions."""
    return {Suggestions.GRAMMAR: grammar_costs(), Suggestions.LEARNED: shared_costs()}


def suggestion_table(
    kind: Suggestions, tokens: Tokens, verb_idx: int, forms: VerbForms
) -> Json | None:
    """Return an item's costs, or None if nothing is suggested."""
    if kind == Suggestions.OFF:
        return None
    table = grammar_table if kind == Suggestions.GRAMMAR else ranking_table
    return table(tokens, verb_idx, forms)
