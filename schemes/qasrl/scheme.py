"""The QA-SRL scheme, assembled from the modules of this package."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from schemes.contract.content import Content, Total
from schemes.contract.files import Exports
from schemes.contract.items import ItemContext
from schemes.contract.pages import (
    ContextAnswersSetting,
    ImpliedSetting,
    Pages,
    ShownUnit,
    SuggestionSetting,
    Views,
)
from schemes.contract.records import ExportRow
from schemes.contract.scheme import Scheme
from schemes.contract.search import Search, SearchField
from schemes.contract.simulation import Sample
from schemes.contract.values import Json, Noun
from schemes.contract.vocabulary import TaskTexts, Vocabulary
from schemes.qasrl import bank, comparison, gold_csv, items, merging, simulation, validating
from schemes.qasrl import content as qasrl_content
from schemes.qasrl.alignment import align
from schemes.qasrl.context_answers import context_texts, count_outside
from schemes.qasrl.corpus import CORPUS, known_format
from schemes.qasrl.differences import differences
from schemes.qasrl.doubts import FREE_FORM, doubts
from schemes.qasrl.grammar import automaton
from schemes.qasrl.pay import PAY_PRESETS, PAY_TITLES
from schemes.qasrl.practice import PRACTICE
from schemes.qasrl.propbank import PROPBANK
from schemes.qasrl.published_csv import sentence_file
from schemes.qasrl.score_systems import SCORING
from schemes.qasrl.statistics import STATISTICS
from schemes.qasrl.suggestions import suggestion_costs
from schemes.qasrl.targets import is_noun, is_verb
from schemes.qasrl.tutorials import TUTORIALS

_GOLD_WRITERS = {
    "qasrl-csv": gold_csv.write_gold_csv,
    "qanom-csv": gold_csv.write_noun_csv,
    "qasrl-bank": bank.write_bank,
}
_HELD_TARGETS = {"qasrl-csv": is_verb, "qasrl-bank": is_verb, "qanom-csv": is_noun}


def _write_gold(rows: Iterable[ExportRow], path: Path, fmt: str) -> int:
    """Write the rows that the format has a place for."""
    write = known_format(_GOLD_WRITERS, fmt, path)
    holds = _HELD_TARGETS[fmt]
    return int(write((row for row in rows if holds(row.target)), path))


def _lay_out(sources: Sequence[Json], context: ItemContext) -> Json:
    return align(sources)


def _shown_units(content: object, context: ItemContext) -> list[ShownUnit] | None:
    """Return the questions with their answers, or None for content of another shape."""
    questions = content.get("questions") if isinstance(content, dict) else None
    if not isinstance(questions, list):
        return None
    units = [_shown_unit(question, context) for question in questions]
    known = [unit for unit in units if unit is not None]
    return known if len(known) == len(units) else None


def _shown_unit(question: Any, context: ItemContext) -> ShownUnit | None:
    if not isinstance(question, dict) or not isinstance(question.get("question"), str):
        return None
    answers = question.get("answers")
    if not isinstance(answers, list) or not all(_is_span(span, context) for span in answers):
        return None
    verdict = question.get("verdict", "")
    implied = "implied" if question.get("implied") is True else ""
    return ShownUnit(
        label=question["question"],
        values=[
            *(context.span_text(start, end) for start, end in answers),
            *context_texts(question),
        ],
        spans=[(start, end) for start, end in answers],
        state=implied if verdict in ("", "keep", "valid") else str(verdict),
    )


def _is_span(span: Any, context: ItemContext) -> bool:
    if not isinstance(span, list) or [type(end) for end in span] != [int, int]:
        return False
    return bool(0 <= span[0] < span[1] <= len(context.tokens))


def _remark(content: Json) -> str:
    return str(content.get("no_question") or "")


def _questions(content: Json, context: ItemContext) -> list[str]:
    return [question["question"] for question in content.get("questions", [])]


def _verb(content: Json, context: ItemContext) -> list[str]:
    return [context.target.get("verb", ""), context.target.get("forms", {}).get("stem", "")]


def _shared_page_data(contexts: Sequence[ItemContext]) -> Json:
    """Return `automaton` and `suggestions` for static/js/schemes/qasrl/grammar.js.

    The latter has the costs of each kind of suggestions that an item of the page has.
    """
    costs = suggestion_costs()
    kinds = sorted({context.suggestions for context in contexts} & costs.keys())
    return {"automaton": automaton(), "suggestions": {kind: costs[kind] for kind in kinds}}


def _picked_ranks(content: Json) -> list[int | None]:
    return [question["picked"] for question in content["questions"] if "picked" in question]


_SAMPLES = Path(__file__).with_name("samples")
# From the annotation software of Roit et al. 2020.
LEAST_QUESTIONS = 2.0

SCHEME = Scheme(
    name="qasrl",
    title="QA-SRL",
    summary="questions about each verb or noun, with answers in the sentence",
    vocabulary=Vocabulary(
        item=Noun("verb", "verbs"),
        unit=Noun("question", "questions"),
        tasks={
            "generator": TaskTexts(
                "Write questions and answers about a verb",
                "Read one sentence, ask who did what, when and where about one verb, and select "
                "the answers.",
            ),
            "consolidator": TaskTexts(
                "Merge questions and answers about a verb",
                "Compare what two annotators wrote about one verb, and merge it.",
            ),
            "validator": TaskTexts(
                "Answer questions about a verb, or mark them as invalid",
                "Read one sentence and the questions about one of its verbs. Select the answers, or "
                "mark a question as invalid.",
            ),
        },
        keywords="annotation, questions, reading, language",
        pay_presets=PAY_PRESETS,
        pay_titles=PAY_TITLES,
    ),
    corpus=CORPUS,
    content=Content(
        schema_version=qasrl_content.SCHEMA_VERSION,
        empty={"questions": []},
        parse_generation=qasrl_content.parse_generation,
        parse_gold=qasrl_content.parse_gold,
        parse_system=qasrl_content.parse_system,
        count_units=qasrl_content.count_units,
        json_schemas=qasrl_content.JSON_SCHEMAS,
        totals=(
            Total("roles", Noun("role", "roles")),
            Total("arguments", Noun("argument", "arguments")),
        ),
        count=qasrl_content.count_parts,
        differences=differences,
        least_units=LEAST_QUESTIONS,
        doubts=doubts,
        free_form=FREE_FORM,
    ),
    comparison=comparison,
    views=Views(units=_shown_units, remark=_remark, marked=items.marked),
    exports=Exports(
        formats={"qasrl-csv": "csv", "qasrl-bank": "jsonl.gz", "qanom-csv": "csv"},
        write=_write_gold,
        sentence_file=sentence_file,
        holds=_HELD_TARGETS,
        with_judgments=("qasrl-bank",),
        with_source_workers=("qanom-csv",),
        submissions={"qasrl-csv": gold_csv.write_submissions_csv},
        left_out=count_outside,
    ),
    pages=Pages(
        shared=_shared_page_data,
        item=items.page_data,
        # Validators only judge, so their page needs neither grammar nor suggestions.
        roles=("generator", "consolidator"),
        implied=ImpliedSetting(
            label="Ask experts and consolidators which arguments are only implied",
            help_text="An argument is implied if the sentence does not state that it takes part, as in "
            "“He flew to Rome to meet her” for where they met. Exports have the answer, and the recall "
            "of systems is split by it.",
        ),
        context_answers=ContextAnswersSetting(
            label="Allow answers in the context",
            help_text="Annotators can also select answers in the context above the sentence, and ask "
            "questions that only the context answers. It needs a context. Results and "
            "agreement compare answers in the sentence alone.",
        ),
        suggestions=SuggestionSetting(
            label="Suggested questions",
            help_text="Finished questions that the page shows before and while a worker types. Grammar "
            "ranks them by the sentence alone. Learned ranks them by the gold of Roit et al. 2020, "
            "which can bias an evaluation towards models. Sentences without a partition get grammar.",
            learned_from="the gold standard of Wikinews dev of Roit et al. 2020",
            ranks=_picked_ranks,
        ),
    ),
    merging=merging,
    validating=validating,
    simulation=simulation,
    practice=PRACTICE,
    tutorials=TUTORIALS,
    search=Search(
        content=SearchField("Question", _questions),
        target=SearchField("Verb", _verb),
    ),
    external={PROPBANK.key: PROPBANK},
    limits=(
        "Only verbs and nouns derived from verbs are annotated, and only what the sentence answers, or "
        "its context if that was allowed.",
    ),
    guidelines=Path(__file__).with_name("guidelines"),
    scoring=SCORING,
    statistics=STATISTICS,
    sample=Sample(
        format="qasrl-csv",
        sentences=_SAMPLES / "sentences.csv",
        gold=(_SAMPLES / "expert.csv",),
        rounds=_SAMPLES / "rounds.csv",
        given=_SAMPLES / "consolidation.csv",
    ),
)
