from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone
from tqdm import tqdm

from annotation.domain.choose_protocol import ProtocolRefused, choose_protocol
from annotation.domain.publish import NothingToPublish
from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused, project_named
from annotation.management.commands.create_project import add_protocol
from annotation.models import Project
from consolidation.domain.import_gold import import_gold
from consolidation.enums import GoldSource
from crowd.domain.ledger import BudgetExceeded
from qualification.domain.publish_round import RoundNotPublished
from qualification.domain.set_up_rounds import RoundsRefused
from rehearsal.domain.browser import SiteGone
from rehearsal.domain.rehearse import NotForRehearsal, Options, check_project, rehearse
from rehearsal.domain.script import NoReference
from rehearsal.domain.site import SiteError, running_site
from rehearsal.domain.train import TrainingOptions, prepare_rounds, rehearse_training
from rehearsal.domain.worker import RehearsalFailed
from schemes.base import FileError


class Command(BaseCommand):
    help = "Run a project's whole campaign with simulated workers, from published HITs to gold."
    example = "manage.py rehearse wikinews-dev --workers 8 --skill 0.85"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--workers", type=int, default=6)
        mode = parser.add_mutually_exclusive_group()
        mode.add_argument("--skill", type=float, default=0.9, help="0 to 1; 1 makes no errors")
        mode.add_argument(
            "--replay", type=Path, metavar="GOLD.csv", help="write what this file has"
        )
        parser.add_argument(
            "--train",
            type=int,
            metavar="N",
            help="instead: N workers of varied skill go through the project's qualification rounds",
        )
        parser.add_argument(
            "--rounds", type=Path, metavar="ROUNDS.csv", help="with --train: its items"
        )
        parser.add_argument(
            "--invent",
            action="store_true",
            help="no gold to write from is needed: simulated workers make something up",
        )
        add_protocol(parser, default=None)
        parser.add_argument(
            "--annotations",
            type=Path,
            metavar="MERGE.csv",
            help="with --train: what its consolidators merge",
        )
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--url", help="a running site of the same settings")
        parser.add_argument("--patience", type=float, default=180.0, help="seconds of standstill")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if not 0 <= options["skill"] <= 1:
            raise Refused(f"--skill {options['skill']} does not lie between 0 and 1.")
        project = project_named(options["project"])
        if options["train"] is not None:
            self._train(project, options)
            return
        try:
            check_project(project)
            if options["protocol"]:
                project = choose_protocol(
                    project=project,
                    protocol=options["protocol"],
                    validators=options["validators"],
                    agree=options["agree"],
                    actor="rehearse",
                    now=timezone.now(),
                )
            if options["replay"]:
                self._import_replay(project, options["replay"])
            with running_site(options["url"], {"SWEEP_SECONDS": "1"}) as site:
                facts = self._rehearse(project, site, options)
        except (
            *(NotForRehearsal, NothingToPublish, BudgetExceeded, NoReference, ProtocolRefused),
            *(RehearsalFailed, SiteError, SiteGone, FileError),
        ) as error:
            raise Refused(error) from error
        self.tell(facts, summary(facts), as_json=options["json"])

    def _train(self, project: Project, options: dict[str, Any]) -> None:
        try:
            check_project(project)
            prepare_rounds(project, options["rounds"], options["annotations"])
            with running_site(options["url"], {"SWEEP_SECONDS": "1"}) as site:
                facts = rehearse_training(
                    project=project,
                    site=site,
                    options=TrainingOptions(
                        workers=options["train"],
                        seed=options["seed"],
                        patience=options["patience"],
                    ),
                )
        except (
            *(NotForRehearsal, BudgetExceeded, NoReference, RoundsRefused, RoundNotPublished),
            *(RehearsalFailed, SiteError, SiteGone, FileError),
        ) as error:
            raise Refused(error) from error
        self.tell(facts, training_summary(facts), as_json=options["json"])

    def _import_replay(self, project: Project, path: Path) -> None:
        import_gold(
            project=project,
            path=path,
            fmt="qasrl-csv",
            source=GoldSource.IMPORTED,
            on_error=lambda error: self.stderr.write(str(error)),
            now=timezone.now(),
        )

    def _rehearse(self, project: Project, site: str, options: dict[str, Any]) -> dict[str, Any]:
        with tqdm(unit=" items", disable=None) as bar:

            def progress(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            return rehearse(
                project=project,
                site=site,
                options=Options(
                    workers=options["workers"],
                    skill=None if options["replay"] else options["skill"],
                    seed=options["seed"],
                    patience=options["patience"],
                    invent=options["invent"],
                ),
                progress=progress,
            )


def training_summary(facts: dict[str, Any]) -> str:
    """The report of a training in a few lines."""
    lines = [
        f"{one['title']}: {one['invited']} invited, {one['finished']} finished, {one['passed']} passed"
        for one in facts["rounds"]
    ]
    lines += [
        f"{len(facts['selected'])} of {facts['workers']} workers selected to generate, "
        f"{len(facts['consolidators'])} to consolidate",
        f"feedback: {facts['feedback_sent']} sent, {facts['feedback_read']} read",
        f"correlation of skill and score: {facts['correlation']:.3f}",
        f"paid {_dollars(facts['total_cents'])}; {facts['seconds']} s in all",
    ]
    return "\n".join(lines)


def summary(facts: dict[str, Any]) -> str:
    """The report in a few lines."""
    lines = [
        f"{facts['items']} items: {facts['questions']} questions, {facts['answers']} answers",
        f"{facts['hits']} HITs, {facts['assignments']} assignments by {facts['workers']} workers",
    ]
    for figure, score in facts["scores"].items():
        f1 = "undefined" if score["f1"] is None else f"{100 * score['f1']:.1f}"
        lines.append(f"{figure} F1 of the gold against its reference: {f1}")
    lines += [
        f"paid {_dollars(facts['total_cents'])}: rewards {_dollars(facts['rewards_cents'])}, "
        f"bonuses {_dollars(facts['bonuses_cents'])}, fees {_dollars(facts['fees_cents'])}",
        f"{facts['cost_per_item_cents']} cents an item; {facts['seconds']} s in all",
    ]
    return "\n".join(lines)


def _dollars(cents: int) -> str:
    return f"${cents / 100:,.2f}"
