"""The base class of all endpoints."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from django.conf import settings
from django.http import HttpResponse
from django.template.response import SimpleTemplateResponse
from django.utils.cache import (
    get_conditional_response,
    patch_cache_control,
    patch_vary_headers,
    set_response_etag,
)
from django.utils.decorators import method_decorator
from django.utils.http import parse_etags
from django.views.decorators.http import conditional_page
from rest_framework.exceptions import ErrorDetail, ParseError, ValidationError
from rest_framework.generics import GenericAPIView
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from web.errors import PreconditionFailed, TooLarge
from web.serializers import MAX_NAMED, BodySerializer, NoBody, unknown_name

PAGING = {"cursor", "limit"}


def _conditional(request: Request, response: Any) -> Any:
    """Return the rendered response with its ETag, or 304."""
    set_response_etag(response)
    etag = response.get("ETag")
    return get_conditional_response(request._request, etag=etag, response=response)


@method_decorator(conditional_page, name="dispatch")
class Endpoint(GenericAPIView[Any]):
    """An endpoint of the API.

    `operations` names each method's operation in the schema. `refusals` lists the status codes that an
    endpoint's domain adds to the usual ones. `action_parameters` are the query parameters of its
    actions, and `query` describes those of a GET that is no list. `body` describes the body of an action
    whose method several endpoints share.
    """

    http_method_names = ["get", "head", "post", "patch"]
    metadata_class = None
    pagination_class: Any = None
    ordering: tuple[str, ...] = ("pk",)
    operations: ClassVar[Mapping[str, str]] = {}
    refusals: ClassVar[Sequence[int]] = ()
    action_parameters: ClassVar[Sequence[str]] = ()
    query: ClassVar[type[BodySerializer] | None] = None
    body: ClassVar[type[BodySerializer] | None] = None
    tag = ""

    @property
    def max_bytes(self) -> int:
        return settings.DATA_UPLOAD_MAX_MEMORY_SIZE

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if "Transfer-Encoding" in request.headers:
            raise ParseError("Send the body at once, with Content-Length.")
        if int(request.META.get("CONTENT_LENGTH") or 0) > self.max_bytes:
            raise TooLarge(f"The request is too large. The limit is {self.max_bytes:,} bytes.")
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
        """Raise ValidationError for unknown or repeated parameters.

        A misspelt filter would list everything.
        """
        if not self.is_allowed(request):
            return  # the response is 405
        is_read = request.method in ("GET", "HEAD")
        known = self._known_parameters() if is_read else set(self.action_parameters)
        unknown = [name for name in request.query_params if name not in known][:MAX_NAMED]
        errors = {
            name: [ErrorDetail(unknown_name("parameter", name, known), "unknown_parameter")]
            for name in unknown
        }
        errors |= {
            name: [ErrorDetail("Send this parameter only once.", "repeated_parameter")]
            for name in known
            if len(request.query_params.getlist(name)) > 1
        }
        if errors:
            raise ValidationError(errors)

    def is_trial(self, request: Request) -> bool:
        """Return True if the request only asks what an action would do."""
        return False

    def is_allowed(self, request: Request) -> bool:
        """Return True if the endpoint has the request's method."""
        method = str(request.method).lower()
        return method in self.http_method_names and hasattr(self, method)

    def _known_parameters(self) -> set[str]:
        filterset = getattr(self, "filterset_class", None)
        known = set(filterset.base_filters if filterset else ())
        known |= set(self.query().fields if self.query else ())
        return known | (PAGING if self.pagination_class else set())

    def read_body(
        self,
        request: Request,
        serializer_class: type[BodySerializer] | None = None,
        **context: Any,
    ) -> dict[str, Any]:
        """Return the checked fields of the body, which has those of `body` or none by default."""
        read = serializer_class or self.body or NoBody
        serializer = read(data=request.data, context=context)
        serializer.is_valid(raise_exception=True)
        return dict(serializer.validated_data)

    def read_query(self, request: Request) -> dict[str, Any]:
        """Return the checked parameters of a GET."""
        assert self.query
        serializer = self.query(data=request.query_params.dict())
        serializer.is_valid(raise_exception=True)
        return dict(serializer.validated_data)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        final = super().finalize_response(request, response, *args, **kwargs)
        patch_vary_headers(final, ["Authorization", "Cookie"])
        patch_cache_control(final, private=True, no_cache=True)
        if request.method == "HEAD" and isinstance(final, SimpleTemplateResponse):
            # `conditional_page` only handles GET.
            final.add_post_render_callback(partial(_conditional, request))
        return final

    def require_match(self, request: Request, representation: object) -> None:
        """Raise PreconditionFailed if If-Match does not name the present representation."""
        header = request.headers.get("If-Match", "").strip()
        response = HttpResponse(JSONRenderer().render(representation))
        set_response_etag(response)
        if header not in ("", "*") and response["ETag"] not in parse_etags(header):
            raise PreconditionFailed
