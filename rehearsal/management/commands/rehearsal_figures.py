from argparse import ArgumentParser
from typing import Any

from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from rehearsal.domain.figures import FigureOptions, as_json, figures_table, rehearsal_figures


class Command(BaseCommand):
    help = (
        "Compare simulated workers with the figures of the scheme's paper, without publishing HITs. "
        "The project needs expert or imported gold."
    )
    example = "manage.py rehearsal_figures wikinews-dev --seeds 5"

    def add_arguments(self, parser: ArgumentParser) -> None:
        defaults = FigureOptions()
        parser.add_argument("project")
        parser.add_argument("--items", type=int, default=defaults.items, help="random items")
        parser.add_argument("--seeds", type=int, default=defaults.seeds, help="rehearsals")
        parser.add_argument("--workers", type=int, default=defaults.workers)
        parser.add_argument(
            "--skill", type=float, default=defaults.skill, help="0 to 1 (no errors)"
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if not 0 <= options["skill"] <= 1:
            raise InputError(f"--skill {options['skill']} is not between 0 and 1.")
        for name in ("items", "seeds"):
            if options[name] < 1:
                raise InputError(f"--{name} {options[name]} is not positive.")
        chosen = FigureOptions(
            **{name: options[name] for name in ("workers", "skill", "items", "seeds")}
        )
        rows = rehearsal_figures(project=project_named(options["project"]), options=chosen)
        facts = {"figures": [as_json(row) for row in rows]}
        self.write_result(facts, figures_table(rows), as_json=options["json"])
