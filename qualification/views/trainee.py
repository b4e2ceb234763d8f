"""One worker's round: side by side with the expert's, overruled, commented, sent."""

import re

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.markdown import render_markdown
from annotation.models import Project
from annotation.permissions import project_page
from audit.domain.change_state import MoveRefused
from qualification.domain.decide import Verdict, decide
from qualification.domain.evaluate import AT_WORK, NothingToEvaluate, evaluate_now
from qualification.domain.feedback import (
    NothingToSend,
    draft_of,
    keep_feedback,
    save_feedback,
    send_feedback,
    sent_to,
)
from qualification.domain.figures import below_thresholds
from qualification.domain.overrule import OverruleRefused, decisions_on, take_back
from qualification.domain.overrule import overrule as record_decision
from qualification.domain.queries import guidelines_read, learning_curve
from qualification.domain.side_by_side import side_by_side
from qualification.forms import VERDICTS
from qualification.models import Enrolment, Feedback
from qualification.views.notes import notes_of

# item, kind, reference span and predicted span of a decision, as its button sends them.
DECISION = re.compile(r"^(\d+)\|([a-z-]+)\|(?:(\d+)-(\d+))?\|(?:(\d+)-(\d+))?$")


@require_GET
@project_page
def trainee(request: HttpRequest, project: Project, pk: int, pseudonym: str) -> HttpResponse:
    enrolment = _enrolment(project, pk, pseudonym)
    evaluation = enrolment.evaluations.order_by("-pk").first()
    draft = draft_of(enrolment)
    guidelines = guidelines_read(enrolment=enrolment)
    items = (
        side_by_side(
            evaluation=evaluation,
            notes=draft.notes if draft else {},
            decisions=decisions_on(enrolment),
            guidelines=guidelines,
        )
        if evaluation
        else []
    )
    figures = (evaluation.corrected_figures or evaluation.figures) if evaluation else None
    context = {
        "project": project,
        "enrolment": enrolment,
        "round": enrolment.round,
        "worker": enrolment.worker,
        "evaluation": evaluation,
        "at_work": enrolment.state in AT_WORK,
        "below": below_thresholds(figures, enrolment.round.thresholds) if evaluation else [],
        "items": items,
        "guidelines": render_markdown(guidelines.text) if guidelines else "",
        "draft": draft,
        "sent": sent_to(enrolment),
        "curve": learning_curve(enrolment=enrolment),
        "verdicts": VERDICTS,
        **_neighbours(enrolment),
    }
    return render(request, "qualification/trainee.html", context)


def _enrolment(project: Project, pk: int, pseudonym: str) -> Enrolment:
    return get_object_or_404(
        Enrolment.objects.select_related("round__project", "worker", "intake__batch__project"),
        round__project=project,
        round=pk,
        worker__pseudonym=pseudonym,
    )


def _neighbours(enrolment: Enrolment) -> dict[str, str]:
    """The addresses of the workers before and after, in the order of the desk."""
    names = list(enrolment.round.enrolments.order_by("pk").values_list("pk", "worker__pseudonym"))
    at = [pk for pk, _ in names].index(enrolment.pk)
    around = {"previous": at - 1, "following": at + 1}
    return {
        name: _address("trainee", enrolment, names[place][1])
        for name, place in around.items()
        if 0 <= place < len(names)
    }


def _address(route: str, enrolment: Enrolment, pseudonym: str) -> str:
    slug = enrolment.round.project.slug
    return reverse(f"qualification:{route}", args=[slug, enrolment.round_id, pseudonym])


@require_POST
@project_page
def write(request: HttpRequest, project: Project, pk: int, pseudonym: str) -> HttpResponseBase:
    """Everything on the page is one form: whatever button is pressed, what was written is kept."""
    enrolment = _enrolment(project, pk, pseudonym)
    action = str(request.POST.get("action", "save"))
    keep = {"send": send_feedback, "save": save_feedback}.get(action, keep_feedback)
    try:
        keep(
            enrolment=enrolment,
            trainer=request.user,
            notes=notes_of(request.POST),
            now=timezone.now(),
        )
    except NothingToSend as error:
        messages.error(request, str(error))
        return redirect(_address("trainee", enrolment, pseudonym))
    if action == "preview":
        return redirect(_address("preview", enrolment, pseudonym))
    if action == "send":
        messages.success(request, f"Feedback is on its way to {pseudonym}.")
    elif action in list(Verdict):
        _decide(request, enrolment, Verdict(action))
    else:
        messages.success(request, "Saved.")
    return redirect(_address("trainee", enrolment, pseudonym))


