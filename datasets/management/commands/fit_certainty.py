from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from datasets.domain.quality.certainty import fit_certainty
from datasets.models import CertaintyFit
from projects.command import Command as BaseCommand
from projects.command import project_named


class Command(BaseCommand):
    help = (
        "Estimate the skill of workers, the difficulty of items and the certainty of gold from all "
        "judgments of a project."
    )
    example = "manage.py fit_certainty wikinews-dev"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        fit = fit_certainty(project=project_named(options["project"]), now=timezone.now())
        self.write_result(_as_json(fit), _text(fit), as_json=options["json"])


def _as_json(fit: CertaintyFit) -> dict[str, Any]:
    skills = fit.skills.select_related("worker").order_by("is_judge", "worker__pseudonym")
    return {
        "rule": fit.rule,
        "items": fit.items,
        "parts": fit.parts,
        "right": {"value": fit.right, "error": fit.right_error},
        "spread": {"value": fit.spread, "error": fit.spread_error},
        "skills": [
            {
                "worker": skill.worker.pseudonym,
                "role": "judge" if skill.is_judge else "annotator",
                "judged": skill.judged,
                "right": {"value": skill.right, "error": skill.right_error},
                "wrong": {"value": skill.wrong, "error": skill.wrong_error},
                "compared": skill.is_compared,
            }
            for skill in skills
        ],
        "calibration": fit.calibration,
    }


def _text(fit: CertaintyFit) -> str:
    lines = [
        f"Estimated from items: {fit.items:,}, parts: {fit.parts:,}. Share of right parts: "
        f"{100 * fit.right:.1f} %.",
    ]
    for name, found in fit.calibration.items():
        if found["count"]:
            lines.append(
                f"Against experts, {name}: {found['count']:,} compared, Brier score "
                f"{found['brier']:.3f}, expected calibration error {100 * found['expected_error']:.1f} %."
            )
    return "\n".join(lines)
