"""Permission rules of the staff pages and of the API.

Each page declares its rule in its decorator, and each API endpoint in its `rules` attribute. The
tests walk every route against every role. A route without a rule fails them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache, wraps
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect, resolve_url
from django.urls import URLPattern, get_resolver
from django_htmx.http import HttpResponseClientRedirect

from projects.domain.queries import projects_of, roles_in
from projects.enums import MemberRole, TokenScope
from projects.models import Membership, Project

View = Callable[..., HttpResponseBase]
User = AbstractBaseUser | AnonymousUser


class Access(Enum):
    """Rules of pages and endpoints that belong to no project."""

    PUBLIC = "anyone"
    SIGNED_IN = "signed-in users"
    CAN_CREATE_PROJECTS = "users with the permission to add projects"
    SUPERUSERS = "superusers"


MEMBERS = frozenset(MemberRole)
ADMINS = frozenset({MemberRole.ADMIN})
STAFF = frozenset({MemberRole.ADMIN, MemberRole.REQUESTER})
# Experts judge blind, so they can't open pages that reveal a worker's identity.
REVIEWERS = frozenset({MemberRole.ADMIN, MemberRole.EXPERT})
CAN_SEE_WORKERS = STAFF | {MemberRole.TRAINER}

Rule = Access | frozenset[MemberRole]


@dataclass(frozen=True, slots=True)
class ApiRule:
    """The users that may call an endpoint, and the scope that a token needs."""

    rule: Rule
    scope: TokenScope = TokenScope.READ


def read(rule: Rule, scope: TokenScope = TokenScope.READ) -> dict[str, ApiRule]:
    """Return the rule of an endpoint's GET method."""
    return {"GET": ApiRule(rule, scope)}


def post(rule: Rule, scope: TokenScope) -> dict[str, ApiRule]:
    """Return the rule of an endpoint's POST method."""
    return {"POST": ApiRule(rule, scope)}


def patch(rule: Rule, scope: TokenScope) -> dict[str, ApiRule]:
    """Return the rule of an endpoint's PATCH method."""
    return {"PATCH": ApiRule(rule, scope)}


def permits(rule: Rule, roles: frozenset[str]) -> bool:
    """Return True if a member with these roles may open a project's page."""
    return not isinstance(rule, Access) and bool(rule & roles)


def public_page(view: View) -> View:
    """Declare a page that anyone may open."""
    view.rule = Access.PUBLIC  # type: ignore[attr-defined]
    return view


def signed_in_page(view: View) -> View:
    """Declare a page that any signed-in user may open."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _redirect_to_login(request)
        return view(request, *args, **kwargs)

    guarded.rule = Access.SIGNED_IN  # type: ignore[attr-defined]
    return guarded


def project_creator_page(view: View) -> View:
    """Declare a page for users who may create projects."""

    @signed_in_page
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not can_create_projects(request.user):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    guarded.rule = Access.CAN_CREATE_PROJECTS  # type: ignore[attr-defined]
    return guarded


def can_create_projects(user: User) -> bool:
    return bool(user.has_perm("projects.add_project"))  # type: ignore[union-attr]


def project_page(
    rule: frozenset[MemberRole], *, changes_archived: bool = False
) -> Callable[[View], View]:
    """Declare a project's page. It is a 404 to non-members, and a 403 to members outside `rule`.

    Archived projects can only be read, except by pages with `changes_archived`.
    """

    def decorate(view: View) -> View:
        @signed_in_page
        @wraps(view)
        def guarded(request: HttpRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
            project = projects_of(user=request.user).filter(slug=slug).first()
            if project is None:
                raise Http404(f"no project {slug}")
            roles = roles_in(project=project, user=request.user)
            if not permits(rule, roles):
                raise PermissionDenied
            request.project_roles = roles  # type: ignore[attr-defined]
            is_change = request.method not in ("GET", "HEAD", "OPTIONS")
            if project.archived_at and is_change and not changes_archived:
                return _refuse_change(request, project)
            return view(request, project, *args, **kwargs)

        guarded.rule = rule  # type: ignore[attr-defined]
        return guarded

    return decorate


def _refuse_change(request: HttpRequest, project: Project) -> HttpResponseBase:
    text = "The project is archived, so nothing was changed. An admin can unarchive it."
    messages.error(request, text)
    overview = resolve_url("dashboard:project", slug=project.slug)
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponseClientRedirect(overview)
    return redirect(overview)


def _redirect_to_login(request: HttpRequest) -> HttpResponseBase:
    if request.htmx:  # type: ignore[attr-defined]  # redirect the page, not the fragment
        return HttpResponseClientRedirect(resolve_url(settings.LOGIN_URL))
    return redirect_to_login(request.get_full_path())


@cache
def page_rules() -> Mapping[str, Rule]:
    """Return the rule of every page that declares one, by view name."""
    return {
        name: pattern.callback.rule
        for name, pattern in _patterns(get_resolver().url_patterns, "")
        if hasattr(pattern.callback, "rule")
    }


def _patterns(patterns: Any, namespace: str) -> Iterator[tuple[str, URLPattern]]:
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield f"{namespace}{pattern.name}", pattern
        else:
            inner = f"{namespace}{pattern.namespace}:" if pattern.namespace else namespace
            yield from _patterns(pattern.url_patterns, inner)


def pages_open_to(user: User, project: Project) -> frozenset[str]:
    """Return the view names of the project's pages that the user may open."""
    return pages_open_with(roles_in(project=project, user=user))


def pages_open_with(roles: frozenset[str]) -> frozenset[str]:
    """Return the view names of a project's pages that a member with these roles may open."""
    return frozenset(name for name, rule in page_rules().items() if permits(rule, roles))


def projects_open_to(user: User, page: str) -> QuerySet[Project]:
    """Return the projects in which the user may open the page of this view name."""
    projects, rule = projects_of(user=user), page_rules()[page]
    if getattr(user, "is_superuser", False):
        return projects
    roles = () if isinstance(rule, Access) else rule
    memberships = Membership.objects.filter(project=OuterRef("pk"), user=user.pk, role__in=roles)
    return projects.filter(Exists(memberships))
