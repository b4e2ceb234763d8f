"""The base classes of the apps' API endpoints."""

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ValidationError
from rest_framework.fields import BooleanField
from rest_framework.request import Request
from rest_framework.response import Response

from projects.models import Project
from web.endpoints import Endpoint
from web.pagination import Cursors

DRY_RUN = OpenApiParameter(
    "dry_run",
    bool,
    description="Return the cost, and publish nothing. It needs no Idempotency-Key.",
)


class ProjectEndpoint(Endpoint):
    """An endpoint of the project in the URL, open according to its rules."""

    project: Project

    @property
    def is_described(self) -> bool:
        """True if the view only describes itself for the schema, without a project."""
        return getattr(self, "swagger_fake_view", False)

    def listed(self) -> Any:
        """Return the rows of the list, before filters."""
        raise NotImplementedError

    def get_queryset(self) -> QuerySet[Any]:
        if self.is_described:
            return self.queryset  # type: ignore[return-value,arg-type]  # names the model
        rows: QuerySet[Any] = self.listed()
        return rows

    def shown(self, rows: list[Any]) -> Sequence[Any]:
        """Return what is shown of the rows of a page, such as rows with their figures."""
        return rows

    def page(self, request: Request) -> Any:
        """Return a page of the list."""
        rows = self.paginate_queryset(self.filter_queryset(self.get_queryset())) or []
        serializer = self.get_serializer(self.shown(list(rows)), many=True)
        return self.get_paginated_response(serializer.data)

    def find_row(self, **by: Any) -> Any:
        """Return the row that the URL names. Raise Http404."""
        row = self.get_queryset().filter(**by).first()
        if row is None:
            raise Http404
        return row


class ListEndpoint(ProjectEndpoint):
    """An endpoint that lists rows. The docstring of its class describes it in the schema."""

    pagination_class = Cursors

    def get(self, request: Request, **kwargs: Any) -> Response:
        response: Response = self.page(request)
        return response


class DetailEndpoint(ProjectEndpoint):
    """An endpoint that returns a row. The docstring of its class describes it in the schema."""

    def get(self, request: Request, **kwargs: Any) -> Response:
        return Response(self.get_serializer(self.find_row(pk=kwargs["pk"])).data)


class DryRuns(ProjectEndpoint):
    """An endpoint whose action can be tried with `dry_run=true`."""

    action_parameters = (DRY_RUN.name,)

    def wants_dry_run(self, request: Request) -> bool:
        """Return the value of the parameter. Raise ValidationError."""
        wanted = request.query_params.get(DRY_RUN.name, "false")
        try:
            return bool(BooleanField().run_validation(wanted))
        except ValidationError as error:
            raise ValidationError({DRY_RUN.name: error.detail}) from error

    def is_trial(self, request: Request) -> bool:
        return self.wants_dry_run(request)
