"""The one role table, held against every request of the API."""

from typing import TYPE_CHECKING

from django.db.models import QuerySet
from django.http import Http404
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from annotation.domain.queries import projects_of, roles_in
from annotation.enums import TokenScope
from annotation.models import ApiToken, Project
from annotation.permissions import API_RULES, Access, ApiRule, permits
from rest.problems import Problem

if TYPE_CHECKING:  # Django REST framework reads this module while it makes its views
    from rest_framework.views import APIView

_NOBODY = ApiRule(frozenset())


class RoleTable(BasePermission):
    """Refuses what the table does not allow, and leaves the project on the view."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        method = "GET" if request.method == "HEAD" else str(request.method)
        if not hasattr(view, method.lower()):
            return True  # 405, whoever asks
        assert request.resolver_match
        rules = API_RULES.get(request.resolver_match.url_name or "", {})
        wanted = rules.get(method, _NOBODY)
        if wanted.rule is Access.PUBLIC:
            return True
        if not request.user.is_authenticated:
            raise NotAuthenticated("Send a token, or sign in.")
        _require_scope(request, wanted.scope)
        if wanted.rule is Access.SIGNED_IN:
            return True
        if wanted.rule is Access.MAY_ADD_PROJECTS:
            return _may_add_projects(request)
        project = own_projects(request).filter(slug=view.kwargs.get("slug", "")).first()
        if project is None:
            raise Http404
        if not permits(wanted.rule, roles_in(project=project, user=request.user)):
            raise Problem("not-permitted")
        view.project = project  # type: ignore[attr-defined]
        return True


def _require_scope(request: Request, scope: TokenScope) -> None:
    if isinstance(request.auth, ApiToken) and scope not in request.auth.scopes:
        raise Problem("insufficient-scope", f"This needs a token with the scope {scope.value!r}.")


def _may_add_projects(request: Request) -> bool:
    limited = isinstance(request.auth, ApiToken) and not request.auth.all_projects
    if limited or not request.user.has_perm("annotation.add_project"):
        raise Problem("not-permitted", "Starting projects needs the permission to add them.")
    return True


def own_projects(request: Request) -> QuerySet[Project]:
    """The projects that the caller has a part in and that the token was made for."""
    projects = projects_of(user=request.user)
    token = request.auth
    if isinstance(token, ApiToken) and not token.all_projects:
        return projects.filter(api_tokens=token)
    return projects


def actor_of(request: Request) -> str:
    """Who is named in logs."""
    name = request.user.get_username()
    if isinstance(request.auth, ApiToken):
        by = f" by token {request.auth.beginning}"
        return name[: 150 - len(by)] + by
    return name
