"""The cached figures that are outdated after a change of work, on a page or by the API."""

from annotation.domain.publishing.batch_figures import batch_figures_of
from annotation.domain.publishing.forecast import forecast_costs
from annotation.domain.publishing.queries import count_items, count_waiting
from projects.domain.cached_figures import forget_figures
from projects.models import Project


def forget_published(*, project: Project) -> None:
    """Forget the figures that a publication changes."""
    for figures in (count_items, forecast_costs, batch_figures_of):
        forget_figures(figures, project=project)


def forget_batches(*, project: Project) -> None:
    """Forget the figures that a change of a batch changes."""
    forget_figures(batch_figures_of, project=project)


def forget_decided(*, project: Project) -> None:
    """Forget the figures that a decision on submissions changes."""
    forget_figures(count_waiting, project=project)
