"""Tests that changes which affect money or people, or end or delete something, are confirmed.

Every staff route that accepts POST is in one of the lists below. A new route fails the first test
until it is added to a list.
"""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client, RequestFactory
from django.urls import URLPattern, get_resolver, reverse

from audit.models import StateChange
from marketplace.domain.access_keys import open_account
from marketplace.models import LedgerEntry, WorkerAccount
from projects.enums import MemberRole
from projects.models import Invitation, Membership
from qualification.models import Cohort
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user
from tests.qualification.factories import make_evaluated, make_rounds

# Their views show the effects and change nothing until the user confirms.
CONFIRMED_ON_A_PAGE = {
    "annotation:decide_bonuses",
    "annotation:publish",
    "benchmarks:close_benchmark",
    "benchmarks:withdraw_own_entry",
    "benchmarks:withdraw_own_team",
    "consolidation:choose_queue_items",
    "consolidation:decide_session_payment",
    "consolidation:decide_submissions",
    "consolidation:manage_batch",
    "consolidation:manage_batches",
    "consolidation:reopen_item",
    "dashboard:close_payment",
    "datasets:begin_experiment",
    "model_annotators:retire_model",
    "marketplace:operator-appeal",
    "marketplace:operator-deposit",
    "marketplace:operator-record-payout",
    "marketplace:operator-withdraw-payout",
    "marketplace:operator-worker",
    "projects:invitation",
    "projects:remove_webhook",
    "projects:member",
    "qualification:admit",
    "qualification:admit_to_pool",
    "qualification:compensate",
    "qualification:confirm",
    "qualification:decide",
    "qualification:groups",
    "qualification:invite",
    "qualification:publish",
    "qualification:send_feedback",
    "qualification:withdraw",
    "qualification:withdraw_workers",
    "qualification:write",
}
# Their forms open on request and describe the effects.
OPENED_FIRST = {
    "annotation:decline_bonus",
    "annotation:overturn",
    "benchmarks:remove_entry",
    "benchmarks:remove_team",
    "consolidation:expert_state",
    "consolidation:pay_without_using",
    "consolidation:reject",
    "consolidation:withdraw_item",
    "dashboard:cancel_job",
    "dashboard:delete_dry_run",
    "marketplace:operator-erase-email",
    "marketplace:operator-revoke-key",
    "projects:revoke_token",
    "qualification:erase_worker_page",
    "qualification:refuse_request",
    "qualification:remove_round",
}
# Their buttons name the amount, or their pages have no other purpose.
NAMED_ON_THE_PAGE = {
    "annotation:accept_bonus",
    "annotation:answer_appeal",
    "annotation:pay_waiting_bonuses",
    # The page says what visitors can do then.
    "benchmarks:open_benchmark",
    "consolidation:accept",
    "consolidation:decide_session",
    "consolidation:copies",
    "consolidation:decide_flag",
    "consolidation:expert_gold",
    "consolidation:judge",
    "model_annotators:model",
    # The page says that a release stays.
    "releases:new_release",
    # The page says what becomes public.
    "releases:open_release",
    # The form with the reason is the second step.
    "releases:remove_release_comment",
    # The page has no other purpose, and a comment can be removed.
    "releases:comment",
    # The name of the dataset or release is entered.
    "releases:publish_release",
    "dashboard:archive",
    "dashboard:delete_project",
}
HARMLESS = {
    *("annotation:corpus", "annotation:corpus_preview", "annotation:corpus_sample"),
    "annotation:bonus_appeal",
    "annotation:pay",
    # Versions stay, and an earlier text can be published again.
    *("annotation:consent_and_questionnaire", "annotation:questionnaire"),
    # The terms stay within the limits that were confirmed at publication.
    "consolidation:batch",
    *("consolidation:correction_draft", "consolidation:correction_submit"),
    *("consolidation:expert_draft", "consolidation:expert_look_up", "consolidation:expert_next"),
    *("consolidation:expert_set_up", "consolidation:expert_submit"),
    *("consolidation:gold_import", "consolidation:gold_preview"),
    *("consolidation:request_review", "consolidation:draw_reviews"),
    *("consolidation:expert_correct", "consolidation:flag_item"),
    *("consolidation:import_resource", "consolidation:restore_item"),
    # Rejections can be undone, and versions before stay.
    "consolidation:decide_proposals",
    # It asks first if annotations don't fit, and the versions before stay.
    *("consolidation:save_resource", "consolidation:preview_resource"),
    # It only ends a wait of minutes.
    "consolidation:publish_study_now",
    "dashboard:unarchive",
    *("datasets:decide_match", "datasets:draw_error_sample", "datasets:export"),
    *("datasets:evaluate_systems", "datasets:judge_part", "datasets:fit_certainty"),
    # The version before stays.
    "datasets:learn_equivalence",
    # A setting. Turned off, no annotation is lost.
    "datasets:adaptive",
    *("marketplace:operator", "marketplace:operator-issue-key", "marketplace:operator-workers"),
    *(
        "marketplace:operator-profile",
        "marketplace:operator-contact",
        "marketplace:operator-consent",
        "marketplace:operator-try-again",
    ),
    *("projects:guidelines", "projects:invite", "projects:project_new", "projects:settings"),
    *("projects:mark_read", "projects:mark_all_read", "projects:notification_settings"),
    *("projects:tokens", "projects:unsubscribe"),
    # A webhook can be changed again, and an event that is sent again has the same id.
    *("projects:webhooks", "projects:webhook", "projects:test_webhook", "projects:replay_delivery"),
    "projects:check_provider",
    # It can be changed back until the first item is published.
    "dashboard:settle_step",
    "projects:protocol",
    *("projects:save_filter", "projects:delete_filter"),
    # The form with the message is the second step.
    "qualification:message_workers",
    *("qualification:edit", "qualification:evaluate", "qualification:feedback"),
    *("qualification:grant_request", "qualification:new_round", "qualification:overrule"),
    *("qualification:pool_acknowledge", "qualification:pool_write", "qualification:round_items"),
    *("qualification:second_opinion", "qualification:send_mail_again", "qualification:set_up"),
    "qualification:worker_note",
    "qualification:worker_label",
    "qualification:thread",
    "model_annotators:models",
    "rehearsal:dry_run",
    *("releases:build_release", "releases:close_release", "releases:import_release"),
    # Its author can write it again.
    "releases:remove_own_comment",
    # Items of a phase with entries can't change.
    "benchmarks:edit_benchmark",
    *("benchmarks:add_baseline", "benchmarks:benchmark_team", "benchmarks:enter"),
    "benchmarks:join_team",
    # A token can be entered again.
    *("releases:store_service_token", "releases:forget_service_token"),
}
APPS = {
    "annotation",
    "benchmarks",
    "consolidation",
    "dashboard",
    "datasets",
    "model_annotators",
    "projects",
    "qualification",
    "rehearsal",
    "releases",
}


