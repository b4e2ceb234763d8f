"""Upload the sample corpus of a project's scheme, as a user would upload files."""

import zipfile
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.domain.corpus.queue_import import queue_import
from annotation.enums import Partition
from audit.errors import TouchstoneError
from jobs.enums import JobState
from jobs.models import Job
from projects.domain.resources import current_versions, import_resource
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.simulation import Sample

DOMAIN = "sample"


class NoSampleError(TouchstoneError):
    """The project's scheme has no sample corpus."""


def upload_sample(*, project: Project, actor: str, now: datetime) -> Job:
    """Queue an import of the scheme's sample that waits for confirmation.

    Resources that the project lacks, such as a lexicon, are imported at once. Raise NoSampleError.
    """
    scheme = scheme_of(project)
    if scheme.sample is None:
        raise NoSampleError(f"{scheme.title} has no sample corpus.")
    imported = {row.name for row in current_versions(project)}
    for name, (fmt, path) in scheme.sample.resources.items():
        if name not in imported:
            import_resource(
                project=project, name=name, path=path, fmt=fmt, switches={}, actor=actor, now=now
            )
    return queue_import(
        project=project,
        fmt=scheme.sample.format,
        files=[_uploaded(scheme.sample.sentences)],
        items_files=[_uploaded(path) for path in scheme.sample.gold],
        images=_images(scheme.sample),
        domain=DOMAIN,
        partition=Partition.DEV,
        strict=False,
        actor=actor,
        now=now,
        state=JobState.UPLOADED,
    )


def _uploaded(path: Path) -> SimpleUploadedFile:
    return SimpleUploadedFile(path.name, path.read_bytes())


def _images(sample: Sample) -> SimpleUploadedFile | None:
    """Draw the images of the sample and return them as a ZIP archive."""
    if sample.images is None:
        return None
    with TemporaryDirectory() as folder:
        pictures = Path(folder, "pictures")
        pictures.mkdir()
        sample.images(pictures)
        archive = Path(folder, "images.zip")
        with zipfile.ZipFile(archive, "w") as file:
            for path in sorted(pictures.iterdir()):
                file.write(path, path.name)
        return SimpleUploadedFile(archive.name, archive.read_bytes())
