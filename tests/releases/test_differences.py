"""Two releases differ exactly by what was changed between them."""

import csv
import io
import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from annotation.domain.publishing.withdraw_items import withdraw_items
from annotation.models import Item
from consolidation.domain.gold.add_gold import add_gold
from projects.domain.schemes import scheme_of
from projects.models import Project
from releases.domain.differences import (
    NOT_RELEASED,
    Differences,
    differences_between,
    differences_csv,
)
from tests.crowd.factories import NOW
from tests.releases.projects import SCHEME_NAMES, make_release, make_sample_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("job_files")]
LATER = NOW + timedelta(days=2)


@pytest.fixture(params=SCHEME_NAMES)
def project(request, tmp_path) -> Project:
    return make_sample_project(request.param, tmp_path)


def test_releases_of_the_same_gold_do_not_differ(project):
    first, second = make_release(project), make_release(project, "1.1", now=LATER)
    found = differences_between(first, second)
    assert (found.items, found.figures) == ([], [])
    assert found.unchanged == project.items.count()


def test_differences_are_what_was_changed(project):
    held, changed, withdrawn, moved, *_ = spread_items(project)
    gold = held.gold.get()
    Item.objects.filter(pk=held.pk).update(in_production=False, withdrawn_at=NOW)
    first = make_release(project)
    Item.objects.filter(pk=held.pk).update(in_production=True, withdrawn_at=None)
    richest = changed.gold.get()
    smaller = scheme_of(project).content.empty
    assert richest.content != smaller
    add_gold(item=changed, source="expert", content=smaller, provenance=[], now=LATER)
    withdraw_items(
        items=Item.objects.filter(pk=withdrawn.pk), reason="Private data.", actor="rita", now=LATER
    )
    moved.sentence.partition = "test" if moved.sentence.partition != "test" else "dev"
    moved.sentence.save()
    second = make_release(project, "1.1", now=LATER)

    found = differences_between(first, second)
    kinds = {kind: [row.key for row in found.items if row.kind == kind] for kind in found.counts}
    of_sentence = project.items.filter(sentence=moved.sentence).order_by("key")
    assert kinds == {
        "added": [held.key],
        "removed": [withdrawn.key],
        "changed": [changed.key],
        "moved": [item.key for item in of_sentence],
    }
    [removed] = [row for row in found.items if row.kind == "removed"]
    assert removed.reason == "Private data."
    [content] = [row for row in found.items if row.kind == "changed"]
    assert content.parts
    assert any(part.part == "unit removed" and part.old for part in content.parts)
    assert found.unchanged == project.items.count() - 3 - len(of_sentence)
    assert second.items.get(key=held.key).gold == gold
    assert withdrawn.key in {row["key"] for row in second.manifest["withdrawn"]}


def spread_items(project: Project) -> list[Item]:
    """Return items with content, each of a sentence of its own."""
    items: dict[int, Item] = {}
    empty = scheme_of(project).content.empty
    for item in project.items.select_related("sentence").order_by("pk"):
        if item.gold.get().content != empty:
            items.setdefault(item.sentence_id, item)
    return list(items.values())


def test_items_outside_the_partitions_are_named(tmp_path):
    project = make_sample_project("qasrl", tmp_path)
    first = make_release(project)
    second = make_release(project, "2.0", now=LATER, partitions=["train", "dev"])
    assert second.manifest["partitions_released"] == ["dev", "train"]
    found = differences_between(first, second)
    assert {(row.kind, row.reason) for row in found.items} == {("removed", NOT_RELEASED)}
    in_test = project.items.filter(sentence__partition="test").values_list("key", flat=True)
    assert [row.key for row in found.items] == sorted(in_test)


def test_figures_that_changed_have_both_values(tmp_path):
    project = make_sample_project("qasrl", tmp_path)
    first = make_release(project)
    second = make_release(project, "2.0", now=LATER, partitions=["train"])
    found = {row.label: (row.old, row.new) for row in differences_between(first, second).figures}
    assert found["Items"] == (first.items.count(), second.items.count())
    assert found["Arguments"][0] > found["Arguments"][1] > 0


def test_file_has_a_row_per_change(tmp_path):
    project = make_sample_project("frames", tmp_path)
    first = make_release(project)
    item = spread_items(project)[0]
    content = {**item.gold.get().content, "arguments": []}
    add_gold(item=item, source="expert", content=content, provenance=[], now=LATER)
    second = make_release(project, "1.1", now=LATER)
    path, out = tmp_path / "changes.csv", StringIO()
    call_command(
        *("release_differences", project.slug, "1.0", "1.1"), "--out", path, "--json", stdout=out
    )
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8"))))
    assert {row["item"] for row in rows if row["change"] == "changed"} == {item.key}
    assert {row["part"] for row in rows if row["change"] == "figure"} == {"Arguments"}
    assert path.read_text("utf-8") == differences_csv(differences_between(first, second))
    assert json.loads(out.getvalue())["counts"] == {
        "added": 0, "removed": 0, "changed": 1, "moved": 0,
    }  # fmt: skip


def test_formulas_of_spreadsheets_are_not_written():
    assert differences_csv(Differences()) == "change,item,part,old,new,reason\n"


def test_unknown_version_is_refused(tmp_path):
    project = make_sample_project("qasrl", tmp_path)
    make_release(project)
    with pytest.raises(CommandError, match=r"no release '1\.1'\. Releases: 1\.0"):
        call_command("release_differences", project.slug, "1.0", "1.1")
