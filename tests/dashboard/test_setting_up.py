"""Tests of a project's path from its corpus to an export, and of the user's pending tasks."""

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from annotation.models import Item
from dashboard.setting_up import path_of
from projects.domain.create_project import write_guidelines
from projects.domain.settle_step import settle_step
from projects.enums import MemberRole, SettledStep
from qualification.domain.rounds.publish_round import invite_workers, publish_round
from qualification.domain.training.decide import Verdict, decide
from qualification.models import Round
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import START, add_items, make_user
from tests.qualification.factories import EXPERT, LATER, make_rounds, work_through

URL = "/your-turn/"


def overview(client) -> str:
    return client.get(reverse("dashboard:project", args=["demo"])).content.decode()


def steps_by_title(project) -> dict:
    return {step.title: step for step in path_of(project).steps}


def settle(project, *steps: SettledStep) -> None:
    for step in steps:
        settle_step(project=project, step=step, actor="ada", now=START)


def test_path_of_a_new_project(project):
    steps = steps_by_title(project)
    assert list(steps) == [
        *("Corpus", "Expert gold", "Guidelines", "Pay", "Rehearsal", "Training"),
        *("Publish", "Consolidation", "Export"),
    ]
    assert [title for title, step in steps.items() if step.state == "done"] == []
    assert steps["Corpus"].summary == "Required"
    assert steps["Guidelines"].summary == "Default text"
    assert steps["Pay"].summary == "QA-SRL 2020 paper rates"
    assert path_of(project).next == steps["Corpus"]


def test_primary_action_of_the_overview_is_the_next_step_and_training_comes_before_publishing(
    office, project
):
    actions = []

    def look() -> None:
        page = overview(office)
        assert page.count("button primary") == 1
        actions.append(path_of(project).next.action)
        assert f">{actions[-1]}</a>" in page

    look()
    add_items(project, 2)
    for step in SettledStep:
        look()
        settle(project, step)
    look()
    assert actions == [
        "Upload a corpus",
        "Add expert gold",
        "Check the guidelines",
        "Check the pay",
        "Rehearse with simulated workers",
        "Set up a training round",
        "Publish the first batch",
    ]


def test_defaults_are_kept_and_optional_steps_skipped_with_one_button(office, project):
    add_items(project, 2)
    gold = reverse("consolidation:gold_import", args=["demo"])
    assert "Work without expert gold" in office.get(gold).content.decode()
    response = office.post(reverse("dashboard:settle_step", args=["demo", "expert-gold"]))
    assert response.url == reverse("projects:guidelines", args=["demo"])
    assert "Keep these guidelines" in office.get(response.url).content.decode()
    response = office.post(reverse("dashboard:settle_step", args=["demo", "guidelines"]))
    assert response.url == reverse("annotation:pay", args=["demo"])
    project.refresh_from_db()
    steps = steps_by_title(project)
    assert (steps["Expert gold"].state, steps["Guidelines"].state) == ("skipped", "done")
    page = office.get(gold).content.decode()
    assert "Expert gold is skipped." in page
    again = reverse("dashboard:settle_step", args=["demo", "expert-gold"])
    assert office.post(again, {"reopen": "1"}).url == gold
    project.refresh_from_db()
    assert steps_by_title(project)["Expert gold"].state == "open"


def test_unknown_step_can_not_be_settled(office, project):
    response = office.post(reverse("dashboard:settle_step", args=["demo", "corpus"]))
    assert response.status_code == 404


def test_saving_guidelines_and_pay_unchanged_settles_them(office, project):
    guidelines = reverse("projects:guidelines", args=["demo"])
    text = office.get(guidelines).context["form"].initial["text"]
    office.post(guidelines, {"text": text})
    pay = reverse("annotation:pay", args=["demo"])
    forms = office.get(pay).context["forms"]
    fields = {
        bound.html_name: "" if bound.value() is None else bound.value()
        for form in forms
        for bound in form
    }
    assert office.post(pay, {**fields, "save": "1"}).status_code == 302
    project.refresh_from_db()
    steps = steps_by_title(project)
    assert (steps["Guidelines"].state, steps["Pay"].state) == ("done", "done")


