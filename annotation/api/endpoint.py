"""What the endpoints of every app build on."""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from rest_framework.request import Request

from annotation.models import Project
from rest.endpoints import Endpoint


class ProjectEndpoint(Endpoint):
    """An endpoint of the project that its address names, open by the rule of its route."""

    project: Project

    @property
    def is_described(self) -> bool:
        """Whether it is only being described, for the schema: there is no project then."""
        return getattr(self, "swagger_fake_view", False)

    def listed(self) -> Any:
        """The rows that a list shows, before filters."""
        raise NotImplementedError

    def get_queryset(self) -> QuerySet[Any]:
        if self.is_described:
            return self.queryset  # type: ignore[return-value,arg-type]  # names the model
        rows: QuerySet[Any] = self.listed()
        return rows

    def page(self, request: Request) -> Any:
        """One page of the list, in the words of the endpoint's serializer."""
        rows = self.filter_queryset(self.get_queryset())
        page = self.paginate_queryset(rows)
        return self.get_paginated_response(self.get_serializer(page, many=True).data)

    def one(self, **by: Any) -> Any:
        """The row of the list that the address names."""
        row = self.get_queryset().filter(**by).first()
        if row is None:
            raise Http404
        return row
