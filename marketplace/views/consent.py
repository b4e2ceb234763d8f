"""The page of the consent text, for workers, and the one where the operator publishes it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods

from marketplace.domain.work.consent import (
    accept_consent_text,
    current_consent_text,
    publish_consent_text,
    versions_with_counts,
)
from marketplace.forms import ConsentForm, PublishConsentForm
from marketplace.models import ConsentText, WorkerAccount
from marketplace.views.operator_pages import operator_required
from marketplace.views.posted import posted
from marketplace.views.session import worker_required


def consent_context(text: ConsentText | None, form: ConsentForm | None) -> dict[str, Any]:
    """Return the context of `marketplace/_consent.html`."""
    return {"consent_text": text.text if text else "", "consent_form": form}


@require_http_methods(["GET", "POST"])
@worker_required
def consent(request: HttpRequest, worker: WorkerAccount) -> HttpResponseBase:
    """Show the current text, and let the worker accept it."""
    text = current_consent_text()
    accepted = text and text.consents.filter(worker=worker).first()
    form = ConsentForm(posted(request), text=text) if text and not accepted else None
    if text and form and form.is_valid():
        accept_consent_text(worker=worker, text=text, now=timezone.now())
        return redirect(_next_url(request))
    context = {"worker": worker, "accepted": accepted, **consent_context(text, form)}
    status = 422 if form and form.is_bound else 200
    return render(request, "marketplace/consent.html", context, status=status)


def _next_url(request: HttpRequest) -> str:
    url = request.GET.get("next", "")
    if url_has_allowed_host_and_scheme(url, {request.get_host()}, request.is_secure()):
        return url
    return reverse("marketplace:groups")


@require_http_methods(["GET", "POST"])
@operator_required
def publish(request: HttpRequest) -> HttpResponseBase:
    """Publish a version. With `preview` in the form, show it without publishing it."""
    newest = ConsentText.objects.order_by("-version").first()
    form = PublishConsentForm(posted(request), initial={"text": newest.text if newest else ""})
    previews = "preview" in request.POST
    if form.is_valid() and not previews:
        published = publish_consent_text(text=form.cleaned_data["text"], now=timezone.now())
        if published:
            messages.success(request, f"Version {published.version} was published.")
        else:
            messages.info(request, "The text is unchanged.")
        return redirect("marketplace:operator-consent")
    versions = versions_with_counts()
    asked_for = request.GET.get("version")
    shown = next((row for row in versions if str(row.version) == asked_for), newest)
    text = form.cleaned_data["text"] if previews and form.is_valid() else shown and shown.text
    context = {
        "form": form,
        "versions": versions,
        "shown": shown,
        "preview": text,
    }
    return render(request, "marketplace/operator/consent.html", context)
