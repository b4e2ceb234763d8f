"""Tests of what follows a pass: the next round, or the pool, also by a later admission."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.domain.publishing.qualification_codes import pool_code
from audit.models import StateChange
from crowd.domain.workers.block_worker import block_worker, lift_block
from crowd.models import Message, QualificationGrant
from projects.enums import MemberRole
from qualification.domain.pool.admit import AdmissionError, admit_worker, grant_pools, standings_of
from qualification.domain.pool.withdraw_worker import withdraw_worker
from qualification.domain.rounds.publish_round import invite_workers, publish_round
from qualification.domain.rounds.set_up_rounds import RoundPlan, add_round, remove_round
from qualification.domain.training.decide import Verdict, decide
from qualification.domain.training.edit_round import Admission, edit_round
from qualification.domain.training.feedback import Notes, send_feedback
from qualification.domain.training.invite_passed import add_following_round, invite_passed
from qualification.models import Enrolment, Round
from tests.consolidation.factories import IDENTIFIED, SURVEY, make_item
from tests.crowd.factories import NOW, make_worker
from tests.dashboard.campaign import make_user
from tests.qualification.factories import (
    EXPERT,
    LATER,
    make_evaluated,
    make_items,
    make_passed,
    make_rounds,
    open_round,
    work_through,
)

pytestmark = pytest.mark.django_db
POOL = ["consolidator", "generator"]


def judge(enrolment, verdict=Verdict.PASS):
    enrolment.refresh_from_db()
    decide(enrolment=enrolment, verdict=verdict, reason="ok", actor="tina", now=LATER)


def admit(enrolment, **options) -> bool:
    return admit_worker(
        project=enrolment.round.project,
        worker=enrolment.worker,
        role="generator",
        actor="rita",
        now=LATER,
        **options,
    )


def pools(enrolment) -> list[str]:
    """Return the roles whose pools the worker is in."""
    codes = {
        pool_code(enrolment.round.project, role): role
        for role in ("generator", "consolidator", "validator")
    }
    grants = QualificationGrant.objects.filter(
        worker=enrolment.worker, state="pending", qualification_type__code__in=codes
    )
    return sorted(codes[grant.qualification_type.code] for grant in grants)


def plan(project, title, **options) -> RoundPlan:
    return RoundPlan(title=title, keys=[item.key for item in make_items(project)], **options)


def add(project, title, *roles) -> Round:
    return add_round(
        project=project, plan=plan(project, title, pool_roles=roles), actor="rita", now=NOW
    )


def address(name, enrolment, *more) -> str:
    return reverse(f"qualification:{name}", args=[enrolment.round.project.slug, *more])


def test_last_round_admits_and_an_earlier_one_leads_to_it():
    [first] = make_rounds(rounds=1)
    second = add(first.project, "Training 2", "generator")
    first.refresh_from_db()
    assert (first.pool_roles, second.pool_roles) == ([], ["generator"])
    assert StateChange.objects.get(object_id=first.pk, new="edited").reason == (
        "leads to Training 2 instead of production"
    )
    remove_round(round=second, actor="rita", now=NOW)
    first.refresh_from_db()
    assert first.pool_roles == ["generator", "consolidator", "validator"]


def test_round_that_somebody_passed_still_admits_after_another_is_added():
    enrolment = make_passed(opens_pool=True)
    add(enrolment.round.project, "Training 2", "generator")
    assert Round.objects.get(pk=enrolment.round_id).pool_roles == ["generator", "consolidator"]


def test_round_is_edited_to_admit_to_production():
    training_round = make_rounds()[0]
    changes = {
        "entry": "invited",
        "items_per_worker": None,
        "guidelines": None,
        "terms": None,
        "pool_roles": ["generator"],
    }
    edit_round(round=training_round, admission=Admission(), changes=changes, actor="rita", now=NOW)
    training_round.refresh_from_db()
    assert training_round.pool_roles == ["generator"]
    assert StateChange.objects.filter(new="edited").get().reason == (
        "after passing: next round -> production (generator)"
    )


def test_pass_into_nothing_is_admitted_later_once():
    enrolment = make_passed()
    assert pools(enrolment) == []
    assert "There are no further tasks for you now." in Message.objects.get().text
    assert [admit(enrolment), admit(enrolment)] == [True, False]
    assert pools(enrolment) == ["consolidator", "generator", "validator"]
    logged = StateChange.objects.filter(aggregate="crowd.QualificationGrant", actor="rita")
    assert list(logged.values_list("new", flat=True)) == ["granted"] * 3
    assert Message.objects.count() == 2
    assert "New tasks of the project will be available" in Message.objects.latest("pk").text


def test_admission_grants_what_a_pass_of_the_last_round_grants():
    enrolment = make_evaluated()
    judge(enrolment)
    assert pools(enrolment) == []
    admit(enrolment)
    assert pools(enrolment) == POOL
    assert Message.objects.order_by("pk")[0].text.endswith(
        "The next round, “Training 2”, will be available to you soon."
    )


def test_blocked_declined_and_withdrawn_workers_are_refused_until_that_is_changed():
    enrolment = make_passed()
    block_worker(worker=enrolment.worker, reason="copies", actor="rita", now=NOW)
    with pytest.raises(AdmissionError, match="is blocked: copies"):
        admit(enrolment)
    lift_block(worker=enrolment.worker, reason="an error", actor="rita", now=NOW)
    judge(enrolment, Verdict.DECLINE)
    with pytest.raises(AdmissionError, match="was declined in Training 1"):
        admit(enrolment)
    judge(enrolment)
    Enrolment.objects.update(state="withdrawn")
    with pytest.raises(AdmissionError, match="was withdrawn from Training 1"):
        admit(enrolment)
    assert pools(enrolment) == []
    Enrolment.objects.update(state="passed")
    assert admit(enrolment)


def test_workers_whom_a_later_round_declined_are_not_offered_for_admission(client):
    enrolment = make_evaluated()
    judge(enrolment)
    first, project = enrolment.round, enrolment.round.project
    client.force_login(make_user("tina", project, MemberRole.TRAINER))
    url = reverse("qualification:round", args=[project.slug, first.pk])
    assert "1 worker passed and is not in the pool yet." in client.get(url).text
    Enrolment.objects.exclude(round=first).update(state="declined")
    assert "not in the pool yet" not in client.get(url).text


def test_withdrawn_qualification_is_granted_again_only_on_request():
    enrolment = make_passed(opens_pool=True)
    project, worker = enrolment.round.project, enrolment.worker
    withdraw_worker(project=project, worker=worker, reason="too slow", actor="rita", now=NOW)
    with pytest.raises(AdmissionError, match="was withdrawn"):
        admit(enrolment)
    assert admit(enrolment, again=True)
    assert pools(enrolment) == POOL


def test_round_added_later_invites_those_who_passed_and_have_no_tasks():
    enrolment = make_passed()
    project = enrolment.round.project
    later = plan(project, "Training 2", entry="passed")
    second = add_following_round(project=project, plan=later, actor="rita", now=LATER)
    assert [(row.worker, row.state) for row in second.enrolments.all()] == [
        (enrolment.worker, "invited")
    ]
    assert Message.objects.latest("pk").text == (
        "The next round, “Training 2”, will be available to you soon."
    )
    assert invite_passed(round=second, actor="rita", now=LATER) == []
    assert Message.objects.count() == 2


@pytest.mark.parametrize(("opens_pool", "entry"), [(True, "passed"), (False, "invited")])
def test_round_added_later_invites_neither_the_pool_nor_against_its_entry(opens_pool, entry):
    enrolment = make_passed(opens_pool=opens_pool)
    project = enrolment.round.project
    later = plan(project, "Training 2", entry=entry)
    second = add_following_round(project=project, plan=later, actor="rita", now=LATER)
    assert not second.enrolments.exists()


def test_withdrawn_worker_can_repeat_the_round():
    training_round, worker = make_rounds()[0], make_worker()
    work_through(open_round(training_round, [worker]), worker)
    enrolment = Enrolment.objects.get()
    judge(enrolment, Verdict.WITHDRAW)
    judge(enrolment, Verdict.REPEAT)
    work_through(publish_round(round=training_round, actor="tina", now=LATER), worker, EXPERT)
    enrolment.refresh_from_db()
    assert enrolment.state == "to-decide"


def test_standings_need_four_queries_for_any_number_of_workers(django_assert_num_queries):
    enrolment = make_passed()
    project = enrolment.round.project
    others = [make_worker() for _ in range(5)]
    invite_workers(round=enrolment.round, workers=others, actor="rita", now=NOW)
    workers = [enrolment.worker_id, *(worker.pk for worker in others)]
    with django_assert_num_queries(4):
        standings = standings_of(project=project, role="generator", workers=workers)
    assert [standing.is_member for standing in standings.values()] == [False] * 6


def test_round_page_admits_those_who_passed_after_a_confirmation(client):
    enrolment = make_passed()
    client.force_login(make_user("tina", enrolment.round.project, "trainer"))
    page = address("round", enrolment, enrolment.round_id)
    shown = client.get(page).content.decode()
    assert "1 worker passed and is not in the pool yet." in shown
    assert "Training 1 does not admit to production, and no round follows." in shown
    trainee = address("trainee", enrolment, enrolment.round_id, enrolment.worker.pseudonym)
    assert "Not in the pool of generators yet." in client.get(trainee).content.decode()
    target = address("admit", enrolment, enrolment.round_id)
    assert "Admit 1 worker to the pool?" in client.post(target).content.decode()
    assert pools(enrolment) == []
    done = client.post(target, {"confirmed": "yes"}, follow=True).content.decode()
    assert "1 worker admitted to the pool." in done
    assert "not in the pool yet" not in done
    assert pools(enrolment) == ["consolidator", "generator", "validator"]


def test_worker_and_pool_pages_admit_a_worker_after_a_confirmation(client):
    enrolment = make_passed()
    client.force_login(make_user("tina", enrolment.round.project, "trainer"))
    name = enrolment.worker.pseudonym
    for page in (address("worker", enrolment, name), address("pool", enrolment)):
        assert "Admit to the pool …" in client.get(page).content.decode()
    target = address("admit_to_pool", enrolment, name)
    assert client.post(target, {"role": "king"}).status_code == 404
    form = {"role": "generator"}
    assert f"Admit {name} to the pool of generators?" in client.post(target, form).content.decode()
    confirmed = {**form, "confirmed": "yes"}
    done = client.post(target, confirmed, follow=True).content.decode()
    assert f"{name} is in the pool." in done
    assert "In the pool of generators." in done
    assert "is in the pool already" in client.post(target, confirmed, follow=True).content.decode()
    assert "not in the pool" not in client.get(address("pool", enrolment)).content.decode()


@pytest.mark.parametrize("is_admitted", [False, True])
def test_publication_to_everybody_names_those_who_passed_and_are_not_admitted(client, is_admitted):
    enrolment = make_passed()
    project = enrolment.round.project
    make_item(SURVEY, IDENTIFIED, project)
    client.force_login(make_user("rita", project, "requester"))
    if is_admitted:
        admit(enrolment)
    target = reverse("annotation:publish", args=[project.slug])
    form = {"count": 1, "unpublished": 1, "pool": "anyone"}
    shown = client.post(target, form).content.decode()
    assert "Any worker can accept these HITs, although the project has training rounds." in shown
    assert ("1 worker passed but is not admitted to the pool." in shown) != is_admitted
    assert (address("pool", enrolment) in shown.partition("<main")[2]) != is_admitted
    if is_admitted:
        shown = client.post(target, {**form, "pool": "pool"}).content.decode()
        assert "although the project has training rounds" not in shown


@pytest.mark.parametrize("has_consolidators", [False, True])
def test_publication_warns_if_anyone_can_consolidate(client, has_consolidators):
    enrolment = make_passed()
    project = enrolment.round.project
    make_item(SURVEY, IDENTIFIED, project)
    client.force_login(make_user("rita", project, "requester"))
    grant_pools(
        project=project,
        worker=enrolment.worker,
        roles=["generator", "consolidator"] if has_consolidators else ["generator"],
        reason="",
        actor="rita",
        now=LATER,
    )
    form = {"count": 1, "unpublished": 1, "pool": "pool"}
    shown = client.post(reverse("annotation:publish", args=[project.slug]), form).content.decode()
    assert ("No worker is trained as a consolidator yet" in shown) != has_consolidators
    assert "Publish 1 HIT" in shown


def test_bulk_pass_names_what_follows_and_that_no_feedback_is_sent(client):
    enrolment = make_evaluated()
    Round.objects.filter(ordinal=2).delete()
    Round.objects.update(pool_roles=[])
    client.force_login(make_user("tina", enrolment.round.project, "trainer"))
    target = address("decide", enrolment, enrolment.round_id)
    shown = client.post(target, {"verdict": "pass", "enrolment": [enrolment.pk]}).content.decode()
    assert "Training 1 does not admit to production, and no round follows." in shown
    assert "No feedback is sent: 1 worker will not see theirs." in shown


def test_pass_into_nothing_is_confirmed(client):
    enrolment = make_evaluated(EXPERT)
    Round.objects.filter(ordinal=2).delete()
    Round.objects.update(pool_roles=[])
    client.force_login(make_user("tina", enrolment.round.project, "trainer"))
    target = address("confirm", enrolment, enrolment.round_id, enrolment.worker.pseudonym)
    shown = client.post(target, {"verdict": "pass", "sends": "on"}).content.decode()
    assert "Workers who pass get no further tasks until you admit them to the pool." in shown
    enrolment.refresh_from_db()
    assert enrolment.state == "to-decide"


def test_feedback_is_sent_after_a_decision_without_it(client):
    enrolment = make_passed()
    tina = make_user("tina", enrolment.round.project, "trainer")
    send_feedback(enrolment=enrolment, trainer=tina, notes=Notes("Well done.", {}), now=LATER)
    assert "Well done." not in Message.objects.order_by("pk")[0].text
    assert Message.objects.count() == 2


def test_command_warns_before_it_publishes_to_everybody(capsys):
    enrolment = make_passed()
    make_item(SURVEY, IDENTIFIED, enrolment.round.project)
    call_command("publish", enrolment.round.project.slug)
    assert "although the project has training rounds" in capsys.readouterr().err
