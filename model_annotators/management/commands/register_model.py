from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from model_annotators.domain.register import register_model
from model_annotators.forms import ModelForm
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named


class Command(BaseCommand):
    help = "Register a language model that can take the project's training rounds."
    example = (
        "manage.py register_model wikinews-dev --name qwen --url http://127.0.0.1:11434/v1 "
        "--model qwen3:8b --cap 5"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--name", required=True, help="a name for your team")
        where = parser.add_mutually_exclusive_group(required=True)
        where.add_argument("--url", default="", help="base address of a chat-completions server")
        where.add_argument(
            "--command",
            default="",
            help="a program of this machine that reads a chat-completions request as JSON and writes "
            "the annotation",
        )
        parser.add_argument("--model", required=True, help="the model's name on the server")
        parser.add_argument("--requests-per-minute", type=int, help="default: no limit")
        parser.add_argument("--key-file", type=Path, help="a file with the API key")
        parser.add_argument("--temperature", default=0.0, type=float)
        parser.add_argument(
            "--examples", default=4, type=int, help="items with expert gold in each request"
        )
        parser.add_argument("--input-price", default="0", help="dollars per million input tokens")
        parser.add_argument("--output-price", default="0", help="dollars per million output tokens")
        parser.add_argument("--cap", required=True, help="dollars, after which no request is sent")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        form = ModelForm({**options, "key": _key_in(options["key_file"])})
        form.fields["url"].required = not options["command"]
        if not form.is_valid():
            field, errors = next(iter(form.errors.items()))
            raise InputError(f"--{field.replace('_', '-')}: {errors[0]}")
        annotator = register_model(
            project=project,
            plan=form.plan(command=options["command"]),
            actor="register_model",
            now=timezone.now(),
        )
        facts = {"id": annotator.pk, "name": annotator.name, "model": annotator.model}
        self.write_result(facts, f"{annotator.name} is registered.", as_json=options["json"])


def _key_in(path: Path | None) -> str:
    if path is None:
        return ""
    try:
        return path.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise InputError(f"The key file {path} can't be read.") from None
