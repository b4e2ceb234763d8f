"""The agreement figures of the page and the API, which are cached."""

from collections.abc import Sequence
from dataclasses import dataclass

from datasets.domain.agreement.agreement import (
    AgreementReport,
    consolidation_agreement,
    worker_agreement,
)
from datasets.domain.quality.validator_figures import ValidatorFigures, validator_figures
from projects.models import Project

# The limit of items. The command `agreement` uses all items.
LIMIT = 500


@dataclass(frozen=True, slots=True)
class AgreementFigures:
    """The agreement of workers, of first and second consolidations, and of validators."""

    workers: AgreementReport
    consolidations: AgreementReport
    disjoint_teams: AgreementReport
    validators: Sequence[ValidatorFigures]


def agreement_figures(*, project: Project) -> AgreementFigures:
    """Return the figures of the first LIMIT items."""
    return AgreementFigures(
        workers=worker_agreement(project=project, limit=LIMIT),
        consolidations=consolidation_agreement(project=project, disjoint=False),
        disjoint_teams=consolidation_agreement(project=project, disjoint=True),
        validators=validator_figures(project=project, limit=LIMIT),
    )
