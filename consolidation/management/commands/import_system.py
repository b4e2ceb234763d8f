from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from consolidation.domain.gold.import_gold import import_system
from consolidation.reader_options import add_gold_options, check_useful, given_gold
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from schemes.reports import UsageError


class Command(BaseCommand):
    refusals = (UsageError,)
    help = "Import a parser's output, for experts to merge and for the arms of batches."
    example = "manage.py import_system wikinews-dev parser.csv --format FORMAT --system parser"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--system", required=True, help="a name for the report, such as nrl")
        add_gold_options(parser)
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if not 0 < len(options["system"]) <= 60:
            raise InputError("The system's name must have 1 to 60 characters.")
        project = project_named(options["project"])
        with given_gold(self.stderr, project, options) as given:
            report = import_system(system=options["system"], **given)
        check_useful(report)
        items = f"{options['system']}: {report.added} items."
        sentence = f"{items}{report.notes_text}{report.skipped_text}"
        self.write_result(asdict(report), sentence, as_json=options["json"])
