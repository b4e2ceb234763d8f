"""Check uploads of gold: a job reads their beginning, and stores what their import would do."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from annotation.domain.corpus.check_upload import checked_upload
from annotation.domain.corpus.source_files import ColumnsError
from annotation.domain.corpus.text_encodings import readings_of
from annotation.domain.corpus.uploads import open_uploads
from annotation.models import Item
from consolidation.domain.gold.import_gold import GoldPreview, PreviewedGold, preview_gold
from consolidation.domain.gold.queue_gold import complete_reading, open_gold_files
from jobs.domain.kinds import JobKind, JobRun
from jobs.models import Job
from projects.models import Project
from schemes.contract.errors import FileError
from schemes.import_settings import Setting

GOLD_CHECK = "gold-check"
# What the result of a check does not take over from the preview as it is
_STORED_OTHERWISE = {"rows", "errors", "problem"}


@dataclass(frozen=True, slots=True)
class UploadPreview:
    """The preview of an upload. `problem` gives the reason if a file can't be read at all.

    `table` describes the first file if it is a table. If the file is not UTF-8, `readings` has the first
    such text in the encodings that may be right.
    """

    read: GoldPreview = field(default_factory=GoldPreview)
    problem: str = ""
    errors: Sequence[str] = ()
    table: Mapping[str, Any] | None = None
    readings: Mapping[str, str] = field(default_factory=dict)


def stored_preview(result: Mapping[str, Any]) -> UploadPreview | None:
    """Return the preview in the result of a check, or None if it has none yet."""
    if not result:
        return None
    rows = result["rows"]
    items = Item.objects.select_related("sentence__image", "project")
    found = items.in_bulk([row["item"] for row in rows])
    read = GoldPreview(**result["read"])
    read.rows = [
        PreviewedGold(found[row["item"]], row["units"], row["note"])
        for row in rows
        if row["item"] in found
    ]
    return UploadPreview(
        read=read,
        problem=result["problem"],
        errors=result["errors"],
        table=result["table"],
        readings=result["readings"],
    )


def _run(run: JobRun) -> dict[str, Any]:
    project = Project.objects.get(slug=run.job.scope)
    try:
        upload = checked_upload(run, complete_reading)
        preview = _preview(project, upload)
    except (FileError, ColumnsError) as error:
        preview = UploadPreview(problem=str(error))
    readings: dict[str, str] = {}
    if preview.problem and not run.job.parameters["reading"]["encoding"]:
        # The files are gone if the upload was discarded meanwhile.
        with suppress(FileError, OSError), open_uploads(run.job.parameters["files"]) as (paths, _):
            readings = readings_of(paths[0])
    read = preview.read
    return {
        "read": {
            entry.name: getattr(read, entry.name)
            for entry in fields(read)
            if entry.name not in _STORED_OTHERWISE
        },
        "rows": [{"item": row.item.pk, "units": row.units, "note": row.note} for row in read.rows],
        "problem": preview.problem,
        "errors": list(preview.errors),
        "table": preview.table,
        "readings": readings,
    }


def _preview(project: Project, upload: Job) -> UploadPreview:
    """Read the beginning of an upload, without storing anything. Raise FileError, ColumnsError."""
    settings = upload.parameters["settings"]
    with open_gold_files(project, upload.parameters) as files:
        read = preview_gold(
            project=project,
            paths=files.paths,
            fmt=files.fmt,
            source=upload.parameters["source"],
            align=Setting.ALIGN.parameter in settings,
            rescale=Setting.RESCALE_BOXES.parameter in settings,
            add_roles=Setting.ADD_ROLES.parameter in settings,
        )
        return UploadPreview(
            read=read,
            problem=files.describe(read.problem) if read.problem else "",
            errors=[files.describe(error) for error in read.errors],
            table=asdict(files.table) if files.table else None,
        )


KIND = JobKind(run=_run, reads_uploads=True, attempts=1)
