"""Downloads of the bad rows of imports."""

from django.http import FileResponse, HttpResponseBase

from annotation.domain.corpus.uploads import BAD_ROWS, open_bad_rows
from jobs.models import Job
from projects.domain.bad_rows import HEADER
from web.downloads import csv_download


def bad_rows_download(job: Job) -> HttpResponseBase:
    """Respond with the bad rows of an import as CSV, which is only a header if there are none."""
    name = f"import-{job.pk}.{BAD_ROWS}"
    file = open_bad_rows(job)
    if file is None:
        return csv_download(name, HEADER, [])
    return FileResponse(
        file, as_attachment=True, filename=name, content_type="text/csv; charset=utf-8"
    )
