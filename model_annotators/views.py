"""The pages of a project's models: registration, runs on training rounds, and reports."""

from functools import partial

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from audit.errors import TouchstoneError
from jobs.domain.queries import jobs_of
from model_annotators.domain.annotate import spent_cents, with_costs
from model_annotators.domain.register import register_model, retire_model
from model_annotators.domain.report import rounds_with_answers, rounds_with_predictions, systems_of
from model_annotators.domain.run_model import MODEL_RUN, RunError, queue_run
from model_annotators.enums import ModelState
from model_annotators.forms import ModelForm, RunForm
from model_annotators.models import ModelAnnotator
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Project
from projects.pages import ask_first, job_list, render_page
from projects.permissions import STAFF, project_page
from projects.views.settings import JOBS_SHOWN, actor_of
from qualification.domain.rounds.queries import rounds_of


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def models(request: HttpRequest, project: Project) -> HttpResponseBase:
    form = ModelForm(request.POST or None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                annotator = register_model(
                    project=project,
                    plan=form.plan(),
                    actor=actor_of(request),
                    now=timezone.now(),
                )
            except TouchstoneError as error:
                form.add_error(None, str(error))
            else:
                messages.success(request, f"{annotator.name} is registered.")
                return redirect("model_annotators:model", project.slug, annotator.pk)
    context = {
        "form": form,
        "annotators": with_costs(project.model_annotators),
        "systems": systems_of(project),
    }
    return render_page(request, project, "model_annotators/models.html", context, status=status)


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def model(request: HttpRequest, project: Project, pk: int) -> HttpResponseBase:
    annotator = _model_of(project, pk)
    rounds = rounds_of(project=project).filter(role=Role.GENERATOR)
    form = RunForm(request.POST or None, rounds=rounds)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                queue_run(
                    annotator=annotator,
                    round=form.cleaned_data["round"],
                    count=form.cleaned_data["count"] or 0,
                    actor=actor_of(request),
                    now=timezone.now(),
                )
            except RunError as error:
                form.add_error(None, str(error))
            else:
                messages.success(request, "The run has started.")
                return redirect(request.path)
    jobs = jobs_of(scope=project.slug, kind=MODEL_RUN).filter(parameters__annotator=annotator.pk)
    context = {
        "annotator": annotator,
        "scheme": scheme_of(project),
        "spent": spent_cents(annotator),
        "form": form,
        "can_run": annotator.state == ModelState.ACTIVE,
        # A fragment doesn't need them.
        "reports": partial(rounds_with_answers, annotator),
    }
    return render_page(
        request,
        project,
        "model_annotators/model.html",
        context | job_list(jobs[:JOBS_SHOWN], request.path),
        fragment="dashboard/fragments/job_list_with_path.html",
        status=status,
    )


@require_GET
@project_page(STAFF)
def predictions(request: HttpRequest, project: Project) -> HttpResponse:
    # In the query, because a name can have any characters
    system = request.GET.get("system", "")
    if not system:
        return redirect("model_annotators:models", project.slug)
    if system not in dict(systems_of(project)):
        raise Http404(f"No predictions of {system} were imported.")
    reports = rounds_with_predictions(project=project, system=system)
    context = {"system": system, "scheme": scheme_of(project), "reports": reports}
    return render_page(request, project, "model_annotators/predictions.html", context)


@require_POST
@project_page(STAFF)
def retire(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    annotator = _model_of(project, pk)
    back = reverse("model_annotators:model", args=[project.slug, annotator.pk])
    question = ask_first(
        request,
        project,
        title=f"Retire {annotator.name}?",
        consequences=[
            "It takes no further rounds, and its API key is deleted.",
            "Its answers and reports remain.",
        ],
        button="Retire",
        back=back,
    )
    if question:
        return question
    retire_model(annotator=annotator, actor=actor_of(request), now=timezone.now())
    messages.success(request, f"{annotator.name} is retired.")
    return redirect(back)


def _model_of(project: Project, pk: int) -> ModelAnnotator:
    return get_object_or_404(project.model_annotators.select_related("project"), pk=pk)
