"""Error analysis by samples, categories and the true precision."""

import csv
import io
import json

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from audit.models import StateChange
from consolidation.domain.gold.add_gold import add_gold
from datasets.domain.quality.error_samples import (
    SampleError,
    draw_sample,
    judge_part,
    next_part,
    sample_report,
    sampled_rows,
)
from datasets.domain.quality.quality import NothingToCompareError
from datasets.models import SampledPart
from projects.enums import MemberRole
from tests.consolidation.factories import SURVEY, make_project, source
from tests.consolidation.gold import make_gold_project
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    """Create an item whose gold has four arguments. The expert has only "a basin"."""
    project = make_gold_project()
    content = source(SURVEY, ("What did someone identify?", ["a basin"]))
    questions = [{**question, "slots": None} for question in content["questions"]]
    item = project.items.get()
    add_gold(item=item, source="expert", content={"questions": questions}, provenance=[{}], now=NOW)
    return project


@pytest.fixture
def expert():
    return get_user_model().objects.create_user("eva", password="a long enough password")


def draw(project, size=10, population="extra", seed=1):
    return draw_sample(
        project=project,
        source="consolidated",
        against="expert",
        population=population,
        size=size,
        seed=seed,
        by="eva",
        now=NOW,
    )


def test_sample_has_parts_missing_from_the_reference(project):
    sample = draw(project)
    assert (sample.items, sample.parts, sample.matched, sample.unmatched) == (1, 3, 1, 3)
    assert [part.position for part in sample.sampled_parts.all()] == [1, 2, 3]
    assert draw(project, population="all").parts == 4


def test_sample_depends_on_the_seed(project):
    keys = [
        [part.key for part in draw(project, size=2, seed=seed).sampled_parts.all()]
        for seed in (3, 3, 4, 5, 6)
    ]
    assert keys[0] == keys[1]
    assert any(other != keys[0] for other in keys[2:])


def test_categories_give_the_true_precision(project, expert):
    sample = draw(project)
    report = sample_report(sample=sample)
    assert (report.judged, report.automatic, report.estimate) == (0, 0.25, None)
    for part, category in zip(
        sample.sampled_parts.all(), ("explicit", "implicit", "wrong"), strict=True
    ):
        judge_part(part=part, category=category, by=expert, now=NOW)
    report = sample_report(sample=sample)
    assert next_part(sample=sample) is None
    # The matched part and two of the three extra parts are right.
    assert report.estimate.value == pytest.approx(3 / 4)
    assert [share.number for share in report.shares] == [1, 1, 0, 1]


def test_category_can_be_changed_and_is_logged(project, expert):
    part = draw(project).sampled_parts.first()
    judge_part(part=part, category="wrong", by=expert, now=NOW)
    judge_part(part=part, category="redundant", by=expert, now=NOW, note=" twice ")
    part.refresh_from_db()
    assert (part.category, part.note) == ("redundant", "twice")
    changes = StateChange.objects.filter(aggregate="datasets.SampledPart").order_by("pk")
    assert [(row.old, row.new) for row in changes] == [("", "wrong"), ("wrong", "redundant")]


def test_next_part_wraps_around_after_the_last(project, expert):
    sample = draw(project)
    first, second, third = sample.sampled_parts.all()
    judge_part(part=second, category="wrong", by=expert, now=NOW)
    assert next_part(sample=sample, after=2) == third
    judge_part(part=third, category="wrong", by=expert, now=NOW)
    assert next_part(sample=sample, after=3) == first


def test_impossible_samples_are_refused(project, expert):
    with pytest.raises(SampleError, match="from 1 to"):
        draw(project, size=0)
    with pytest.raises(NothingToCompareError):
        draw(make_project())
    part = draw(project).sampled_parts.first()
    with pytest.raises(SampleError, match="does not exist"):
        judge_part(part=part, category="funny", by=expert, now=NOW)
    assert SampledPart.objects.exclude(category="").count() == 0


def test_command(project, capsys):
    with pytest.raises(CommandError, match="no sample"):
        call_command("error_sample", project.slug)
    call_command("error_sample", project.slug, "--draw", "2", "--json")
    sample = json.loads(capsys.readouterr().out)
    assert (sample["drawn"], sample["judged"], sample["automatic_precision"]) == (2, 0, 0.25)
    call_command("error_sample", project.slug)
    assert "0 of 2 parts judged" in capsys.readouterr().out
    call_command("error_sample", project.slug, "--csv")
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["position"] for row in rows] == ["1", "2"]
    assert "identif" in rows[0]["part"]


