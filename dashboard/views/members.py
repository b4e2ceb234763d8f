"""Who works on a project, as what; and asking more people in."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from accounts.domain.invite import invite, send_invitation, withdraw
from accounts.forms import InviteForm, RolesForm
from annotation.domain.members import LastAdmin, set_roles
from annotation.enums import MemberRole
from annotation.models import Membership, Project
from annotation.permissions import project_page
from dashboard.pages import render_page


@require_GET
@project_page
def members(request: HttpRequest, project: Project) -> HttpResponse:
    return _page(request, project, InviteForm())


def _page(
    request: HttpRequest, project: Project, form: InviteForm, status: int = 200
) -> HttpResponse:
    own = Prefetch("memberships", Membership.objects.filter(project=project), "own_roles")
    users = get_user_model().objects.filter(memberships__project=project).distinct()
    rows = [
        {"user": user, "roles": {one.role for one in user.own_roles}}
        for user in users.order_by("username").prefetch_related(own)
    ]
    context = {
        "rows": rows,
        "roles": MemberRole.choices,
        "invitations": project.invitations.open(timezone.now()).order_by("-pk"),
        "form": form,
    }
    return render_page(request, project, "dashboard/members.html", context, status=status)


@require_POST
@project_page
def member(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Give a member exactly the roles ticked; none removes them."""
    user = get_object_or_404(
        get_user_model().objects.filter(memberships__project=project).distinct(), pk=pk
    )
    form = RolesForm(request.POST)
    if not form.is_valid():
        messages.error(request, "There is no such role.")
        return _back(project)
    roles = set() if "remove" in request.POST else set(form.cleaned_data["roles"])
    try:
        set_roles(
            project=project,
            user=user,
            roles=roles,
            actor=request.user.get_username(),
            now=timezone.now(),
        )
    except LastAdmin as refused:
        messages.error(request, str(refused))
    else:
        told = "is no longer a member" if not roles else f"is now {', '.join(sorted(roles))}"
        messages.success(request, f"{user.get_username()} {told}.")
    return _back(project)


@require_POST
@project_page
def invite_member(request: HttpRequest, project: Project) -> HttpResponseBase:
    form = InviteForm(request.POST)
    if not form.is_valid():
        return _page(request, project, form, status=422)
    now = timezone.now()
    facts: dict[str, Any] = form.cleaned_data
    asked = invite(project=project, actor=request.user.get_username(), now=now, **facts)
    if asked.member:
        messages.success(
            request, f"{asked.member.get_username()} has that address, and the role now."
        )
    elif asked.invitation and send_invitation(invitation=asked.invitation, now=now):
        messages.success(request, f"An invitation is on its way to {facts['email']}.")
    else:
        messages.error(
            request, "The invitation stands, but the mail server did not take it. Send it again."
        )
    return _back(project)


@require_POST
@project_page
def invitation(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Send an open invitation again, or withdraw it."""
    now = timezone.now()
    found = get_object_or_404(project.invitations.open(now), pk=pk)
    if "withdraw" in request.POST:
        withdraw(invitation=found, actor=request.user.get_username(), now=now)
        messages.success(request, "The invitation is withdrawn: its link works no more.")
    elif send_invitation(invitation=found, now=now):
        messages.success(request, f"It is on its way to {found.email} again.")
    else:
        messages.error(request, found.error)
    return _back(project)


def _back(project: Project) -> HttpResponseBase:
    return redirect("dashboard:members", slug=project.slug)
