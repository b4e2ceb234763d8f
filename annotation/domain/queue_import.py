"""Corpora that were uploaded: kept as files, read by a worker process, with progress."""

import shutil
import uuid
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path, PurePath
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import F, Q
from django.utils.text import get_valid_filename

from annotation.domain.import_corpus import CorpusOptions, Import, ImportReport
from annotation.domain.kept_figures import forget_figures
from annotation.domain.queries import corpus_size, count_items, sections_of
from annotation.enums import ImportState
from annotation.models import CorpusImport, Project
from audit.domain.change_state import Moves, change_state, log_state_change
from schemes.base import FileError

MOVES: Moves = {
    ImportState.UPLOADED: [ImportState.QUEUED, ImportState.FAILED],
    ImportState.QUEUED: [ImportState.RUNNING],
    ImportState.RUNNING: [ImportState.FINISHED, ImportState.FAILED],
}
# Renewed with every batch of rows; the import of a process that died waits for its end.
LEASE = timedelta(minutes=5)
ATTEMPTS = 3
UPLOAD_KEPT = timedelta(days=1)
ERRORS_KEPT = 100
ACTOR = "import"
Clock = Callable[[], datetime]


@transaction.atomic
def queue_import(
    *,
    project: Project,
    fmt: str,
    files: "Sequence[UploadedFile[bytes]]",
    items_file: "UploadedFile[bytes] | None",
    domain: str,
    partition: str,
    strict: bool,
    actor: str,
    now: datetime,
    state: ImportState = ImportState.QUEUED,
) -> CorpusImport:
    """Keep the files and ask for their import; as UPLOADED, wait for someone to have looked at them.
    Nothing of them is read yet."""
    folder = Path(settings.UPLOAD_DIR) / uuid.uuid4().hex
    try:
        row = CorpusImport.objects.create(
            project=project,
            state=state,
            fmt=fmt,
            domain=domain,
            partition=partition,
            strict=strict,
            files=[_kept(file, folder, at) for at, file in enumerate(files)],
            items_file=items_file and _kept(items_file, folder, len(files)),
            asked_by=actor,
            asked_at=now,
        )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    log_state_change(instance=row, old="", new=row.state, actor=actor, now=now)
    return row


def _kept(file: "UploadedFile[bytes]", folder: Path, at: int) -> dict[str, Any]:
    """The file written out; formats are told apart by what its name ends with, so that stays."""
    name = PurePath(file.name or "corpus").name[-100:]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / get_valid_filename(f"{at}-{name}")
    with path.open("wb") as target:
        for chunk in file.chunks():
            target.write(chunk)
    kept = str(path.relative_to(settings.UPLOAD_DIR))
    return {"name": name, "path": kept, "bytes": path.stat().st_size}


def confirm_import(*, row: CorpusImport, actor: str, now: datetime) -> CorpusImport:
    """Have an upload that someone has looked at read. Raises MoveRefused."""
    return change_state(
        instance=row, new=ImportState.QUEUED, moves=MOVES, actor=actor, now=now, asked_at=now
    )


def discard_import(*, row: CorpusImport, actor: str, now: datetime) -> None:
    """Throw away an upload that is not to be read. Raises MoveRefused."""
    row = change_state(
        instance=row,
        new=ImportState.FAILED,
        moves={ImportState.UPLOADED: [ImportState.FAILED]},
        actor=actor,
        now=now,
        problem="Discarded before it was read.",
        ended_at=now,
    )
    _remove_files(row)


def discard_old_uploads(*, now: datetime) -> int:
    """Throw away what was uploaded and never confirmed; returns how many."""
    old = CorpusImport.objects.filter(state=ImportState.UPLOADED, asked_at__lt=now - UPLOAD_KEPT)
    for row in old:
        discard_import(row=row, actor=ACTOR, now=now)
    return len(old)


def files_of(row: CorpusImport) -> tuple[list[Path], Path | None]:
    """The upload's corpus files and its file of items, where they are kept."""
    items = _path(row.items_file) if row.items_file else None
    return [_path(one) for one in row.files], items


