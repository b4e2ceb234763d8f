"""The pages and endpoints of evaluations of systems."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from datasets.domain.systems.evaluate_systems import evaluations_of
from datasets.domain.systems.evaluation_files import FILES
from jobs.enums import JobState
from jobs.tasks import run_jobs
from projects.enums import MemberRole, TokenScope
from schemes.registry import SCHEMES
from tests.api.conftest import token_of
from tests.dashboard.campaign import make_user
from tests.datasets.systems import export_sample, make_sample, system_output
from tests.schemes.labels.scheme import SCHEME as LABELS

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _files(job_files):
    """Store uploads with the test."""


@pytest.fixture
def sample():
    return make_sample("qasrl")


@pytest.fixture
def requester(sample):
    return make_user("rita", sample, MemberRole.REQUESTER)


@pytest.fixture
def office(requester) -> Client:
    client = Client()
    client.force_login(requester)
    return client


@pytest.fixture
def systems(sample, tmp_path) -> list[SimpleUploadedFile]:
    gold = export_sample(sample, tmp_path)
    outputs = {"a.csv": 0.9, "b<i>.csv": 0.4}
    return [
        SimpleUploadedFile(name, system_output(sample, gold, seed=1, share=share).encode())
        for name, share in outputs.items()
    ]


def url(name: str, *arguments) -> str:
    return reverse(f"datasets:{name}", args=["qasrl", *arguments])


def test_evaluation_by_page(office, sample, systems):
    assert b"No evaluations yet" in office.get(url("systems")).content
    page = office.post(
        url("evaluate_systems"), {"source": "expert", "systems": systems}, follow=True
    )
    [job] = evaluations_of(sample)
    assert page.redirect_chain == [(url("system_evaluation", job.pk), 302)]
    assert b"The evaluation is in progress" in page.content
    assert b"every '2s'" in page.content
    run_jobs()
    text = office.get(url("system_evaluation", job.pk)).content.decode()
    assert "b&lt;i&gt;" in text, "names are escaped"
    assert "<i>.csv" not in text
    assert "every 2s" not in text
    job.refresh_from_db()
    for system in job.result["systems"]:
        assert f"{100 * system['figures']['ua_f1']['value']:.2f}" in text
    for name in FILES:
        response = office.get(url("system_evaluation_file", job.pk, name))
        assert response.status_code == 200
        assert response.content
    assert office.get(url("system_evaluation_file", job.pk, "x.csv")).status_code == 404
    listed = office.get(url("systems")).content.decode()
    assert "Evaluation of a.csv, b&lt;i&gt;.csv" in listed
    assert "UA F1" in listed


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"source": "expert"}, "This field is required."),
        ({"source": "", "systems": ["x"]}, "Choose the project&#x27;s gold as the reference"),
        ({"source": "imported", "systems": ["x"]}, "Select a valid choice."),
        ({"source": "expert", "systems": ["x", "x"]}, "Two files are called x."),
        ({"source": "expert", "systems": ["x"], "reference": ["y"]}, "but not both"),
    ],
)
def test_form_names_what_is_wrong(office, sample, form, message):
    files = {
        key: [SimpleUploadedFile(f"{name}.csv", b"text") for name in names]
        for key, names in form.items()
        if isinstance(names, list)
    }
    response = office.post(url("evaluate_systems"), {**form, **files})
    assert response.status_code == 422
    assert message in response.content.decode()
    assert not evaluations_of(sample).exists()


def test_failed_evaluation_shows_the_reason(office, sample):
    system = SimpleUploadedFile("bad.csv", b"id,text\n1,2\n")
    office.post(url("evaluate_systems"), {"source": "expert", "systems": [system]})
    run_jobs()
    job = evaluations_of(sample).get()
    assert (job.state, job.result) == (JobState.FAILED, {})
    text = office.get(url("system_evaluation", job.pk)).content.decode()
    assert "bad.csv" in text
    assert office.get(url("system_evaluation_file", job.pk, "figures.csv")).status_code == 404


def test_scheme_without_scoring_has_no_page(office, sample, monkeypatch):
    monkeypatch.setitem(SCHEMES, LABELS.name, LABELS)
    assert url("systems").encode() in office.get(url("systems")).content
    sample.scheme = LABELS.name
    sample.save()
    overview = reverse("dashboard:project", args=["qasrl"])
    page = office.get(url("systems"), follow=True)
    assert page.redirect_chain == [(overview, 302)]
    assert b"have no evaluation of systems" in page.content
    assert office.post(url("evaluate_systems"), {}).status_code == 404
    assert url("systems").encode() not in office.get(overview).content


def test_other_projects_evaluations_are_hidden(office, sample, systems):
    office.post(url("evaluate_systems"), {"source": "expert", "systems": systems})
    run_jobs()
    job = evaluations_of(sample).get()
    other = make_sample("frames")
    client = Client()
    client.force_login(make_user("olga", other, MemberRole.ADMIN))
    for name, arguments in (("system_evaluation", []), ("system_evaluation_file", ["figures.csv"])):
        path = reverse(f"datasets:{name}", args=["frames", job.pk, *arguments])
        assert client.get(path).status_code == 404
        assert client.get(url(name, job.pk, *arguments)).status_code == 404


@pytest.fixture
def api(requester) -> Client:
    return Client(headers={"Authorization": f"Bearer {token_of(requester)}"})


def at(name: str, *arguments) -> str:
    return reverse(f"api:{name}", args=["qasrl", *arguments])


def test_evaluation_by_api(api, sample, systems):
    response = api.post(at("system_evaluations"), {"source": "expert", "systems": systems})
    assert response.status_code == 202, response.content
    queued = response.json()
    assert (queued["state"], queued["result"], queued["files"]) == ("queued", None, {})
    assert queued["systems"] == ["a.csv", "b<i>.csv"]
    run_jobs()
    finished = api.get(response.headers["Location"]).json()
    assert (finished["state"], finished["problem"]) == ("finished", "")
    job = evaluations_of(sample).get()
    assert finished["result"] == {
        key: job.result[key] for key in ("items", "documents", "systems", "differences")
    }
    assert api.get(at("system_evaluations")).json()["results"] == [finished]
    assert list(finished["files"]) == list(FILES)
    complete = api.get(finished["files"]["evaluation.json"])
    assert json.loads(complete.content)["types"] == job.result["types"]
    assert api.get(at("system_evaluation_file", job.pk, "other.csv")).status_code == 404


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"systems": []}, "systems"),
        ({"systems": ["x"]}, "Choose the project's gold as the reference"),
        ({"systems": ["x"], "source": "imported"}, "has no imported gold"),
        ({"systems": ["x"], "source": "expert", "variant": "A"}, "There is no task 'A'."),
    ],
)
def test_api_names_what_is_wrong(api, sample, body, message):
    files = [SimpleUploadedFile(f"{name}.csv", b"text") for name in body["systems"]]
    response = api.post(at("system_evaluations"), {**body, "systems": files})
    assert response.status_code in (400, 422)
    assert message in json.dumps(response.json())
    assert not evaluations_of(sample).exists()


def test_api_needs_the_scope(requester, sample, systems):
    token = token_of(requester, scopes=[TokenScope.READ])
    client = Client(headers={"Authorization": f"Bearer {token}"})
    body = {"source": "expert", "systems": systems}
    assert client.post(at("system_evaluations"), body).status_code == 403
    assert client.get(at("system_evaluations")).status_code == 200
