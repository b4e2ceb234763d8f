"""Pages of a worker in a round: comparison, decisions and feedback."""

import json

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from audit.domain.change_state import TransitionNotAllowedError
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import render_page
from projects.permissions import CAN_SEE_WORKERS, project_page
from qualification.domain.pool.admit import Standing, outsiders_of
from qualification.domain.rounds.queries import learning_curve
from qualification.domain.scores.figures import unmet_thresholds
from qualification.domain.training.conclude import conclude, has_unsent_feedback, warnings_before
from qualification.domain.training.decide import Verdict, effects_of_pass
from qualification.domain.training.evaluate import AT_WORK, NothingToEvaluateError, evaluate_now
from qualification.domain.training.feedback import (
    NothingToSendError,
    autosave_draft,
    draft_or_new,
    save_feedback,
    send_feedback,
    sent_to,
)
from qualification.domain.training.overrule import OverruleError, decisions_on, undo_decision
from qualification.domain.training.overrule import overrule as record_decision
from qualification.domain.training.second_opinion import decisions_of
from qualification.enums import EnrolmentState
from qualification.forms import VERDICTS, ConcludeForm
from qualification.models import Enrolment, SecondOpinion
from qualification.views.feedback import comparison_context, feedback_context, notes_of
from qualification.views.snippets import change_snippets
from schemes.contract.comparison import RowDecision


@require_GET
@project_page(CAN_SEE_WORKERS)
def trainee(request: HttpRequest, project: Project, pk: int, pseudonym: str) -> HttpResponse:
    enrolment = _enrolment(project, pk, pseudonym)
    draft = draft_or_new(enrolment)
    evaluation = draft.evaluation if draft else None
    figures = (evaluation.corrected_figures or evaluation.figures) if evaluation else None
    scheme = scheme_of(project)
    context = {
        "scheme": scheme,
        "enrolment": enrolment,
        "round": enrolment.round,
        "worker": enrolment.worker,
        "evaluation": evaluation,
        "at_work": enrolment.state in AT_WORK,
        "unmet": unmet_thresholds(scheme, figures, enrolment.round.thresholds),
        "figures": figures,
        "unsent": has_unsent_feedback(enrolment),
        "draft": draft,
        "sent": sent_to(enrolment),
        "curve": learning_curve(enrolment=enrolment),
        "verdicts": VERDICTS,
        "opinions": _opinions(enrolment),
        "standing": _standing_after_pass(enrolment),
        "effects": effects_of_pass(enrolment.round),
        **_neighbours(enrolment),
        **(comparison_context(draft, decisions_on(enrolment)) if draft else {}),
    }
    return render_page(request, project, "qualification/trainee.html", context)


def _opinions(enrolment: Enrolment) -> list[SecondOpinion]:
    """Return the second opinions, which are hidden until a decision is made."""
    if not decisions_of(enrolments=[enrolment.pk]):
        return []
    return list(enrolment.opinions.select_related("trainer").order_by("pk"))


def _standing_after_pass(enrolment: Enrolment) -> Standing | None:
    """Return the worker's standing if they passed the round but are not in the pool."""
    if enrolment.state != EnrolmentState.PASSED:
        return None
    round, worker = enrolment.round, enrolment.worker_id
    outsiders = outsiders_of(project=round.project, role=round.role, passed=[worker])
    return outsiders[0] if outsiders else None


def _enrolment(project: Project, pk: int, pseudonym: str) -> Enrolment:
    return get_object_or_404(
        Enrolment.objects.select_related("round__project", "worker", "cohort__batch__project"),
        round__project=project,
        round=pk,
        worker__pseudonym=pseudonym,
    )


def _neighbours(enrolment: Enrolment) -> dict[str, str]:
    """Return the URLs of the previous and next worker of the round."""
    names = list(enrolment.round.enrolments.order_by("pk").values_list("pk", "worker__pseudonym"))
    position = [pk for pk, _ in names].index(enrolment.pk)
    around = {"previous": position - 1, "following": position + 1}
    return {
        name: _address("trainee", enrolment, names[neighbour][1])
        for name, neighbour in around.items()
        if 0 <= neighbour < len(names)
    }


def _address(route: str, enrolment: Enrolment, pseudonym: str) -> str:
    slug = enrolment.round.project.slug
    return reverse(f"qualification:{route}", args=[slug, enrolment.round_id, pseudonym])


@require_POST
@project_page(CAN_SEE_WORKERS)
def write(request: HttpRequest, project: Project, pk: int, pseudonym: str) -> HttpResponseBase:
    """Save the page's form, and do what the pressed button requests."""
    enrolment = _enrolment(project, pk, pseudonym)
    action = str(request.POST.get("action", "save"))
    save = {"send": send_feedback, "save": save_feedback}.get(action, autosave_draft)
    notes, now = notes_of(request.POST), timezone.now()
    try:
        save(enrolment=enrolment, trainer=request.user, notes=notes, now=now)
    except NothingToSendError as error:
        messages.error(request, str(error))
        return redirect(_address("trainee", enrolment, pseudonym))
    anchor = change_snippets(request, project)
    if anchor is not None:
        return redirect(_address("trainee", enrolment, pseudonym) + anchor)
    if action == "preview":
        return redirect(_address("preview", enrolment, pseudonym))
    if action == "send":
        messages.success(request, f"Feedback to {pseudonym} will be sent shortly.")
    elif action == "decide":
        return _conclude(request, project, enrolment)
    else:
        messages.success(request, "Saved.")
    return redirect(_address("trainee", enrolment, pseudonym))


