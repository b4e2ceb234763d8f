"""Downloads of the bad rows of imports."""

from django.http import FileResponse, Http404

from annotation.domain.uploads import BAD_ROWS, open_bad_rows
from jobs.models import Job


def bad_rows_download(job: Job) -> FileResponse:
    """Respond with the bad rows of an import as CSV. Raise Http404 if it has none."""
    file = open_bad_rows(job)
    if file is None:
        raise Http404
    return FileResponse(
        file,
        as_attachment=True,
        filename=f"import-{job.pk}.{BAD_ROWS}",
        content_type="text/csv; charset=utf-8",
    )
