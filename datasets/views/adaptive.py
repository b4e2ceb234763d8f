"""The page of adaptive redundancy: its settings, what became of its items, and the curve."""

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods

from annotation.domain.publishing.redundancy import (
    AUDITED_PERCENT,
    LEARNED_FROM,
    can_be_adaptive,
    is_adaptive,
)
from datasets.domain.quality import adaptive_settings
from datasets.domain.quality.adaptive_settings import NotAdaptiveError, adaptive_state, set_adaptive
from datasets.forms.adaptive import AdaptiveForm
from datasets.models import CertaintyFit
from projects.charts import chart_response
from projects.models import Project
from projects.pages import render_page
from projects.permissions import STAFF, project_page
from projects.views.settings import report_changes

DEFAULT_TARGET = 90


@require_http_methods(["GET", "POST"])
@project_page(STAFF)
def adaptive(request: HttpRequest, project: Project) -> HttpResponseBase:
    initial = {
        "is_on": project.adaptive_percent is not None,
        "target": project.adaptive_percent or DEFAULT_TARGET,
        "budget": project.adaptive_cents,
    }
    form = AdaptiveForm(request.POST or None, initial=initial)
    if form.is_valid():
        try:
            changes = set_adaptive(
                project=project,
                actor=request.user.get_username(),
                now=timezone.now(),
                **form.terms(),
            )
        except NotAdaptiveError as error:
            form.add_error(None, str(error))
        else:
            report_changes(request, changes)
            return redirect("datasets:adaptive", project.slug)
    state = adaptive_state(project=project)
    context = {
        "form": form,
        "fit": CertaintyFit.objects.filter(project=project).first(),
        "state": state,
        "left_cents": max(0, (project.adaptive_cents or 0) - state.spent_cents),
        "is_adaptive": is_adaptive(project),
        "can_be_adaptive": can_be_adaptive(project),
        "audited_percent": AUDITED_PERCENT,
        "learned_from": LEARNED_FROM,
    }
    status = 422 if form.is_bound else 200
    return render_page(request, project, "datasets/adaptive.html", context, status=status)


@require_GET
@project_page(STAFF)
def adaptive_chart(request: HttpRequest, project: Project) -> HttpResponseBase:
    chart = adaptive_settings.adaptive_chart(project=project, now=timezone.now())
    return chart_response(request, project, chart)
