"""How far a project's annotators agree: a table, a heat map, a file; and experiments to find out more."""

import csv
import io
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from annotation.domain.kept_figures import figures_of
from annotation.models import Item, Project
from annotation.permissions import project_page
from consolidation.domain.agreement import (
    AgreementReport,
    consolidation_agreement,
    worker_agreement,
)
from consolidation.domain.agreement_chart import draw_agreement
from consolidation.domain.agreement_table import COLUMNS, agreement_rows
from consolidation.domain.experiment import (
    ExperimentRefused,
    begin_experiment,
    items_of_experiment,
    plan_experiment,
    progress_of,
)
from consolidation.domain.validator_figures import validator_figures
from crowd.domain.ledger import BudgetExceeded
from dashboard.forms.agreement import ExperimentForm
from dashboard.pages import render_page

# A page has to come at once; the command `agreement` takes every item.
LIMIT = 500


@require_GET
@project_page
def agreement(request: HttpRequest, project: Project) -> HttpResponse:
    return _page(request, project, _form(project))


def _form(project: Project, data: object = None) -> ExperimentForm:
    return ExperimentForm(data, triplets=project.generators_per_item)


def _page(
    request: HttpRequest, project: Project, form: ExperimentForm, status: int = 200
) -> HttpResponse:
    kept = figures_of(agreement_figures, project=project)
    workers, reports, validators = kept.value
    context = {
        "kept": kept,
        "reports": reports,
        "workers": workers,
        "validators": validators,
        "limit": LIMIT,
        "form": form,
        "experiments": project.experiments.order_by("-pk"),
    }
    return render_page(request, project, "consolidation/agreement.html", context, status=status)


def agreement_figures(*, project: Project) -> tuple[Any, ...]:
    """Workers' agreement, the reports of the page, and the validators' figures."""
    workers = worker_agreement(project=project, limit=LIMIT)
    validators = validator_figures(project=project, limit=LIMIT)
    return workers, _reports(project, workers), validators


def _reports(
    project: Project, workers: AgreementReport, among: QuerySet[Item] | None = None
) -> list[tuple[str, AgreementReport]]:
    first_and_second = consolidation_agreement(project=project, disjoint=False, among=among)
    disjoint = consolidation_agreement(project=project, disjoint=True, among=among)
    return [
        ("Worker and worker", workers),
        ("First and second consolidation", first_and_second),
        ("The same by disjoint teams", disjoint),
    ]


@require_GET
@project_page
def chart(request: HttpRequest, project: Project) -> HttpResponse:
    drawing = draw_agreement(_asked(request, project))
    return HttpResponse(drawing, content_type="image/svg+xml")


@require_GET
@project_page
def table(request: HttpRequest, project: Project) -> HttpResponse:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(agreement_rows(_asked(request, project)))
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{project.slug}-agreement.csv"'
    return response


def _asked(request: HttpRequest, project: Project) -> AgreementReport:
    """Workers' agreement on the items of the experiment that the address names, else on all."""
    asked = request.GET.get("experiment", "")
    if asked:
        if not (asked.isascii() and asked.isdigit() and len(asked) < 19):
            raise Http404(f"no experiment {asked}")
        experiment = get_object_or_404(project.experiments, pk=asked)
        among = items_of_experiment(experiment=experiment)
        return worker_agreement(project=project, limit=LIMIT, among=among)
    workers: AgreementReport = figures_of(agreement_figures, project=project).value[0]
    return workers


# --- experiments ---------------------------------------------------------------------------------


@require_POST
@project_page
def begin(request: HttpRequest, project: Project) -> HttpResponseBase:
    """Show what it costs and ask again; then offer the items."""
    form = _form(project, request.POST)
    if not form.is_valid():
        return _page(request, project, form, status=422)
    count, generators = form.cleaned_data["count"], form.generators()
    try:
        if "confirmed" not in request.POST:
            plan = plan_experiment(project=project, count=count, generators=generators)
            context = {"form": form, "plan": plan, "consolidates": generators is None}
            return render_page(request, project, "consolidation/experiment_confirm.html", context)
        experiment = begin_experiment(
            project=project,
            count=count,
            generators=generators,
            workers=form.cleaned_data["workers"],
            by=str(request.user),
            now=timezone.now(),
        )
    except (ExperimentRefused, BudgetExceeded) as error:
        form.add_error(None, str(error))
        return _page(request, project, form, status=422)
    messages.success(request, "The experiment has begun: its HITs are being created.")
    return redirect("dashboard:experiment", project.slug, experiment.pk)


@require_GET
@project_page
def experiment(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    found = get_object_or_404(project.experiments.select_related("batch"), pk=pk)
    found.project = project
    items = items_of_experiment(experiment=found)
    workers = worker_agreement(project=project, limit=LIMIT, among=items)
    context = {
        "experiment": found,
        "progress": progress_of(experiment=found),
        "workers": workers,
        "reports": _reports(project, workers, items),
    }
    return render_page(request, project, "consolidation/experiment.html", context)
