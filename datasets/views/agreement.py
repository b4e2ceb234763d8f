"""Pages that show the agreement of annotators and run agreement experiments."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from consolidation.domain.cases.experiment import (
    ExperimentError,
    begin_experiment,
    items_of_experiment,
    plan_experiment,
    progress_of,
)
from crowd.domain.money.ledger import BudgetExceededError
from datasets.domain.agreement.agreement import (
    AgreementReport,
    consolidation_agreement,
    worker_agreement,
)
from datasets.domain.agreement.agreement_chart import draw_agreement
from datasets.domain.agreement.agreement_table import agreement_columns, agreement_rows
from datasets.domain.quality.agreement_figures import LIMIT, AgreementFigures, agreement_figures
from datasets.forms.agreement import ExperimentForm
from projects.domain.cached_figures import figures_of
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import render_page
from projects.permissions import STAFF, project_page
from web.downloads import csv_download


@require_GET
@project_page(STAFF)
def agreement(request: HttpRequest, project: Project) -> HttpResponse:
    return _page(request, project, ExperimentForm(triplets=project.generators_per_item))


def _page(
    request: HttpRequest, project: Project, form: ExperimentForm, status: int = 200
) -> HttpResponse:
    cached = figures_of(agreement_figures, project=project)
    figures: AgreementFigures = cached.value
    workers, validators = figures.workers, figures.validators
    reports = _named(workers, figures.consolidations, figures.disjoint_teams)
    scheme = scheme_of(project)
    figure = scheme.comparison.figures[0]
    context = {
        "cached": cached,
        **_tables(project, reports),
        "workers": workers,
        "validators": [(validator, figure.value_of(validator.total)) for validator in validators],
        "unit": scheme.vocabulary.unit,
        "limit": LIMIT,
        "form": form,
        "experiments": project.experiments.order_by("-pk"),
    }
    return render_page(request, project, "datasets/agreement.html", context, status=status)


def _named(
    workers: AgreementReport, first_and_second: AgreementReport, disjoint: AgreementReport
) -> list[tuple[str, AgreementReport]]:
    return [
        ("Worker and worker", workers),
        ("First and second consolidation", first_and_second),
        ("First and second consolidation by different workers", disjoint),
    ]


def _tables(project: Project, reports: list[tuple[str, AgreementReport]]) -> dict[str, Any]:
    """Return the declared figures and the reports with their values in the same order."""
    figures = scheme_of(project).comparison.figures
    rows = [
        (name, report, [(figure, report.figures[figure.key]) for figure in figures])
        for name, report in reports
    ]
    return {"reports": rows, "figures": figures, "first_figure": figures[0]}


@require_GET
@project_page(STAFF)
def chart(request: HttpRequest, project: Project) -> HttpResponse:
    figure = scheme_of(project).comparison.figures[0]
    drawing = draw_agreement(_requested_report(request, project), figure)
    return HttpResponse(drawing, content_type="image/svg+xml")


@require_GET
@project_page(STAFF)
def table(request: HttpRequest, project: Project) -> HttpResponseBase:
    scheme = scheme_of(project)
    rows = agreement_rows(scheme, _requested_report(request, project))
    columns = agreement_columns(scheme)
    return csv_download(f"{project.slug}-agreement.csv", columns, rows, line_end="\n")


def _requested_report(request: HttpRequest, project: Project) -> AgreementReport:
    """Return the workers' agreement on the items of the requested experiment, or on all."""
    pk = request.GET.get("experiment", "")
    if pk:
        if not (pk.isascii() and pk.isdigit() and len(pk) < 19):
            raise Http404(f"no experiment {pk}")
        experiment = get_object_or_404(project.experiments, pk=pk)
        among = items_of_experiment(experiment=experiment)
        return worker_agreement(project=project, limit=LIMIT, among=among)
    workers: AgreementReport = figures_of(agreement_figures, project=project).value.workers
    return workers


@require_POST
@project_page(STAFF)
def begin(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Confirm the cost of an experiment, then publish its items."""
    form = ExperimentForm(request.POST, triplets=project.generators_per_item)
    if not form.is_valid():
        return _page(request, project, form, status=422)
    count, generators = form.cleaned_data["count"], form.generators()
    try:
        if "confirmed" not in request.POST:
            plan = plan_experiment(project=project, count=count, generators=generators)
            context = {"form": form, "plan": plan, "consolidates": generators is None}
            return render_page(request, project, "datasets/experiment_confirm.html", context)
        experiment = begin_experiment(
            project=project,
            count=count,
            generators=generators,
            workers=form.cleaned_data["workers"],
            by=str(request.user),
            now=timezone.now(),
        )
    except (ExperimentError, BudgetExceededError) as error:
        form.add_error(None, str(error))
        return _page(request, project, form, status=422)
    messages.success(
        request, f"The experiment has started. Its {project.hit_noun}s are being created."
    )
    return redirect("datasets:experiment", project.slug, experiment.pk)


@require_GET
@project_page(STAFF)
def experiment(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    experiment = get_object_or_404(project.experiments.select_related("batch"), pk=pk)
    experiment.project = project
    items = items_of_experiment(experiment=experiment)
    workers = worker_agreement(project=project, limit=LIMIT, among=items)
    first_and_second, disjoint = (
        consolidation_agreement(project=project, disjoint=disjoint, among=items)
        for disjoint in (False, True)
    )
    context = {
        "experiment": experiment,
        "progress": progress_of(experiment=experiment),
        "workers": workers,
        **_tables(project, _named(workers, first_and_second, disjoint)),
    }
    return render_page(request, project, "datasets/experiment.html", context)
