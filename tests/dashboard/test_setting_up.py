"""Tests of the set-up checklist of a new project and of the user's pending tasks."""

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.models import Item
from consolidation.domain.add_gold import add_gold
from dashboard.setting_up import next_step, setup_steps
from projects.domain.create_project import write_guidelines
from projects.enums import MemberRole
from tests.dashboard.campaign import CONTENT, START, add_items, make_user

URL = "/your-turn/"


def overview(client) -> str:
    return client.get(reverse("dashboard:project", args=["demo"])).content.decode()


def test_new_project_needs_a_corpus_and_has_defaults_otherwise(project):
    steps = {step.title: step for step in setup_steps(project)}
    assert [title for title, step in steps.items() if step.done] == ["Project"]
    assert steps["Guidelines"].summary == "Default text"
    assert steps["Pay"].summary == "Preset qasrl-2020"
    assert next_step(list(steps.values())) == steps["Corpus"]


def test_overview_of_a_new_project_has_one_primary_action(office, project):
    page = overview(office)
    assert "Set up the project" in page
    assert page.count("button primary") == 1
    assert "Upload a corpus" in page
    add_items(project, 2)
    page = overview(office)
    assert page.count("button primary") == 1
    assert "Publish the first batch" in page


def test_corpus_count_excludes_training_items(project):
    add_items(project, 3)
    Item.objects.filter(pk=Item.objects.first().pk).update(in_production=False)
    [corpus] = [step for step in setup_steps(project) if step.title == "Corpus"]
    assert corpus.summary.endswith("sentences, 2 items")
    assert corpus.done


def test_checklist_disappears_after_the_first_batch(office, campaign):
    assert "Set up the project" not in overview(office)


def test_custom_guidelines_and_pay_are_done(project):
    write_guidelines(project=project, role="generator", text="Ours", now=timezone.now())
    project.pay_scheme["generator"]["reward_cents"] += 1
    project.save()
    steps = {step.title: step for step in setup_steps(project)}
    assert (steps["Guidelines"].done, steps["Pay"].done) == (True, True)
    assert (steps["Guidelines"].summary, steps["Pay"].summary) == ("Version 2", "Custom terms")


def test_requester_sees_pending_tasks_with_links(office, campaign):
    page = office.get(URL).content.decode()
    assert reverse("consolidation:submissions", args=["demo"]) in page
    assert "submissions to review" in page
    assert "live HITs" not in page  # a task of workers, not of the requester


@pytest.mark.parametrize("role", [MemberRole.EXPERT, MemberRole.TRAINER])
def test_tasks_match_the_pages_of_the_role(client, campaign, project, role):
    client.force_login(make_user("eva", project, role))
    page = client.get(URL).content.decode()
    assert reverse("consolidation:submissions", args=["demo"]) not in page


def test_strangers_have_no_tasks(client, campaign):
    client.force_login(make_user("otto"))
    assert client.get(URL).content.decode().strip() == ""
    assert Item.objects.exists()


def test_corpus_page_shows_the_next_open_step(office, campaign):
    url = reverse("annotation:corpus", args=[campaign.project.slug])
    assert "Next: <a" in office.get(url).content.decode()
    assert "Upload expert gold</a>." in office.get(url).content.decode()
    gold = campaign.items[3].gold.get()
    add_gold(item=gold.item, source="expert", content=CONTENT, provenance=[], now=START)
    page = office.get(url).content.decode()
    assert "Upload expert gold</a>." not in page
    assert "Edit the guidelines</a>." in page
