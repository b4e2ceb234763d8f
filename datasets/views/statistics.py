"""The page with statistics of a project's annotated items."""

from collections.abc import Callable, Sequence
from functools import wraps

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_GET

from datasets.domain.exports.statistics import statistics_of, statistics_rows
from projects.domain.cached_figures import Figures, figures_of
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import render_page
from projects.permissions import STAFF, project_page
from web.charts import Axis, Chart, Series, Unit, draw_category_bars, draw_chart
from web.downloads import csv_download

# The largest number of categories that are drawn as bars with their names
MAX_NAMED = 40

View = Callable[[HttpRequest, Project], HttpResponseBase]


def _needs_statistics(view: View) -> View:
    """Redirect to the project if its scheme has no statistics."""

    @wraps(view)
    def checked(request: HttpRequest, project: Project) -> HttpResponseBase:
        scheme = scheme_of(project)
        if scheme.statistics is None:
            messages.info(request, f"{scheme.title} projects have no statistics.")
            return redirect("dashboard:project", slug=project.slug)
        return view(request, project)

    return checked


@require_GET
@project_page(STAFF)
@_needs_statistics
def statistics(request: HttpRequest, project: Project) -> HttpResponseBase:
    cached = _figures(project)
    report = cached.value
    header, *rows = statistics_rows(report)
    context = {"cached": cached, "report": report, "header": header, "rows": rows}
    return render_page(request, project, "datasets/statistics.html", context)


@require_GET
@project_page(STAFF)
@_needs_statistics
def statistics_csv(request: HttpRequest, project: Project) -> HttpResponseBase:
    header, *rows = statistics_rows(_figures(project).value)
    return csv_download(f"{project.slug}-statistics.csv", [*map(str, header)], rows)


@require_GET
@project_page(STAFF)
@_needs_statistics
def frequency_chart(request: HttpRequest, project: Project) -> HttpResponseBase:
    frequencies = _figures(project).value.frequencies
    if frequencies is None:
        raise Http404("There is no gold to count.")
    drawing = draw_frequencies(frequencies.title, frequencies.counts)
    response = HttpResponse(drawing, content_type="image/svg+xml")
    response["Cache-Control"] = "private, max-age=60"
    return response


def draw_frequencies(title: str, counts: Sequence[tuple[str, int]]) -> bytes:
    """Draw a bar per category, or a curve by rank if there are more than MAX_NAMED."""
    if len(counts) <= MAX_NAMED:
        values = [float(count) for _, count in counts]
        return draw_category_bars(title, [name for name, _ in counts], {title: values}, Unit.NUMBER)
    points = [(rank, float(count)) for rank, (_, count) in enumerate(counts, start=1)]
    axes = Axis("rank"), Axis(title.lower(), is_logarithmic=True)
    return draw_chart(Chart(title, *axes, [Series(title, points)]))


def _figures(project: Project) -> Figures:
    return figures_of(statistics_of, project=project)
