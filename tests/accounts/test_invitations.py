"""Tests of invitations, whose links work once, for a week, and grant one role in one project."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from audit.models import StateChange
from projects.domain.invite import accept
from projects.domain.members import LastAdminError, set_roles
from projects.domain.new_user import UsernameTakenError
from projects.enums import MemberRole
from projects.models import Invitation, Membership
from tests.dashboard.campaign import make_project, make_user

MEMBERS = "/projects/demo/members/"
ACCOUNT = {
    "username": "tom",
    "password1": "correct horse battery",
    "password2": "correct horse battery",
}


@pytest.fixture(autouse=True)
def _mail(settings):
    """Let the site send email."""
    settings.MAIL_IS_ON = True


def invite(client: Client, email: str = "tom@touchstone.example", role: str = "trainer") -> str:
    """Invite an address. Return the path of the link in the email."""
    assert client.post(f"{MEMBERS}invite/", {"email": email, "role": role}).status_code == 302
    return "/" + re.search(r"http\S+/invitations/\S+", mail.outbox[-1].body)[0].split("/", 3)[3]


def roles(name: str) -> set[str]:
    return set(Membership.objects.filter(user__username=name).values_list("role", flat=True))


def test_link_creates_an_account_with_the_role_and_signs_in(signed_in):
    link = invite(signed_in)
    assert mail.outbox[0].to == ["tom@touchstone.example"]
    client = Client()
    assert "Project demo" in client.get(link).content.decode()
    assert client.post(link, ACCOUNT).url == "/projects/demo/"
    assert client.get("/projects/demo/").status_code == 200
    assert roles("tom") == {"trainer"}
    user = get_user_model().objects.get(username="tom")
    assert (user.email, user.is_staff, user.is_superuser) == (
        "tom@touchstone.example",
        False,
        False,
    )
    moves = StateChange.objects.order_by("pk").values_list("old", "new", "actor")
    assert list(moves) == [
        ("none", "invited", "ada"),
        ("none", "trainer", "ada"),
        ("invited", "accepted", "tom"),
    ]


def test_invitation_is_sent_despite_a_line_break_in_the_title(signed_in, project):
    project.title = "News\r\nBcc: everybody@touchstone.example"
    project.save()
    invite(signed_in)
    assert mail.outbox[-1].subject == "Invitation to News Bcc: everybody@touchstone.example"
    assert mail.outbox[-1].recipients() == ["tom@touchstone.example"]


def test_link_works_once(signed_in):
    link = invite(signed_in)
    Client().post(link, ACCOUNT)
    assert Client().get(link).status_code == 410
    assert Client().post(link, {**ACCOUNT, "username": "tim"}).status_code == 410
    assert not get_user_model().objects.filter(username="tim").exists()


def test_link_works_for_a_week(signed_in):
    link = invite(signed_in)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert Client().post(link, ACCOUNT).status_code == 410


@pytest.mark.parametrize("at", [0, 5, -1])
def test_altered_link_is_invalid(signed_in, at):
    link = invite(signed_in).rstrip("/")
    token = link.rsplit("/", 1)[1]
    changed = list(token)
    changed[at] = "A" if changed[at] != "A" else "B"
    assert Client().get(f"/invitations/{''.join(changed)}/").status_code in (404, 410)


def test_withdrawn_link_is_invalid(signed_in):
    link = invite(signed_in)
    pk = Invitation.objects.get().pk
    signed_in.post(f"{MEMBERS}invitations/{pk}/", {"withdraw": "1", "confirmed": "yes"})
    assert Client().get(link).status_code == 410


def test_repeated_invitation_replaces_the_open_one(signed_in):
    first, second = invite(signed_in), invite(signed_in)
    assert Client().get(first).status_code == 410
    assert Client().get(second).status_code == 200


def test_weak_password_is_refused_and_the_link_stays_valid(signed_in):
    link = invite(signed_in)
    weak = {**ACCOUNT, "password1": "password", "password2": "password"}
    assert Client().post(link, weak).status_code == 422
    assert Client().post(link, {**ACCOUNT, "username": "ada"}).status_code == 422
    assert Client().post(link, ACCOUNT).status_code == 302


def test_link_stays_valid_if_the_username_was_taken_meanwhile(signed_in, project):
    link = invite(signed_in)
    invitation, now = Invitation.objects.get(), timezone.now()
    make_user("tom", project)
    with pytest.raises(UsernameTakenError):
        accept(invitation=invitation, username="tom", password="correct horse battery", now=now)
    assert Client().post(link, {**ACCOUNT, "username": "tim"}).status_code == 302
    assert roles("tim") == {"trainer"}


def test_account_with_the_address_gets_the_role_immediately(signed_in, project):
    user = make_user("tom")
    user.email = "Tom@Touchstone.example"
    user.save()
    signed_in.post(f"{MEMBERS}invite/", {"email": "tom@touchstone.example", "role": "expert"})
    assert roles("tom") == {"expert"}
    assert mail.outbox == []
    assert not Invitation.objects.exists()


def test_link_opened_by_someone_signed_in_gives_that_account_the_role(signed_in):
    link = invite(signed_in)
    make_user("zoe")
    client = Client()
    client.force_login(get_user_model().objects.get(username="zoe"))
    assert "Join as zoe" in client.get(link).content.decode()
    client.post(link)
    assert roles("zoe") == {"trainer"}
    assert Client().get(link).status_code == 410


def test_invitation_can_be_resent_after_a_mail_failure(signed_in, settings, free_port):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", free_port
    signed_in.post(f"{MEMBERS}invite/", {"email": "tom@touchstone.example", "role": "trainer"})
    page = signed_in.get(MEMBERS).content.decode()
    assert "refused it" in page
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    pk = Invitation.objects.get().pk
    signed_in.post(f"{MEMBERS}invitations/{pk}/")
    assert len(mail.outbox) == 1
    assert Invitation.objects.get().sent_at


def test_site_without_email_shows_the_link_and_does_not_claim_to_have_sent_it(signed_in, settings):
    settings.MAIL_IS_ON = False
    form = {"email": "tom@touchstone.example", "role": "trainer"}
    page = signed_in.post(f"{MEMBERS}invite/", form, follow=True).content.decode()
    assert "this site sends no email" in page
    assert "Invitation sent" not in page
    assert "Resend" not in page
    assert mail.outbox == []
    assert Invitation.objects.get().sent_at is None
    link = re.search(r'value="http[^"]+?(/invitations/[^"]+)"', page)[1]
    assert Client().post(link, ACCOUNT).url == "/projects/demo/"
    assert roles("tom") == {"trainer"}


def test_link_is_shown_beside_a_sent_invitation_too(signed_in):
    link = invite(signed_in)
    page = signed_in.get(MEMBERS).content.decode()
    assert f'{link}"' in page
    assert ">sent<" in page.replace("\n", "").replace(" ", "")


@pytest.mark.parametrize(
    "form",
    [{}, {"email": "no address", "role": "trainer"}, {"email": "a@b.example", "role": "boss"}],
)
def test_invalid_invitation_is_explained(signed_in, form):
    assert signed_in.post(f"{MEMBERS}invite/", form).status_code == 422
    assert not Invitation.objects.exists()


def test_invitation_of_another_project_is_not_found(signed_in):
    other = make_project("other")
    now = timezone.now()
    foreign = Invitation.objects.create(
        project=other, email="x@y.example", role="admin", invited_by="x", created_at=now,
        expires_at=now + timedelta(days=1),
    )  # fmt: skip
    address = f"{MEMBERS}invitations/{foreign.pk}/"
    assert signed_in.post(address, {"withdraw": "1"}).status_code == 404


# --- members --------------------------------------------------------------------------------------


def test_roles_are_changed_and_logged(signed_in, project):
    user = make_user("tom", project, MemberRole.TRAINER)
    signed_in.post(f"{MEMBERS}{user.pk}/", {"roles": ["expert", "requester"], "confirmed": "yes"})
    assert roles("tom") == {"expert", "requester"}
    moves = StateChange.objects.filter(aggregate="projects.Project", reason="member tom")
    assert set(moves.values_list("old", "new")) == {
        ("trainer", "none"),
        ("none", "expert"),
        ("none", "requester"),
    }
    signed_in.post(f"{MEMBERS}{user.pk}/", {"remove": "1", "roles": ["expert"], "confirmed": "yes"})
    assert roles("tom") == set()


def test_last_admin_can_not_be_removed(signed_in, project, admin):
    for form in ({"remove": "1"}, {"roles": ["trainer"]}):
        form["confirmed"] = "yes"
        page = signed_in.post(f"{MEMBERS}{admin.pk}/", form, follow=True).content.decode()
        assert "last admin" in page
    assert roles("ada") == {"admin"}
    second = make_user("bob", project, MemberRole.ADMIN)
    set_roles(project=project, user=admin, roles=[], actor="bob", now=timezone.now())
    assert roles("ada") == set()
    second.is_active = False
    second.save()


def test_admin_with_a_closed_account_does_not_count(project, admin):
    other = make_user("bob", project, MemberRole.ADMIN)
    other.is_active = False
    other.save()
    with pytest.raises(LastAdminError):
        set_roles(project=project, user=admin, roles=[], actor="ada", now=timezone.now())


def test_stranger_can_not_become_a_member_by_id(signed_in):
    stranger = make_user("sam")
    assert signed_in.post(f"{MEMBERS}{stranger.pk}/", {"roles": ["admin"]}).status_code == 404


def test_queries_do_not_grow_with_the_members(signed_in, project):
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert signed_in.get(MEMBERS).status_code == 200
        return len(captured)

    queries()
    few = queries()
    for number in range(20):
        make_user(f"person{number}", project, MemberRole.TRAINER, MemberRole.EXPERT)
    assert queries() == few
