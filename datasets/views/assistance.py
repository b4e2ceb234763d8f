"""The page that shows what each kind of help does to the annotations."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from datasets.domain.quality.assistance import AssistanceReport, assistance_report
from projects.domain.cached_figures import figures_of
from projects.models import Project
from projects.pages import render_page
from projects.permissions import STAFF, project_page

# The page's limit of items. The command `assistance_report` uses all items.
LIMIT = 1000
TITLES = {"annotations": "Annotations", "gold": "Gold"}


@require_GET
@project_page(STAFF)
def assistance(request: HttpRequest, project: Project) -> HttpResponse:
    cached = figures_of(assistance_figures, project=project)
    report: AssistanceReport | None = cached.value
    context = {
        "cached": cached,
        "report": report,
        "tables": [(TITLES[kind], rows) for kind, rows in report.measured.items()]
        if report
        else [],
        "statistics": [
            (label, [arm.statistics.get(key) for arm in report.arms])
            for key, label in report.statistics
        ]
        if report
        else [],
        "edits": [arm for arm in report.arms if arm.edits] if report else [],
        "limit": LIMIT,
    }
    return render_page(request, project, "datasets/assistance.html", context)


def assistance_figures(*, project: Project) -> AssistanceReport | None:
    return assistance_report(project=project, limit=LIMIT)
