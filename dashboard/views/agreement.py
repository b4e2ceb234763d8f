"""How far a project's annotators agree: a table, a heat map, a file."""

import csv
import io

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from annotation.models import Project
from annotation.permissions import project_page
from consolidation.domain.agreement import consolidation_agreement, worker_agreement
from consolidation.domain.agreement_chart import draw_agreement
from consolidation.domain.agreement_table import COLUMNS, agreement_rows
from dashboard.pages import render_page

# A page has to come at once; the command `agreement` takes every item.
LIMIT = 500


@require_GET
@project_page
def agreement(request: HttpRequest, project: Project) -> HttpResponse:
    workers = worker_agreement(project=project, limit=LIMIT)
    reports = [
        ("Worker and worker", workers),
        (
            "First and second consolidation",
            consolidation_agreement(project=project, disjoint=False),
        ),
        ("The same by disjoint teams", consolidation_agreement(project=project, disjoint=True)),
    ]
    context = {"reports": reports, "workers": workers, "limit": LIMIT}
    return render_page(request, project, "consolidation/agreement.html", context)


@require_GET
@project_page
def chart(request: HttpRequest, project: Project) -> HttpResponse:
    drawing = draw_agreement(worker_agreement(project=project, limit=LIMIT))
    return HttpResponse(drawing, content_type="image/svg+xml")


@require_GET
@project_page
def table(request: HttpRequest, project: Project) -> HttpResponse:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(agreement_rows(worker_agreement(project=project, limit=LIMIT)))
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{project.slug}-agreement.csv"'
    return response
