"""A benchmark as a bundle for Codabench (format version 2): a ZIP file with the gold and a program.

The program scores with this software, which has to be in the Docker image of the competition.
"""

import hashlib
import io
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any
from zipfile import ZIP_DEFLATED, ZipFile

import yaml
from django.conf import settings
from PIL import Image

from benchmarks.domain.errors import BenchmarkError
from benchmarks.domain.phase_files import write_inputs, write_references
from benchmarks.domain.queries import phases_of, scoring_of
from benchmarks.enums import PhaseKind
from benchmarks.models import Benchmark, Phase
from schemes.contract.errors import FileError
from schemes.contract.scoring import SystemScoring

PROGRAM = '''\
"""Score the predictions of a submission. Touchstone must be in the folder of the variable TOUCHSTONE."""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, os.environ.get("TOUCHSTONE", "/srv/touchstone"))

from benchmarks.domain.check_items import check_items
from schemes.registry import get_scheme

folder = Path(sys.argv[1])
task = json.loads((folder / "ref" / "task.json").read_text("utf-8"))
scoring = get_scheme(task["scheme"]).get_scoring()
references = [folder / "ref" / name for name in task["references"]]
files = sorted(path for path in (folder / "res").iterdir() if path.is_file())
if task["variant"]:
    files = [path for path in files if path.stem == task["variant"]]
if len(files) != 1:
    sys.exit(f"The ZIP file needs exactly one file {task['variant'] or ''} with predictions.")
try:
    check_items(scoring, references, files[0], task["variant"])
    [scored] = scoring.score(
        reference=references, systems=files, variant=task["variant"]
    ).systems
except Exception as error:
    sys.exit(str(error))
from metrics.document_bootstrap import compare_systems

[figures] = compare_systems([scored.scores], repetitions=1, seed=0).figures
scores = {key: None if value is None else round(100 * value, 4) for key, value in figures.items()}
Path(sys.argv[2], "scores.json").write_text(json.dumps(scores), "utf-8")
'''
_COMMAND = "command: python3 /app/program/score.py /app/input /app/output\n"
_DATA = """# Data

The inputs are in the files of the phase. {help}

Submit a ZIP file with a file of predictions. {tasks}
"""
_TASKS = "It has a file for each task, named after it: {names}."


@dataclass(frozen=True, slots=True)
class Bundle:
    """The ZIP file of a bundle."""

    file: IO[bytes]
    name: str
    sha256: str


def write_bundle(benchmark: Benchmark) -> Bundle:
    """Write the bundle to a temporary file. Raise BenchmarkError if no phase has items to score."""
    file = tempfile.TemporaryFile(dir=settings.VAR_DIR)  # noqa: SIM115  # the response closes it
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        _write(benchmark, archive)
    file.seek(0)
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    file.seek(0)
    release = benchmark.release
    return Bundle(file, f"{release.project.slug}-{release.version}-codabench.zip", digest)


def _write(benchmark: Benchmark, archive: ZipFile) -> None:
    scoring = scoring_of(benchmark)
    phases: list[dict[str, Any]] = []
    tasks: list[dict[str, Any]] = []
    stored = phases_of(benchmark)
    for at, phase in enumerate(stored):
        added = _write_tasks(phase, scoring, archive, first=len(tasks))
        tasks += added
        after = stored[at + 1].starts_at if at + 1 < len(stored) else None
        phases.append(_phase(phase, at, [task["index"] for task in added], after))
    if not tasks:
        raise BenchmarkError("No phase has items that can be scored.")
    archive.writestr("scoring_program/score.py", PROGRAM)
    archive.writestr("scoring_program/metadata.yaml", _COMMAND)
    archive.writestr("logo.png", _logo())
    archive.writestr("terms.md", benchmark.rules or benchmark.title)
    archive.writestr("data.md", _data_page(scoring))
    competition = _competition(benchmark, scoring, phases, tasks)
    text = yaml.safe_dump(competition, sort_keys=False, allow_unicode=True)
    archive.writestr("competition.yaml", text)


