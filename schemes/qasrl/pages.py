"""Data and settings of the workers' pages."""

from collections.abc import Sequence

from schemes.contract.items import ItemContext
from schemes.contract.pages import ContextAnswersSetting, ImpliedSetting, Pages, SuggestionSetting
from schemes.contract.values import Json
from schemes.qasrl.grammar import automaton, item_table
from schemes.qasrl.suggestions import suggestion_costs, suggestion_table
from schemes.qasrl.targets import is_noun, question_spellings


class SuggestedQuestions(SuggestionSetting):
    """Finished questions that the page shows."""

    label = "Suggested questions"
    help_text = (
        "Finished questions that the page shows before and while a worker types. Grammar "
        "ranks them by the sentence alone. Learned ranks them by the gold of Roit et al. 2020, "
        "which can bias an evaluation towards models. Sentences without a partition get grammar."
    )
    learned_from = "the gold standard of Wikinews dev of Roit et al. 2020"

    def ranks(self, content: Json) -> list[int | None]:
        return [question["picked"] for question in content["questions"] if "picked" in question]


class QasrlPages(Pages):
    """Pages with the question template. Validators only judge, so their page does not need it."""

    roles = ("generator", "consolidator")
    implied = ImpliedSetting(
        label="Ask experts and consolidators which arguments are only implied",
        help_text="An argument is implied if the sentence does not state that it takes part, as in "
        "“He flew to Rome to meet her” for where they met. Exports have the answer, and the recall "
        "of systems is split by it.",
    )
    context_answers = ContextAnswersSetting(
        label="Allow answers in the context",
        help_text="Annotators can also select answers in the context above the sentence, and ask "
        "questions that only the context answers. It needs a context. Results and "
        "agreement compare answers in the sentence alone.",
    )
    suggestions = SuggestedQuestions()

    def shared(self, contexts: Sequence[ItemContext]) -> Json:
        """Return `automaton` and `suggestions` for static/js/schemes/qasrl/grammar.js.

        The latter has the costs of each kind of suggestions that an item of the page has.
        """
        costs = suggestion_costs()
        kinds = sorted({context.suggestions for context in contexts} & costs.keys())
        return {"automaton": automaton(), "suggestions": {kind: costs[kind] for kind in kinds}}

    def item(self, context: ItemContext) -> Json:
        """Return the item's part of the grammar, and its suggestions."""
        tokens, target = context.tokens, context.target
        spellings = question_spellings(target)
        return {
            "suggestions": context.suggestions,
            "asksImplied": context.asks_implied,
            "item": item_table(spellings[0], tokens, others=spellings, is_noun=is_noun(target)),
            "ranking": suggestion_table(
                context.suggestions, tokens, target["verb_idx"], spellings[0]
            ),
        }


PAGES = QasrlPages()
