"""The most frequent differences of a round's workers from the reference."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET

from projects.models import Project
from projects.pages import render_page
from projects.permissions import CAN_SEE_WORKERS, project_page
from qualification.domain.rounds.queries import rounds_of
from qualification.domain.training.common_differences import common_differences


@require_GET
@project_page(CAN_SEE_WORKERS)
def differences(request: HttpRequest, project: Project, pk: int) -> HttpResponse:
    round = get_object_or_404(rounds_of(project=project), pk=pk)
    return render_page(
        request,
        project,
        "qualification/differences.html",
        {"round": round, "common": common_differences(round=round)},
        fragment="qualification/fragments/differences.html",
    )
