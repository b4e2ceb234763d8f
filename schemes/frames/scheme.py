"""The frames scheme, assembled from the modules of this package."""

from pathlib import Path

from schemes.content_models import json_schemas
from schemes.contract.content import Content, Total
from schemes.contract.items import ItemContext
from schemes.contract.pages import Pages, ShownUnit, Views
from schemes.contract.scheme import Scheme
from schemes.contract.search import Search, SearchField
from schemes.contract.simulation import Sample
from schemes.contract.values import Json, Noun
from schemes.contract.vocabulary import TaskTexts, Vocabulary
from schemes.frames import comparison, merging, page_data, simulation, validating
from schemes.frames import content as record_content
from schemes.frames.corpus import CORPUS, marked
from schemes.frames.differences import differences
from schemes.frames.doubts import doubts
from schemes.frames.exports import EXPORTS
from schemes.frames.lexicon import LEXICON
from schemes.frames.merging import label_of
from schemes.frames.pay import PAY_PRESETS, PAY_TITLES
from schemes.frames.precedents import PRECEDENTS
from schemes.frames.score_systems import SCORING
from schemes.frames.skips import SKIP_REASONS
from schemes.frames.statistics import STATISTICS
from schemes.frames.tutorials import TUTORIALS
from schemes.frames.validating import Verification, verification_remark


def _shown_units(content: object, context: ItemContext) -> list[ShownUnit] | None:
    """Return the arguments with their labels, or None for content of another shape.

    Of a verification, these are the arguments of the record as the verifier would have it.
    """
    record = content.get("record", content) if isinstance(content, dict) else None
    arguments = record.get("arguments") if isinstance(record, dict) else None
    if not isinstance(arguments, list):
        return None
    units = [_shown_unit(argument, context) for argument in arguments]
    known = [unit for unit in units if unit is not None]
    return known if len(known) == len(units) else None


def _shown_unit(argument: object, context: ItemContext) -> ShownUnit | None:
    if not isinstance(argument, dict):
        return None
    head, labels = argument.get("head"), [argument.get("element"), argument.get("role")]
    if not isinstance(head, list) or not all(isinstance(label, str) for label in labels):
        return None
    if not all(type(at) is int and 0 <= at < len(context.tokens) for at in head):
        return None
    return ShownUnit(
        label=label_of(argument),
        values=[context.words_text(head)],
        spans=[(at, at + 1) for at in head],
    )


def _remark(content: Json) -> str:
    """Return the frame with the verb's lemma, the reason of a skip, or what a verifier disputes."""
    if content.get("skip"):
        return f"Skipped: {SKIP_REASONS.get(content['skip'], content['skip'])}."
    if "record" in content:
        return verification_remark(content)
    frame, lemma = content.get("frame"), str(content.get("lemma", "")).replace("_", " ")
    return f"{lemma}: {frame}" if isinstance(frame, str) and frame else ""


def _labels(content: Json, context: ItemContext) -> list[str]:
    labels = [content.get("frame", "")]
    for argument in content.get("arguments", []):
        labels += [argument.get("element", ""), argument.get("role", "")]
    return [label.replace("_", " ") for label in labels if label]


def _lemma(content: Json, context: ItemContext) -> list[str]:
    lemmas = [content.get("lemma", ""), context.target.get("lemma", "")]
    return [lemma.replace("_", " ") for lemma in dict.fromkeys(lemmas) if lemma]


_SAMPLES = Path(__file__).with_name("samples")

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
    ),
    corpus=CORPUS,
    content=Content(
        schema_version=record_content.SCHEMA_VERSION,
        empty=record_content.EMPTY,
        parse_generation=record_content.parse_generation,
        parse_gold=record_content.parse_gold,
        parse_system=record_content.parse_gold,
        count_units=record_content.count_units,
        json_schemas={
            **record_content.JSON_SCHEMAS,
            **json_schemas(validation=Verification),
        },
        totals=(
            Total("arguments", Noun("argument", "arguments")),
            Total("skipped", Noun("skipped record", "skipped records")),
        ),
        count=record_content.count_parts,
        differences=differences,
        doubts=doubts,
        is_blank=record_content.is_blank,
        skip_field="skip",
    ),
    comparison=comparison,
    views=Views(units=_shown_units, remark=_remark, marked=marked),
    exports=EXPORTS,
    pages=Pages(shared=page_data.shared, item=page_data.item),
    merging=merging,
    validating=validating,
    simulation=simulation,
    tutorials=TUTORIALS,
    search=Search(
        content=SearchField("Frame, element or role", _labels),
        target=SearchField("Verb", _lemma),
    ),
    resources={"lexicon": LEXICON},
    precedents=PRECEDENTS,
    scoring=SCORING,
    statistics=STATISTICS,
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