def _decide(request: HttpRequest, enrolment: Enrolment, verdict: Verdict) -> None:
    try:
        decide(
            enrolment=enrolment,
            verdict=verdict,
            reason=str(request.POST.get("reason", ""))[:1000],
            actor=request.user.get_username(),
            now=timezone.now(),
        )
    except MoveRefused as error:
        messages.error(request, f"Nothing was decided: {error}")
    else:
        messages.success(request, "Decided. The worker is told by a message.")


@require_POST
@project_page
def evaluate(request: HttpRequest, project: Project, pk: int, pseudonym: str) -> HttpResponseBase:
    enrolment = _enrolment(project, pk, pseudonym)
    try:
        evaluate_now(enrolment=enrolment, actor=request.user.get_username(), now=timezone.now())
    except NothingToEvaluate as error:
        messages.error(request, str(error))
    return redirect(_address("trainee", enrolment, pseudonym))


@require_POST
@project_page
def overrule(request: HttpRequest, project: Project, pk: int, pseudonym: str) -> HttpResponseBase:
    enrolment = _enrolment(project, pk, pseudonym)
    anchor = ""
    try:
        keep_feedback(
            enrolment=enrolment,
            trainer=request.user,
            notes=notes_of(request.POST),
            now=timezone.now(),
        )
        if back := str(request.POST.get("take_back", "")):
            item, _, decision = back.partition("|")
            anchor = f"#item-{int(item)}"
            take_back(
                enrolment=enrolment,
                decision_id=int(decision),
                by=request.user,
                now=timezone.now(),
            )
        else:
            anchor = _record(request, enrolment)
    except (OverruleRefused, NothingToSend) as error:
        messages.error(request, str(error))
    except ValueError as error:
        raise Http404("no such decision") from error
    return redirect(_address("trainee", enrolment, pseudonym) + anchor)


def _record(request: HttpRequest, enrolment: Enrolment) -> str:
    """Record the decision that the button names; where it leaves the worker's span open, the choice
    beside it has it. Raises ValueError, OverruleRefused."""
    told = str(request.POST.get("decision", ""))
    if told.endswith("|"):
        told += str(request.POST.get(f"with-{told}", ""))
    match = DECISION.match(told)
    if match is None or match.group(5) is None:
        raise ValueError(told)
    item, kind, *ends = match.groups()
    reference = [int(one) for one in ends[:2] if one is not None]
    record_decision(
        enrolment=enrolment,
        item_id=int(item),
        kind=kind,
        reference_span=reference or None,
        predicted_span=[int(one) for one in ends[2:]],
        by=request.user,
        now=timezone.now(),
    )
    return f"#item-{item}"


@require_GET
@project_page
def preview(request: HttpRequest, project: Project, pk: int, pseudonym: str) -> HttpResponse:
    """What the worker will see."""
    enrolment = _enrolment(project, pk, pseudonym)
    evaluation = enrolment.evaluations.order_by("-pk").first()
    if evaluation is None:
        raise Http404("nothing to preview")
    feedback = draft_of(enrolment) or Feedback(evaluation=evaluation)
    guidelines = guidelines_read(enrolment=enrolment)
    context = {
        "is_preview": True,
        "back": _address("trainee", enrolment, pseudonym),
        "feedback": feedback,
        "title": enrolment.round.title,
        "role": enrolment.round.role,
        "other_side": "Expert",
        "figures": evaluation.figures,
        "corrected": evaluation.corrected_figures,
        "found_in_all": evaluation.figures["UA"]["tp"] + evaluation.figures["UA"]["fn"],
        "items": side_by_side(evaluation=evaluation, notes=feedback.notes, guidelines=guidelines),
        "guidelines": render_markdown(guidelines.text) if guidelines else "",
    }
    return render(request, "qualification/feedback.html", context)
