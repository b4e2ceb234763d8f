"""The certainty of gold: judged parts, the fit in a job, its page, command and export."""

import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from consolidation.domain.gold.add_gold import add_gold
from consolidation.enums import GoldSource
from crowd.models import Worker
from datasets.domain.exports.export_gold import ExportOptions, NothingToExportError, export_gold
from datasets.domain.quality.certainty import (
    FitRunningError,
    NothingToFitError,
    fit_certainty,
    queue_fit,
)
from datasets.domain.quality.judged_parts import judged_items
from datasets.models import CertaintyFit, ItemCertainty
from jobs.domain.run_jobs import run_next_job
from jobs.enums import JobState
from schemes.contract.errors import refuse
from schemes.qasrl.gold_csv import read_gold_csv
from schemes.qasrl.span_keys import key_of
from tests.consolidation.factories import (
    IDENTIFIED,
    SURVEY,
    make_case_of,
    make_item,
    make_project,
    source,
    span_of,
)
from tests.consolidation.gold import FIRST, SECOND, consolidate, consolidation_of, make_gold_project
from tests.consolidation.validation import (
    GOOD,
    INVALID,
    make_validation_case,
    sweep,
    validate,
    verdict,
)
from tests.crowd.factories import NOW
from tests.datasets.test_protocol_effect import add_expert_gold

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    return make_gold_project()


def parts_of(project) -> dict[str, tuple]:
    """Return who found and kept each part of the only item, by position of the annotators."""
    [item] = judged_items(project=project)
    names = {name: at for at, name in enumerate(item.judgments.annotators)}
    return {
        key or f"rejected {at}": (
            sorted(names[name] for name in part.found_by),
            [is_kept for _, is_kept in part.kept],
            part.in_gold,
        )
        for at, (key, part) in enumerate(zip(item.keys, item.judgments.parts, strict=True))
    }


def key(words: str) -> str:
    return key_of(span_of(SURVEY, words))


def test_parts_are_those_of_the_gold_and_those_rejected(project):
    assert parts_of(project) == {
        # The first annotator's longer name overlaps the second one's by more than half.
        key("the U.S. Geological Survey"): ([0, 1], [True], True),
        key("USGS"): ([], [True], True),
        key("a basin"): ([0, 1], [True], True),
        key("1996"): ([1], [True], True),
        "rejected 4": ([0], [False], False),
    }


def test_parts_are_compared_with_the_expert(project):
    add_expert_gold(project)
    [item] = judged_items(project=project)
    expected = dict(zip(item.keys, item.expected, strict=True))
    assert expected == {
        key("the U.S. Geological Survey"): False,
        key("USGS"): True,
        key("a basin"): True,
        key("1996"): True,
        "": False,
    }
    assert item.coverage == 1


def test_rejected_parts_that_two_annotators_share_are_one_part():
    project = make_project()
    extra = source(SURVEY, ("Why did someone identify something?", ["natural gas"]))
    second = {**SECOND, "questions": [*SECOND["questions"], *extra["questions"]]}
    content = consolidation_of()
    content["questions"].append(
        {
            **extra["questions"][0],
            "answers": [],
            "source": {"submission": 1, "question": 3},
            "verdict": "invalid",
            "same_as": None,
        }
    )
    item = make_item(SURVEY, IDENTIFIED, project)
    consolidate(make_case_of(item, FIRST, second), content)
    assert parts_of(project)["rejected 4"] == ([0, 1], [False], False)


def test_fit_stores_skills_and_the_certainty_of_the_gold(project):
    fit = fit_certainty(project=project, now=NOW)
    assert (fit.items, fit.parts) == (1, 5)
    assert fit.skills.filter(is_judge=False, is_compared=True).count() == 2
    assert fit.skills.filter(is_judge=True).count() == 1
    [certainty] = fit.certainties.all()
    assert certainty.gold == project.items.get().gold.get()
    assert set(certainty.probabilities) == {
        key("the U.S. Geological Survey"),
        key("USGS"),
        key("a basin"),
        key("1996"),
    }
    # Both annotators found the basin, and one of them 1996.
    assert certainty.probabilities[key("a basin")] > certainty.probabilities[key("1996")]
    assert certainty.lowest == min(certainty.probabilities.values())
    assert 0 < certainty.coverage < 1
    assert fit.calibration["parts"]["count"] == 0


