"""A project of the grounding scheme from its sample to exported gold, with all its pages."""

import html
import json
import re
from pathlib import Path

import pytest
from django.test import Client

from consolidation.models import Case, Gold
from consolidation.protocols import PROTOCOLS
from metrics.regions import hull
from projects.enums import MemberRole
from projects.models import Project
from schemes.contract.values import Json
from schemes.grounding.bias_report_files import PREDICTIONS
from schemes.grounding.scheme import SCHEME
from tests.dashboard.campaign import make_user
from tests.walk import (
    annotate,
    api_addresses,
    generation_of,
    project_addresses,
    read_pages,
    run,
    train,
    training_addresses,
)

pytestmark = pytest.mark.django_db
CAPTIONS = 4
SAMPLE = SCHEME.sample
# Words of the other schemes, including "question".
FOREIGN = re.compile(
    r"(?<![A-Za-z])(qa-?srl|questions?|propbank|predicates?|UA|LA|frames?|lexicon|verbs?)(?![A-Za-z])",
    re.IGNORECASE,
)


@pytest.fixture(scope="session")
def pictures(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    SAMPLE.images(folder)
    return folder


@pytest.fixture
def files(tmp_path) -> tuple[Path, Path]:
    """Return a few captions with every state, and their gold."""
    paths = tmp_path / "captions.jsonl", tmp_path / "gold.jsonl"
    chosen = ("meadow-04.png#0", "meadow-06.png#0", "street-01.png#0", "night-04.png#0")
    assert len(chosen) == CAPTIONS
    for path, source in zip(paths, (SAMPLE.sentences, *SAMPLE.gold), strict=True):
        lines = source.read_text("utf-8").splitlines(keepends=True)
        path.write_text("".join(line for line in lines if json.loads(line)["id"] in chosen))
    return paths


def import_project(protocol: str, files: tuple[Path, Path], pictures: Path) -> Project:
    captions, gold = files
    run("create_project", "pictures", "--scheme", "grounding", "--protocol", protocol)
    run("import_corpus", "pictures", captions, "--format", SAMPLE.format, "--images", pictures)
    fmt = SCHEME.corpus.gold_formats[0]
    run("import_gold", "pictures", gold, "--format", fmt, "--source", "expert")
    return Project.objects.get(slug="pictures")


@pytest.fixture(params=["consolidation", "validation"])
def project(request, files, pictures, settings, tmp_path) -> Project:
    project = import_project(request.param, files, pictures)
    annotate(project)
    return project


def test_skilled_workers_reproduce_the_gold(project, files, tmp_path):
    assert {case.state for case in Case.objects.all()} == {PROTOCOLS[project.protocol].settled}
    references = dict(Gold.objects.filter(source="expert").values_list("item", "content"))
    produced = Gold.objects.exclude(source="expert").values_list("item", "content")
    assert len(produced) == CAPTIONS
    assert dict(produced) == references
    figures = json.loads(run("quality", "pictures", "--json"))
    assert figures["rows"][0]["c-iou"]["share"] == figures["rows"][0]["state"]["share"] == 1.0


def test_every_page_opens_shows_pictures_and_names_no_other_scheme(project, files, tmp_path):
    predictions = tmp_path / "predictions.jsonl"
    gold = [json.loads(line) for line in files[1].read_text().splitlines()]
    rows = [
        {"id": f"{entry['id']}/p{at}", "image": [480, 320], "predicted": hull_of(phrase)}
        for entry in gold
        for at, phrase in enumerate(entry["phrases"])
    ]
    predictions.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "Max box" in run("quality", "pictures", "--external", PREDICTIONS.key, predictions)
    client = Client()
    client.force_login(make_user("ada", project, *MemberRole))
    pages = read_pages(client, [*project_addresses(project), *api_addresses(project)])
    assert len(pages) >= 45
    assert foreign_words(pages) == {}
    assert "Where IoU and c-IoU disagree" in pages["/projects/pictures/quality/"]
    with_picture = [address for address, text in pages.items() if 'class="picture"' in text]
    for part in ("/gold/", "/items/", "/quality/"):
        assert any(part in address for address in with_picture), part


def test_training_pages_show_both_sides_in_the_picture(files, pictures):
    project = import_project("consolidation", files, pictures)
    keys = list(project.items.order_by("pk").values_list("key", flat=True))
    enrolment = train(project, keys, lambda task: generation_of(task, skill=0.2))
    client = Client()
    client.force_login(make_user("ada", project, *MemberRole))
    pages = read_pages(client, [*training_addresses(enrolment), *api_addresses(project)])
    assert foreign_words(pages) == {}
    choices = [choice for text in pages.values() for choice in choices_of_matches(text)]
    assert choices
    assert all({phrase} == phrases for phrase, phrases in choices)
    pages_with_boxes = [text for text in pages.values() if "picture__box--predicted" in text]
    # The trainer's desk, its preview and the worker's feedback.
    assert len(pages_with_boxes) >= 2
    assert all("picture__box--reference" in text for text in pages_with_boxes)


def choices_of_matches(page: str) -> list[tuple[str, set[str]]]:
    """Return the phrase of each missed box, and the phrases of the boxes that may match it."""
    choices = []
    for name, options in re.findall(r'<select name="with-(.*?)"(.*?)</select>', page, re.DOTALL):
        reference = json.loads(html.unescape(name))[2]
        keys = re.findall(r'<option value="(.*?)"', options)
        choices.append((reference.partition(":")[0], {key.partition(":")[0] for key in keys}))
    return choices


def hull_of(phrase: Json) -> list[list[int]]:
    """Return a box around the phrase's boxes, which only IoU accepts if they are far apart."""
    return [list(hull(phrase["boxes"]))] if phrase["boxes"] else []


def foreign_words(pages: dict[str, str]) -> dict[str, list[str]]:
    words_by_address = {address: FOREIGN.findall(text) for address, text in pages.items()}
    return {address: names for address, names in words_by_address.items() if names}
