"""Options of commands that import gold files, as the schemes declare them."""

from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import OutputWrapper
from django.utils import timezone

from annotation.domain.corpus.source_files import open_gold
from annotation.reading_options import (
    add_bad_rows_option,
    add_reading_options,
    collect_bad_rows,
    reading_given,
)
from consolidation.domain.gold.import_gold import GoldReport
from projects.command import InputError
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.values import Json
from schemes.registry import SCHEMES
from schemes.reports import add_reader_options

_ALL = {option.key: option for scheme in SCHEMES.values() for option in scheme.corpus.gold_options}


def add_gold_options(parser: ArgumentParser) -> None:
    """Add the files and how to read them."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument(
        "--format", default="", help="a gold format of the project's scheme, if it is unclear"
    )
    parser.add_argument(
        "--align",
        action="store_true",
        help="move positions in other tokens to the project's tokens, by characters",
    )
    parser.add_argument(
        "--rescale-boxes",
        action="store_true",
        help="scale boxes to pictures that are resized copies of those that FILE describes",
    )
    parser.add_argument(
        "--add-roles",
        action="store_true",
        help="add roles that the project's inventory lacks to it",
    )
    add_reader_options(parser, _ALL.values())
    add_reading_options(parser)
    add_bad_rows_option(parser)


def _scheme_options(project: Project, options: dict[str, Any]) -> Json:
    """Return the given options by key. Raise InputError for those of another scheme."""
    scheme = scheme_of(project)
    known = {option.key for option in scheme.corpus.gold_options}
    given = {key: options[key] for key in _ALL if options.get(key) is not None}
    for key in given.keys() - known:
        raise InputError(f"{_ALL[key].flag} is not an option of {scheme.title} files.")
    return given


@contextmanager
def given_gold(
    stderr: OutputWrapper, project: Project, options: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the arguments of an import that the options of a command name. Bad rows are shown."""
    now = timezone.now()
    given = _scheme_options(project, options)
    corpus, reading = scheme_of(project).corpus, reading_given(options)
    with (
        open_gold(options["files"], corpus=corpus, fmt=options["format"], options=reading) as files,
        collect_bad_rows(
            stderr,
            file=options["bad_rows"],
            inputs=options["files"],
            names=files.names,
            project=project.slug,
            now=now,
        ) as bad_rows,
    ):
        yield {
            "project": project,
            "paths": files.paths,
            "fmt": files.fmt,
            "options": given,
            "align": options["align"],
            "rescale": options["rescale_boxes"],
            "add_roles": options["add_roles"],
            "on_error": bad_rows,
            "now": now,
        }


def check_useful(report: GoldReport) -> None:
    """Raise InputError if there were annotations, and none could be used."""
    if report.is_useless:
        raise InputError(f"None of the {report.error_count:,} annotations could be used.")