def test_expert_judges_on_the_site(project):
    client = Client()
    client.force_login(make_user("ed", project, MemberRole.EXPERT))
    at = [project.slug]
    list_url = reverse("datasets:error_samples", args=at)
    assert "Draw a sample" in client.get(list_url).content.decode()
    form = {
        "source": "consolidated",
        "against": "expert",
        "population": "extra",
        "size": 3,
        "seed": 1,
    }
    refusal = client.post(
        reverse("datasets:draw_error_sample", args=at), {**form, "against": "consolidated"}
    )
    assert refusal.status_code == 422
    assert "that differs from the gold" in refusal.content.decode()
    created = client.post(reverse("datasets:draw_error_sample", args=at), form)
    page = client.get(created.url).content.decode()
    assert "0 of 3 judged" in page
    assert "0 of 3" in client.get(list_url).content.decode()
    samples = client.get(list_url, {"format": "csv"}).getvalue().decode().splitlines()
    assert samples[0].startswith("Sample,Gold,Reference,Sampled from,Judged")
    assert len(samples) == 2
    sample = project.error_samples.get()
    for position in (1, 2, 3):
        address = reverse("datasets:sampled_part", args=[project.slug, sample.pk, position])
        assert "Correct, but implied" in client.get(address).content.decode()
        judgment = client.post(f"{address}judge/", {"category": "explicit"})
    assert judgment.url == reverse("datasets:error_sample", args=[project.slug, sample.pk])
    page = client.get(judgment.url).content.decode()
    assert "True precision: <b>100.0 %</b>" in page
    assert client.post(f"{address}judge/", {"category": "funny"}).status_code == 422
    download = reverse("datasets:error_sample_csv", args=[*at, sample.pk])
    assert f'href="{download}" download' in page
    table = b"".join(client.get(download))
    assert table.count(b"explicit") == 3


def draw_missed(project, size=10):
    """Draw from what the expert's gold misses of the consolidated gold."""
    return draw_sample(
        project=project,
        source="expert",
        against="consolidated",
        population="missed",
        size=size,
        seed=1,
        by="eva",
        now=NOW,
    )


def test_sample_of_missed_parts_gives_the_true_recall(project, expert):
    sample = draw_missed(project)
    assert (sample.parts, sample.matched, sample.unmatched) == (3, 1, 3)
    # They are the parts that a sample of extra parts has in the other direction.
    extra = {part.key for part in draw(project).sampled_parts.all()}
    assert {part.key for part in sample.sampled_parts.all()} == extra
    categories = ("explicit", "implicit", "wrong")
    for part, category in zip(sample.sampled_parts.all(), categories, strict=True):
        judge_part(part=part, category=category, by=expert, now=NOW)
    report = sample_report(sample=sample)
    assert (report.figure, report.automatic) == ("recall", 0.25)
    assert report.estimate.value == pytest.approx(1 / 3)  # two of the three should have been found
    assert report.as_json()["true_recall"] == report.estimate.value
    assert [row[2] for row in sampled_rows(sample=sample)] != [None] * 3


def test_missed_parts_are_judged_on_the_site(project):
    sample = draw_missed(project)
    client = Client()
    client.force_login(make_user("ed", project, MemberRole.EXPERT))
    address = reverse("datasets:sampled_part", args=[project.slug, sample.pk, 1])
    page = client.get(address).content.decode()
    assert page.index("Consolidated gold") < page.index("Judge this")
    other = page.index("Expert gold of this item")
    assert page.index("Judge this") < other < page.rindex("a basin")
    client.post(f"{address}judge/", {"category": "explicit"})
    page = client.get(reverse("datasets:error_sample", args=[project.slug, sample.pk])).content
    assert "True recall: <b>25.0 %</b>" in page.decode()
    assert "3 missed" in page.decode()


def test_gold_that_misses_nothing_has_no_sample(project):
    with pytest.raises(SampleError, match="the gold misses nothing"):
        draw_sample(
            project=project,
            source="consolidated",
            against="expert",
            population="missed",
            size=1,
            seed=1,
            by="eva",
            now=NOW,
        )