def posted_routes() -> set[str]:
    """Return the staff's routes whose views list POST among their methods."""
    return {
        name
        for name, pattern in patterns(get_resolver().url_patterns, "")
        if is_of_staff(name, pattern) and accepts_post(pattern)
    }


def patterns(rows, namespace):
    for row in rows:
        if isinstance(row, URLPattern):
            yield f"{namespace}{row.name}", row
        else:
            inner = f"{namespace}{row.namespace}:" if row.namespace else namespace
            yield from patterns(row.url_patterns, inner)


def is_of_staff(name: str, pattern: URLPattern) -> bool:
    if name in {"marketplace:operator-login", "marketplace:operator-logout"}:
        return False
    is_page = name.partition(":")[0] in APPS and hasattr(pattern.callback, "rule")
    return is_page or name.startswith("marketplace:operator")


def accepts_post(pattern: URLPattern) -> bool:
    """Request the methods of a view, which every view checks first."""
    arguments = dict.fromkeys(pattern.pattern.converters, "1")
    response = pattern.callback(RequestFactory().put("/"), **arguments)
    assert response.status_code == 405, pattern.name
    # Script endpoints answer in JSON without the header, and accept only POST.
    return "POST" in response.headers.get("Allow", "POST")


def test_every_route_is_in_one_list():
    lists = [CONFIRMED_ON_A_PAGE, OPENED_FIRST, NAMED_ON_THE_PAGE, HARMLESS]
    assert posted_routes() == set().union(*lists)
    assert sum(map(len, lists)) == len(posted_routes())


@pytest.mark.parametrize("route", sorted(OPENED_FIRST))
def test_form_opens_first_and_has_a_sentence(route):
    """The form is in a `details` element with a summary and an explanation."""
    forms = 0
    for path in Path(settings.BASE_DIR / "templates").rglob("*.html"):
        text = path.read_text()
        for match in re.finditer(rf"action=\"{{% url '{route}'", text):
            forms += 1
            before = text[: match.start()]
            fold = before.rfind("<details")
            assert fold > before.rfind("</details>"), path
            inside = text[fold : text.index("</details>", match.start())]
            assert "<summary>" in inside
            assert re.search(r"<p[ >]|class=\"hint\"", inside), path
            assert 'class="danger"' in inside or route == "annotation:overturn", path
    assert forms


