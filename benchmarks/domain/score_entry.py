"""Score an entry in a job, with the metrics of the project on the frozen rows of the release."""

import gzip
import zlib
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from zipfile import ZipFile

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotation.domain.corpus.text_encodings import all_as_utf_8
from annotation.domain.corpus.uploads import delete_uploads, describe_error, open_uploads
from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from benchmarks.domain.check_items import check_items
from benchmarks.domain.entries import SCORING
from benchmarks.domain.phase_files import write_references
from benchmarks.domain.queries import scoring_of
from benchmarks.enums import EntryState
from benchmarks.models import Entry
from datasets.domain.systems.evaluate_systems import REPETITIONS, tables_json
from jobs.domain.kinds import JobKind, JobRun
from jobs.models import Job
from schemes.archives import DAMAGED
from schemes.contract.errors import FileError
from schemes.contract.scoring import SystemScoring
from schemes.file_kinds import GZIP, ZIP, data_files, head_of
from schemes.reports import UsageError

if TYPE_CHECKING:  # numpy is slow to import
    from metrics.bootstrap import Floats

# The size to which a compressed file may unpack.
MAX_UNPACKED_BYTES = 200 << 20
_CHUNK = 1 << 20
_MAX_ERROR = 4000
UNSCORED = "The file could not be scored. Ask the organisers, who can see why."


def _run(run: JobRun) -> dict[str, Any]:
    entry = _entry(run.job)
    if entry is None or entry.state != EntryState.WAITING:
        return {"state": entry.state if entry else "deleted"}
    names: dict[str, str] = {}
    try:
        scores = _scores(entry, names)
    except (FileError, UsageError, UnicodeDecodeError) as error:
        _refuse(entry, describe_error(error, names), timezone.now())
    except TouchstoneError as error:
        _refuse(entry, str(error), timezone.now())
    else:
        _store(entry, scores, timezone.now())
    return {"entry": entry.pk, "state": entry.state}


def _entry(job: Job) -> Entry | None:
    rows = Entry.objects.select_related("team", "phase__benchmark__release__project")
    return rows.filter(pk=job.parameters["entry"]).first()


def _scores(entry: Entry, names: dict[str, str]) -> dict[str, Any]:
    """Return the result, the draws and the scores of items. Add the original names of files."""
    scoring = scoring_of(entry.phase.benchmark)
    with (
        open_uploads([entry.file]) as (paths, of_paths),
        TemporaryDirectory(prefix="benchmark-", dir=settings.VAR_DIR) as temporary,
    ):
        names |= of_paths
        _check_unpacked(paths[0])
        [system] = all_as_utf_8(paths, Path(temporary, "utf-8"))
        names[str(system)] = entry.file["name"]
        return score_file(entry, scoring, system, Path(temporary))


def score_file(entry: Entry, scoring: SystemScoring, system: Path, folder: Path) -> dict[str, Any]:
    """Return the fields of an entry with the scores of its file."""
    from metrics.bootstrap import percentile_interval  # noqa: PLC0415  # loads numpy
    from metrics.document_bootstrap import draw_figures  # noqa: PLC0415

    variant = entry.variant
    gold = folder / "gold"
    gold.mkdir()
    references = write_references(entry.phase, variant, gold)
    check_items(scoring, references, system, variant)
    scored = scoring.score(reference=references, systems=[system], variant=variant)
    [of_system] = scored.systems
    seed = entry.phase.benchmark.release.project.seed
    drawn = draw_figures(of_system.scores, repetitions=REPETITIONS, seed=seed)
    observed = _observed(of_system.scores)
    intervals = {key: percentile_interval(values) for key, values in drawn.items()}
    further = scoring.further_tables(gold, references, system, variant)
    return {
        "result": {
            "items": scored.items,
            "documents": scored.documents,
            "repetitions": REPETITIONS,
            "seed": seed,
            "facts": dict(of_system.facts),
            "figures": {
                key: {"value": value, "low": intervals[key].low, "high": intervals[key].high}
                for key, value in observed.items()
            },
            "types": tables_json([[*of_system.types, *further]]),
        },
        "draws": {
            measure.key: _listed(drawn[measure.key])
            for measure in scoring.measures
            if measure.is_main
        },
        "item_scores": dict(scoring.item_scores(references, system, variant)),
    }


