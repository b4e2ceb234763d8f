"""The permission class that checks an API request against the endpoint's rules."""

from typing import TYPE_CHECKING

from django.db.models import QuerySet
from django.http import Http404
from rest_framework.exceptions import NotAuthenticated, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from projects.domain.queries import projects_of, roles_in
from projects.enums import TokenScope
from projects.models import ApiToken, Project
from projects.permissions import Access, ApiRule, permits

if TYPE_CHECKING:  # Django REST framework imports this module while it defines its views
    from rest_framework.views import APIView

_NOBODY = ApiRule(frozenset())


class RulePermission(BasePermission):
    """Check the endpoint's rule, and set the request's project on the view."""

    def has_permission(self, request: Request, view: "APIView") -> bool:
        method = "GET" if request.method == "HEAD" else str(request.method)
        if method.lower() not in view.http_method_names or not hasattr(view, method.lower()):
            return True  # the response is 405 for every user
        required = getattr(view, "rules", {}).get(method, _NOBODY)
        if required.rule is Access.PUBLIC:
            return True
        if not request.user.is_authenticated:
            raise NotAuthenticated("Send a token or sign in.")
        _require_scope(request, required.scope)
        if required.rule is Access.SIGNED_IN:
            return True
        limited = isinstance(request.auth, ApiToken) and not request.auth.all_projects
        if required.rule is Access.SUPERUSERS:
            if limited or not getattr(request.user, "is_superuser", False):
                raise PermissionDenied(
                    "Only superusers may do this, with a token that is not limited to projects."
                )
            return True
        if required.rule is Access.CAN_CREATE_PROJECTS:
            if limited or not request.user.has_perm("projects.add_project"):
                raise PermissionDenied("You need the permission to create projects.")
            return True
        project = own_projects(request).filter(slug=view.kwargs.get("slug", "")).first()
        if project is None:
            raise Http404
        if not permits(required.rule, roles_in(project=project, user=request.user)):
            raise PermissionDenied("Your role in this project doesn't allow this.")
        is_change = method != "GET" and not getattr(view, "changes_archived", False)
        if project.archived_at and is_change:
            detail = "The project is archived, so nothing was changed."
            raise PermissionDenied(detail, "project_archived")
        view.project = project  # type: ignore[attr-defined]
        return True


def _require_scope(request: Request, scope: TokenScope) -> None:
    if isinstance(request.auth, ApiToken) and scope not in request.auth.scopes:
        detail = f"This request needs a token with the scope {scope.value!r}."
        raise PermissionDenied(detail, "insufficient_scope")


def own_projects(request: Request) -> QuerySet[Project]:
    """Return the projects in which the user has a role and that the token covers."""
    projects = projects_of(user=request.user)
    token = request.auth
    if isinstance(token, ApiToken) and not token.all_projects:
        return projects.filter(api_tokens=token)
    return projects


def actor_of(request: Request) -> str:
    """Return the name of the user and token for logs."""
    name = request.user.get_username()
    if isinstance(request.auth, ApiToken):
        by = f" by token {request.auth.beginning}"
        return name[: 150 - len(by)] + by
    return name
