from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.utils import timezone
from tqdm import tqdm

from consolidation.domain.gold.import_gold import import_gold
from consolidation.enums import GoldSource
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from projects.domain.choose_protocol import choose_protocol
from projects.domain.schemes import scheme_of
from projects.management.commands.create_project import add_protocol
from projects.models import Project
from rehearsal.domain.rehearse import Options, Progress, check_project, rehearse
from rehearsal.domain.site import running_site
from rehearsal.domain.train import WORST, TrainingOptions, prepare_rounds, rehearse_training
from web.money import dollars


class Command(BaseCommand):
    help = "Run a project's whole campaign with simulated workers, from published HITs to gold."
    example = "manage.py rehearse wikinews-dev --workers 8 --skill 0.85"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--workers", type=int, default=6)
        mode = parser.add_mutually_exclusive_group()
        mode.add_argument("--skill", type=float, default=0.9, help="0 to 1 (no errors)")
        mode.add_argument(
            "--replay", type=Path, metavar="GOLD", help="submit the annotations of this file"
        )
        parser.add_argument(
            "--train",
            type=int,
            metavar="N",
            help="rehearse the qualification rounds with N workers of varied skill instead",
        )
        parser.add_argument(
            "--least-skill",
            dest="min_skill",
            type=float,
            default=WORST,
            help="with --train: the skill of the weakest worker",
        )
        parser.add_argument(
            "--rounds",
            type=Path,
            metavar="ROUNDS.csv",
            help="with --train: the items of each round",
        )
        parser.add_argument(
            "--invent",
            action="store_true",
            help="let simulated workers invent annotations, so that no gold is needed",
        )
        parser.add_argument(
            "--trained",
            action="store_true",
            help="let the workers work who passed a training with the same --workers and --seed",
        )
        add_protocol(parser, default=None)
        parser.add_argument(
            "--annotations",
            type=Path,
            metavar="MERGE.csv",
            help="with --train: annotations that consolidators merge",
        )
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--url", help="a running site with the same settings")
        parser.add_argument(
            "--patience", type=float, default=180.0, help="seconds without progress before it fails"
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if not 0 <= options["skill"] <= 1:
            raise InputError(f"--skill {options['skill']} is not between 0 and 1.")
        project = project_named(options["project"])
        check_project(project)
        if options["train"] is not None:
            facts = self._train(project, options)
            text = training_summary(facts)
        else:
            facts = self._rehearse(project, options)
            text = summary(facts, project)
        self.write_result(facts, text, as_json=options["json"])

    def _train(self, project: Project, options: dict[str, Any]) -> dict[str, Any]:
        prepare_rounds(project, options["rounds"], options["annotations"])
        training = TrainingOptions(
            options["train"], options["seed"], options["patience"], options["min_skill"]
        )
        with running_site(options["url"], {"SWEEP_SECONDS": "1"}) as site:
            return rehearse_training(
                project=project, site=site, options=training, log=self.stderr.write
            )

    def _rehearse(self, project: Project, options: dict[str, Any]) -> dict[str, Any]:
        if options["protocol"]:
            project = choose_protocol(
                project=project,
                protocol=options["protocol"],
                validators=options["validators"],
                agree=options["agree"],
                revisions=options["revisions"],
                after_disputes=options["after_disputes"],
                actor="rehearse",
                now=timezone.now(),
            )
        if options["replay"]:
            import_gold(
                project=project,
                paths=[options["replay"]],
                fmt=scheme_of(project).corpus.gold_formats[0],
                source=GoldSource.IMPORTED,
                on_error=lambda error: self.stderr.write(str(error)),
                now=timezone.now(),
            )
        chosen = {
            name: options[name] for name in ("workers", "seed", "patience", "invent", "trained")
        }
        rehearsal = Options(skill=None if options["replay"] else options["skill"], **chosen)
        with (
            running_site(options["url"], {"SWEEP_SECONDS": "1"}) as site,
            progress_bar() as progress,
        ):
            return rehearse(project=project, site=site, options=rehearsal, progress=progress)


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Yield a function that shows the number of finished items on a terminal."""
    with tqdm(unit=" items", disable=None) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        yield progress


def training_summary(facts: dict[str, Any]) -> str:
    """Return the report of a training in a few lines."""
    lines = [
        f"{round['title']}: {round['invited']} invited, {round['finished']} finished, "
        f"{round['passed']} passed"
        for round in facts["rounds"]
    ]
    lines += [
        f"{len(facts['selected'])} of {facts['workers']} workers selected to generate, "
        f"{len(facts['consolidators'])} to consolidate",
        f"feedback: {facts['feedback_sent']} sent, {facts['feedback_read']} read",
        f"correlation of skill and score: {facts['correlation']:.3f}",
        f"paid {dollars(facts['total_cents'])}; {facts['seconds']} s in total",
    ]
    return "\n".join(lines)


def summary(facts: dict[str, Any], project: Project) -> str:
    """Return the report in a few lines."""
    scheme = scheme_of(project)
    totals = [total.noun.count(facts[total.key]) for total in scheme.content.totals]
    lines = [
        f"{facts['items']} items: {', '.join(totals)}",
        f"{facts['hits']} HITs, {facts['assignments']} assignments by {facts['workers']} workers",
    ]
    for figure in scheme.comparison.figures:
        if total := facts["scores"].get(figure.key):
            value = figure.value_of(total)
            scale = 100 if figure.unit == "%" else 1
            text = "undefined" if value is None else f"{scale * value:.1f}"
            lines.append(f"{figure.label} of the gold against its reference: {text}")
    lines += [
        f"paid {dollars(facts['total_cents'])}: rewards {dollars(facts['rewards_cents'])}, "
        f"bonuses {dollars(facts['bonuses_cents'])}, fees {dollars(facts['fees_cents'])}",
        f"{facts['cost_per_item_cents']} cents an item; {facts['seconds']} s in total",
    ]
    return "\n".join(lines)
