"""The frames scheme, assembled from the modules of this package."""

from pathlib import Path

from schemes.content_models import json_schemas
from schemes.contract.content import Content, Total
from schemes.contract.scheme import Scheme
from schemes.contract.simulation import Sample
from schemes.contract.values import Noun
from schemes.contract.vocabulary import TaskTexts, Vocabulary
from schemes.frames import (
    comparison,
    merging,
    precedents,
    simulation,
    statistics,
    validating,
    views,
)
from schemes.frames import content as record_content
from schemes.frames.corpus import CORPUS
from schemes.frames.differences import differences
from schemes.frames.exports import EXPORTS
from schemes.frames.lexicon import LEXICON
from schemes.frames.pages import PAGES
from schemes.frames.pay import PAY_PRESETS, PAY_TITLES
from schemes.frames.review_reasons import review_reasons
from schemes.frames.score_systems import SCORING
from schemes.frames.search import SEARCH
from schemes.frames.tutorials import TUTORIALS
from schemes.frames.validating import Verification

_SAMPLES = Path(__file__).with_name("samples")


class FramesContent(Content):
    """Records of frames."""

    schema_version = record_content.SCHEMA_VERSION
    empty = record_content.EMPTY
    parse_generation = staticmethod(record_content.parse_generation)
    parse_gold = staticmethod(record_content.parse_gold)
    parse_system = staticmethod(record_content.parse_gold)
    count_units = staticmethod(record_content.count_units)
    json_schemas = {
        **record_content.JSON_SCHEMAS,
        **json_schemas(validation=Verification),
    }
    totals = (
        Total("arguments", Noun("argument", "arguments")),
        Total("skipped", Noun("skipped record", "skipped records")),
    )
    count = staticmethod(record_content.count_parts)
    differences = staticmethod(differences)
    review_reasons = staticmethod(review_reasons)
    is_blank = staticmethod(record_content.is_blank)
    skip_field = "skip"


SCHEME = Scheme(
    name="frames",
    title="Semantic frames",
    summary="the frame of each verb, and its arguments with their roles",
    vocabulary=Vocabulary(
        item=Noun("record", "records"),
        unit=Noun("argument", "arguments"),
        tasks={
            "generator": TaskTexts(
                "Choose the frame of a verb and mark its arguments",
                "Read one sentence, choose what its marked verb means, and mark who and what takes "
                "part.",
            ),
            "consolidator": TaskTexts(
                "Merge two annotations of a verb",
                "Compare the frames and arguments that two annotators chose for a verb, and merge them.",
            ),
            "validator": TaskTexts(
                "Verify the annotation of a verb",
                "Read one sentence, and verify or dispute the frame and each argument of its verb.",
            ),
            "reviser": TaskTexts(
                "Revise your annotation of a verb",
                "Reviewers disputed part of your annotation. Read their reasons, and revise it or "
                "keep it.",
            ),
        },
        keywords="annotation, meaning, reading, language",
        pay_presets=PAY_PRESETS,
        pay_titles=PAY_TITLES,
        task_categories=("token-classification",),
    ),
    corpus=CORPUS,
    content=FramesContent(),
    comparison=comparison,
    views=views,
    exports=EXPORTS,
    pages=PAGES,
    merging=merging,
    validating=validating,
    simulation=simulation,
    tutorials=TUTORIALS,
    search=SEARCH,
    resources={"lexicon": LEXICON},
    precedents=precedents,
    scoring=SCORING,
    statistics=statistics,
    guidelines=Path(__file__).with_name("guidelines"),
    sample=Sample(
        format="conllu",
        sentences=_SAMPLES / "sentences.conllu",
        gold=[
            _SAMPLES / f"expert.{name}.txt"
            for name in ("task-a", "task-b1", "task-b2", "confidence")
        ],
        rounds=_SAMPLES / "rounds.csv",
        resources={"lexicon": ("json", _SAMPLES / "lexicon.json")},
        protocol="verification",
    ),
    limits=(
        "Only verbs are annotated. Arguments are marked by their semantic heads, and arguments that "
        "the sentence does not mention are not annotated.",
    ),
)
