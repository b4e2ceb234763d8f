"""What the documentation takes from the code: the reference of commands, and the list of ADRs."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

OURS = (
    "annotation",
    "consolidation",
    "crowd",
    "marketplace",
    "qualification",
    "rehearsal",
    "dashboard",
    "audit",
    "operation",
    "accounts",
)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """ADRs are found, not listed: a new one is on the page with its file."""
    folder = Path(config.docs_dir) / "adr"
    pages = [{_title(path): f"adr/{path.name}"} for path in sorted(folder.glob("*.md"))]
    assert config.nav
    config.nav.append({"Decisions": pages})
    return config


def _title(path: Path) -> str:
    return path.read_text("utf-8").splitlines()[0].lstrip("# ")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    files.append(File.generated(config, "commands.md", content=_commands()))
    return files


def _commands() -> str:
    """Every command of ours with its `--help`."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django  # noqa: PLC0415 - settings first
    from django.core.management import get_commands, load_command_class  # noqa: PLC0415

    django.setup()
    parts = [
        "# Commands\n\nEach is run as `python manage.py NAME`; made from their own `--help`.\n"
    ]
    for name, app in sorted(get_commands().items()):
        if isinstance(app, str) and app.split(".")[0] in OURS:
            command: Any = load_command_class(app, name)
            parser: ArgumentParser = command.create_parser("manage.py", name)
            parts.append(f"## {name}\n\n{command.help}\n\n```text\n{parser.format_help()}```\n")
    return "\n".join(parts)
