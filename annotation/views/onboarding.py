"""The consent and the questionnaire before a worker's first task, in a marketplace's frame."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from annotation.domain.work.onboarding.steps import claim_of, onboarding_of, save_onboarding
from annotation.domain.work.worker_page import InvalidPageError
from annotation.frame import framed_page
from annotation.onboarding_page import NEW_TEXT, OnboardingForm, render_onboarding
from crowd.domain.sessions.deal_hit import give_back_deal


@csrf_exempt  # the token authorizes the request, and the frame has no cookies
@require_POST
@framed_page
def onboarding(request: HttpRequest) -> HttpResponse:
    """Store what the worker entered and return to the task, or explain how to decline."""
    claim = claim_of(request.POST.get("token"))
    task_address = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(task_address, allowed_hosts=None):
        raise InvalidPageError(gettext("This page is not valid. Open the task again."))
    if "declines" in request.POST:
        provider = give_back_deal(token=claim.assignment_ref, now=timezone.now())
        context = {"provider": provider, "task_address": task_address}
        return render(request, "annotation/declined.html", context)
    address = request.META.get("REMOTE_ADDR", "")
    steps = onboarding_of(claim=claim, address=address)
    if steps is None:
        return redirect(task_address)
    text = steps.consent_text
    if text and request.POST.get("version") != str(text.version):
        return render_onboarding(request, steps, problem=str(NEW_TEXT), address=task_address)
    form = OnboardingForm(request.POST, onboarding=steps)
    if not form.is_valid():
        return render_onboarding(request, steps, form=form, address=task_address)
    save_onboarding(onboarding=steps, answers=form.answers(), address=address, now=timezone.now())
    return redirect(task_address)
