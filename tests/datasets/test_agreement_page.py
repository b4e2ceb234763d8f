import pytest
from django.urls import reverse

from consolidation.models import Experiment
from crowd.domain.workers.qualifications import define_qualification, grant_qualification
from projects.enums import MemberRole
from projects.models import Membership
from tests.consolidation.gold import make_gold_item
from tests.crowd.factories import NOW, make_worker
from tests.view_names import VIEW_NAMES

FORM = {"count": "5", "design": "team", "workers": ""}


@pytest.fixture
def project_with_pool(requester):
    """Return a project with one consolidated item and three other workers in its pool."""
    project = make_gold_item().item.project
    Membership.objects.create(project=project, user=requester, role=MemberRole.REQUESTER)
    code = f"{project.slug}-generator"
    pool = define_qualification(provider=project.provider, code=code, name=code, description=code)
    for _ in range(3):
        grant_qualification(qualification=pool, worker=make_worker(), now=NOW)
    return project


def url(project, name="begin_experiment", *arguments):
    return reverse(VIEW_NAMES[name], args=[project.slug, *arguments])


def test_experiment_is_confirmed_before_it_starts(office, project_with_pool):
    confirmation = office.post(url(project_with_pool), FORM)
    assert confirmation.status_code == 200
    assert b"Annotate 1 item again for $" in confirmation.content
    assert not Experiment.objects.exists()
    started = office.post(url(project_with_pool), {**FORM, "count": "1", "confirmed": "yes"})
    experiment = Experiment.objects.get()
    assert started.url == url(project_with_pool, "experiment", experiment.pk)
    assert (experiment.generators, experiment.consolidates, experiment.started_by) == (
        2,
        True,
        "rita",
    )
    page = office.get(started.url).content.decode()
    assert "0 of 2" in page
    assert "0 of 1" in page
    assert (
        f"Experiment {experiment.pk}"
        in office.get(url(project_with_pool, "agreement")).content.decode()
    )


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
def test_bad_input_is_reported_and_starts_nothing(office, project_with_pool, bad):
    response = office.post(url(project_with_pool), {**FORM, **bad})
    assert response.status_code == 422
    assert b"errorlist" in response.content
    assert not Experiment.objects.exists()


def test_files_belong_to_the_named_experiment(office, project_with_pool):
    office.post(url(project_with_pool), {**FORM, "confirmed": "yes"})
    pk = Experiment.objects.get().pk
    for name in ("agreement_csv", "agreement_chart"):
        assert office.get(f"{url(project_with_pool, name)}?experiment={pk}").status_code == 200
        for bad in ("x", "9" * 30, str(pk + 1)):
            assert office.get(f"{url(project_with_pool, name)}?experiment={bad}").status_code == 404


def test_experiment_of_another_project_is_not_found(office, project_with_pool, project):
    office.post(url(project_with_pool), {**FORM, "confirmed": "yes"})
    address = url(project, "experiment", Experiment.objects.get().pk)
    assert office.get(address).status_code == 404
