"""What simulated workers write for a rehearsal's pages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.domain.corpus.item_context import context_of
from annotation.models import Item
from consolidation.domain.case_records import sources_of
from rehearsal.domain.scenario import Reference, Scenario
from schemes.registry import get_scheme
from tests.consolidation.factories import IDENTIFIED, SURVEY, make_item, make_project, source
from tests.consolidation.validation import make_validation_case
from tests.qualification.factories import EXPERT

pytestmark = pytest.mark.django_db

WHO = source(SURVEY, ("Who identified something?", ["the U.S. Geological Survey"]))
REFERENCES = st.sampled_from([WHO, EXPERT[IDENTIFIED], {"questions": []}])


@pytest.fixture
def item() -> Item:
    return make_item(SURVEY, IDENTIFIED, make_project())


def scenario(item: Item, content, *, skill: float | None = 0.6, seed: int = 1) -> Scenario:
    return Scenario(item.project, {item.pk: Reference(content, [])}, skill, seed)


def generation(item: Item, content, worker: str, **options):
    script = scenario(item, content, **options)
    return script.generation({"id": item.pk}, worker=worker, assignment="A")


def parsed(item: Item, content):
    return get_scheme("qasrl").content.parse_generation(content, context_of(item))


def test_consolidations_do_not_depend_on_the_reference(item):
    sources = [parsed(item, generation(item, EXPERT[IDENTIFIED], name)) for name in "ab"]
    page = {"id": item.pk, "sources": sources}

    @settings(max_examples=30)
    @given(REFERENCES, REFERENCES, st.integers(0, 50), st.sampled_from([0.3, 0.9, 1.0]))
    def check(first, second, seed, skill):
        contents = [
            scenario(item, reference, skill=skill, seed=seed).consolidation(page, worker="c")
            for reference in (first, second)
        ]
        assert contents[0] == contents[1]

    check()


def test_validations_judge_the_case_s_annotation_and_not_the_reference():
    case = make_validation_case()
    page = {"id": case.item_id}
    for seed in range(20):
        contents = [
            scenario(case.item, reference, seed=seed).validation(page, worker="v")
            for reference in (EXPERT[IDENTIFIED], {"questions": []})
        ]
        assert contents[0] == contents[1]
    exact = scenario(case.item, {"questions": []}, skill=1.0).validation(page, worker="v")
    assert [entry["answers"] for entry in exact["questions"]] == [
        question["answers"] for question in sources_of(case)[0]["questions"]
    ]


def test_workers_write_the_same_in_every_rehearsal_and_differ_from_each_other(item):
    contents = {
        name: [generation(item, EXPERT[IDENTIFIED], name, skill=0.3) for _ in range(2)]
        for name in map(str, range(8))
    }
    assert all(first == second for first, second in contents.values())
    assert len({str(first) for first, _ in contents.values()}) > 1


def test_workers_are_the_people_that_their_names_stand_for(item):
    """Marketplace ids differ between rehearsals."""
    script = scenario(item, EXPERT[IDENTIFIED], skill=0.3)
    script.names.update({"WABC": "1", "WDEF": "2"})
    named = [
        script.generation({"id": item.pk}, worker=worker, assignment="A")
        for worker in ("WABC", "WDEF")
    ]
    assert named == [generation(item, EXPERT[IDENTIFIED], name, skill=0.3) for name in "12"]


def test_trainees_have_their_own_skills(item):
    script = scenario(item, EXPERT[IDENTIFIED], skill=None)
    script.skills.update({"good": 1.0, "bad": 0.0})
    good, bad = (
        script.generation({"id": item.pk}, worker=worker, assignment="A")
        for worker in ("good", "bad")
    )
    assert [question["answers"] for question in good["questions"]] == [
        question["answers"] for question in EXPERT[IDENTIFIED]["questions"]
    ]
    assert bad != good
