from argparse import ArgumentParser
from typing import Any

from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from rehearsal.domain.figures import FigureOptions
from rehearsal.domain.redundancy import redundancy_figures, redundancy_json, redundancy_table


class Command(BaseCommand):
    help = (
        "Compare ways to spend money on items, with simulated workers and without publishing HITs. "
        "The project needs expert or imported gold."
    )
    example = "manage.py redundancy_figures wikinews-dev --seeds 5"

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
        figures = redundancy_figures(project=project_named(options["project"]), options=chosen)
        text = redundancy_table(figures)
        self.write_result(redundancy_json(figures), text, as_json=options["json"])
