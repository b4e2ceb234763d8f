"""Pagination by key, newest first, so that new rows do not shift the pages."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import TypeVar

from django.db.models import Model, QuerySet

from marketplace.api.context import Output, Params
from marketplace.domain.errors import InvalidParameterError

DEFAULT_RESULTS = 10
Row = TypeVar("Row", bound=Model)


def page(
    rows: QuerySet[Row],
    params: Params,
    *,
    name: str,
    render: Callable[[Row], Output],
    constants: Sequence[Output] = (),
) -> Output:
    """Return a page of `rows` under `name`, with NumResults and, if it is not empty, NextToken.

    MTurk returns a token with the last page too, and clients stop at the first empty page.
    `constants` follow the rows. Their keys are -1, -2 and so on.
    """
    size = params.get("MaxResults", DEFAULT_RESULTS)
    last = None
    if token := params.get("NextToken"):
        last = read_token(token, name)
        rows = rows.filter(pk__lt=last)
    shown = [(row.pk, render(row)) for row in rows.order_by("-pk")[:size]]
    fixed = [(-number, output) for number, output in enumerate(constants, start=1)]
    unread = [(key, output) for key, output in fixed if last is None or key < last]
    shown += unread[: size - len(shown)]
    output: Output = {"NumResults": len(shown), name: [rendered for _, rendered in shown]}
    if shown:
        output["NextToken"] = write_token(shown[-1][0], name)
    return output


def write_token(last: int, name: str) -> str:
    """Return the token of the page after the row `last` of the list `name`."""
    return urlsafe_b64encode(json.dumps([name, last]).encode()).decode()


def read_token(token: str, name: str) -> int:
    try:
        list_name, last = json.loads(urlsafe_b64decode(token))
    except (ValueError, TypeError):
        list_name, last = None, None
    if list_name != name or not isinstance(last, int):
        raise InvalidParameterError("NextToken does not belong to this operation.")
    return last
