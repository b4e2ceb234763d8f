"""Tests of the nicknames and tags that a project's members give to workers."""

import pytest
from django.template import Context, Template
from django.test import Client
from django.urls import reverse

from crowd.models import Worker
from projects.domain.label_worker import label_worker
from projects.enums import MemberRole
from projects.models import WorkerLabel
from qualification.domain.pool.erase_worker import Erasure, erase_worker
from tests.annotation.factories import make_held_bonus
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_project, make_user

pytestmark = pytest.mark.django_db


def post(client, project, worker, nickname, tags):
    url = reverse("qualification:worker_label", args=[project.slug, worker.pseudonym])
    return client.post(url, {"nickname": nickname, "tags": tags}, follow=True)


def workers(client, project, query="") -> str:
    url = reverse("qualification:workers", args=[project.slug])
    return b"".join(client.get(url + query)).decode()


@pytest.fixture
def anna(office, campaign, project) -> Worker:
    worker = campaign.workers[0]
    post(office, project, worker, " Anna  from the lab ", "Fast, pilot, fast")
    return worker


def test_nickname_and_tags_are_beside_the_pseudonym(office, campaign, project, anna):
    label = WorkerLabel.objects.get()
    assert (label.nickname, label.tags) == ("Anna from the lab", ["fast", "pilot"])
    bonus = make_held_bonus(campaign.items[1].submissions.get(state="submitted").assignment)
    label.worker = bonus.payment.assignment.worker
    label.save()
    name = label.worker.pseudonym
    pages = [
        reverse("qualification:workers", args=[project.slug]),
        reverse("qualification:worker", args=[project.slug, name]),
        reverse("qualification:thread", args=[project.slug, name]),
        reverse("annotation:held_bonuses", args=[project.slug]),
        reverse("consolidation:submissions", args=[project.slug]),
        reverse("datasets:ledger", args=[project.slug]),
    ]
    for page in pages:
        text = office.get(page).content.decode()
        assert '<span class="nickname">Anna from the lab</span>' in text, page
        assert '<span class="tag">pilot</span>' in text, page


def test_pseudonym_without_a_label_is_followed_by_the_text(campaign, project):
    template = Template("{% load workers %}{{ w.pseudonym }}{% worker_label w %}: late")
    plain, named = campaign.workers[:2]
    label_worker(project=project, worker=named, nickname="Anna", tags=[])
    texts = [template.render(Context({"w": w, "project": project})) for w in (plain, named)]
    assert texts[0] == f"{plain.pseudonym}: late"
    assert texts[1].startswith(f'{named.pseudonym} <span class="nickname">Anna</span>')


def test_workers_are_found_by_nickname_and_tag(office, campaign, project, anna):
    other = campaign.workers[1].pseudonym
    for query in ("?text=anna", "?tag=pilot", "?text=pilot", f"?text={anna.pseudonym.lower()}"):
        page = workers(office, project, query)
        assert anna.pseudonym in page
        assert other not in page
    assert "No matches" in workers(office, project, "?text=berta")
    assert other in workers(office, project)
    found = office.get("/search/", {"q": "anna", "project": project.slug}).content.decode()
    assert f"{anna.pseudonym}, Anna from the lab" in found


def test_labels_are_in_no_download(office, project, anna):
    assert "Anna" not in workers(office, project, "?format=csv")


def test_labels_belong_to_one_project(office, campaign, project, anna):
    other = make_project("other")
    client = Client()
    client.force_login(make_user("olga", other, MemberRole.ADMIN))
    assert client.get(reverse("qualification:workers", args=[project.slug])).status_code == 404
    assert other.labels_by_worker == {}
    expert = Client()
    expert.force_login(make_user("eva", project, MemberRole.EXPERT))
    assert post(expert, project, anna, "x", "").status_code == 403


def test_too_many_tags_are_refused_and_empty_fields_remove_the_label(office, project, anna):
    many = ",".join(f"tag {number}" for number in range(11))
    assert "Enter up to 10 tags" in post(office, project, anna, "A", many).content.decode()
    post(office, project, anna, "", "")
    assert not WorkerLabel.objects.exists()


@pytest.mark.parametrize("how", Erasure)
def test_erasure_deletes_the_label(project, how):
    worker = make_worker()
    label_worker(project=project, worker=worker, nickname="Anna", tags=["fast"])
    erase_worker(worker=worker, how=how, reason="asked", actor="ada", now=NOW)
    assert not WorkerLabel.objects.exists()
