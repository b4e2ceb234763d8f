"""Every stored item has a page, whatever files it came from."""

import shutil
from pathlib import Path

import pytest

from annotation.domain.corpus.import_corpus import CorpusOptions, Import
from annotation.domain.corpus.item_context import context_of
from annotation.models import Item
from projects.domain.create_project import create_project
from projects.domain.resources import import_resource
from projects.models import Project
from schemes.contract.errors import FileError
from schemes.registry import SCHEMES, get_scheme
from tests.annotation.factories import NOW, make_task, task_url
from tests.corrupted.captions import draw_pictures
from tests.corrupted.datasets import make_datasets
from tests.corrupted.imports import import_files, make_project

pytestmark = pytest.mark.django_db
CORPORA = [dataset for dataset in make_datasets() if dataset.kind != "gold"]
CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "borders"


def build_pages(project: Project) -> list[Item]:
    """Build the data of each item's page, and return the items."""
    scheme = get_scheme(project.scheme)
    items = list(Item.objects.filter(project=project).select_related("sentence__image", "project"))
    for item in items:
        context = context_of(item, project)
        assert scheme.corpus.headline(context)
        assert isinstance(scheme.pages.item(context), dict)
    return items


def import_sample(name: str, folder: Path) -> Project:
    scheme = get_scheme(name)
    assert scheme.sample
    project = create_project(slug="sample", scheme=name, now=NOW)
    for resource, (fmt, path) in scheme.sample.resources.items():
        import_resource(
            project=project, name=resource, path=path, fmt=fmt, switches={}, actor="", now=NOW
        )
    if scheme.sample.images:
        scheme.sample.images(folder)
    options = CorpusOptions(
        fmt=scheme.sample.format,
        items=scheme.sample.gold,
        images=folder if scheme.sample.images else None,
    )
    report = Import(project=project, options=options).run([scheme.sample.sentences])
    assert not report.errors
    return project


@pytest.mark.parametrize("name", [name for name in SCHEMES if SCHEMES[name].sample])
def test_items_of_samples_have_pages(name, client, tmp_path):
    items = build_pages(import_sample(name, tmp_path))
    assert len(items) > 10
    assert (
        client.get(task_url(make_task(items[:1]), submit_to="http://127.0.0.1:8000")).status_code
        == 200
    )


@pytest.mark.parametrize("dataset", CORPORA, ids=str)
def test_items_of_every_format_have_pages(dataset, client, tmp_path):
    project = make_project(dataset, tmp_path)
    import_files(project, dataset, dataset.files, tmp_path)
    items = build_pages(project)
    assert len(items) >= 4
    assert (
        client.get(task_url(make_task(items[:1]), submit_to="http://127.0.0.1:8000")).status_code
        == 200
    )


@pytest.mark.skipif(not CASES.is_dir(), reason="the cases are not beside the repository")
@pytest.mark.parametrize("scheme", SCHEMES)
def test_items_of_hard_cases_have_pages_or_are_not_stored(scheme, tmp_path):
    """Import each file in each format of the scheme, most of which refuse it."""
    for case in CASES.glob("*.*"):
        shutil.copy(case, tmp_path)
    draw_pictures(tmp_path)
    count = 0
    for fmt in get_scheme(scheme).corpus.formats:
        project = create_project(slug=fmt, scheme=scheme, now=NOW)
        for path in sorted(tmp_path.glob("[0-9][0-9]-*.*")):
            if path.suffix == ".jpg":
                continue
            images = tmp_path if scheme == "grounding" else None
            try:
                Import(project=project, options=CorpusOptions(fmt=fmt, images=images)).run([path])
            except FileError:
                continue
        count += len(build_pages(project))
    assert count > 4
