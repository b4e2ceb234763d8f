"""Options of commands that read gold files, as the schemes declare them."""

from argparse import ArgumentParser
from contextlib import AbstractContextManager
from typing import Any

from annotation.domain.source_files import OpenFiles, open_gold
from annotation.reading_options import reading_given
from consolidation.domain.import_gold import GoldReport
from projects.command import InputError
from projects.models import Project
from schemes.base import Json
from schemes.registry import SCHEMES, get_scheme
from schemes.reports import add_reader_options

_ALL = {option.key: option for scheme in SCHEMES.values() for option in scheme.corpus.gold_options}


def add_gold_options(parser: ArgumentParser) -> None:
    add_reader_options(parser, _ALL.values())


def given_gold_options(project: Project, options: dict[str, Any]) -> Json:
    """Return the given options by key. Raise InputError for those of another scheme."""
    scheme = get_scheme(project.scheme)
    known = {option.key for option in scheme.corpus.gold_options}
    given = {key: options[key] for key in _ALL if options.get(key) is not None}
    for key in given.keys() - known:
        raise InputError(f"{_ALL[key].flag} is not an option of {scheme.title} files.")
    return given


def open_given_gold(project: Project, options: dict[str, Any]) -> AbstractContextManager[OpenFiles]:
    """Open the files of a command in the way that its options name."""
    corpus = get_scheme(project.scheme).corpus
    reading = reading_given(options)
    return open_gold(options["files"], corpus=corpus, fmt=options["format"], options=reading)


def check_useful(report: GoldReport) -> None:
    """Raise InputError if there were annotations, and none could be used."""
    if report.is_useless:
        raise InputError(f"None of the {report.error_count:,} annotations could be used.")
