"""Pages that list a project's members, change their roles and invite people."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from projects.domain.invite import invite, link_of, send_invitation, withdraw
from projects.domain.members import LastAdminError, members_of, set_roles
from projects.enums import MemberRole
from projects.forms import InviteForm, RolesForm
from projects.models import Invitation, Project
from projects.pages import ask_first, render_page
from projects.permissions import ADMINS, project_page
from web.fields import sentence_case


@require_GET
@project_page(ADMINS)
def members(request: HttpRequest, project: Project) -> HttpResponse:
    return _page(request, project, InviteForm())


def _page(
    request: HttpRequest, project: Project, form: InviteForm, status: int = 200
) -> HttpResponse:
    rows: list[dict[str, Any]] = [
        {"user": user, "roles": {membership.role for membership in user.own_roles}}  # type: ignore[attr-defined]
        for user in members_of(project=project)
    ]
    context = {
        "rows": rows,
        "roles": sentence_case(MemberRole.choices),
        "invitations": [
            (invitation, link_of(invitation))
            for invitation in project.invitations.open(timezone.now()).order_by("-pk")
        ],
        "mail_is_on": settings.MAIL_IS_ON,
        "form": form,
    }
    return render_page(request, project, "projects/members.html", context, status=status)


@require_POST
@project_page(ADMINS)
def member(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Replace a member's roles with those selected, or remove the member."""
    user = get_object_or_404(members_of(project=project), pk=pk)
    form = RolesForm(request.POST)
    if not form.is_valid():
        messages.error(request, "This role does not exist.")
        return _back(project)
    roles = set() if "remove" in request.POST else set(form.cleaned_data["roles"])
    if confirmation := _ask_before_removal(request, project, user, roles):
        return confirmation
    try:
        set_roles(
            project=project,
            user=user,
            roles=roles,
            actor=request.user.get_username(),
            now=timezone.now(),
        )
    except LastAdminError as refused:
        messages.error(request, str(refused))
    else:
        change = "is no longer a member" if not roles else f"is now {', '.join(sorted(roles))}"
        messages.success(request, f"{user.get_username()} {change}.")
    return _back(project)


def _ask_before_removal(
    request: HttpRequest, project: Project, user: User, roles: set[str]
) -> HttpResponse | None:
    """Return a page to confirm that the user loses roles, or None."""
    own = set(project.memberships.filter(user=user).values_list("role", flat=True))
    lost, name = sorted(own - roles), user.get_username()
    if not lost:
        return None
    labels = ", ".join(MemberRole(role).label for role in lost)
    return ask_first(
        request,
        project,
        title=f"Change the roles of {name}?" if roles else f"Remove {name} from {project.title}?",
        consequences=[
            f"{name} loses {'the role' if len(lost) == 1 else 'the roles'} {labels}.",
            f"{name} stays a member with fewer pages."
            if roles
            else f"{name} can no longer open the project, not even with API tokens.",
            "Annotations, reviews and feedback that they wrote are kept.",
        ],
        button=f"Change roles of {name}" if roles else f"Remove {name}",
        back=reverse("projects:members", args=[project.slug]),
    )


@require_POST
@project_page(ADMINS)
def invite_member(request: HttpRequest, project: Project) -> HttpResponseBase:
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _page(request, project, form, status=422)
    now = timezone.now()
    data: dict[str, Any] = form.cleaned_data
    invited = invite(project=project, actor=request.user.get_username(), now=now, **data)
    if not isinstance(invited, Invitation):
        messages.success(
            request, f"{invited.get_username()} has this address and now has the role."
        )
    elif send_invitation(invitation=invited, now=now):
        messages.success(request, f"Invitation sent to {data['email']}.")
    elif settings.MAIL_IS_ON:
        messages.error(
            request,
            "The invitation was created, but the mail server refused it. Send it again, or copy its "
            "link.",
        )
    else:
        messages.warning(
            request,
            f"The invitation was created, but this site sends no email. Copy its link below, and send it "
            f"to {data['email']}.",
        )
    return _back(project)


@require_POST
@project_page(ADMINS)
def invitation(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Send an open invitation again, or withdraw it."""
    now = timezone.now()
    invitation = get_object_or_404(project.invitations.open(now), pk=pk)
    if "withdraw" in request.POST:
        if confirmation := ask_first(
            request,
            project,
            title=f"Withdraw the invitation of {invitation.email}?",
            consequences=[
                f"The link that was sent to {invitation.email} stops working.",
                "No message is sent.",
            ],
            button="Withdraw invitation",
            back=reverse("projects:members", args=[project.slug]),
        ):
            return confirmation
        withdraw(invitation=invitation, actor=request.user.get_username(), now=now)
        messages.success(request, "The invitation was withdrawn. Its link no longer works.")
    elif send_invitation(invitation=invitation, now=now):
        messages.success(request, f"Invitation sent again to {invitation.email}.")
    else:
        messages.error(request, invitation.error or "This site sends no email. Copy the link.")
    return _back(project)


def _back(project: Project) -> HttpResponseBase:
    return redirect("projects:members", slug=project.slug)