def run_next_import(*, clock: Clock) -> int:
    """Run the oldest import that waits, or that a dead process left; returns 1, or 0 without any."""
    now = clock()
    row = _take(now)
    if row is None:
        return 0
    if row.attempts > ATTEMPTS:
        _end(row, ImportState.FAILED, now, problem=f"Given up after {ATTEMPTS} attempts.")
    else:
        _run(row, clock)
    return 1


def _take(now: datetime) -> CorpusImport | None:
    with transaction.atomic():
        row = (
            CorpusImport.objects.filter(state__in=[ImportState.QUEUED, ImportState.RUNNING])
            .filter(Q(leased_until=None) | Q(leased_until__lt=now))
            .order_by("pk")
            .select_for_update(skip_locked=True, of=("self",))
            .first()
        )
        if row is None:
            return None
        CorpusImport.objects.filter(pk=row.pk).update(
            attempts=F("attempts") + 1,
            leased_until=now + LEASE,
            started_at=now,
            sentences_read=0,
            items_read=0,
        )
        return change_state(
            instance=row, new=ImportState.RUNNING, moves=MOVES, actor=ACTOR, now=now
        )


def _run(row: CorpusImport, clock: Clock) -> None:
    names = _names(row)
    options = CorpusOptions(
        fmt=row.fmt,
        items_path=_path(row.items_file) if row.items_file else None,
        domain=row.domain,
        partition=row.partition,
        strict=row.strict,
    )
    running = Import(project=row.project, options=options, progress=_noted(row, clock))
    try:
        report = running.run([_path(kept) for kept in row.files])
    except (FileError, OSError, UnicodeDecodeError) as error:
        problem = _worded(error, names)
        if row.strict:
            _end(row, ImportState.FAILED, clock(), problem=f"{problem} Nothing was kept.")
        else:
            facts = _facts(running.report, names)
            _end(row, ImportState.FAILED, clock(), problem=problem, **facts)
    else:
        _end(row, ImportState.FINISHED, clock(), **_facts(report, names))
    for count in (corpus_size, sections_of, count_items):
        forget_figures(count, project=row.project)


def _noted(row: CorpusImport, clock: Clock) -> Callable[[str, int], None]:
    def progress(what: str, count: int) -> None:
        counter = f"{what}_read"
        done: dict[str, Any] = {counter: F(counter) + count, "leased_until": clock() + LEASE}
        CorpusImport.objects.filter(pk=row.pk).update(**done)

    return progress


def _items(row: CorpusImport) -> list[dict[str, Any]]:
    return [row.items_file] if row.items_file else []


def _path(kept: dict[str, Any]) -> Path:
    return Path(settings.UPLOAD_DIR, str(kept["path"]))


def worded(row: CorpusImport, error: Exception) -> str:
    """The error under the names that the files had when they came."""
    return _worded(error, _names(row))


def _names(row: CorpusImport) -> dict[str, str]:
    """What readers call a file, its path or the last part of it -> the name that it had when it came."""
    paths = {_path(kept): kept["name"] for kept in [*row.files, *_items(row)]}
    return {told: name for path, name in paths.items() for told in (str(path), path.name)}


def _worded(error: Exception, names: dict[str, str]) -> str:
    """The error under the name that the file had when it came."""
    if isinstance(error, FileError):
        file = names.get(error.file, error.file)
        return str(FileError(file, error.line, error.message, field=error.field))
    told = str(error)
    for path, name in names.items():
        told = told.replace(path, name)
    return told


def _facts(report: ImportReport, names: dict[str, str]) -> dict[str, Any]:
    counts = ("sentences_added", "sentences_known", "items_added", "items_known", "error_count")
    return {name: getattr(report, name) for name in counts} | {
        "errors": [
            {
                "file": names.get(one.file, one.file),
                "line": one.line,
                "field": one.field,
                "message": one.message,
            }
            for one in report.errors[:ERRORS_KEPT]
        ]
    }


def _end(row: CorpusImport, state: ImportState, now: datetime, **facts: Any) -> None:
    change_state(
        instance=row,
        new=state,
        moves=MOVES,
        actor=ACTOR,
        now=now,
        reason=facts.get("problem", ""),
        ended_at=now,
        leased_until=None,
        **facts,
    )
    _remove_files(row)


def _remove_files(row: CorpusImport) -> None:
    folders = {_path(kept).parent for kept in [*row.files, *_items(row)]}
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
