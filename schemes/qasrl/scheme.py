"""The QA-SRL scheme, assembled from the modules of this package."""

from pathlib import Path

from schemes.contract.content import Content, Total
from schemes.contract.scheme import Scheme
from schemes.contract.simulation import Sample
from schemes.contract.values import Noun
from schemes.contract.vocabulary import TaskTexts, Vocabulary
from schemes.qasrl import (
    comparison,
    equivalence,
    merging,
    practice,
    simulation,
    statistics,
    validating,
    views,
)
from schemes.qasrl import content as qasrl_content
from schemes.qasrl.corpus import CORPUS
from schemes.qasrl.differences import differences
from schemes.qasrl.exports import EXPORTS
from schemes.qasrl.pages import PAGES
from schemes.qasrl.pay import PAY_PRESETS, PAY_TITLES
from schemes.qasrl.propbank import PROPBANK
from schemes.qasrl.review_reasons import FREE_FORM, review_reasons
from schemes.qasrl.score_systems import SCORING
from schemes.qasrl.search import SEARCH
from schemes.qasrl.tutorials import TUTORIALS

_SAMPLES = Path(__file__).with_name("samples")
# From the annotation software of Roit et al. 2020.
MIN_QUESTIONS = 2.0


class QasrlContent(Content):
    """Questions with answers."""

    schema_version = qasrl_content.SCHEMA_VERSION
    empty = {"questions": []}
    parse_generation = staticmethod(qasrl_content.parse_generation)
    parse_gold = staticmethod(qasrl_content.parse_gold)
    parse_system = staticmethod(qasrl_content.parse_system)
    count_units = staticmethod(qasrl_content.count_units)
    json_schemas = qasrl_content.JSON_SCHEMAS
    totals = (
        Total("roles", Noun("role", "roles")),
        Total("arguments", Noun("argument", "arguments")),
    )
    count = staticmethod(qasrl_content.count_parts)
    differences = staticmethod(differences)
    min_units = MIN_QUESTIONS
    review_reasons = staticmethod(review_reasons)
    free_form = FREE_FORM


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
        task_categories=("question-answering", "token-classification"),
    ),
    corpus=CORPUS,
    content=QasrlContent(),
    comparison=comparison,
    views=views,
    exports=EXPORTS,
    pages=PAGES,
    merging=merging,
    validating=validating,
    equivalence=equivalence,
    simulation=simulation,
    practice=practice,
    tutorials=TUTORIALS,
    search=SEARCH,
    external={PROPBANK.key: PROPBANK},
    limits=(
        "Only verbs and nouns derived from verbs are annotated, and only what the sentence answers, or "
        "its context if that was allowed.",
    ),
    guidelines=Path(__file__).with_name("guidelines"),
    scoring=SCORING,
    statistics=statistics,
    sample=Sample(
        format="qasrl-csv",
        sentences=_SAMPLES / "sentences.csv",
        gold=(_SAMPLES / "expert.csv",),
        rounds=_SAMPLES / "rounds.csv",
        given=_SAMPLES / "consolidation.csv",
    ),
)
