"""The pages of a project at the stand-in use no words of marketplaces."""

from django.urls import reverse

from tests.crowd_words import OF_MARKETPLACES, crawl, places, shown_text
from tests.dashboard.campaign import make_user
from tests.prolific.campaign import Campaign, Person, label


def test_pages_of_a_running_campaign_have_no_words_of_marketplaces(
    client, server, project, study, settings
):
    settings.SESSION_COOKIE_AGE = 60 * 60 * 24 * 30
    Person(server, label).take_part(study.external_id, most=3)
    Campaign(server, [Person(server, label)]).run(rounds=2)
    client.force_login(make_user("olga", project, "requester"))
    start = reverse("dashboard:project", args=[project.slug])
    texts = crawl(client, [start], prefix=start)
    assert reverse("consolidation:studies", args=[project.slug]) in texts
    assert reverse("qualification:rounds", args=[project.slug]) in texts
    assert places(texts, OF_MARKETPLACES) == {}
    publish = reverse("annotation:publish", args=[project.slug])
    batch = reverse("consolidation:manage_batch", args=[project.slug, project.batches.first().pk])
    forms = {
        batch: {"action": "expire", "scope": "batch"},
        publish: {"count": 1, "unpublished": 0, "auto_approval_hours": 24},
    }
    for address, fields in forms.items():
        texts = {address: shown_text(client.post(address, fields).content.decode())}
        assert places(texts, OF_MARKETPLACES) == {}


def test_worker_pages_have_no_words_of_marketplaces(server, study):
    person = Person(server, label)
    session = person.arrive(study.external_id)
    task = person.next_task(session)
    texts = {address: shown_text(person.pages.get(address).text) for address in (session, task)}
    person.work(task)
    texts["after"] = shown_text(person.pages.get(session).text)
    assert "30" in texts[session]
    assert places(texts, OF_MARKETPLACES) == {}
