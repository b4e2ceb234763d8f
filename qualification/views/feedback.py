"""Workers' feedback pages, behind a signed link without a login, and the trainer's previews."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from annotation.work_page import in_worker_language
from crowd.domain.workers.languages import keep_language, page_language
from crowd.domain.workers.write_mail import forget_address, keep_address
from crowd.models import MailAddress, Worker
from datasets.models import Decision
from projects.domain.schemes import scheme_of
from projects.permissions import public_page
from qualification.domain.training.comparison_view import comparison_view, guidelines_of
from qualification.domain.training.feedback import (
    AnyFeedback,
    InvalidLinkError,
    Notes,
    acknowledge,
    add_reply,
    feedback_of_token,
)
from qualification.domain.training.overrule import corrected_rows
from qualification.domain.training.pool_feedback import figures_of_entries
from qualification.domain.training.snippets import snippets_of
from qualification.forms import AddressForm, ReplyForm
from qualification.models import PoolFeedback
from schemes.contract.scheme import Scheme
from schemes.contract.values import Json
from web.markdown import render_markdown

NOTE = re.compile(r"^note-(\d+)$")


@csrf_exempt  # the signed link is the only credential, so there is no session to abuse
@never_cache
@require_http_methods(["GET", "POST"])
@public_page
def feedback(request: HttpRequest, token: str) -> HttpResponseBase:
    """Show feedback on a round or on production work."""
    try:
        feedback = feedback_of_token(token)
    except InvalidLinkError as error:
        return render(request, "qualification/bad_link.html", {"error": error}, status=404)
    worker = feedback.worker
    if request.method == "POST":
        keep_language(worker=worker, language=page_language())
    form, address = ReplyForm(), AddressForm()
    if request.method == "POST" and {"address", "forget"} & set(request.POST):
        address = AddressForm(request.POST)
        if _address_taken(request, worker, address):
            return redirect(request.path + "#address")
    elif request.method == "POST":
        form = ReplyForm(request.POST)
        if _answered(request, feedback, form):
            return redirect(request.path)
    status = 422 if form.is_bound or address.is_bound else 200
    context = feedback_context(request, feedback) | {
        "form": form,
        "mail_is_on": settings.MAIL_IS_ON,
        "mail_address": MailAddress.objects.filter(worker=worker).first(),
        "address": address,
    }
    response = render(request, "qualification/feedback.html", context, status=status)
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex"
    return response


def _address_taken(request: HttpRequest, worker: Worker, form: AddressForm) -> bool:
    """Store or delete the email address. Return False if it was not accepted."""
    if "forget" in request.POST:
        forget_address(worker=worker)
        return True
    if not settings.MAIL_IS_ON or not form.is_valid():
        return False
    keep_address(worker=worker, address=form.cleaned_data["address"], now=timezone.now())
    return True


def _answered(request: HttpRequest, feedback: AnyFeedback, form: ReplyForm) -> bool:
    """Record the worker's acknowledgement or reply. Return False if it was not accepted."""
    now = timezone.now()
    if "acknowledge" in request.POST:
        acknowledge(feedback=feedback, now=now)
        return True
    if form.is_valid():
        add_reply(feedback=feedback, reply=form.cleaned_data["reply"], now=now)
        return True
    return False


def feedback_context(request: HttpRequest, feedback: AnyFeedback) -> dict[str, Any]:
    """Return the context of the worker's page, which trainers can preview."""
    from_production = isinstance(feedback, PoolFeedback)
    scheme = scheme_of(feedback.project)
    if isinstance(feedback, PoolFeedback):
        figures, corrected = figures_of_entries(scheme, feedback.alignment), None
    else:
        figures, corrected = feedback.evaluation.figures, feedback.evaluation.corrected_figures
    return {
        "project": feedback.project,
        "title": feedback.title,
        "feedback": feedback,
        "figures": figures,
        "sentences": _sentences(scheme, figures),
        "corrected": _sentences(scheme, corrected) if corrected else [],
        "scheme": scheme,
        "other_side": gettext("Final version") if from_production else gettext("Expert"),
        "from_production": from_production,
        **comparison_context(feedback, corrected=_corrected(feedback), reader=request),
    }


def _corrected(feedback: AnyFeedback) -> dict[int, list[Json]]:
    """Return the rows of items with decisions, so that an overruled answer counts as right."""
    return {} if isinstance(feedback, PoolFeedback) else corrected_rows(feedback.evaluation)


def _sentences(scheme: Scheme, figures: Json) -> list[str]:
    """Return what the figures mean, for the worker."""
    return [
        sentence
        for figure in scheme.comparison.figures
        for sentence in figure.feedback(figures[figure.key])
    ]


def comparison_context(
    feedback: AnyFeedback,
    decisions: Sequence[Decision] = (),
    corrected: Mapping[int, Sequence[Json]] | None = None,
    reader: HttpRequest | None = None,
) -> dict[str, Any]:
    """Return the context of the comparison, with the guidelines in the reader's language if given."""
    guidelines = guidelines_of(feedback)
    if guidelines and reader:
        guidelines = in_worker_language(reader, guidelines)
    items = comparison_view(
        feedback=feedback, decisions=decisions, guidelines=guidelines, corrected=corrected
    )
    to_check = [entry.item.pk for entry in items if entry.differences or not entry.answered]
    return {
        "items": items,
        "snippets": snippets_of(project=feedback.project),
        # The item whose comparison is open at first.
        "opened": next(iter(to_check), None),
        "guidelines": render_markdown(guidelines.text) if guidelines else "",
        "guidelines_language": guidelines.language if guidelines else "",
    }


def notes_of(data: QueryDict) -> Notes:
    """Return the trainer's notes in the form."""
    by_item = {
        match.group(1): str(value)[:4000]
        for name, value in data.items()
        if (match := NOTE.match(name))
    }
    seconds = str(data.get("seconds", ""))
    return Notes(
        text=str(data.get("text", ""))[:10_000],
        by_item=by_item,
        seconds=int(seconds) if seconds.isdecimal() and len(seconds) < 7 else 0,
    )
