"""The grounding scheme, assembled from the modules of this package."""

from pathlib import Path

from schemes.content_models import json_schemas
from schemes.contract.content import Content, Total
from schemes.contract.scheme import Scheme
from schemes.contract.simulation import Sample
from schemes.contract.values import Json, Noun
from schemes.contract.vocabulary import TaskTexts, Vocabulary
from schemes.grounding import comparison, merging, simulation, statistics, validating, views
from schemes.grounding import content as grounded
from schemes.grounding.bias_report_files import PREDICTIONS
from schemes.grounding.corpus import CORPUS
from schemes.grounding.exports import EXPORTS
from schemes.grounding.pages import PAGES
from schemes.grounding.pay import PAY_PRESETS, PAY_TITLES
from schemes.grounding.review_reasons import review_reasons
from schemes.grounding.score_systems import SCORING
from schemes.grounding.search import SEARCH
from schemes.grounding.tutorials import TUTORIALS
from schemes.grounding.validating import Validation

_SAMPLES = Path(__file__).with_name("samples")


def _draw_samples(folder: Path) -> None:
    # Inline, because it loads Pillow.
    from schemes.grounding.samples.draw import draw_samples  # noqa: PLC0415

    draw_samples(folder)


class GroundingContent(Content):
    """Boxes of phrases."""

    schema_version = grounded.SCHEMA_VERSION
    empty = grounded.EMPTY
    parse_generation = staticmethod(grounded.parse_generation)
    parse_gold = staticmethod(grounded.parse_gold)
    parse_system = staticmethod(grounded.parse_gold)
    count_units = staticmethod(grounded.count_units)
    json_schemas = {
        **grounded.JSON_SCHEMAS,
        **json_schemas(validation=Validation),
    }
    totals = (
        Total("phrases", Noun("phrase", "phrases")),
        Total("boxes", Noun("box", "boxes")),
        Total("group", Noun("group", "groups")),
        Total("scene", Noun("phrase with nothing to box", "phrases with nothing to box")),
        Total("absent", Noun("absent phrase", "absent phrases")),
        Total("incomplete", Noun("phrase that may lack a box", "phrases that may lack a box")),
    )
    count = staticmethod(grounded.count_parts)
    review_reasons = staticmethod(review_reasons)

    def is_blank(self, content: Json) -> bool:
        return not content["phrases"]


SCHEME = Scheme(
    name="grounding",
    title="Phrase grounding",
    summary="boxes in the image for the phrases of its caption",
    vocabulary=Vocabulary(
        item=Noun("caption", "captions"),
        unit=Noun("box", "boxes"),
        tasks={
            "generator": TaskTexts(
                "Draw boxes for the phrases of a caption",
                "Draw a box around everything in a picture that its caption mentions.",
            ),
            "consolidator": TaskTexts(
                "Merge the boxes of two annotators",
                "Compare the boxes that two annotators drew for one caption, and merge them.",
            ),
            "validator": TaskTexts(
                "Check the boxes of a caption",
                "Check the boxes that another annotator drew for a caption.",
            ),
            "reviser": TaskTexts(
                "Revise your boxes of a caption",
                "Reviewers disputed some of your boxes. Revise them or keep them.",
            ),
        },
        keywords="annotation, pictures, boxes, language",
        pay_presets=PAY_PRESETS,
        pay_titles=PAY_TITLES,
        task_categories=("object-detection",),
    ),
    corpus=CORPUS,
    content=GroundingContent(),
    comparison=comparison,
    views=views,
    pages=PAGES,
    exports=EXPORTS,
    merging=merging,
    validating=validating,
    simulation=simulation,
    tutorials=TUTORIALS,
    search=SEARCH,
    scoring=SCORING,
    statistics=statistics,
    external={PREDICTIONS.key: PREDICTIONS},
    guidelines=Path(__file__).with_name("guidelines"),
    sample=Sample(
        format="captions-jsonl",
        sentences=_SAMPLES / "captions.jsonl",
        gold=[_SAMPLES / "gold.jsonl"],
        rounds=_SAMPLES / "rounds.csv",
        images=_draw_samples,
    ),
    limits=(
        "Only the phrases of the captions are grounded. A box surrounds what can be seen of an object, "
        "and not its outline.",
    ),
)