def test_another_fit_replaces_the_earlier_one(project):
    first = fit_certainty(project=project, now=NOW)
    second = fit_certainty(project=project, now=NOW)
    assert list(CertaintyFit.objects.all()) == [second]
    assert not ItemCertainty.objects.filter(fit=first.pk).exists()
    assert second.certainties.count() == 1


def test_fit_needs_gold():
    with pytest.raises(NothingToFitError, match="no gold that was made of annotations"):
        fit_certainty(project=make_project(), now=NOW)


def test_fit_is_compared_with_experts(project):
    add_expert_gold(project)
    found = fit_certainty(project=project, now=NOW).calibration
    assert found["parts"]["count"] == 5
    assert found["coverage"]["count"] == 1
    assert [row["actual"] for row in found["coverage"]["bins"]] == [1]


def test_gold_of_an_expert_s_hand_has_no_judge():
    gold = make_gold_project().items.get().gold.get()
    item = gold.item
    add_gold(
        item=item,
        source=GoldSource.CONSOLIDATED,
        content=gold.content,
        provenance=gold.provenance,
        now=NOW,
        case=gold.case,
    )
    [judged] = judged_items(project=item.project)
    assert all(not part.kept for part in judged.judgments.parts)


def test_job_fits_and_a_second_one_waits(project):
    job = queue_fit(project=project, actor="ada", now=NOW)
    with pytest.raises(FitRunningError, match="already running"):
        queue_fit(project=project, actor="ada", now=NOW)
    run_next_job(clock=lambda: NOW)
    job.refresh_from_db()
    assert job.state == JobState.FINISHED
    assert job.result == {"items": 1, "parts": 5, "skills": 3}
    assert queue_fit(project=project, actor="ada", now=NOW)


def test_job_without_gold_fails_with_the_reason():
    job = queue_fit(project=make_project(), actor="ada", now=NOW)
    run_next_job(clock=lambda: NOW)
    job.refresh_from_db()
    assert job.state == JobState.FAILED
    assert "no gold that was made of annotations" in job.problem


def test_page_before_and_after_the_fit(project, admin_client):
    address = reverse("datasets:certainty", args=[project.slug])
    assert "No estimates yet" in admin_client.get(address).content.decode()
    response = admin_client.post(
        reverse("datasets:fit_certainty", args=[project.slug]), follow=True
    )
    assert "The estimate has started." in response.content.decode()
    response = admin_client.post(
        reverse("datasets:fit_certainty", args=[project.slug]), follow=True
    )
    assert "already running" in response.content.decode()
    run_next_job(clock=lambda: NOW)
    page = admin_client.get(address).content.decode()
    assert "Right parts found" in page
    for worker in Worker.objects.filter(fitted_skills__isnull=False):
        assert worker.pseudonym in page
    listed = admin_client.get(address, {"format": "csv"})
    heading, row = csv.reader(io.StringIO(listed.getvalue().decode()))
    assert heading[2:] == [
        "Expected coverage",
        "Expected missed parts",
        "Lowest probability",
        "Difficulty",
    ]
    assert 0 < float(row[2]) < 1


def test_charts_show_what_experts_kept(project, admin_client):
    fit_certainty(project=project, now=NOW)
    address = reverse("datasets:certainty_chart", args=[project.slug, "parts"])
    assert "needs items with both" in admin_client.get(address).content.decode()
    add_expert_gold(project)
    fit_certainty(project=project, now=NOW)
    drawing = admin_client.get(address, {"format": "svg"})
    assert drawing["Content-Type"] == "image/svg+xml"
    assert b"Perfect calibration" in drawing.content
    table = admin_client.get(address, {"format": "csv"}).getvalue().decode()
    assert table.splitlines()[0] == "expected,actual,count"
    unknown = reverse("datasets:certainty_chart", args=[project.slug, "workers"])
    assert admin_client.get(unknown).status_code == 404


def test_command_prints_figures(project, capsys):
    add_expert_gold(project)
    call_command("fit_certainty", project.slug)
    text = capsys.readouterr().out
    assert "Estimated from items: 1, parts: 5." in text
    assert "Against experts, parts: 5 compared, Brier score" in text
    call_command("fit_certainty", project.slug, "--json")
    facts = json.loads(capsys.readouterr().out)
    assert [skill["role"] for skill in facts["skills"]] == ["annotator", "annotator", "judge"]
    with pytest.raises(CommandError, match="no gold"):
        call_command("fit_certainty", make_project().slug)