def test_corpus_step_counts_training_items_apart(project):
    add_items(project, 3)
    Item.objects.filter(pk=Item.objects.first().pk).update(in_production=False)
    corpus = steps_by_title(project)["Corpus"]
    assert corpus.summary.endswith("sentences, 2 items, 1 for training")
    assert corpus.state == "done"
    cache.clear()
    Item.objects.update(in_production=False)
    corpus = steps_by_title(project)["Corpus"]
    assert corpus.summary.endswith("sentences, 0 items, 3 for training")
    assert corpus.state == "done"


def test_rehearsal_is_no_next_step_once_training_has_begun(db):
    project = make_rounds()[0].project
    add_items(project, 1)
    settle(project, SettledStep.EXPERT_GOLD, SettledStep.GUIDELINES, SettledStep.PAY)
    assert path_of(project).next.title == "Training"
    Round.objects.all().delete()
    assert path_of(project).next.title == "Rehearsal"


def test_imported_corpus_is_shown_at_once_although_figures_are_cached(office, project, settings):
    settings.FIGURES_TIMEOUT = 10
    cache.clear()
    corpus = reverse("annotation:corpus", args=["demo"])
    assert "Required" in office.get(corpus).content.decode()
    assert "Upload a corpus" in overview(office)
    add_items(project, 2)
    # The list of imports refreshes itself, and brings the path of the page with it.
    fragment = office.get(corpus, headers={"HX-Request": "true"}).content.decode()
    assert 'id="setup"' in fragment
    assert "hx-swap-oob" in fragment
    assert "Add expert gold</a>" in fragment
    page = overview(office)
    assert "Required" not in page + fragment
    assert "Add expert gold</a>" in page
    cache.clear()


def test_sample_corpus_is_offered_only_to_a_project_without_items(office, project):
    corpus = reverse("annotation:corpus", args=["demo"])
    assert "No corpus yet?" in office.get(corpus).content.decode()
    add_items(project, 1)
    assert "No corpus yet?" not in office.get(corpus).content.decode()


def test_training_names_its_next_task_until_the_pool_is_large_enough(db):
    first, last = make_rounds(rounds=2)
    project, workers = first.project, [make_worker() for _ in range(3)]
    add_items(project, 1)
    settle(project, *(step for step in SettledStep if step != SettledStep.TRAINING))
    seen = []

    def look() -> None:
        step = path_of(project).next
        assert step.title == "Training"
        seen.append((step.url(project).removeprefix("/projects/"), step.action, step.state))

    look()
    for training_round in (first, last):
        invite_workers(round=training_round, workers=workers, actor="tests", now=NOW)
        look()
        cohort = publish_round(round=training_round, actor="tests", now=NOW)
        look()
        for worker in workers:
            work_through(cohort, worker, EXPERT)
        look()
        for enrolment in training_round.enrolments.all():
            decide(enrolment=enrolment, verdict=Verdict.PASS, reason="ok", actor="tina", now=LATER)
    at = f"{project.slug}/training/rounds"
    assert seen[:5] == [
        (f"{at}/{first.pk}/publish/", "Invite workers to Training 1", "open"),
        (f"{at}/{first.pk}/publish/", "Publish Training 1 for 3 workers", "open"),
        (f"{at}/{first.pk}/", "Follow Training 1", "waiting"),
        (f"{at}/{first.pk}/", "Decide on 3 workers of Training 1", "open"),
        (f"{at}/{last.pk}/publish/", "Publish Training 2 for 3 workers", "open"),
    ]
    training = steps_by_title(project)["Training"]
    assert (training.state, training.summary) == ("done", "3 in the pool")
    assert path_of(project).next.action == "Publish the first batch"


def test_guidelines_and_pay_that_were_changed_are_done(project):
    write_guidelines(project=project, role="generator", text="Ours", now=timezone.now())
    project.pay_scheme["generator"]["reward_cents"] += 1
    project.save()
    steps = steps_by_title(project)
    assert (steps["Guidelines"].state, steps["Pay"].state) == ("done", "done")
    assert (steps["Guidelines"].summary, steps["Pay"].summary) == ("Version 2", "Custom terms")


def test_checklist_ends_with_the_first_batch(office, campaign):
    page = overview(office)
    assert "Set up the project" not in page
    steps = steps_by_title(campaign.project)
    assert {title: step.state for title, step in steps.items()} == {
        "Training": "skipped",
        "Publish": "open",
        "Consolidation": "waiting",
        "Export": "open",
    }
    assert "Publish 3 more items</a>" in page


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
