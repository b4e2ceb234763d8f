from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from projects.command import Command as BaseCommand
from releases.domain.import_release import IMPORTER, import_release


class Command(BaseCommand):
    help = (
        "Import the ZIP file of a release as the corpus of a project, with its gold as imported gold. "
        "The project is created if there is none."
    )
    example = "manage.py import_release wikinews-1.0.zip wikinews-extended"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("project", help="name in URLs and commands")
        parser.add_argument("--title", default="", help="of a new project")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        report = import_release(
            path=options["file"],
            slug=options["project"],
            title=options["title"],
            actor=IMPORTER,
            now=timezone.now(),
        )
        facts = {
            "project": report.project.slug,
            "version": report.version,
            "sentences": report.sentences,
            "items": report.items,
            "gold": report.gold,
            "known": report.known,
        }
        sentence = (
            f"Imported version {report.version} into {report.project.slug}: {report.sentences:,} "
            f"sentences, {report.items:,} items, {report.gold:,} with new gold, {report.known:,} known."
        )
        self.write_result(facts, sentence, as_json=options["json"])
