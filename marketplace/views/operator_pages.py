"""Access to the operator's pages, and their lists and questions before an action."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.decorators import user_passes_test
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.db.models import OrderBy, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse_lazy
from django.utils import timezone

from web.confirmations import confirmation
from web.lists import Column, Empty, Listing

PERMISSION = "marketplace.operate_marketplace"


def _is_operator(user: AbstractBaseUser | AnonymousUser) -> bool:
    """Return True for operators, False for visitors. Raise PermissionDenied for other users."""
    is_allowed = isinstance(user, User) and user.is_staff and user.has_perm(PERMISSION)
    if user.is_authenticated and not is_allowed:
        raise PermissionDenied("You need the marketplace operator permission to open this page.")
    return is_allowed


operator_required = user_passes_test(
    _is_operator, login_url=reverse_lazy("marketplace:operator-login")
)


def listing(
    request: HttpRequest,
    rows: QuerySet[Any, Any] | Sequence[Any],
    columns: Sequence[Column],
    *,
    noun: tuple[str, str],
    order: Sequence[str | OrderBy],
    empty: str,
    is_filtered: bool = False,
    path: str = "",
) -> Listing:
    """Return a list of rows. `noun` is the singular and plural of a row."""
    return Listing(
        request=request,
        name=noun[1],
        rows=rows,
        columns=columns,
        count=lambda count: f"{count:,} {noun[count != 1]}",
        order=order,
        empty=Empty("", empty),
        is_filtered=is_filtered,
        path=path,
        is_swapped=False,  # these pages have no htmx
    )


def render_list(
    request: HttpRequest,
    template: str,
    rows: Listing,
    context: Mapping[str, object] | None = None,
    *,
    file: str,
) -> HttpResponseBase:
    """Render a page with a list, or the whole list as a CSV file."""
    if rows.wants_csv:
        return rows.csv(f"{file}-{timezone.now():%Y-%m-%d}.csv")
    return render(request, template, {"listing": rows, **(context or {})})


def ask_first(
    request: HttpRequest,
    *,
    title: str,
    consequences: Sequence[str],
    button: str,
    back: str,
    spends: bool = False,
    shown: Mapping[str, object] | None = None,
) -> HttpResponse | None:
    """Return a page that names what will happen and asks, or None if the operator has confirmed."""
    context = confirmation(
        request,
        title=title,
        consequences=consequences,
        button=button,
        back=back,
        spends=spends,
        shown=shown,
    )
    return render(request, "marketplace/operator/confirm.html", context) if context else None
