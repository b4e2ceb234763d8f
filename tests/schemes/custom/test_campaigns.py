"""A campaign of each starter, from its file to exported gold, by workers without errors."""

import io
import json
from pathlib import Path

import pytest
from PIL import Image

from consolidation.models import Case, Gold
from consolidation.protocols import PROTOCOLS
from projects.domain.create_project import create_project
from projects.domain.schemes import scheme_of
from projects.models import Project
from qualification.domain.scores.figures import figure_at
from schemes.contract.errors import refuse
from schemes.contract.items import ItemContext
from schemes.contract.scheme import Scheme
from schemes.contract.values import Image as Picture
from schemes.custom.corpus import JSONL
from schemes.custom.definition import Definition
from schemes.custom.items import join_texts
from schemes.custom.scheme import scheme_of_definition
from schemes.simulated_person import Person
from tests.crowd.factories import NOW
from tests.schemes.custom.samples import NAMES, starter
from tests.walk import annotate, generation_of, run, train

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
TRAINING, PRODUCTION = 3, 10
# Of people whose annotations are the references, so that these differ
VARIED = Person(0.6)
SIZE = (480, 320)
# The others are in `make test-long`.
ALWAYS = ("relations", "translation-errors", "image-boxes")
every_starter = pytest.mark.parametrize(
    "name",
    [name if name in ALWAYS else pytest.param(name, marks=pytest.mark.long) for name in NAMES],
)


def line_of(definition: Definition, scheme: Scheme, number: int) -> dict[str, object]:
    """Return an item like one of the examples, with a reference that differs from its answers."""
    example = definition.examples[number % len(definition.examples)]
    texts = dict(example.texts)
    last = definition.texts[-1].key
    texts[last] += f" This is text number {number}."
    joined = join_texts(definition, texts)
    context = ItemContext(
        joined.tokens,
        joined.target,
        image=Picture("meadow.png", *SIZE) if example.image else None,
        text=joined.text,
        offsets=joined.offsets,
    )
    content = {"answers": example.answers}
    if number == 0 and definition.skip:
        content = {"skipped": "unclear", "answers": {}}
    reference = scheme.content.parse_gold(content, context)
    if number >= len(definition.examples):
        reference = scheme.get_simulation().generate(reference, context, VARIED, str(number))
    return {
        "id": f"doc:{number}",
        "texts": texts,
        **({"image": f"{number}.png"} if example.image else {}),
        **reference,
    }


def picture(number: int) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", SIZE, (number, 90, 90)).save(stream, "PNG")
    return stream.getvalue()


@pytest.fixture
def campaign(name, tmp_path) -> tuple[Project, Path]:
    """Return a project with items and references, and the file that has them."""
    definition = starter(name)
    scheme = scheme_of_definition(definition)
    lines = [line_of(definition, scheme, number) for number in range(TRAINING + PRODUCTION)]
    path = tmp_path / "references.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    project = create_project(slug="own", scheme="custom", definition=definition.value, now=NOW)
    images = []
    if definition.image != "none":
        folder = tmp_path / "images"
        folder.mkdir()
        for number, line in enumerate(lines):
            (folder / str(line["image"])).write_bytes(picture(number))
        images = ["--images", folder]
    run("import_corpus", "own", path, "--format", JSONL, "--strict", *images)
    run("import_gold", "own", path, "--format", JSONL, "--source", "expert", "--strict")
    return project, path


@every_starter
def test_campaign_gives_back_its_references(name, campaign, tmp_path):
    project, path = campaign
    assert Gold.objects.filter(source="expert").count() == TRAINING + PRODUCTION
    keys = [f"doc:{number}/0" for number in range(TRAINING)]
    enrolment = train(project, keys, generation_of)
    [evaluation] = enrolment.evaluations.all()
    scheme = scheme_of(project)
    assert figure_at(scheme, evaluation.figures, scheme.comparison.figures[0].key) == 1

    annotate(project)
    states = set(Case.objects.values_list("state", flat=True))
    assert states == {PROTOCOLS[project.protocol].settled}
    run("export_gold", "own", "--format", JSONL, "--out", tmp_path / "gold")
    [exported] = (tmp_path / "gold").glob("*.gold.jsonl")
    corpus = scheme.corpus
    found = {row.item.external_id: row for row in corpus.read_gold([exported], JSONL, refuse)}
    given = {row.item.external_id: row for row in corpus.read_gold([path], JSONL, refuse)}
    assert len(found) == PRODUCTION
    for external_id, row in found.items():
        assert row.content == given[external_id].content
        assert row.item.stated.text == given[external_id].item.stated.text
    # An export is an import that changes nothing.
    again = run("import_gold", "own", exported, "--source", "expert", "--strict")
    assert f"{PRODUCTION} already had it" in again
