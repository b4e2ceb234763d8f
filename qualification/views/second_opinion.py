"""The page on which a second trainer judges a worker without seeing the first one's decision."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import render_page
from projects.permissions import CAN_SEE_WORKERS, project_page
from qualification.domain.rounds.queries import rounds_of
from qualification.domain.training.second_opinion import awaiting_opinion, give_opinion
from qualification.enums import Opinion
from qualification.forms import OpinionForm
from qualification.models import Enrolment, Feedback
from qualification.views.feedback import comparison_context


@require_http_methods(["GET", "POST"])
@project_page(CAN_SEE_WORKERS)
def second_opinion(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    """Show the next worker on whom the trainer has not decided, or store the opinion."""
    round = get_object_or_404(rounds_of(project=project), pk=pk)
    waiting = awaiting_opinion(round=round, trainer=request.user)
    form = OpinionForm(request.POST or None)
    enrolment = waiting.first()
    if request.method == "POST":
        shown = str(request.POST.get("enrolment", ""))
        wanted = int(shown) if shown.isdecimal() and len(shown) < 19 else 0
        enrolment = waiting.filter(pk=wanted).first()
    if enrolment is None:
        messages.info(request, f"You have judged every evaluated worker of {round.title}.")
        return redirect("qualification:round", slug=project.slug, pk=pk)
    if form.is_valid():
        give_opinion(
            enrolment=enrolment,
            trainer=request.user,
            opinion=Opinion(form.cleaned_data["opinion"]),
            comment=form.cleaned_data["comment"],
            now=timezone.now(),
        )
        messages.success(request, f"Your opinion on {enrolment.worker.pseudonym} is saved.")
        return redirect("qualification:second_opinion", slug=project.slug, pk=pk)
    status = 422 if form.is_bound else 200
    context = {"round": round, "left": waiting.count(), "form": form, **_shown(enrolment)}
    page = "qualification/second_opinion.html"
    return render_page(request, project, page, context, status=status)


def _shown(enrolment: Enrolment) -> dict[str, object]:
    """Return the worker's automatic comparison, without notes and decisions."""
    evaluation = enrolment.evaluations.filter(so_far=False).latest("pk")
    return {
        "enrolment": enrolment,
        "worker": enrolment.worker,
        "figures": evaluation.figures,
        "scheme": scheme_of(enrolment.round.project),
        **comparison_context(Feedback(evaluation=evaluation)),
    }
