"""Who may open what on the staff pages of every app: one table, one check.

A page that no rule names cannot be opened; tests/dashboard/test_permissions.py and
tests/qualification/test_permissions.py walk every route against every role. It stands below the
apps whose pages it guards, so that there can be one table. The routes of the API have theirs here,
too, with the scope that a token needs (tests/config/test_api_permissions.py walks those).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import resolve_url
from django_htmx.http import HttpResponseClientRedirect

from annotation.domain.queries import projects_of, roles_in
from annotation.enums import MemberRole, TokenScope
from annotation.models import Membership, Project

View = Callable[..., HttpResponseBase]
User = AbstractBaseUser | AnonymousUser


class Access(Enum):
    """Rules of pages that belong to no project."""

    PUBLIC = "anyone"
    SIGNED_IN = "whoever has signed in"
    MAY_ADD_PROJECTS = "whoever has the permission to add projects"


MEMBERS = frozenset(MemberRole)
RUNS_IT = frozenset({MemberRole.ADMIN})
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
    "api_docs": Access.SIGNED_IN,
    "tokens": Access.SIGNED_IN,
    "revoke_token": Access.SIGNED_IN,
    "projects": Access.SIGNED_IN,
    "project_new": Access.MAY_ADD_PROJECTS,
    "project": MEMBERS,
    "settings": OFFICE,
    "corpus": OFFICE,
    "corpus_preview": OFFICE,
    "guidelines": OFFICE,
    "pay": OFFICE,
    "try_out": OFFICE,
    "items": MEMBERS,
    "item": KNOWS_WORKERS,
    "gold": KNOWS_WORKERS,
    "gold_sentence": KNOWS_WORKERS,
    "workers": KNOWS_WORKERS,
    "worker": KNOWS_WORKERS,
    "worker_note": KNOWS_WORKERS,
    "worker_forget": frozenset({MemberRole.ADMIN}),
    "publish": OFFICE,
    "batches": OFFICE,
    "batch": OFFICE,
    "steer": OFFICE,
    "submissions": OFFICE,
    "accept": OFFICE,
    "reject": OFFICE,
    "set_aside": OFFICE,
    "copies": OFFICE,
    "rejections": OFFICE,
    "overturn": OFFICE,
    "compensate": OFFICE,
    "costs": OFFICE,
    "cost_chart": OFFICE,
    "ledger": OFFICE,
    "ledger_csv": OFFICE,
    "exports": OFFICE,
    "export": OFFICE,
    "export_details": OFFICE,
    "export_file": OFFICE,
    "jobs": OFFICE,
    "log": OFFICE,
    "log_csv": OFFICE,
    "members": RUNS_IT,
    "member": RUNS_IT,
    "invite": RUNS_IT,
    "invitation": RUNS_IT,
    "accounts:account": Access.SIGNED_IN,
    "accounts:verify": Access.SIGNED_IN,
    "accounts:set_up": Access.SIGNED_IN,
    "accounts:renew_codes": Access.SIGNED_IN,
    "accounts:turn_off": Access.SIGNED_IN,
    "accounts:end_session": Access.SIGNED_IN,
    "accounts:password": Access.SIGNED_IN,
    "accounts:reset": Access.PUBLIC,
    "accounts:reset_sent": Access.PUBLIC,
    "accounts:choose_password": Access.PUBLIC,
    "accounts:accept": Access.PUBLIC,
    "qualification:rounds": KNOWS_WORKERS,
    "qualification:set_up": OFFICE,
    "qualification:publish": OFFICE,
    "qualification:edit": OFFICE,
    "qualification:funnel_svg": KNOWS_WORKERS,
    "qualification:funnel_csv": KNOWS_WORKERS,
    "qualification:round": KNOWS_WORKERS,
    "qualification:decide": KNOWS_WORKERS,
    "qualification:trainee": KNOWS_WORKERS,
    "qualification:evaluate": KNOWS_WORKERS,
    "qualification:overrule": KNOWS_WORKERS,
    "qualification:write": KNOWS_WORKERS,
    "qualification:preview": KNOWS_WORKERS,
    "qualification:groups": OFFICE,
    "qualification:send_mail_again": KNOWS_WORKERS,
    "qualification:pool": KNOWS_WORKERS,
    "qualification:pool_worker": KNOWS_WORKERS,
    "qualification:pool_write": KNOWS_WORKERS,
    "qualification:pool_preview": KNOWS_WORKERS,
    "qualification:pool_acknowledge": KNOWS_WORKERS,
    "qualification:pool_feedback": Access.PUBLIC,
    "qualification:feedback": Access.PUBLIC,
    "reviews": OFFICE | JUDGES,
    "review": JUDGES,
    "judge": JUDGES,
    "quality": OFFICE | JUDGES,
    "quality_file": OFFICE | JUDGES,
    "quality_item": OFFICE | JUDGES,
    "decide_match": JUDGES,
    "correction": JUDGES,
    "correction_draft": JUDGES,
    "correction_submit": JUDGES,
    "experts": OFFICE | JUDGES,
    "expert_set_up": OFFICE,
    "expert_queue": OFFICE | JUDGES,
    "expert_state": OFFICE,
    "expert_next": JUDGES,
    "expert_item": JUDGES,
    "expert_draft": JUDGES,
    "expert_submit": JUDGES,
    "expert_report": OFFICE,
    "expert_report_csv": OFFICE,
    "agreement": OFFICE,
    "agreement_chart": OFFICE,
    "agreement_csv": OFFICE,
    "protocols": OFFICE,
    "begin_experiment": OFFICE,
    "experiment": OFFICE,
}


@dataclass(frozen=True, slots=True)
class ApiRule:
    """Who may ask, and the scope that a token needs for it."""

    rule: Rule
    scope: TokenScope = TokenScope.READ


def _read(rule: Rule) -> dict[str, ApiRule]:
    return {"GET": ApiRule(rule)}


def _post(rule: Rule, scope: TokenScope) -> dict[str, ApiRule]:
    return {"POST": ApiRule(rule, scope)}


# The name of a route of the API -> method -> its rule. What is shown on a page is open here to the
# same people.
API_RULES: Mapping[str, Mapping[str, ApiRule]] = {
    "schema": _read(Access.SIGNED_IN),
    "problem": _read(Access.PUBLIC),
    "nothing_here": _read(Access.PUBLIC),
    "projects": _read(Access.SIGNED_IN) | _post(Access.MAY_ADD_PROJECTS, TokenScope.IMPORT),
    "project": _read(MEMBERS),
    "sentences": _read(MEMBERS),
    "items": _read(MEMBERS),
    "item": _read(MEMBERS),
    "imports": _read(OFFICE) | _post(OFFICE, TokenScope.IMPORT),
    "import": _read(OFFICE),
    "batches": _read(OFFICE) | _post(OFFICE, TokenScope.PUBLISH),
    "batch": _read(OFFICE),
    "batch_progress": _read(OFFICE),
    "pause_batch": _post(OFFICE, TokenScope.PUBLISH),
    "resume_batch": _post(OFFICE, TokenScope.PUBLISH),
    "expire_batch": _post(OFFICE, TokenScope.PUBLISH),
    "submissions": _read(KNOWS_WORKERS),
    "submission": _read(KNOWS_WORKERS),
    "accept_submission": _post(OFFICE, TokenScope.PAY),
    "reject_submission": _post(OFFICE, TokenScope.PAY),
    "cases": _read(KNOWS_WORKERS),
    "gold": _read(KNOWS_WORKERS),
    "rounds": _read(KNOWS_WORKERS),
    "evaluations": _read(KNOWS_WORKERS),
    "evaluation": _read(KNOWS_WORKERS),
    "workers": _read(KNOWS_WORKERS),
    "worker": _read(KNOWS_WORKERS),
    "costs": _read(OFFICE),
    "ledger": _read(OFFICE),
    "exports": _read(OFFICE) | _post(OFFICE, TokenScope.EXPORT),
    "export": _read(OFFICE),
    "export_file": {"GET": ApiRule(OFFICE, TokenScope.EXPORT)},
    "jobs": _read(OFFICE),
}


def permits(rule: Rule, roles: frozenset[str]) -> bool:
    """Whether one of a member's roles in a project satisfies a rule of its pages."""
    return not isinstance(rule, Access) and bool(rule & roles)


def pages_open_to(user: User, project: Project) -> frozenset[str]:
    """The names of the project's pages that the user may open: menus offer no others."""
    roles = roles_in(project=project, user=user)
    return frozenset(name for name, rule in RULES.items() if permits(rule, roles))


def projects_open_to(user: User, page: str) -> QuerySet[Project]:
    """The projects in which the user may open the page of this name."""
    projects, rule = projects_of(user=user), RULES[page]
    if getattr(user, "is_superuser", False):
        return projects
    roles = () if isinstance(rule, Access) else rule
    own = Membership.objects.filter(project=OuterRef("pk"), user=user.pk, role__in=roles)
    return projects.filter(Exists(own))


def signed_in_page(view: View) -> View:
    """A page for whoever has signed in."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return _to_login(request)
        return view(request, *args, **kwargs)

    return guarded


def founder_page(view: View) -> View:
    """A page for whoever may start projects."""

    @signed_in_page
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not may_add_projects(request.user):
            raise PermissionDenied
        return view(request, *args, **kwargs)

    return guarded


def may_add_projects(user: User) -> bool:
    return bool(user.has_perm("annotation.add_project"))  # type: ignore[union-attr]


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
