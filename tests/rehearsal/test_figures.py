"""The figures of simulated workers on the samples that the project ships."""

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command

from projects.command import InputError
from rehearsal.domain.demo import sample_project
from rehearsal.domain.figures import FigureOptions, figures_table, rehearsal_figures
from schemes.registry import get_scheme
from tests.crowd.factories import NOW
from tests.schemes.custom.sample_corpus import make_sample
from tests.schemes.qasrl.published_data import GOLD, SENTENCES, needs_published_data

pytestmark = pytest.mark.django_db

# The main figure of what annotators agree on, by scheme
MAIN = {
    "qasrl": "UA f1",
    "frames": "heads f1",
    "grounding": "components f1",
    "custom": "entities_f1 f1",
}


def folder_of(scheme: str, tmp_path: Path) -> Path | None:
    """Return a folder for a sample if the scheme has none, because projects define it."""
    return None if get_scheme(scheme).sample else tmp_path


def project_of(name: str, folder: Path | None = None):
    """Return a project with the sample of its scheme, or with that of tests in a folder."""
    scheme = get_scheme(name)
    sample = make_sample(folder) if folder else scheme.sample
    project = sample_project(name, scheme.title, scheme, sample, NOW)
    project.protocol = "consolidation"
    project.save()
    return project


def means_of(project, **options) -> dict[str, float]:
    rows = rehearsal_figures(project=project, options=FigureOptions(**options))
    return {row.key: row.mean for row in rows}


def test_default_rehearsals_are_near_the_paper_s_figures():
    """The bands are those of the calibration on published sentences, wider for our own ones."""
    means = means_of(project_of("qasrl"))
    bands = {
        "pair UA f1": (77, 83),
        "pair LA f1": (58, 72),
        "gold UA precision": (75, 90),
        "gold UA recall": (84, 95),
        "gold UA f1": (81, 87),
        "gold LA f1": (72, 84),
        "teams UA f1": (81, 88),
        "teams LA f1": (62, 72),
        "roles per item": (2.6, 3.2),
        "cents per item": (43, 60),
    }
    outside = {
        key: means[key] for key, (low, high) in bands.items() if not low <= means[key] <= high
    }
    assert outside == {}


@pytest.mark.long
@needs_published_data
def test_rehearsals_of_published_sentences_are_as_documented():
    """docs/explanation/protocols.md has the table, and the bands are those of the calibration."""
    sample = get_scheme("qasrl").sample
    published = replace(sample, sentences=SENTENCES, gold=[GOLD])
    project = sample_project("wikinews", "Wikinews", get_scheme("qasrl"), published, NOW)
    rows = rehearsal_figures(project=project, options=FigureOptions())
    page = (settings.BASE_DIR / "docs" / "explanation" / "protocols.md").read_text("utf-8")
    assert figures_table(rows) in page
    means = {row.key: row.mean for row in rows}
    assert 77 <= means["pair UA f1"] <= 83
    assert 60 <= means["pair LA f1"] <= 72
    assert 75 <= means["gold UA precision"] <= 90
    assert 85 <= means["gold UA recall"] <= 95
    assert 82 <= means["gold UA f1"] <= 87
    assert means["gold UA f1"] > max(means["annotator UA f1"], means["pair UA f1"])
    assert 2.6 <= means["roles per item"] <= 3.2
    assert 48 <= means["cents per item"] <= 60


@pytest.mark.parametrize("scheme", MAIN)
def test_consolidation_is_better_than_annotators_alone(scheme, tmp_path):
    means = means_of(project_of(scheme, folder_of(scheme, tmp_path)), seeds=3)
    main = MAIN[scheme]
    precision = f"{main.removesuffix('f1')}precision"
    assert means[f"annotator {main}"] < means[f"gold {main}"] < 100
    assert means.get(f"union {main}", 0) < means[f"gold {main}"]
    assert means.get(f"union {precision}", 0) < means[f"gold {precision}"]


@pytest.mark.parametrize("scheme", MAIN)
def test_people_of_skill_1_are_exact(scheme, tmp_path):
    project = project_of(scheme, folder_of(scheme, tmp_path))
    means = means_of(project, skill=1.0, items=200, seeds=1)
    main = MAIN[scheme]
    assert {means[f"{key} {main}"] for key in ("pair", "annotator", "gold", "teams")} == {100.0}


def test_figures_of_a_seed_are_always_the_same():
    project = project_of("qasrl")
    options = FigureOptions(items=30, seeds=2)
    first, second = (rehearsal_figures(project=project, options=options) for _ in range(2))
    assert first == second
    assert max(row.spread for row in first) > 0


def test_command_prints_a_table_with_the_paper_s_figures():
    project_of("qasrl")
    out = StringIO()
    call_command("rehearsal_figures", "qasrl", items=10, seeds=1, json=True, stdout=out)
    (pair, *_, cents) = json.loads(out.getvalue())["figures"]
    assert (pair["figure"], pair["paper"], pair["spread"]) == ("pair UA f1", "79.8", None)
    assert (cents["figure"], cents["paper"]) == ("cents per item", "54.2")
    out = StringIO()
    call_command("rehearsal_figures", "qasrl", items=10, seeds=1, stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[:2] == ["| Figure | Paper | Mean | Spread |", "| --- | ---: | ---: | ---: |"]
    assert lines[2] == f"| Two annotators: UA F1 | 79.8 | {pair['mean']:.1f} | – |"
    assert lines[-1] == f"| Cents per verb | 54.2 | {cents['mean']:.1f} | – |"
    assert len(lines) == 27


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"skill": 1.5}, "--skill 1.5 is not between 0 and 1"),
        ({"items": 0}, "--items 0 is not positive"),
        ({"seeds": 0}, "--seeds 0 is not positive"),
        ({"workers": 5}, "Two teams need at least 6 workers"),
    ],
)
def test_impossible_options_are_refused(options, message):
    project_of("qasrl")
    with pytest.raises(InputError, match=message):
        call_command("rehearsal_figures", "qasrl", **options)


def test_projects_without_consolidation_are_refused():
    project = project_of("frames")
    project.protocol = "verification"
    project.save()
    with pytest.raises(InputError, match="frames has no consolidation"):
        call_command("rehearsal_figures", "frames")
