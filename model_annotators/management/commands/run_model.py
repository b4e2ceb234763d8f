from argparse import ArgumentParser
from functools import partial
from typing import Any

from tqdm import tqdm

from model_annotators.domain.report import as_json, rounds_with_answers
from model_annotators.domain.run_model import check_run, run_model
from model_annotators.models import ModelAnnotator
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from projects.enums import Role
from qualification.models import Round


class Command(BaseCommand):
    help = "Let a registered model take a training round, or annotate the next unpublished items."
    example = 'manage.py run_model wikinews-dev qwen --round "Training 1"'

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("model", help="the name under which the model is registered")
        items = parser.add_mutually_exclusive_group(required=True)
        items.add_argument("--round", help="the title of the round")
        items.add_argument("--count", type=int, default=0, help="the number of unpublished items")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        annotator = project.model_annotators.filter(name=options["model"]).first()
        if annotator is None:
            raise InputError(f"The project has no model called {options['model']}.")
        round = None
        if options["round"]:
            round = project.rounds.filter(title=options["round"], role=Role.GENERATOR).first()
            if round is None:
                raise InputError(
                    f"The project has no round for annotators called {options['round']}."
                )
        elif options["count"] < 1:
            raise InputError("--count must be at least 1.")
        check_run(annotator, round)
        total = round.round_items.count() if round else options["count"]
        bar = partial(tqdm, total=total, unit=" items", disable=None)
        with bar(desc=annotator.name) as progress:
            answered = run_model(
                annotator=annotator,
                round=round,
                count=options["count"],
                progress=lambda done, total: progress.update(),
            )
        facts, sentence = self._result(annotator, round, answered)
        self.write_result(facts, sentence, as_json=options["json"])

    def _result(
        self, annotator: ModelAnnotator, round: Round | None, answered: int
    ) -> tuple[dict[str, Any], str]:
        if round is None:
            facts = {"model": annotator.name, "answered": answered}
            return facts, f"{annotator.name}: {answered} items answered."
        report = next(row for row in rounds_with_answers(annotator) if row.round == round)
        sentence = f"{annotator.name}: {report.answered} of {report.items} items answered."
        if report.passes is not None:
            sentence += " It would pass." if report.passes else " It would not pass."
        return as_json(report), sentence
