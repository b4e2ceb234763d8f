"""The precedents and the index of a resource, which workers' pages download once per version."""

import gzip
import json
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from annotation.domain.work.worker_page import PageToken
from annotation.enums import SubmissionState
from consolidation.enums import GoldSource
from consolidation.models import Gold
from crowd.enums import HitState
from crowd.models import Hit
from projects.enums import Role
from tests.annotation.factories import NOW, make_item, make_project, make_task, task_url
from tests.schemes.frames.projects import (
    content_of,
    import_sample,
    make_frames_project,
    make_record,
    settle,
    submit,
    write_lexicon,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def project():
    project = make_frames_project()
    import_sample(project)
    return project


def page_data(client: Client, task, settings) -> dict:
    response = client.get(task_url(task, submit_to=settings.MTURK_WORKER_ORIGINS[0]))
    page = response.content.decode().split('<script id="page" type="application/json">', 1)[1]
    return json.loads(page.split("</script>", 1)[0])


def index_url(client: Client, project, settings) -> str:
    task = make_task([make_record(project)])
    return page_data(client, task, settings)["urls"]["index"]["lexicon"]


def test_page_links_to_its_version_of_the_index(client, project, settings, tmp_path):
    first = index_url(client, project, settings)
    assert index_url(client, project, settings) == first
    path = write_lexicon(tmp_path, ["Giving"])
    import_sample(project, path=path, now=NOW + timedelta(hours=1))
    second = index_url(client, project, settings)
    assert second != first
    numbers = [len(client.get(url).json()["frames"]) for url in (first, second)]
    assert numbers == [65, 1]


def test_index_is_compressed_and_cached_permanently(client, project, settings):
    url = index_url(client, project, settings)
    response = client.get(url, headers={"Accept-Encoding": "gzip, br", "Origin": "null"})
    assert response.status_code == 200
    assert {name: response.headers[name] for name in (
        "Content-Encoding", "Cache-Control", "Access-Control-Allow-Origin", "Content-Type", "Vary",
    )} == {
        "Content-Encoding": "gzip",
        "Cache-Control": "public, max-age=31536000, immutable",
        "Access-Control-Allow-Origin": "*",
        "Content-Type": "application/json",
        "Vary": "Accept-Encoding",
    }  # fmt: skip
    assert "Set-Cookie" not in response.headers
    index = json.loads(gzip.decompress(response.content))
    assert set(index) == {"frames", "extra", "chosen", "relations", "labels"}
    plain = client.get(url)
    assert "Content-Encoding" not in plain.headers
    assert plain.json() == index


def test_address_is_signed(client, project, settings):
    url = index_url(client, project, settings)
    resource = project.resources.get()
    for signature in ("x", url.split("/")[-2][::-1]):
        forged = reverse("annotation:resource-index", args=[resource.pk, signature])
        assert client.get(forged).status_code == 404
    resource.delete()
    assert client.get(url).status_code == 404
    assert client.post(url).status_code == 405


def test_page_of_a_scheme_without_resources_has_no_index(client, settings):
    task = make_task([make_item(make_project())])
    assert "index" not in page_data(client, task, settings)["urls"]


def look_up(client: Client, item, resource: str, query: str):
    task = item.tasks.first() or make_task([item])
    token = PageToken(str(task.public_id), "A1", "W1", is_confirmed=True).token()
    message = json.dumps({"token": token, "resource": resource, "query": query})
    return client.post(reverse("annotation:look-up"), message, content_type="text/plain")


def test_precedents_are_accepted_generations_of_consolidated_items(client, project):
    own, other, another = (make_record(project) for _ in range(3))
    for item in (own, other, another):
        settle(item)
    giving = content_of("Giving", element="Donor")
    submit(own, content_of("Hiring"))
    submit(other)
    submit(other, giving)
    submit(another)
    submit(another, content_of("Firing"), state=SubmissionState.SUBMITTED)
    submit(another, content_of("Firing"), role=Role.CONSOLIDATOR)
    elsewhere = make_frames_project("elsewhere")
    for item, content in (
        (make_record(project, "give"), giving),
        (make_record(project, in_production=False), content_of("Firing")),
        (make_record(elsewhere), content_of("Firing")),
    ):
        settle(item)
        submit(item, content)
    response = look_up(client, own, "precedents", "sell")
    assert response.json() == {
        "results": [
            {"frame": "Commerce_sell", "lemma": "sell", "count": 2, "words": ["fund"]},
            {"frame": "Giving", "lemma": "sell", "count": 1, "words": ["fund"]},
        ]
    }
    assert look_up(client, own, "precedents", "come").json() == {"results": []}


def test_precedents_of_a_frame_are_the_roles_of_its_elements(client, project):
    own, other, another = (make_record(project) for _ in range(3))
    for item in (own, other, another):
        settle(item)
        submit(item)
    submit(other, content_of("Giving", element="Donor"))
    submit(make_record(project), content_of(element="Buyer"))
    found = look_up(client, own, "precedents", "=Commerce_sell").json()["results"]
    assert found == [{"element": "Seller", "roles": ["Agent"]}]
    assert look_up(client, own, "precedents", "=Hiring").json() == {"results": []}


def add_expert_gold(item, content: dict, version: int = 1) -> None:
    Gold.objects.create(
        item=item,
        source=GoldSource.EXPERT,
        version=version,
        content=content,
        schema_version=1,
        created_at=NOW,
    )


def test_expert_gold_counts_once_its_item_is_finished(client, project):
    own, finished, unpublished, offered, reserved = (make_record(project) for _ in range(5))
    for item in (own, finished, unpublished, offered, reserved):
        add_expert_gold(item, content_of("Firing"))
    add_expert_gold(finished, content_of("Hiring"), version=2)
    for item in (own, finished, offered, reserved):
        settle(item)
    make_task([offered])
    type(reserved).objects.filter(pk=reserved.pk).update(in_production=False)
    found = look_up(client, own, "precedents", "sell").json()["results"]
    assert [(result["frame"], result["count"]) for result in found] == [("Hiring", 1)]
    assert look_up(client, own, "precedents", "=Firing").json() == {"results": []}
    roles = look_up(client, own, "precedents", "=Hiring").json()["results"]
    assert roles == [{"element": "Seller", "roles": ["Agent"]}]


def test_precedents_leave_out_items_that_a_worker_may_still_get(client, project):
    own, unsettled, offered, given_up = (make_record(project) for _ in range(4))
    for item in (unsettled, offered, given_up):
        submit(item)
    settle(offered)
    settle(given_up)
    task = make_task([offered])
    ended = make_task([given_up]).hit
    Hit.objects.filter(pk=ended.pk).update(state=HitState.FINISHED, external_id="HIT-ended")
    found = look_up(client, own, "precedents", "sell").json()["results"]
    assert [result["count"] for result in found] == [1]
    Hit.objects.filter(pk=task.hit_id).update(state=HitState.EXPIRED, external_id="HIT-offered")
    found = look_up(client, own, "precedents", "sell").json()["results"]
    assert [result["count"] for result in found] == [2]


def test_look_up_needs_a_confirmed_claim(client, project):
    task = make_task([make_record(project)])
    token = PageToken(str(task.public_id), "A1", "W1").token()
    for resource in ("precedents", "lexicon"):
        message = json.dumps({"token": token, "resource": resource, "query": "sell"})
        address = reverse("annotation:look-up")
        assert client.post(address, message, content_type="text/plain").status_code == 403


def test_scheme_without_precedents_refuses_the_query(client):
    response = look_up(client, make_item(make_project()), "precedents", "carry")
    assert response.status_code == 400


def test_look_up_returns_the_frame_with_its_elements(client, project):
    (frame,) = look_up(client, make_record(project), "lexicon", "Origin").json()["results"]
    assert (frame["name"], frame["elements"][0]["name"]) == ("Origin", "Entity")