def _write_tasks(
    phase: Phase, scoring: SystemScoring, archive: ZipFile, *, first: int
) -> list[dict[str, Any]]:
    """Write the references and inputs of each task of a phase that has items."""
    with TemporaryDirectory(prefix="bundle-", dir=settings.VAR_DIR) as temporary:
        inputs = Path(temporary, "inputs")
        inputs.mkdir()
        for name in write_inputs(phase, inputs):
            archive.write(inputs / name, f"{phase.kind}/input_data/{name}")
        tasks: list[dict[str, Any]] = []
        for variant in scoring.variants or [""]:
            gold = Path(temporary, f"gold-{variant}")
            gold.mkdir()
            references = write_references(phase, variant, gold)
            if not _has_items(scoring, references, variant):
                continue
            at = f"{phase.kind}/reference_data{variant and f'-{variant}'}"
            for path in references:
                archive.write(path, f"{at}/{path.name}")
            archive.writestr(f"{at}/task.json", _task_json(phase, references, variant))
            label = scoring.variants.get(variant, "")
            tasks.append(
                {
                    "index": first + len(tasks),
                    "name": f"{phase.get_kind_display().capitalize()} {label}".strip(),
                    "input_data": f"{phase.kind}/input_data",
                    "reference_data": at,
                    "scoring_program": "scoring_program",
                }
            )
        return tasks


def _has_items(scoring: SystemScoring, references: Sequence[Path], variant: str) -> bool:
    try:
        return any(True for path in references for _ in scoring.item_keys(path, variant))
    except FileError:
        return False


def _task_json(phase: Phase, references: Sequence[Path], variant: str) -> str:
    return json.dumps(
        {
            "scheme": phase.benchmark.release.project.scheme,
            "variant": variant,
            "references": [path.name for path in references],
        }
    )


def _phase(phase: Phase, at: int, tasks: list[int], after: datetime | None) -> dict[str, Any]:
    """Return a phase. Phases must not overlap, so it ends before the next one starts."""
    ends_at = min(phase.ends_at, after) if after else phase.ends_at
    return {
        "index": at,
        "name": f"{phase.get_kind_display().capitalize()} phase",
        "start": f"{phase.starts_at:%Y-%m-%d %H:%M:%S}",
        "end": f"{ends_at:%Y-%m-%d %H:%M:%S}",
        "max_submissions": phase.max_total,
        "max_submissions_per_day": phase.max_per_day,
        "hide_score_output": not phase.shows_scores,
        "public_data": f"{phase.kind}/input_data",
        "accepts_only_result_submissions": True,
        "tasks": tasks,
    }


def _competition(
    benchmark: Benchmark, scoring: SystemScoring, phases: Any, tasks: Any
) -> dict[str, Any]:
    ordered = sorted(scoring.measures, key=lambda measure: measure.key != benchmark.ranked_by)
    is_test_only = [phase["name"] for phase in phases] == [
        f"{PhaseKind.TEST.label.capitalize()} phase"
    ]
    return {
        "version": 2,
        "title": benchmark.title,
        "image": "logo.png",
        "terms": "terms.md",
        "docker_image": f"touchstone:{settings.VERSION}",
        "registration_auto_approve": True,
        "make_programs_available": False,
        "make_input_data_available": True,
        "pages": [{"title": "Data", "file": "data.md"}],
        "phases": phases,
        "tasks": tasks,
        "leaderboards": [
            {
                "title": "Results",
                "key": "main",
                "submission_rule": "Force_Last" if is_test_only else "Force_Best",
                "columns": [
                    {
                        "title": measure.title,
                        "key": measure.key,
                        "index": at,
                        "sorting": "desc",
                        "precision": 1,
                    }
                    for at, measure in enumerate(ordered)
                ],
            }
        ],
    }


def _data_page(scoring: SystemScoring) -> str:
    names = ", ".join(f"{variant}.txt" for variant in scoring.variants)
    tasks = _TASKS.format(names=names) if names else ""
    return _DATA.format(help=scoring.file_help, tasks=tasks)


def _logo() -> bytes:
    """Return a plain picture, which every bundle needs."""
    content = io.BytesIO()
    Image.new("RGB", (300, 300), (32, 84, 147)).save(content, "PNG")
    return content.getvalue()
