import os
from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from releases.domain.publishing.plan import Plan, Target
from releases.domain.publishing.upload import plan_upload, publish_release
from releases.enums import Service
from releases.management.commands.release import ACTOR, release_named

# The variables with tokens, under the names that the services' own tools use.
VARIABLES = {Service.HUGGINGFACE: "HF_TOKEN", Service.ZENODO: "ZENODO_TOKEN"}
FILES_SHOWN = 30


class Command(BaseCommand):
    help = (
        "Show what an upload of a release to the Hugging Face Hub or Zenodo would do, or upload it. "
        "The token is the project's, or that of the environment variable HF_TOKEN or ZENODO_TOKEN."
    )
    example = (
        "manage.py publish_release wikinews 1.0 --to huggingface --repository lab/wikinews --yes"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("version", help="of a release, such as 1.0")
        parser.add_argument("--to", required=True, choices=Service.values)
        parser.add_argument(
            "--repository",
            default="",
            metavar="OWNER/NAME",
            help="dataset on the Hub (default: the project's name in the token's account)",
        )
        parser.add_argument("--private", action="store_true", help="create a private dataset")
        do = parser.add_mutually_exclusive_group()
        do.add_argument(
            "--dry-run", action="store_true", help="only show what would be done (the default)"
        )
        do.add_argument("--yes", action="store_true", help="upload and publish")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        release = release_named(project_named(options["project"]), options["version"])
        service = Service(options["to"])
        if service == Service.ZENODO and (options["repository"] or options["private"]):
            raise InputError("--repository and --private are for the Hub only.")
        target = Target(service, options["repository"], private=options["private"])
        token = os.environ.get(VARIABLES[service], "").strip()
        plan = plan_upload(release=release, target=target, token=token)
        if plan.problems:
            raise InputError(" ".join(plan.problems))
        if not options["yes"]:
            facts = {
                "place": plan.place,
                "summary": plan.summary,
                "files": len(plan.files),
                "bytes": plan.total_bytes,
                "problems": list(plan.problems),
            }
            self.write_result(facts, _described(plan), as_json=options["json"])
            return
        publication = publish_release(
            release=release, target=plan.target, token=token, actor=ACTOR, now=timezone.now()
        )
        names = ("url", "repository", "record", "doi")
        facts = {name: getattr(publication, name) for name in names}
        doi = f" Its DOI is {publication.doi}." if publication.doi else ""
        self.write_result(facts, f"Published at {publication.url}.{doi}", as_json=options["json"])


def _described(plan: Plan) -> str:
    """Return the plan as text."""
    files = plan.files[:FILES_SHOWN]
    hidden = len(plan.files) - len(files)
    return "\n".join(
        [
            plan.summary,
            plan.place,
            "",
            *(f"{name}: {value}" for name, value in plan.shown),
            "",
            *(f"{file.change:9}{file.bytes:12,} bytes  {file.name}" for file in files),
            *([f"{hidden} more files"] if hidden else []),
            f"{plan.total_bytes:,} bytes in all",
            "",
            *(f"Note: {note}" for note in plan.notes),
            "Nothing was sent. Add --yes to upload.",
        ]
    )
