"""Pages on which requesters manage their HIT layouts."""

from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from marketplace.domain.errors import InvalidParameterError
from marketplace.domain.questions import layouts
from marketplace.forms import LayoutForm, LayoutPreviewForm
from marketplace.models import HitLayout, Requester
from marketplace.views.frame import frame_url, framing, sandbox_of
from marketplace.views.posted import posted
from marketplace.views.requester_session import requester_required

PER_PAGE = 50
NOT_AVAILABLE = "ASSIGNMENT_ID_NOT_AVAILABLE"


@require_GET
@requester_required
def layout_list(request: HttpRequest, requester: Requester) -> HttpResponseBase:
    rows = requester.layouts.filter(deleted_at=None).order_by("-pk")
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    context = {"requester": requester, "page": page, "has_content": has_content_host()}
    return render(request, "marketplace/requester/layouts.html", context)


@require_http_methods(["GET", "POST"])
@requester_required
def new_layout(request: HttpRequest, requester: Requester) -> HttpResponseBase:
    form = LayoutForm(posted(request))
    if form.is_valid() and (layout := _save(requester, None, form)):
        messages.success(request, f"The layout was created. Its id is {layout.code}.")
        return redirect("marketplace:layout", code=layout.code)
    return render(
        request, "marketplace/requester/new_layout.html", {"requester": requester, "form": form}
    )


@require_http_methods(["GET", "POST"])
@requester_required
def layout(request: HttpRequest, requester: Requester, code: str) -> HttpResponseBase:
    """Show, preview and change a layout."""
    row = _find(requester, code)
    values = {"name": row.name, "html": row.html, "frame_height": row.frame_height}
    form = LayoutForm(posted(request), initial=values)
    if form.is_valid() and _save(requester, row, form):
        messages.success(request, "The layout was saved. HITs created before keep their content.")
        return redirect("marketplace:layout", code=code)
    names = layouts.parameter_names(row.html)
    preview_form = LayoutPreviewForm(names, request.GET if "preview" in request.GET else None)
    url = _preview_url(row, preview_form)
    context = {
        "requester": requester,
        "row": row,
        "form": form,
        "names": names,
        "preview_form": preview_form,
        "has_content": has_content_host(),
        "frame_url": url,
        "sandbox": sandbox_of(request, url) if url else "",
    }
    response = render(request, "marketplace/requester/layout.html", context)
    return framing(request, response, [settings.MARKETPLACE_CONTENT_URL]) if url else response


@require_POST
@requester_required
def delete_layout(request: HttpRequest, requester: Requester, code: str) -> HttpResponseBase:
    row = _find(requester, code)
    layouts.delete_layout(layout=row, now=timezone.now())
    messages.success(request, f"The layout “{row.name}” was deleted.")
    return redirect("marketplace:layouts")


def has_content_host() -> bool:
    return bool(settings.MARKETPLACE_CONTENT_URL)


def _find(requester: Requester, code: str) -> HitLayout:
    return get_object_or_404(requester.layouts.filter(deleted_at=None), code=code)


def _save(requester: Requester, row: HitLayout | None, form: LayoutForm) -> HitLayout | None:
    try:
        return layouts.save_layout(
            requester=requester, layout=row, **form.cleaned_data, now=timezone.now()
        )
    except InvalidParameterError as error:
        form.add_error("html", error.message)
        return None


def _preview_url(row: HitLayout, form: LayoutPreviewForm) -> str:
    """Return the address of the preview on the content host, or an empty string."""
    if not has_content_host():
        return ""
    try:
        token = layouts.preview_token(row, form.given())
    except InvalidParameterError as error:
        form.add_error(None, error.message)
        return ""
    url = f"{settings.MARKETPLACE_CONTENT_URL}/layouts/{token}/"
    return frame_url(url, urlencode({"assignmentId": NOT_AVAILABLE}))
