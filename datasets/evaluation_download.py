"""The response with a file of an evaluation, for the page and the API."""

from pathlib import PurePath

from django.http import HttpResponse

from jobs.models import Job

_CONTENT_TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".tex": "application/x-tex; charset=utf-8",
}


def evaluation_download(job: Job, name: str, content: bytes) -> HttpResponse:
    """Respond with the file. Charts open in the browser, and other files are downloaded."""
    suffix = PurePath(name).suffix
    response = HttpResponse(content, content_type=_CONTENT_TYPES[suffix])
    disposition = "inline" if suffix == ".svg" else "attachment"
    file = f"{job.scope}-evaluation-{job.pk}-{name}"
    response.headers["Content-Disposition"] = f'{disposition}; filename="{file}"'
    return response