def test_exports_have_optional_columns(project, tmp_path):
    options = ExportOptions(fmt="qasrl-csv", certainty=True)
    with pytest.raises(NothingToExportError, match="hasn't been estimated"):
        export_gold(project=project, options=options, folder=tmp_path / "early")
    fit = fit_certainty(project=project, now=NOW)
    probabilities = fit.certainties.get().probabilities
    export = export_gold(project=project, options=options, folder=tmp_path / "csv")
    assert export.manifest["certainty"] == {"rule": fit.rule, "fitted_at": NOW.isoformat()}
    [path] = (tmp_path / "csv").glob("*.gold.csv")
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    survey = next(row for row in rows if row["answer"].startswith("the U.S."))
    assert survey["probability"] == "~!~".join(
        f"{probabilities[key(words)]:.4f}" for words in ("the U.S. Geological Survey", "USGS")
    )
    coverages = {row["expected_coverage"] for row in rows}
    assert coverages == {f"{fit.certainties.get().coverage:.4f}"}
    export_gold(
        project=project,
        options=ExportOptions(fmt="jsonl", certainty=True),
        folder=tmp_path / "jsonl",
    )
    [path] = (tmp_path / "jsonl").glob("*.gold.jsonl")
    assert json.loads(path.read_text("utf-8"))["certainty"]["probabilities"] == probabilities


def test_exports_without_the_option_are_the_same_as_before_the_fit(project, tmp_path):
    for name in ("before", "after"):
        for fmt in ("qasrl-csv", "jsonl"):
            export_gold(
                project=project, options=ExportOptions(fmt=fmt), folder=tmp_path / name / fmt
            )
        fit_certainty(project=project, now=NOW)
    files = [path for path in (tmp_path / "before").rglob("*") if path.is_file()]
    assert len(files) > 4
    for path in files:
        after = tmp_path / "after" / path.relative_to(tmp_path / "before")
        assert path.read_bytes() == after.read_bytes()


def test_gold_that_is_newer_than_the_fit_has_no_certainty(project, tmp_path):
    fit_certainty(project=project, now=NOW)
    gold = project.items.get().gold.get()
    content = {"questions": gold.content["questions"][:1]}
    add_gold(
        item=gold.item,
        source=GoldSource.CONSOLIDATED,
        content=content,
        provenance=gold.provenance[:1],
        now=NOW,
        case=gold.case,
    )
    options = ExportOptions(fmt="jsonl", certainty=True)
    export_gold(project=project, options=options, folder=tmp_path)
    [path] = tmp_path.glob("*.gold.jsonl")
    assert "certainty" not in json.loads(path.read_text("utf-8"))


def test_exported_columns_are_read_again(project, tmp_path):
    """The published format has other columns, which imports leave alone."""
    fit_certainty(project=project, now=NOW)
    options = ExportOptions(fmt="qasrl-csv", certainty=True)
    export_gold(project=project, options=options, folder=tmp_path)
    [path] = tmp_path.glob("*.gold.csv")
    [read] = read_gold_csv(path, on_error=refuse)
    questions = project.items.get().gold.get().content["questions"]
    assert [q["question"] for q in read.content["questions"]] == [q["question"] for q in questions]


def test_validators_keep_what_they_find_valid():
    """A validator kept the gold that follows from their judgment alone."""
    case = make_validation_case()
    validate(case, *GOOD)
    validate(case, verdict("that basin"), INVALID, INVALID)
    assert sweep() == (2, 1)
    [item] = judged_items(project=case.item.project)
    kept = {
        key or f"rejected {at}": [is_kept for _, is_kept in part.kept]
        for at, (key, part) in enumerate(zip(item.keys, item.judgments.parts, strict=True))
    }
    assert kept == {
        key("that basin"): [True, True],
        "rejected 1": [False, False],
        "rejected 2": [True, False],
    }
    fit = fit_certainty(project=case.item.project, now=NOW)
    assert fit.skills.filter(is_judge=True).count() == 2
    # A single annotator says nothing about what everybody missed.
    assert fit.certainties.get().coverage is None
