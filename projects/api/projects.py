from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from crowd.domain.money.ledger import CapTooLowError
from crowd.domain.money.pay_scheme import PaySchemeError
from projects.api.endpoint import ListEndpoint, ProjectEndpoint
from projects.api.roles import actor_of, own_projects
from projects.api.serializers import (
    ChangedProjectSerializer,
    NewProjectSerializer,
    ProjectSerializer,
)
from projects.domain.change_project import ProjectChangeError, change_pay, change_settings
from projects.domain.choose_protocol import ProtocolError, ProtocolFixedError, choose_protocol
from projects.domain.create_project import ProjectExistsError, create_project
from projects.enums import TokenScope
from projects.models import Project
from projects.permissions import MEMBERS, STAFF, Access, patch, post, read
from web.actions import action
from web.errors import conflicts

# The fields of a new project that choose its protocol, and the arguments of `choose_protocol`.
TERMS = {
    "protocol": "protocol",
    "validators_per_item": "validators",
    "validators_to_agree": "agree",
    "revision_limit": "revisions",
    "after_disputes": "after_disputes",
}
# Those that can't change once items are published. Pages change the others as settings.
FIXED_TERMS = ("protocol", "validators_per_item", "validators_to_agree")

CONFLICTS: dict[type[Exception], str] = {
    ProjectChangeError: "invalid_state",
    ProtocolFixedError: "invalid_state",
    CapTooLowError: "budget_exceeded",
}


class Projects(ListEndpoint):
    """List the projects in which you have a role."""

    rules = read(Access.SIGNED_IN) | post(Access.CAN_CREATE_PROJECTS, TokenScope.IMPORT)
    queryset = Project.objects.none()
    serializer_class = ProjectSerializer
    operations = {"GET": "list_projects", "POST": "create_project"}
    refusals = (409,)
    tag = "projects"

    def listed(self) -> QuerySet[Project]:
        return own_projects(self.request)

    @extend_schema(request=NewProjectSerializer, responses={201: ProjectSerializer})
    @action
    def post(self, request: Request) -> Response:
        """Create a project. You become its admin."""
        data = self.read_body(request, NewProjectSerializer)
        with conflicts({ProjectExistsError: "already_exists"}):
            project = _create(data, request)
        location = reverse("api:project", args=[project.slug], request=request)
        return Response(ProjectSerializer(project).data, 201, headers={"Location": location})


@transaction.atomic
def _create(data: dict[str, Any], request: Request) -> Project:
    """Create the project with its protocol. Raise ProjectExistsError, ValidationError."""
    owner, actor, now = request.user, actor_of(request), timezone.now()
    assert isinstance(owner, AbstractBaseUser)
    terms = {argument: data.pop(name) for name, argument in TERMS.items()}
    project = create_project(**data, owner=owner, actor=actor, now=now)
    try:
        return choose_protocol(project=project, actor=actor, now=now, **terms)
    except ProtocolError as error:
        raise ValidationError({"protocol": str(error)}) from error


class ProjectDetail(ProjectEndpoint):
    rules = read(MEMBERS) | patch(STAFF, TokenScope.PUBLISH)
    serializer_class = ProjectSerializer
    operations = {"GET": "get_project", "PATCH": "change_project"}
    refusals = (409, 412)
    tag = "projects"

    def get(self, request: Request, slug: str) -> Response:
        """Return a project."""
        return Response(ProjectSerializer(self.project).data)

    @extend_schema(request=ChangedProjectSerializer, responses={200: ProjectSerializer})
    @action
    def patch(self, request: Request, slug: str) -> Response:
        """Change settings, the protocol, the budget limit, or the pay of roles."""
        data = self.read_body(request, ChangedProjectSerializer)
        # The lock keeps the project unchanged between the If-Match check and the response.
        locked = own_projects(request).select_for_update(of=("self",))
        project = locked.get(pk=self.project.pk)
        self.require_match(request, ProjectSerializer(project).data)
        change: dict[str, Any] = {
            "project": project,
            "actor": actor_of(request),
            "now": timezone.now(),
        }
        try:
            with conflicts(CONFLICTS):
                if "pay_scheme" in data:
                    change_pay(pay_scheme=data.pop("pay_scheme"), **change)
                if terms := {TERMS[name]: data.pop(name) for name in FIXED_TERMS if name in data}:
                    choose_protocol(**terms, **change)
                change_settings(wanted=data, **change)
        except PaySchemeError as error:
            raise ValidationError({"pay_scheme": [str(error)]}) from error
        except ProtocolError as error:
            raise ValidationError({"protocol": [str(error)]}) from error
        return Response(ProjectSerializer(project).data)
