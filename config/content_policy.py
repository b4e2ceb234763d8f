"""The Content-Security-Policy header, built once for each policy instead of for each response."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.http import HttpRequest, HttpResponseBase

Directives = Mapping[str, Sequence[str]]
Frozen = tuple[tuple[str, tuple[str, ...]], ...]


class ContentPolicyMiddleware(CSPMiddleware):
    """django-csp's, for sites that use neither its nonces nor its report-only policy."""

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        parts = self.get_policy_parts(request=request, response=response)
        header = _built(_frozen(parts.config), _frozen(parts.update), _frozen(parts.replace))
        response.headers.setdefault(HEADER, header)
        return response


def _frozen(directives: Directives | None) -> Frozen | None:
    if directives is None:
        return None
    return tuple((name, tuple(sources)) for name, sources in directives.items())


@lru_cache(maxsize=1000)
def _built(config: Frozen | None, update: Frozen | None, replace: Frozen | None) -> str:
    def thawed(directives: Frozen | None) -> dict[str, tuple[str, ...]] | None:
        return None if directives is None else dict(directives)

    return str(build_policy(config=thawed(config), update=thawed(update), replace=thawed(replace)))
