"""Who may open what on the staff pages of every app: one table, one check.

A page that no rule names cannot be opened; tests/dashboard/test_permissions.py and
tests/qualification/test_permissions.py walk every route against every role. It stands below the
apps whose pages it guards, so that there can be one table.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import resolve_url
from django_htmx.http import HttpResponseClientRedirect

from annotation.domain.queries import projects_of, roles_in
from annotation.enums import MemberRole
from annotation.models import Project

View = Callable[..., HttpResponseBase]
User = AbstractBaseUser | AnonymousUser


class Access(Enum):
    """Rules of pages that belong to no project."""

    PUBLIC = "anyone"
    SIGNED_IN = "whoever has signed in"


MEMBERS = frozenset(MemberRole)
OFFICE = frozenset({MemberRole.ADMIN, MemberRole.REQUESTER})
# An expert judges blind, so pages that tell whose work it is are closed to one who is nothing else.
JUDGES = frozenset({MemberRole.ADMIN, MemberRole.EXPERT})
KNOWS_WORKERS = OFFICE | {MemberRole.TRAINER}

Rule = Access | frozenset[MemberRole]

# The name of a route -> who may open it; routes outside dashboard.urls with their namespace. A
# superuser may open everything.
RULES: Mapping[str, Rule] = {
    "login": Access.PUBLIC,
    "logout": Access.PUBLIC,
    "style": Access.PUBLIC,
    "projects": Access.SIGNED_IN,
    "project": MEMBERS,
    "items": MEMBERS,
    "item": KNOWS_WORKERS,
    "workers": KNOWS_WORKERS,
    "worker": KNOWS_WORKERS,
    "publish": OFFICE,
    "submissions": OFFICE,
    "accept": OFFICE,
    "reject": OFFICE,
    "set_aside": OFFICE,
    "costs": OFFICE,
    "cost_chart": OFFICE,
    "ledger": OFFICE,
    "ledger_csv": OFFICE,
    "exports": OFFICE,
    "export": OFFICE,
    "export_file": OFFICE,
    "jobs": OFFICE,
    "qualification:rounds": KNOWS_WORKERS,
    "qualification:set_up": OFFICE,
    "qualification:publish": OFFICE,
    "qualification:funnel_svg": KNOWS_WORKERS,
    "qualification:funnel_csv": KNOWS_WORKERS,
    "qualification:round": KNOWS_WORKERS,
    "qualification:decide": KNOWS_WORKERS,
    "qualification:trainee": KNOWS_WORKERS,
    "qualification:overrule": KNOWS_WORKERS,
    "qualification:write": KNOWS_WORKERS,
    "qualification:preview": KNOWS_WORKERS,
    "qualification:feedback": Access.PUBLIC,
    "reviews": OFFICE | JUDGES,
    "review": JUDGES,
    "judge": JUDGES,
    "agreement": OFFICE,
    "agreement_chart": OFFICE,
    "agreement_csv": OFFICE,
}


def permits(rule: Rule, roles: frozenset[str]) -> bool:
    """Whether one of a member's roles in a project satisfies a rule of its pages."""
    return not isinstance(rule, Access) and bool(rule & roles)


def pages_open_to(user: User, project: Project) -> frozenset[str]:
    """The names of the project's pages that the user may open: menus offer no others."""
    roles = roles_in(project=project, user=user)
    return frozenset(name for name, rule in RULES.items() if permits(rule, roles))


def signed_in_page(view: View) -> View:
    """A page for whoever has signed in."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _to_login(request)
        return view(request, *args, **kwargs)

    return guarded


def project_page(view: View) -> View:
    """A page of the project that its `slug` names, under the rule of its route; the view is given
    the project. To those who have no part in a project it does not exist."""

    @signed_in_page
    @wraps(view)
    def guarded(request: HttpRequest, slug: str, *args: Any, **kwargs: Any) -> HttpResponseBase:
        project = projects_of(user=request.user).filter(slug=slug).first()
        if project is None:
            raise Http404(f"no project {slug}")
        assert request.resolver_match
        name = request.resolver_match.view_name.removeprefix("dashboard:")
        if name not in pages_open_to(request.user, project):
            raise PermissionDenied
        return view(request, project, *args, **kwargs)

    return guarded


def _to_login(request: HttpRequest) -> HttpResponseBase:
    if request.htmx:  # type: ignore[attr-defined]  # the whole page goes there, not the fragment
        return HttpResponseClientRedirect(resolve_url(settings.LOGIN_URL))
    return redirect_to_login(request.get_full_path())
