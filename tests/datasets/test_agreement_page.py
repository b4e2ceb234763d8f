import pytest
from django.urls import reverse

from consolidation.models import Experiment
from crowd.domain.qualifications import define_qualification, grant_qualification
from projects.enums import MemberRole
from projects.models import Membership
from tests.consolidation.gold import make_gold_item
from tests.crowd.factories import NOW, make_worker
from tests.view_names import VIEW_NAMES

FORM = {"count": "5", "design": "team", "workers": ""}


@pytest.fixture
def made(requester):
    """A project with one consolidated item, three people outside it in its pool, and its requester."""
    project = make_gold_item().item.project
    Membership.objects.create(project=project, user=requester, role=MemberRole.REQUESTER)
    code = f"{project.slug}-generator"
    pool = define_qualification(provider=project.provider, code=code, name=code, description=code)
    for _ in range(3):
        grant_qualification(qualification=pool, worker=make_worker(), now=NOW)
    return project


def url(project, name="begin_experiment", *more):
    return reverse(VIEW_NAMES[name], args=[project.slug, *more])


def test_experiment_is_asked_for_twice_then_watched(office, made):
    asked = office.post(url(made), FORM)
    assert asked.status_code == 200
    assert b"Annotate 1 item again for $" in asked.content
    assert not Experiment.objects.exists()
    begun = office.post(url(made), {**FORM, "count": "1", "confirmed": "yes"})
    experiment = Experiment.objects.get()
    assert begun.url == url(made, "experiment", experiment.pk)
    assert (experiment.generators, experiment.consolidates, experiment.started_by) == (
        2,
        True,
        "rita",
    )
    page = office.get(begun.url).content.decode()
    assert "0 of 2" in page
    assert "0 of 1" in page
    assert f"Experiment {experiment.pk}" in office.get(url(made, "agreement")).content.decode()


@pytest.mark.parametrize(
    "bad",
    [
        {"count": "0"},
        {"count": "x"},
        {"count": "501"},
        {"design": "crowd"},
        {"workers": "WNOBODY"},
        {"design": "4", "confirmed": "yes"},
    ],
)
def test_bad_input_is_told_and_begins_nothing(office, made, bad):
    response = office.post(url(made), {**FORM, **bad})
    assert response.status_code == 422
    assert b"errorlist" in response.content
    assert not Experiment.objects.exists()


def test_files_are_of_the_experiment_that_is_named(office, made):
    office.post(url(made), {**FORM, "confirmed": "yes"})
    pk = Experiment.objects.get().pk
    for name in ("agreement_csv", "agreement_chart"):
        assert office.get(f"{url(made, name)}?experiment={pk}").status_code == 200
        for bad in ("x", "9" * 30, str(pk + 1)):
            assert office.get(f"{url(made, name)}?experiment={bad}").status_code == 404


def test_experiment_of_another_project_is_not_found(office, made, project):
    office.post(url(made), {**FORM, "confirmed": "yes"})
    address = url(project, "experiment", Experiment.objects.get().pk)
    assert office.get(address).status_code == 404