def confirmation_page(client: Client, url: str, **data: object) -> str:
    """Return the confirmation page, which must not change any state."""
    before = StateChange.objects.count()
    page = client.post(url, data).content.decode()
    assert StateChange.objects.count() == before
    assert 'name="confirmed" value="yes"' in page
    return page


def test_member_is_removed_after_a_confirmation(project, campaign):
    client = Client()
    client.force_login(make_user("ada", project, MemberRole.ADMIN))
    ben = make_user("ben", project, MemberRole.TRAINER, MemberRole.EXPERT)
    url = reverse("projects:member", args=[project.slug, ben.pk])
    page = confirmation_page(client, url, remove="1")
    assert "Remove ben from Project demo?" in page
    assert "ben loses the roles expert, trainer." in page
    assert "ben loses the role trainer." in confirmation_page(client, url, roles=["expert"])
    client.post(url, {"remove": "1", "confirmed": "yes"})
    assert not Membership.objects.filter(user=ben).exists()


def test_added_role_needs_no_confirmation(project):
    client = Client()
    client.force_login(make_user("ada", project, MemberRole.ADMIN))
    ben = make_user("ben", project, MemberRole.TRAINER)
    url = reverse("projects:member", args=[project.slug, ben.pk])
    client.post(url, {"roles": ["trainer", "expert"]})
    assert Membership.objects.filter(user=ben).count() == 2


def test_invitation_is_withdrawn_after_a_confirmation(project):
    client = Client()
    client.force_login(make_user("ada", project, MemberRole.ADMIN))
    client.post(
        reverse("projects:invite", args=[project.slug]), {"email": "t@x.example", "role": "expert"}
    )
    invitation = Invitation.objects.get()
    url = reverse("projects:invitation", args=[project.slug, invitation.pk])
    assert "t@x.example" in confirmation_page(client, url, withdraw="1")
    client.post(url, {"withdraw": "1", "confirmed": "yes"})
    invitation.refresh_from_db()
    assert invitation.withdrawn_at


def test_open_round_shows_its_cost_before_publication(db):
    round = make_rounds()[0]
    round.entry = "open"
    round.save()
    client = Client()
    client.force_login(make_user("rita", round.project, MemberRole.REQUESTER))
    url = reverse("qualification:publish", args=[round.project.slug, round.pk])
    page = confirmation_page(client, url, slots="3")
    assert "2 HITs, for 3 workers." in page
    assert re.search(r"Up to \$\d+\.\d\d is reserved", page)
    assert 'name="slots" value="3"' in page
    client.post(url, {"slots": "3", "confirmed": "yes"})
    assert Cohort.objects.get().places == 3


def test_decline_needs_confirmation_even_with_feedback(db):
    enrolment = make_evaluated()
    client = Client()
    client.force_login(make_user("tom", enrolment.round.project, MemberRole.TRAINER))
    worker = enrolment.worker.pseudonym
    url = reverse(
        "qualification:confirm", args=[enrolment.round.project.slug, enrolment.round_id, worker]
    )
    page = client.post(url, {"verdict": "decline", "sends": "on"}).content.decode()
    assert "qualifications for the round are withdrawn" in page
    enrolment.refresh_from_db()
    assert enrolment.state == "to-decide"


@pytest.fixture
def operator(db, django_user_model) -> Client:
    client = Client()
    client.force_login(django_user_model.objects.create_superuser("root", password="pw"))
    return client


def test_operator_confirms_a_deposit(operator):
    account = open_account(name="Lab", email="lab@x.example", balance_cents=1000, now=NOW)
    url = reverse("marketplace:operator-deposit", args=[account.code])
    entries = LedgerEntry.objects.count()
    assert "The balance of Lab shrinks by $2.50." in confirmation_page(
        operator, url, amount="-2.50", note="x"
    )
    assert LedgerEntry.objects.count() == entries
    operator.post(url, {"amount": "-2.50", "note": "x", "confirmed": "yes"})
    account.refresh_from_db()
    assert account.available_cents == 750


def test_operator_confirms_the_end_of_an_account(operator):
    worker = WorkerAccount.objects.create(code="A1", username="wanda", email="", country="US")
    url = reverse("marketplace:operator-worker", args=[worker.code])
    assert "wanda is signed out everywhere" in confirmation_page(operator, url, country="US")
    worker.refresh_from_db()
    assert worker.active
