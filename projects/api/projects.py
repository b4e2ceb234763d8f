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

from projects.api.endpoint import ListEndpoint, ProjectEndpoint
from projects.api.roles import own_projects
from projects.api.serializers import NewProjectSerializer, ProjectSerializer
from projects.domain.choose_protocol import ProtocolError, choose_protocol
from projects.domain.create_project import ProjectExistsError, create_project
from projects.enums import TokenScope
from projects.models import Project
from projects.permissions import MEMBERS, Access, post, read
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
        serializer = NewProjectSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        owner = request.user
        assert isinstance(owner, AbstractBaseUser)
        with conflicts({ProjectExistsError: "already_exists"}):
            project = _create(dict(serializer.validated_data), owner)
        location = reverse("api:project", args=[project.slug], request=request)
        return Response(ProjectSerializer(project).data, 201, headers={"Location": location})


@transaction.atomic
def _create(data: dict[str, Any], owner: AbstractBaseUser) -> Project:
    """Create the project with its protocol. Raise ProjectExistsError, ValidationError."""
    now = timezone.now()
    terms = {argument: data.pop(name) for name, argument in TERMS.items()}
    project = create_project(**data, owner=owner, now=now)
    try:
        return choose_protocol(project=project, actor=owner.get_username(), now=now, **terms)
    except ProtocolError as error:
        raise ValidationError({"protocol": str(error)}) from error


class ProjectDetail(ProjectEndpoint):
    rules = read(MEMBERS)
    serializer_class = ProjectSerializer
    operations = {"GET": "get_project"}
    tag = "projects"

    def get(self, request: Request, slug: str) -> Response:
        """Return a project."""
        return Response(ProjectSerializer(self.project).data)