@require_POST
@project_page(CAN_SEE_WORKERS)
def confirm(request: HttpRequest, project: Project, pk: int, pseudonym: str) -> HttpResponseBase:
    """Decide after the warnings were shown. The feedback is already saved."""
    return _conclude(request, project, _enrolment(project, pk, pseudonym))


def _conclude(request: HttpRequest, project: Project, enrolment: Enrolment) -> HttpResponseBase:
    """Send the feedback and decide, or show what to confirm first."""
    back = _address("trainee", enrolment, enrolment.worker.pseudonym)
    form = ConcludeForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose a decision.")
        return redirect(back + "#decide")
    verdict, sends = Verdict(form.cleaned_data["verdict"]), form.cleaned_data["sends"]
    warnings = warnings_before(enrolment=enrolment, verdict=verdict, sends=sends)
    if warnings and not form.cleaned_data["confirmed"]:
        context = {
            "round": enrolment.round,
            "worker": enrolment.worker,
            "warnings": warnings,
            "form": form,
            "verdict": dict(VERDICTS)[verdict],
            "back": back,
        }
        return render_page(request, project, "qualification/confirm.html", context)
    try:
        conclude(
            enrolment=enrolment,
            verdict=verdict,
            reason=form.cleaned_data["reason"],
            sends=sends,
            trainer=request.user,
            now=timezone.now(),
        )
    except (TransitionNotAllowedError, NothingToSendError) as error:
        messages.error(request, f"No decision was made: {error}")
    else:
        sent = "Feedback and decision are" if sends else "The decision is"
        messages.success(request, f"{sent} on the way to {enrolment.worker.pseudonym}.")
    return redirect(back)


@require_POST
@project_page(CAN_SEE_WORKERS)
def evaluate(request: HttpRequest, project: Project, pk: int, pseudonym: str) -> HttpResponseBase:
    enrolment = _enrolment(project, pk, pseudonym)
    try:
        evaluate_now(enrolment=enrolment, actor=request.user.get_username(), now=timezone.now())
    except NothingToEvaluateError as error:
        messages.error(request, str(error))
    return redirect(_address("trainee", enrolment, pseudonym))


@require_POST
@project_page(CAN_SEE_WORKERS)
def overrule(request: HttpRequest, project: Project, pk: int, pseudonym: str) -> HttpResponseBase:
    enrolment = _enrolment(project, pk, pseudonym)
    anchor = ""
    by, notes, now = request.user, notes_of(request.POST), timezone.now()
    try:
        autosave_draft(enrolment=enrolment, trainer=by, notes=notes, now=now)
        if back := str(request.POST.get("undo", "")):
            item, _, decision = back.partition("|")
            anchor = f"#item-{int(item)}"
            undo_decision(enrolment=enrolment, decision_id=int(decision), by=by, now=now)
        else:
            anchor = _record(request, enrolment)
    except (OverruleError, NothingToSendError) as error:
        messages.error(request, str(error))
    except ValueError as error:
        raise Http404("no such decision") from error
    return redirect(_address("trainee", enrolment, pseudonym) + anchor)


def _record(request: HttpRequest, enrolment: Enrolment) -> str:
    """Record the decision of the pressed button, and return the item's anchor.

    If the button leaves the worker's side open, the field beside it has the side. Raise ValueError or
    OverruleError.
    """
    value = str(request.POST.get("decision", ""))
    match json.loads(value):
        case [int() as item, str() as kind, str() | None as reference, str() | None as predicted]:
            predicted = predicted or str(request.POST.get(f"with-{value}", ""))
        case _:
            raise ValueError(value)
    if not predicted:
        raise ValueError(value)
    record_decision(
        enrolment=enrolment,
        item_id=item,
        decision=RowDecision(kind, reference, predicted),
        by=request.user,
        now=timezone.now(),
    )
    return f"#item-{item}"


@require_GET
@project_page(CAN_SEE_WORKERS)
def preview(request: HttpRequest, project: Project, pk: int, pseudonym: str) -> HttpResponse:
    """Show the page as the worker will see it."""
    enrolment = _enrolment(project, pk, pseudonym)
    feedback = draft_or_new(enrolment)
    if feedback is None:
        raise Http404("nothing to preview")
    back = _address("trainee", enrolment, pseudonym)
    context = feedback_context(request, feedback) | {"is_preview": True, "back": back}
    return render(request, "qualification/feedback.html", context)
