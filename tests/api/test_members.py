"""Members and invitations by API."""

import json
from uuid import uuid4

import pytest
from django.core import mail
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from audit.models import StateChange
from projects.enums import MemberRole, TokenScope
from projects.models import Invitation
from tests.api.conftest import calling
from tests.dashboard.campaign import make_project, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(project):
    return make_user("ada", project, MemberRole.ADMIN)


@pytest.fixture
def api(admin):
    return calling(admin)


def url(name, *arguments):
    return reverse(f"api:{name}", args=["demo", *arguments])


def send(api, name, *arguments, body=None, method="POST", **headers):
    data, headers = json.dumps(body or {}), {"Idempotency-Key": str(uuid4()), **headers}
    address = url(name, *arguments)
    return api.generic(method, address, data, content_type="application/json", headers=headers)


def roles_of(user) -> set[str]:
    return set(user.memberships.values_list("role", flat=True))


def errors_of(response) -> list[tuple[str, str | None]]:
    return [(error["code"], error["attr"]) for error in response.json()["errors"]]


def test_roles_are_replaced(api, admin, project):
    other = make_user("otto", project, MemberRole.TRAINER)
    rows = api.get(url("members")).json()["results"]
    assert [(row["username"], row["roles"]) for row in rows] == [
        ("ada", ["admin"]),
        ("otto", ["trainer"]),
    ]
    body = {"roles": ["requester", "expert"]}
    changed = send(api, "member", other.pk, body=body, method="PATCH").json()
    assert changed == api.get(url("member", other.pk)).json()
    assert (changed["id"], changed["roles"]) == (other.pk, ["expert", "requester"])
    assert roles_of(other) == set(body["roles"])
    actors = {change.actor for change in StateChange.objects.filter(reason="member otto")}
    assert len(actors) == 1
    assert actors.pop().startswith("ada by token ts_")


def test_removed_member_loses_the_project_with_all_tokens(api, project):
    other = make_user("otto", project, MemberRole.REQUESTER)
    theirs = calling(other)
    assert theirs.get(url("project")).status_code == 200
    assert send(api, "remove_member", other.pk).json()["roles"] == ["requester"]
    assert theirs.get(url("project")).status_code == 404
    assert send(api, "remove_member", other.pk).status_code == 404


def test_project_keeps_its_last_admin(api, admin):
    for name, body, method in (
        ("member", {"roles": ["expert"]}, "PATCH"),
        ("remove_member", {}, "POST"),
    ):
        response = send(api, name, admin.pk, body=body, method=method)
        assert (response.status_code, errors_of(response)) == (409, [("invalid_state", None)])
    assert roles_of(admin) == {"admin"}


def test_change_of_a_changed_member_is_refused(api, project):
    other = make_user("otto", project, MemberRole.TRAINER)
    tag = api.get(url("member", other.pk)).headers["ETag"]
    first = send(
        api, "member", other.pk, body={"roles": ["expert"]}, method="PATCH", **{"If-Match": tag}
    )
    second = send(api, "remove_member", other.pk, **{"If-Match": tag})
    assert (first.status_code, second.status_code) == (200, 412)
    assert roles_of(other) == {"expert"}


def test_person_without_an_account_is_invited(
    api, project, settings, django_capture_on_commit_callbacks
):
    settings.MAIL_IS_ON = True
    body = {"email": "new@example.org", "role": "trainer"}
    with django_capture_on_commit_callbacks(execute=True):
        response = send(api, "invitations", body=body)
    assert response.status_code == 201
    invited = response.json()
    assert invited["member"] is None
    assert "link" not in invited["invitation"]
    assert [message.to for message in mail.outbox] == [["new@example.org"]]
    whole = api.get(response.headers["Location"]).json()
    assert whole["link"] in mail.outbox[0].body
    assert whole["sent_at"]
    [listed] = api.get(url("invitations")).json()["results"]
    assert {**listed, "link": whole["link"]} == whole
    assert send(api, "withdraw_invitation", whole["id"]).status_code == 200
    assert api.get(url("invitations")).json()["results"] == []
    assert send(api, "withdraw_invitation", whole["id"]).status_code == 404
    assert Invitation.objects.get().withdrawn_at


def test_account_with_the_address_gets_the_role(api, project):
    user = make_user("nina")
    user.email = "nina@example.org"
    user.save()
    response = send(api, "invitations", body={"email": "NINA@example.org", "role": "expert"})
    assert response.status_code == 201
    assert response.json()["member"] == api.get(response.headers["Location"]).json()
    assert roles_of(user) == {"expert"}
    assert not Invitation.objects.exists()


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"email": "nobody", "role": "expert"}, ("invalid", "email")),
        ({"email": "a@example.org", "role": "owner"}, ("invalid_choice", "role")),
        ({"email": "a@example.org", "roles": ["expert"]}, ("unknown_field", "roles")),
    ],
)
def test_unclear_invitations_are_refused(api, body, error):
    assert error in errors_of(send(api, "invitations", body=body))
    assert not Invitation.objects.exists()


def test_member_has_at_least_one_role(api, project):
    other = make_user("otto", project, MemberRole.TRAINER)
    response = send(api, "member", other.pk, body={"roles": []}, method="PATCH")
    assert errors_of(response) == [("min_length", "roles")]
    assert roles_of(other) == {"trainer"}


@pytest.mark.parametrize("role", [role for role in MemberRole if role != MemberRole.ADMIN])
def test_token_grants_nothing_that_its_owner_may_not(role, project, admin):
    """Nobody becomes admin by a token of another role, not even its owner."""
    owner = make_user("kim", project, role)
    api = calling(owner)
    for name, arguments, body, method in (
        ("member", [owner.pk], {"roles": ["admin"]}, "PATCH"),
        ("invitations", [], {"email": "a@example.org", "role": "admin"}, "POST"),
        ("remove_member", [admin.pk], {}, "POST"),
    ):
        assert send(api, name, *arguments, body=body, method=method).status_code == 403
    assert (roles_of(owner), roles_of(admin)) == ({role}, {"admin"})
    assert not Invitation.objects.exists()


def test_members_need_their_scope(admin):
    others = [scope for scope in TokenScope if scope != TokenScope.MEMBERS]
    api = calling(admin, scopes=others)
    assert errors_of(api.get(url("members"))) == [("insufficient_scope", None)]
    response = send(api, "invitations", body={"email": "a@example.org", "role": "admin"})
    assert errors_of(response) == [("insufficient_scope", None)]


def test_members_of_other_projects_are_not_found(api):
    stranger = make_user("sam", make_project("other"), MemberRole.ADMIN)
    assert api.get(url("member", stranger.pk)).status_code == 404
    assert send(api, "remove_member", stranger.pk).status_code == 404


def test_queries_do_not_depend_on_the_number_of_members(api, project):
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert api.get(url("members")).status_code == 200
        return len(captured)

    queries()
    few = queries()
    for number in range(20):
        make_user(f"user{number}", project, MemberRole.EXPERT, MemberRole.TRAINER)
    assert queries() == few
