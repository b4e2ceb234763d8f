"""Preview an uploaded corpus with the cost of its items."""

from dataclasses import dataclass

from annotation.domain.corpus.check_upload import check_of
from annotation.domain.corpus.preview_corpus import CORPUS_CHECK, Preview, stored_preview
from annotation.domain.publishing.cost_model import ItemCost, item_cost
from jobs.enums import JobState
from jobs.models import Job
from projects.models import Project


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """The newest check of an upload as it is read at present, what it has read, and the cost of an item.

    `read` is empty before the first result.
    """

    check: Job
    read: Preview
    cost: ItemCost


def preview_of(job: Job) -> ImportPreview | None:
    """Return the preview of an upload that waits for confirmation, or None."""
    check = check_of(kind=CORPUS_CHECK, upload=job) if job.state == JobState.UPLOADED else None
    if check is None:
        return None
    project = Project.objects.get(slug=job.scope)
    return ImportPreview(
        check, stored_preview(check.result) or Preview(), item_cost(project=project)
    )
