"""What every endpoint does before and after its own work."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from django.conf import settings
from django.utils.cache import patch_cache_control, patch_vary_headers
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from rest.etags import answer_conditionally, etag_of
from rest.filters import refuse_unknown
from rest.problems import Problem


class Endpoint(GenericAPIView[Any]):
    """`operations` names what each method does, in the schema; `refusals` lists the statuses that its
    domain adds to those that every endpoint answers."""

    http_method_names = ["get", "head", "post"]
    metadata_class = None
    pagination_class: Any = None
    filter_backends: Sequence[Any] = ()
    ordering: tuple[str, ...] = ("pk",)
    operations: ClassVar[Mapping[str, str]] = {}
    refusals: ClassVar[Sequence[int]] = ()
    tag = ""

    @property
    def most_bytes(self) -> int:
        return settings.DATA_UPLOAD_MAX_MEMORY_SIZE

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Django REST framework's order, but for throttling: it comes before everything that costs a
        query, and counts those who are refused as well."""
        self.format_kwarg = None
        negotiated = self.perform_content_negotiation(request)
        request.accepted_renderer, request.accepted_media_type = negotiated
        request.version, request.versioning_scheme = None, None
        if _length(request) > self.most_bytes:
            raise Problem("too-large", f"At most {self.most_bytes:,} bytes can be sent here.")
        try:
            self.perform_authentication(request)
        except AuthenticationFailed:
            self.check_throttles(request)
            raise
        self.check_throttles(request)
        self.check_permissions(request)
        if request.method in ("GET", "HEAD", "POST"):
            refuse_unknown(request, self)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        final = super().finalize_response(request, response, *args, **kwargs)
        patch_vary_headers(final, ["Authorization", "Cookie"])
        patch_cache_control(final, private=True, no_cache=True)
        if isinstance(final, Response) and request.method in ("GET", "HEAD"):
            final.add_post_render_callback(lambda done: answer_conditionally(request, done))
        return final

    def require_match(self, request: Request, representation: object) -> None:
        """Raises Problem where the caller's If-Match speaks of another state than the present one."""
        wanted = request.headers.get("If-Match", "").strip()
        if wanted in ("", "*"):
            return
        if etag_of(representation) not in [one.strip() for one in wanted.split(",")]:
            raise Problem("precondition-failed")


def _length(request: Request) -> int:
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0
