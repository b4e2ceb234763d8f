import json
from argparse import ArgumentParser
from pathlib import Path
from shutil import copyfileobj
from typing import Any

from django.utils import timezone

from annotation.enums import Partition
from consolidation.enums import GoldSource
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from projects.models import Project
from releases.domain.build_release import build_release, open_archive, rebuild_release
from releases.domain.details import ReleaseDetails, parse_authors
from releases.domain.freeze import freeze_release
from releases.domain.topics import TOPICS
from releases.models import Release

ACTOR = "command line"
NO_PARTITION = "none"


class Command(BaseCommand):
    help = "Release a version of a project's gold, or build the files of a release again."
    example = (
        'manage.py release wikinews 1.0 --author "Doe, Jane; 0000-0002-1825-0097; Example Lab" '
        "--licence CC-BY-4.0 --out wikinews-1.0.zip"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("version", help="two numbers, such as 1.0")
        parser.add_argument(
            "--author",
            action="append",
            default=[],
            help="“Family name, given name; ORCID; affiliation”, once per author",
        )
        parser.add_argument("--licence", default="", help="of the annotations, such as CC-BY-4.0")
        parser.add_argument("--text-licence", default="", help="of the texts")
        parser.add_argument(
            "--partition",
            action="append",
            default=[],
            choices=[*Partition.values, NO_PARTITION],
            help="can be repeated (default: all)",
        )
        parser.add_argument(
            "--source",
            default="",
            choices=GoldSource.values,
            help="defaults to the gold that the project produces",
        )
        parser.add_argument("--notes", default="", help="what is new")
        parser.add_argument("--funding", default="")
        parser.add_argument("--contact", default="", help="a mail address or a page")
        parser.add_argument("--url", default="", help="the page of the dataset")
        parser.add_argument("--images", action="store_true", help="release the images too")
        parser.add_argument(
            "--answers",
            type=Path,
            metavar="FILE",
            help="what the authors know about the topics of the data statement, a JSON object with the "
            "keys " + ", ".join(topic.key for topic in TOPICS),
        )
        parser.add_argument(
            "--out", type=Path, metavar="FILE", help="also write the ZIP file there"
        )
        parser.add_argument(
            "--rebuild",
            action="store_true",
            help="write the files of an existing release again, and compare their checksums",
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        if options["rebuild"]:
            release = release_named(project, options["version"])
            rebuild_release(release)
            done = "Built again with the same bytes"
        else:
            release = _new_release(project, options)
            done = "Released"
        if out := options["out"]:
            _write(release, out)
        counts = release.facts["manifest"]["counts"]
        facts = {"version": release.version, "items": counts["items"], **release.archive}
        sentence = f"{done}: {release}, {counts['items']:,} items, SHA-256 {facts['sha256']}."
        self.write_result(facts, sentence, as_json=options["json"])


def release_named(project: Project, version: str) -> Release:
    """Return a release whose files are written. Raise InputError."""
    release = Release.objects.filter(project=project, version=version).first()
    if release is None or not release.is_built:
        known = ", ".join(project.releases.values_list("version", flat=True)) or "none yet"
        raise InputError(f"{project.slug} has no release {version!r}. Releases: {known}.")
    return release


def _new_release(project: Project, options: dict[str, Any]) -> Release:
    unfinished = Release.objects.filter(project=project, version=options["version"], archive={})
    if release := unfinished.first():
        return build_release(release)
    names = ("licence", "text_licence", "source", "notes", "funding", "contact", "url", "images")
    partitions = ["" if name == NO_PARTITION else name for name in options["partition"]]
    details = ReleaseDetails(
        version=options["version"],
        authors=parse_authors("\n".join(options["author"])),
        partitions=partitions,
        answers=_answers(options["answers"]),
        **{name: options[name] for name in names},
    )
    now = timezone.now()
    return build_release(freeze_release(project=project, details=details, actor=ACTOR, now=now))


def _answers(path: Path | None) -> dict[str, str]:
    if path is None:
        return {}
    try:
        answers = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: {error}") from error
    keys = {topic.key for topic in TOPICS}
    if not isinstance(answers, dict) or not all(isinstance(text, str) for text in answers.values()):
        raise InputError(f"{path}: must be a JSON object of texts.")
    if unknown := sorted(answers.keys() - keys):
        raise InputError(f"{path}: {unknown[0]!r} is no topic. Topics: {', '.join(keys)}.")
    return answers


def _write(release: Release, path: Path) -> None:
    try:
        with open_archive(release) as source, path.open("wb") as target:
            copyfileobj(source, target)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}.") from error
