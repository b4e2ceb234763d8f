"""The page that compares two projects with different protocols."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from consolidation.protocols import protocol_of
from datasets.domain.quality.compare_protocols import ProtocolsCompared, compare_protocols
from datasets.domain.quality.quality import NothingToCompareError
from datasets.forms.protocols import CompareForm
from projects.domain.schemes import scheme_of
from projects.models import Project
from projects.pages import render_page
from projects.permissions import STAFF, project_page, projects_open_to

# The page's limit of items. The command `compare_protocols` uses all items.
LIMIT = 500


@require_GET
@project_page(STAFF)
def protocols(request: HttpRequest, project: Project) -> HttpResponse:
    """Compare the project with the project of the query parameter `other`."""
    mine = projects_open_to(request.user, "datasets:protocols")
    same = mine.filter(scheme=project.scheme, definition_digest=project.definition_digest)
    others = list(same.exclude(pk=project.pk))
    form = CompareForm(request.GET or None, projects=others)
    comparison: ProtocolsCompared | None = None
    nothing = ""
    if form.is_bound and form.is_valid():
        other = next(
            candidate for candidate in others if candidate.slug == form.cleaned_data["other"]
        )
        try:
            comparison = compare_protocols(first=project, second=other, limit=LIMIT)
        except NothingToCompareError as error:
            nothing = str(error)
    context = {
        "form": form,
        "others": others,
        "comparison": comparison,
        **_rows(project, comparison),
        "nothing": nothing,
        "limit": LIMIT,
    }
    return render_page(request, project, "datasets/protocols.html", context)


def _rows(project: Project, comparison: ProtocolsCompared | None) -> dict[str, Any]:
    """Return the rows of yields, figures and costs with a value per project."""
    scheme = scheme_of(project)
    context: dict[str, Any] = {
        "unit": scheme.vocabulary.unit,
        "protocol_text": protocol_of(project).describe(project),
    }
    if comparison is None:
        return context
    sides, totals = comparison.sides, scheme.content.totals
    experts = [side.against_expert for side in sides if side.against_expert]
    return context | {
        "yields": [
            (total.noun.plural, [side.gold.per_item(total.key) for side in sides])
            for total in totals
        ],
        "costs": [
            (total.noun.singular, [side.cents_per(total.key) for side in sides]) for total in totals
        ],
        "figures": [
            (
                heading,
                figure.unit,
                [scores.totals[figure.key][column] for scores in experts],
            )
            for figure in scheme.comparison.figures
            for column, heading in figure.headings.items()
        ],
        "each_other": [
            (figure.label, figure.unit, comparison.each_other.value(figure))
            for figure in scheme.comparison.figures
        ],
    }
