from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotation.api.endpoint import ProjectEndpoint
from annotation.api.roles import own_projects
from annotation.api.serializers import NewProjectSerializer, ProjectSerializer
from annotation.domain.create_project import ProjectExists, create_project
from annotation.models import Project
from rest.actions import action
from rest.cursors import Cursors
from rest.problems import refused_as


def _signed_in(request: Request) -> AbstractBaseUser:
    assert isinstance(request.user, AbstractBaseUser)
    return request.user


class Projects(ProjectEndpoint):
    queryset = Project.objects.none()
    serializer_class = ProjectSerializer
    pagination_class = Cursors
    operations = {"GET": "list_projects", "POST": "create_project"}
    refusals = (409,)
    tag = "projects"

    def listed(self) -> QuerySet[Project]:
        return own_projects(self.request)

    def get(self, request: Request) -> Response:
        """The projects that you have a part in."""
        return self.page(request)

    @extend_schema(request=NewProjectSerializer, responses={201: ProjectSerializer})
    @action
    def post(self, request: Request) -> Response:
        """Start a project; you become its admin."""
        given = NewProjectSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        with refused_as({ProjectExists: "already-exists"}):
            project = create_project(
                **given.validated_data, owner=_signed_in(request), now=timezone.now()
            )
        where = reverse("api:project", args=[project.slug], request=request)
        return Response(ProjectSerializer(project).data, 201, headers={"Location": where})


class ProjectDetail(ProjectEndpoint):
    serializer_class = ProjectSerializer
    operations = {"GET": "get_project"}
    tag = "projects"

    def get(self, request: Request, slug: str) -> Response:
        """One project."""
        return Response(ProjectSerializer(self.project).data)