def _observed(scores: Any) -> dict[str, float | None]:
    from metrics.document_bootstrap import compare_systems  # noqa: PLC0415  # loads numpy

    [figures] = compare_systems([scores], repetitions=1, seed=0).figures
    return dict(figures)


def _listed(values: "Floats") -> list[float | None]:
    """Return the values as JSON, in which an undefined figure is null."""
    return [None if value != value else float(value) for value in values]  # noqa: PLR0124


def _check_unpacked(path: Path) -> None:
    """Raise FileError for a file that unpacks to more than the limit, or that is compressed twice.

    What is inside a file that is compressed twice may unpack to far more than the limit.
    """
    head = head_of(path)
    if head.startswith(GZIP):
        _check_gzip(path)
    elif head.startswith(ZIP):
        _check_zip(path)


def _check_gzip(path: Path) -> None:
    size, is_first = 0, True
    try:
        with gzip.open(path) as file:
            while chunk := file.read(_CHUNK):
                if is_first:
                    _check_compressed_once(path, chunk)
                is_first = False
                size += len(chunk)
                _check_size(path, size)
    except (EOFError, OSError, zlib.error) as error:
        raise _damaged(path) from error


def _check_zip(path: Path) -> None:
    """Check the stated sizes, beyond which Python does not read a member."""
    entries = data_files(path)
    _check_size(path, sum(entry.file_size for entry in entries))
    if len(entries) != 1:
        return
    try:
        with ZipFile(path) as archive, archive.open(entries[0]) as file:
            head = file.read(len(ZIP))
    except (*DAMAGED, ValueError) as error:
        raise _damaged(path) from error
    _check_compressed_once(path, head)


def _check_size(path: Path, size: int) -> None:
    if size > MAX_UNPACKED_BYTES:
        limit = MAX_UNPACKED_BYTES >> 20
        raise FileError(path.name, None, f"unpacks to more than {limit} MiB.")


def _check_compressed_once(path: Path, head: bytes) -> None:
    if head.startswith((GZIP, ZIP)):
        raise FileError(path.name, None, "is compressed twice. Compress it once.")


def _damaged(path: Path) -> FileError:
    return FileError(path.name, None, "is damaged, so it can't be unpacked.")


@transaction.atomic
def _store(entry: Entry, scores: Mapping[str, Any], now: datetime) -> None:
    fields = {**scores, "state": EntryState.SCORED, "scored_at": now, "error": ""}
    _change(entry, fields, EntryState.SCORED, now)


@transaction.atomic
def _refuse(entry: Entry, error: str, now: datetime) -> None:
    fields = {"state": EntryState.REFUSED, "scored_at": now, "error": error[:_MAX_ERROR]}
    _change(entry, fields, EntryState.REFUSED, now)


def _change(entry: Entry, fields: Mapping[str, Any], state: EntryState, now: datetime) -> None:
    """Store the outcome, unless another attempt has stored it."""
    waiting = Entry.objects.filter(pk=entry.pk, state=EntryState.WAITING)
    if waiting.update(**fields):
        log_state_change(instance=entry, old=EntryState.WAITING, new=state, actor=SCORING, now=now)
    entry.refresh_from_db()


def _clean_up(job: Job) -> None:
    """Refuse an entry whose job ended without an outcome, and delete files that are not needed."""
    entry = _entry(job)
    if entry is None:
        return
    is_deleted = entry.phase.benchmark.release.project.deleted_at is not None
    if entry.state == EntryState.WAITING and not is_deleted:
        _refuse(entry, UNSCORED, timezone.now())
    if entry.state == EntryState.REFUSED or is_deleted:
        delete_uploads([entry.file])


KIND = JobKind(run=_run, clean_up=_clean_up, reads_uploads=True)
