"""The endpoint that describes the caller and the token."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from projects.enums import TokenScope
from projects.models import ApiToken
from projects.permissions import Access, can_create_projects, read
from web.endpoints import Endpoint


class TokenSerializer(serializers.ModelSerializer[ApiToken]):
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=TokenScope.choices))
    projects = serializers.SerializerMethodField()

    class Meta:
        model = ApiToken
        fields = ("name", "beginning", "scopes", "projects", "created_at", "expires_at")
        read_only_fields = fields

    def get_projects(self, token: ApiToken) -> list[str] | None:
        """Return the slugs of the projects that the token is limited to, or null for all."""
        if token.all_projects:
            return None
        return sorted(token.projects.filter(deleted_at=None).values_list("slug", flat=True))


class MeSerializer(serializers.Serializer[Any]):
    """The caller, and the token if the request has one."""

    username = serializers.CharField()
    can_create_projects = serializers.BooleanField()
    token = TokenSerializer(allow_null=True)


class Me(Endpoint):
    rules = read(Access.SIGNED_IN)
    serializer_class = MeSerializer
    operations = {"GET": "get_me"}
    tag = "me"

    def get(self, request: Request) -> Response:
        """Return your name, and the scopes, projects and expiry of the token."""
        token = request.auth if isinstance(request.auth, ApiToken) else None
        limited = token is not None and not token.all_projects
        body = {
            "username": request.user.get_username(),
            "can_create_projects": can_create_projects(request.user) and not limited,
            "token": token,
        }
        return Response(MeSerializer(body).data)
