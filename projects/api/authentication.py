"""Authentication of API requests by token."""

from typing import Any

from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from projects.domain.api_tokens import find_token
from projects.models import ApiToken


class TokenAuthentication(BaseAuthentication):
    """Authentication with the header `Authorization: Bearer ts_...` (RFC 6750)."""

    def authenticate(self, request: Request) -> tuple[Any, ApiToken] | None:
        kind, _, secret = get_authorization_header(request).partition(b" ")
        if kind.lower() != b"bearer":
            return None
        text = secret.decode("latin-1").strip()
        token = find_token(secret=text, now=timezone.now())
        if token is None:
            raise AuthenticationFailed("This token is unknown, expired or revoked.")
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="Touchstone"'


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        description = "Create a token under API tokens on the site. Its scopes limit its use."
        return {"type": "http", "scheme": "bearer", "description": description}
