"""Projects of each scheme with gold, and releases of them."""

from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from annotation.domain.corpus.check_corpus import CorpusOptions
from annotation.domain.corpus.import_corpus import Import
from consolidation.domain.gold.import_gold import import_gold
from projects.domain.create_project import create_project
from projects.domain.resources import import_resource
from projects.models import Project
from releases.domain.build_release import build_release, open_archive
from releases.domain.details import Author, ReleaseDetails
from releases.domain.freeze import freeze_release
from releases.models import Release
from schemes.contract.errors import FileError
from schemes.contract.simulation import Sample
from schemes.registry import SCHEMES, get_scheme
from tests.crowd.factories import NOW
from tests.schemes.custom.sample_corpus import STARTER, make_sample

SCHEME_NAMES = sorted(SCHEMES)
JANE = Author("Doe", "Jane", "0000-0002-1825-0097", "Example Lab")
PARTITIONS = ("train", "dev", "test")


def refuse(error: FileError) -> None:
    raise error


def make_sample_project(scheme: str, folder: Path, slug: str = "") -> Project:
    """Create a project with the scheme's sample, whose sentences are in three partitions."""
    declared = get_scheme(scheme)
    declaration, sample = declared.declaration, declared.sample
    definition = declaration.starter(STARTER) if declaration else None
    if sample is None:
        sample = make_sample(folder)
    project = create_project(
        slug=slug or f"{scheme}-sample",
        scheme=scheme,
        title="A {sample}",
        now=NOW,
        definition=definition,
    )
    for name, (fmt, path) in sample.resources.items():
        import_resource(
            project=project, name=name, path=path, fmt=fmt, switches={}, actor="rita", now=NOW
        )
    _import_corpus(project, sample)
    for at, sentence in enumerate(project.sentences.order_by("pk")):
        sentence.partition = PARTITIONS[at % 3]
        sentence.save()
    return project


def _import_corpus(project: Project, sample: Sample) -> None:
    with TemporaryDirectory() as folder:
        if sample.images:
            sample.images(Path(folder))
        options = CorpusOptions(
            fmt=sample.format,
            items=sample.gold,
            images=Path(folder) if sample.images else None,
            domain="news",
            strict=True,
        )
        Import(project=project, options=options).run([sample.sentences])
    import_gold(
        project=project,
        paths=sample.gold,
        fmt=get_scheme(project.scheme).corpus.gold_formats[0],
        source="expert",
        on_error=refuse,
        now=NOW,
    )


def make_release(
    project: Project, version: str = "1.0", *, now: datetime = NOW + timedelta(days=1), **details
) -> Release:
    """Release the experts' gold."""
    given = {
        "licence": "CC-BY-4.0",
        "authors": [JANE],
        "source": "expert",
        "images": True,
        **details,
    }
    release = freeze_release(
        project=project, details=ReleaseDetails(version=version, **given), actor="rita", now=now
    )
    return build_release(release)


def archive_in(release: Release, folder: Path) -> Path:
    """Copy the ZIP file of a release into the folder."""
    path = folder / release.archive["name"]
    with open_archive(release) as file:
        path.write_bytes(file.read())
    return path


def make_release_rows(project: Project, count: int) -> None:
    """Add releases without items to the project's list."""
    major = project.releases.count() + 1
    facts = {"manifest": {"counts": {"items": 1, "sentences": 1}}}
    Release.objects.bulk_create(
        Release(
            project=project,
            version=f"{major}.{minor}",
            major=major,
            minor=minor,
            source="expert",
            details=ReleaseDetails(version="", licence="MIT", authors=[JANE]).as_json(),
            facts=facts,
            released_by="rita",
            frozen_at=NOW,
        )
        for minor in range(count)
    )
