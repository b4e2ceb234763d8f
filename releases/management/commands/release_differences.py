from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from projects.models import Project
from releases.domain.differences import differences_between, differences_csv
from releases.models import Release


class Command(BaseCommand):
    help = "Compare two releases of a project: added, removed and changed items, and figures."
    example = "manage.py release_differences wikinews 1.0 1.1 --out changes.csv"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("old", help="the version to compare with")
        parser.add_argument("new")
        parser.add_argument("--out", type=Path, metavar="FILE", help="write the changes as CSV")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        old, new = (_release(project, options[name]) for name in ("old", "new"))
        differences = differences_between(old, new)
        if out := options["out"]:
            try:
                out.write_text(differences_csv(differences), "utf-8")
            except OSError as error:
                raise InputError(f"{out}: {error.strerror or error}.") from error
        counts = ", ".join(f"{count:,} {kind}" for kind, count in differences.counts.items())
        sentence = (
            f"{new.version} against {old.version}: {counts}, {differences.unchanged:,} unchanged items, "
            f"and {len(differences.figures)} changed figures."
        )
        self.write_result(asdict(differences), sentence, as_json=options["json"])


def _release(project: Project, version: str) -> Release:
    release = Release.objects.filter(project=project, version=version).first()
    if release is None:
        known = ", ".join(project.releases.values_list("version", flat=True)) or "none yet"
        raise InputError(f"{project.slug} has no release {version!r}. Releases: {known}.")
    return release
