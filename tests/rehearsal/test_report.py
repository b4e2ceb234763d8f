"""Tests of the report of a rehearsal, with the counts and figures of the scheme."""

import pytest

from qualification.domain.rounds.set_up_rounds import RoundSetupError
from rehearsal.domain.rehearse import report
from rehearsal.domain.scenario import Reference, Scenario, references_of
from rehearsal.domain.train import prepare_rounds
from rehearsal.management.commands.rehearse import summary
from schemes.qasrl import simulation
from schemes.registry import SCHEMES
from tests.consolidation.factories import IDENTIFIED, SURVEY, make_item, make_project
from tests.qualification.factories import EXPERT, WORKER, write_reference
from tests.qualification.production import write_gold
from tests.schemes.labels.scheme import SCHEME

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    """Create a project with references for two items, one of which has gold with one answer less."""
    project = make_project()
    for content in (EXPERT[IDENTIFIED], WORKER[IDENTIFIED]):
        item = make_item(SURVEY, IDENTIFIED, project)
        write_reference(item, EXPERT[IDENTIFIED])
        write_gold(item, content)
    return project


def test_report_has_the_scheme_s_counts_and_figures(project):
    facts = report(project, references_of(project))
    assert (facts["items"], facts["roles"], facts["arguments"]) == (2, 5, 6)
    assert facts["scores"]["UA"] == {
        "tp": 6,
        "fp": 0,
        "fn": 2,
        "precision": 1.0,
        "recall": 0.75,
        "f1": 12 / 14,
    }
    lines = summary({**facts, "workers": 3, "seconds": 1}, project).splitlines()
    assert lines[0] == "2 items: 5 roles, 6 arguments"
    assert lines[2:4] == [
        "UA F1 of the gold against its reference: 85.7",
        "LA F1 of the gold against its reference: 85.7",
    ]


def test_report_without_references_has_no_scores(project):
    assert report(project, {})["scores"] == {}


def test_worker_without_a_part_of_the_gold_submits_nothing(project):
    item = {"id": project.items.first().pk}
    gold = Reference(EXPERT[IDENTIFIED], [{"worker_id": "ann"}] * 3)
    script = Scenario(project, {item["id"]: gold}, None, 1)
    contents = [
        script.generation(item, worker=f"W{turn}", assignment=f"A{turn}") for turn in range(2)
    ]
    assert [len(content["questions"]) for content in contents] == [3, 0]
    assert contents[1] == simulation.nothing


def test_rounds_require_a_file_if_the_scheme_has_no_sample(monkeypatch, project):
    monkeypatch.setitem(SCHEMES, "labels", SCHEME)
    project.scheme = "labels"
    with pytest.raises(RoundSetupError, match="Labels has no sample"):
        prepare_rounds(project, None)
