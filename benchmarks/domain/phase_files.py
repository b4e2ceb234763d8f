"""The files of a phase: references with the frozen gold, and blind inputs for the teams."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages
from django.urls import reverse

from benchmarks.models import Benchmark, Phase
from releases.domain.released import Released
from releases.domain.rows import narrowed, row_of_json
from releases.models import Release
from schemes.contract.records import ExportRow
from schemes.contract.scheme import Scheme

_DATE = (1980, 1, 1, 0, 0, 0)
README = """Inputs of the {kind} phase of {title}.

Annotate exactly the items in these files. The page of the benchmark describes the format of predictions:
{url}
"""


@dataclass(frozen=True, slots=True)
class Inputs:
    """The stored ZIP file with the blind inputs of a phase."""

    file: IO[bytes]
    name: str
    sha256: str


def rows_of(phase: Phase, scheme: Scheme, fmt: str) -> Iterator[ExportRow]:
    """Yield the frozen rows of the phase's partitions that the format has a place for, in order."""
    exports = scheme.exports
    holds = exports.holds.get(fmt) if exports else None
    partitions = set(phase.partitions)
    for item in Released(phase.benchmark.release).items():
        if item.partition in partitions:
            row = narrowed(row_of_json(item.row), exports, fmt)
            if holds is None or holds(row.target):
                yield row


def write_references(phase: Phase, variant: str, folder: Path) -> list[Path]:
    """Write the references of a task from the frozen rows, and return their paths."""
    scheme = Released(phase.benchmark.release).scheme
    scoring = scheme.get_scoring()
    rows = rows_of(phase, scheme, scoring.export_format)
    return list(scoring.write_reference(rows, folder, variant))


def write_inputs(phase: Phase, folder: Path) -> list[str]:
    """Write the blind inputs of each task. Tasks without items have none. Return the names."""
    scheme = Released(phase.benchmark.release).scheme
    scoring = scheme.get_scoring()
    for variant in scoring.variants or [""]:
        target = folder / variant
        target.mkdir(exist_ok=True)
        scoring.write_blind(rows_of(phase, scheme, scoring.export_format), target, variant)
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )


def open_inputs(phase: Phase) -> Inputs:
    """Open the ZIP file with the blind inputs, which is written when it is first asked for."""
    path = _path(phase)
    if not _storage().exists(path):
        _store(phase, path)
    file: IO[bytes] = _storage().open(path)
    digest = hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]
    file.seek(0)
    release = phase.benchmark.release
    name = f"{release.project.slug}-{release.version}-{phase.kind}-inputs.zip"
    return Inputs(file, name, digest)


def _store(phase: Phase, path: str) -> None:
    with TemporaryDirectory(prefix="inputs-", dir=settings.VAR_DIR) as temporary:
        folder, archive = Path(temporary, "inputs"), Path(temporary, "inputs.zip")
        folder.mkdir()
        names = write_inputs(phase, folder)
        text = README.format(
            kind=phase.get_kind_display(), title=phase.benchmark.title, url=_url(phase.benchmark)
        )
        (folder / "README.txt").write_text(text, "utf-8")
        pack_files(folder, ["README.txt", *names], archive)
        with archive.open("rb") as content:
            _storage().save(path, File(content))


def _url(benchmark: Benchmark) -> str:
    arguments = [benchmark.release.project.slug, benchmark.release.version]
    return f"{settings.SITE_URL}{reverse('benchmarks:public_benchmark', args=arguments)}"


def pack_files(folder: Path, names: list[str], archive: Path) -> None:
    """Write the files of the folder to a ZIP file, whose bytes depend on the files alone."""
    with ZipFile(archive, "w", ZIP_DEFLATED) as target:
        for name in names:
            info = ZipInfo(name, _DATE)
            info.compress_type = ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            target.writestr(info, (folder / name).read_bytes())


def _storage() -> Storage:
    return storages["exports"]


def _folder(release: Release) -> str:
    return f"{release.project.slug}/benchmarks/{release.version}"


def _path(phase: Phase) -> str:
    """Return where the inputs are stored. Another title or other partitions are another file."""
    facts = [settings.VERSION, phase.benchmark.title, *sorted(phase.partitions)]
    digest = hashlib.sha256("\n".join(facts).encode()).hexdigest()[:16]
    return f"{_folder(phase.benchmark.release)}/{phase.kind}-{digest}.zip"


def delete_inputs(benchmark: Benchmark) -> None:
    """Delete the stored inputs of a benchmark, also those of earlier partitions."""
    folder = _folder(benchmark.release)
    try:
        _, names = _storage().listdir(folder)
    except FileNotFoundError:
        return
    for name in names:
        _storage().delete(f"{folder}/{name}")
