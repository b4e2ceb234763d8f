"""Pages of lists: newest first, continued by key, so new rows neither shift nor repeat others."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

from marketplace.api.context import Output, Params
from marketplace.domain.errors import InvalidParameterError

DEFAULT_RESULTS = 10
Row = TypeVar("Row", bound=Model)


def page(
    rows: QuerySet[Row], params: Params, *, name: str, render: Callable[[Row], Output]
) -> Output:
    """One page of `rows` under `name`, with NumResults, and NextToken while there are more."""
    size = params.get("MaxResults", DEFAULT_RESULTS)
    if token := params.get("NextToken"):
        rows = rows.filter(pk__lt=_read(token, name))
    found = list(rows.order_by("-pk")[: size + 1])
    shown = found[:size]
    output: Output = {"NumResults": len(shown), name: [render(row) for row in shown]}
    if len(found) > size:
        output["NextToken"] = _write(name, shown[-1].pk)
    return output


def _write(name: str, last: Any) -> str:
    return urlsafe_b64encode(json.dumps([name, last]).encode()).decode()


def _read(token: str, name: str) -> int:
    try:
        of, last = json.loads(urlsafe_b64decode(token))
    except (ValueError, TypeError):
        of, last = None, None
    if of != name or not isinstance(last, int):
        raise InvalidParameterError("NextToken is not one that this operation gave.")
    return last
