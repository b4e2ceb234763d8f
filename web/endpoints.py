"""The base class of all endpoints."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.conf import settings
from django.http import HttpResponse
from django.utils.cache import patch_cache_control, patch_vary_headers, set_response_etag
from django.utils.decorators import method_decorator
from django.utils.http import parse_etags
from django.views.decorators.http import conditional_page
from rest_framework.exceptions import ParseError, ValidationError
from rest_framework.generics import GenericAPIView
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from web.errors import PreconditionFailed, TooLarge

PAGING = {"cursor", "limit"}


@method_decorator(conditional_page, name="dispatch")
class Endpoint(GenericAPIView[Any]):
    """An endpoint of the API.

    `operations` names each method's operation in the schema. `refusals` lists the status codes that an
    endpoint's domain adds to the usual ones.
    """

    http_method_names = ["get", "head", "post"]
    metadata_class = None
    pagination_class: Any = None
    ordering: tuple[str, ...] = ("pk",)
    operations: ClassVar[Mapping[str, str]] = {}
    refusals: ClassVar[Sequence[int]] = ()
    tag = ""

    @property
    def most_bytes(self) -> int:
        return settings.DATA_UPLOAD_MAX_MEMORY_SIZE

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if "Transfer-Encoding" in request.headers:
            raise ParseError("Send the body at once, with Content-Length.")
        if int(request.META.get("CONTENT_LENGTH") or 0) > self.most_bytes:
            raise TooLarge(f"The request is too large. The limit is {self.most_bytes:,} bytes.")
        super().initial(request, *args, **kwargs)
        self._check_parameters(request)

    def perform_authentication(self, request: Request) -> None:
        """Authenticate, and count the request even if it is refused now or later."""
        try:
            super().perform_authentication(request)
        finally:
            super().check_throttles(request)

    def check_throttles(self, request: Request) -> None:
        """Do nothing, because perform_authentication has counted the request."""

    def _check_parameters(self, request: Request) -> None:
        """Raise ValidationError for unknown parameters. A misspelt filter would list everything."""
        filterset = getattr(self, "filterset_class", None)
        known = set(filterset.base_filters if filterset else ())
        known |= PAGING if self.pagination_class else set()
        detail = f"Unknown parameter. Choose from: {', '.join(sorted(known)) or 'none'}."
        if errors := {name: [detail] for name in request.query_params if name not in known}:
            raise ValidationError(errors)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        final = super().finalize_response(request, response, *args, **kwargs)
        patch_vary_headers(final, ["Authorization", "Cookie"])
        patch_cache_control(final, private=True, no_cache=True)
        return final

    def require_match(self, request: Request, representation: object) -> None:
        """Raise PreconditionFailed if If-Match does not name the present representation."""
        header = request.headers.get("If-Match", "").strip()
        response = HttpResponse(JSONRenderer().render(representation))
        set_response_etag(response)
        if header not in ("", "*") and response["ETag"] not in parse_etags(header):
            raise PreconditionFailed
