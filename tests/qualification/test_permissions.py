"""Tests of every training route with every role, a stranger and an anonymous visitor."""

import pytest
from django.test import Client
from django.urls import reverse

from projects.enums import MemberRole
from projects.permissions import Access, page_rules
from qualification import urls
from tests.dashboard.campaign import make_project, make_user

pytestmark = pytest.mark.django_db
POSTED = {
    "evaluate",
    "send_mail_again",
    "pool_write",
    "pool_acknowledge",
    "set_up",
    "send_feedback",
    "admit",
    "admit_to_pool",
    "decide",
    "overrule",
    "confirm",
    "write",
    "remove_round",
    "withdraw",
    "grant_request",
    "refuse_request",
    "message_workers",
    "withdraw_workers",
}
ROUTES = [pattern.name for pattern in urls.urlpatterns]
RULES = page_rules()
WORKER_PAGES = {
    *("workers", "worker", "worker_note", "worker_label", "thread"),
    *("erase_worker_page", "compensate"),
}
GUARDED = [
    route
    for route in ROUTES
    if route not in WORKER_PAGES and RULES[f"qualification:{route}"] is not Access.PUBLIC
]


@pytest.fixture
def ask(enrolment):
    training_round = enrolment.round
    worker_path = [training_round.pk, enrolment.worker.pseudonym]
    rounds = (
        "round",
        "publish",
        "edit",
        "decide",
        "admit",
        "round_items",
        "remove_round",
        "invite",
        "differences",
        "second_opinion",
        "send_feedback",
    )
    more = dict.fromkeys(
        ("trainee", "evaluate", "overrule", "confirm", "write", "preview"), worker_path
    )
    more |= {name: [training_round.pk] for name in rounds}
    more |= {"withdraw": worker_path, "grant_request": [0], "refuse_request": [0]}
    names = "pool_worker", "pool_write", "pool_preview", "worker_agreement"
    more |= dict.fromkeys(names, worker_path[1:])
    more["admit_to_pool"] = worker_path[1:]
    more["pool_acknowledge"] = [worker_path[1], 0]
    more["send_mail_again"] = [0]

    def of(client, name):
        url = reverse(
            f"qualification:{name}", args=[training_round.project.slug, *more.get(name, [])]
        )
        return client.post(url) if name in POSTED else client.get(url)

    return of


def signed_in(user):
    client = Client()
    client.force_login(user)
    return client


def test_anonymous_visitor_is_redirected_to_sign_in(ask):
    assert {ask(Client(), name).status_code for name in GUARDED} == {302}


def test_project_is_not_found_for_a_stranger(ask):
    client = signed_in(make_user("sam", make_project("other"), *MemberRole))
    assert {ask(client, name).status_code for name in GUARDED} == {404}


@pytest.mark.parametrize("role", MemberRole)
def test_member_opens_only_pages_that_the_rules_allow(role, ask, enrolment):
    client = signed_in(make_user("kim", enrolment.round.project, role))
    for name in GUARDED:
        allowed = role in RULES[f"qualification:{name}"]
        status = ask(client, name).status_code
        # An empty decision is not found, but users without permission are refused first.
        assert status in ((200, 302, 422, 404) if allowed else (403,)), name
