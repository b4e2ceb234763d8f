"""Tests of a user's API tokens, which are shown once and can be revoked, and of the API page."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from audit.models import StateChange
from projects.domain.api_tokens import find_token, issue_token, revoke_token
from projects.enums import MemberRole
from projects.models import ApiToken
from tests.dashboard.campaign import make_project, make_user

URL = "/account/tokens/"
FORM = {"name": "nightly", "scopes": ["read", "export"], "reach": "all", "days": "90"}


def shown_secret(response) -> str:
    [secret] = re.findall(
        r'id="secret"\s+type="text"\s+value="(ts_[\w-]{43})"', response.content.decode()
    )
    return secret


def status_with(secret: str, url="/api/v1/projects/") -> int:
    return Client(headers={"Authorization": f"Bearer {secret}"}).get(url).status_code


def test_token_is_shown_once_and_stored_as_a_digest(office, requester):
    response = office.post(URL, FORM)
    assert response.status_code == 200
    assert "no-store" in response.headers["Cache-Control"]
    secret = shown_secret(response)
    assert status_with(secret) == 200
    later = office.get(URL).content.decode()
    assert secret not in later
    token = ApiToken.objects.get()
    assert token.beginning in later
    assert secret not in str(ApiToken.objects.values())
    assert (token.user, token.scopes) == (requester, ["read", "export"])
    assert token.expires_at - token.created_at == timedelta(days=90)
    [logged] = StateChange.objects.filter(aggregate="projects.ApiToken")
    assert (logged.object_id, logged.actor, logged.new) == (token.pk, "rita", "live")
    assert secret not in logged.reason


def test_revoked_token_is_refused(office):
    secret = shown_secret(office.post(URL, FORM))
    token = ApiToken.objects.get()
    page = office.post(reverse("projects:revoke_token", args=[token.pk]), follow=True)
    assert b"was revoked" in page.content
    assert status_with(secret) == 401
    logged = StateChange.objects.filter(aggregate="projects.ApiToken").order_by("pk")
    assert [(change.old, change.new) for change in logged] == [("", "live"), ("live", "revoked")]
    office.post(reverse("projects:revoke_token", args=[token.pk]))
    assert logged.count() == 2


def test_token_is_limited_to_selected_projects(office, project):
    form = {**FORM, "reach": "some", "projects": [project.pk]}
    secret = shown_secret(office.post(URL, form))
    assert status_with(secret, "/api/v1/projects/demo/") == 200
    assert list(ApiToken.objects.get().projects.all()) == [project]


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""},
        {"name": "x" * 61},
        {"scopes": []},
        {"scopes": ["everything"]},
        {"reach": "some"},
        {"reach": "some", "projects": ["foreign"]},
        {"reach": "some", "projects": ["none"]},
        {"days": "100000"},
        {"days": "-1"},
    ],
)
def test_invalid_input_creates_no_token(office, change):
    foreign = make_project("other")
    named = {"foreign": str(foreign.pk), "none": "x"}
    form = {**FORM, **change}
    form["projects"] = [named[name] for name in form.get("projects", [])]
    response = office.post(URL, form)
    assert response.status_code == 422
    assert b"errorlist" in response.content
    assert ApiToken.objects.count() == 0


def test_token_of_another_user_can_not_be_seen_or_revoked(office, project):
    other = make_user("olga", project, MemberRole.ADMIN)
    token, _ = issue_token(
        user=other, name="hers", scopes=["read"], projects=None, expires_at=None, now=timezone.now()
    )
    assert b"hers" not in office.get(URL).content
    response = office.post(reverse("projects:revoke_token", args=[token.pk]))
    assert response.status_code == 404
    token.refresh_from_db()
    assert token.revoked_at is None


def test_expired_token_and_token_of_an_inactive_user_are_refused(requester):
    now = timezone.now()
    token, secret = issue_token(
        user=requester,
        name="short",
        scopes=["read"],
        projects=None,
        expires_at=now + timedelta(hours=1),
        now=now,
    )
    assert find_token(secret=secret, now=now) == token
    assert find_token(secret=secret, now=now + timedelta(hours=1)) is None
    requester.is_active = False
    requester.save()
    assert find_token(secret=secret, now=now) is None


def test_last_use_is_stored_to_the_minute(requester):
    now = timezone.now()
    token, secret = issue_token(
        user=requester, name="t", scopes=["read"], projects=None, expires_at=None, now=now
    )
    for seconds, noted in ((0, 0), (59, 0), (61, 61)):
        find_token(secret=secret, now=now + timedelta(seconds=seconds))
        token.refresh_from_db()
        assert token.last_used_at == now + timedelta(seconds=noted)


def test_administrator_revokes_the_token_of_an_inactive_user(office, admin_client):
    secret = shown_secret(office.post(URL, FORM))
    token = ApiToken.objects.get()
    page = admin_client.get("/admin/projects/apitoken/")
    assert token.digest not in page.content.decode()
    chosen = {"action": "revoke", "_selected_action": [token.pk]}
    admin_client.post("/admin/projects/apitoken/", chosen)
    assert status_with(secret) == 401
    logged = StateChange.objects.filter(aggregate="projects.ApiToken").latest("pk")
    assert (logged.new, logged.actor) == ("revoked", "admin")


def test_unknown_scope_is_refused(requester):
    with pytest.raises(ValueError, match="everything"):
        issue_token(
            user=requester,
            name="t",
            scopes=["everything"],
            projects=None,
            expires_at=None,
            now=timezone.now(),
        )


def test_revoking_twice_logs_once(requester):
    now = timezone.now()
    token, _ = issue_token(
        user=requester, name="t", scopes=["read"], projects=None, expires_at=None, now=now
    )
    revoke_token(token=token, actor="rita", now=now)
    revoke_token(token=token, actor="rita", now=now + timedelta(days=1))
    token.refresh_from_db()
    assert token.revoked_at == now


def test_page_queries_do_not_grow_with_the_tokens(office, requester, django_assert_num_queries):
    for number in range(3):
        issue_token(
            user=requester,
            name=str(number),
            scopes=["read"],
            projects=[make_project(f"p{number}")],
            expires_at=None,
            now=timezone.now(),
        )
    with django_assert_num_queries(7):
        office.get(URL)
    for number in range(3, 30):
        issue_token(
            user=requester,
            name=str(number),
            scopes=["read"],
            projects=None,
            expires_at=None,
            now=timezone.now(),
        )
    with django_assert_num_queries(7):
        office.get(URL)
