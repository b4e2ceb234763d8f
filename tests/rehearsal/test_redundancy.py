"""Ways to spend money on items, replayed with simulated workers on the samples that the project ships."""

import json
from io import StringIO

import pytest
from django.core.management import call_command

from projects.command import InputError
from rehearsal.domain.demo import sample_project
from rehearsal.domain.figures import FigureOptions, NoFiguresError
from rehearsal.domain.redundancy import redundancy_figures, redundancy_table
from schemes.registry import get_scheme
from tests.crowd.factories import NOW

pytestmark = pytest.mark.django_db


def project_of(name: str):
    scheme = get_scheme(name)
    project = sample_project(name, scheme.title, scheme, scheme.sample, NOW)
    project.protocol = "consolidation"
    project.save()
    return project


def figures_of(project, **options):
    return redundancy_figures(project=project, options=FigureOptions(**options))


def test_more_annotators_cost_more_and_cover_more():
    figures = figures_of(project_of("qasrl"), items=40, seeds=1)
    ways = {way.label: way for way in figures.ways}
    assert figures.ways[0] is ways["2 annotators and a consolidator"]
    united = [ways["1 annotator, all parts"]]
    united += [ways[f"{number} annotators, all parts"] for number in (2, 3)]
    assert [way.cents for way in united] == sorted(way.cents for way in united)
    assert [way.counts.recall for way in united] == sorted(way.counts.recall for way in united)
    # A consolidator costs money and rejects more wrong parts than right ones.
    fixed = figures.ways[0]
    assert fixed.cents > united[1].cents
    assert fixed.counts.precision > united[1].counts.precision
    # The more items are consolidated, the closer everything is to the fixed protocol.
    some, most = (
        ways[f"2 annotators, {share}% of items consolidated, the least certain"]
        for share in (20, 80)
    )
    assert united[1].cents < some.cents < most.cents < fixed.cents
    assert figures.parts.count > 100
    assert 0 <= figures.coverage.brier <= 1


def test_people_without_errors_leave_nothing_uncertain():
    """Everybody writes the reference, so that one annotator covers all of it."""
    figures = figures_of(project_of("qasrl"), items=15, seeds=1, skill=1.0)
    assert {(way.counts.fp, way.counts.fn) for way in figures.ways} == {(0, 0)}


@pytest.mark.parametrize("scheme", ["frames", "grounding"])
def test_every_scheme_has_figures(scheme):
    figures = figures_of(project_of(scheme), items=8, seeds=1)
    assert figures.ways[0].cents > 0
    assert 0 < figures.ways[0].counts.recall <= 1


def test_command_prints_the_table_and_json():
    project_of("qasrl")
    out = StringIO()
    call_command("redundancy_figures", "qasrl", items=10, seeds=1, stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("| Way | Cents per item |")
    assert lines[2].startswith("| 2 annotators and a consolidator |")
    assert "| +0 % |" in lines[2]
    assert lines[-1].startswith("Coverage: expected")
    out = StringIO()
    call_command("redundancy_figures", "qasrl", items=10, seeds=1, json=True, stdout=out)
    facts = json.loads(out.getvalue())
    assert facts["ways"][0]["way"] == "2 annotators and a consolidator"
    assert set(facts["brier"]) == {"parts", "coverage"}


def test_same_seeds_give_the_same_figures():
    project = project_of("qasrl")
    first, second = (redundancy_table(figures_of(project, items=10, seeds=1)) for _ in range(2))
    assert first == second


def test_wrong_options_are_refused():
    project = project_of("qasrl")
    with pytest.raises(NoFiguresError, match="at least 4 workers"):
        figures_of(project, workers=3)
    with pytest.raises(InputError, match="--items 0 is not positive"):
        call_command("redundancy_figures", "qasrl", items=0)
    project.protocol = "validation"
    with pytest.raises(NoFiguresError, match="no consolidation"):
        figures_of(project)
