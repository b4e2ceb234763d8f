from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone
from tqdm import tqdm

from annotation.domain.corpus.check_corpus import CorpusOptions
from annotation.domain.corpus.find_items import NO_ITEMS
from annotation.domain.corpus.import_corpus import Import, ImportReport
from annotation.domain.corpus.source_files import OpenFiles, open_items, open_sentences, with_names
from annotation.enums import Partition
from annotation.reading_options import (
    add_bad_rows_option,
    add_reading_options,
    collect_bad_rows,
    reading_given,
)
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.errors import FileError


class Command(BaseCommand):
    help = "Add the sentences of one or more files, and their items, to a project."
    example = (
        "manage.py import_corpus wikinews-dev sentences.csv --items items.csv --domain wikinews "
        "--partition dev\n"
        "  manage.py import_corpus reviews book.xlsx --columns id=review_id,text=body"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument(
            "--format",
            default="",
            help="a format of the project's scheme, if the content is unclear",
        )
        parser.add_argument(
            "--items", type=Path, nargs="+", default=[], help="files that list the items"
        )
        parser.add_argument(
            "--images", type=Path, help="the folder or ZIP archive of the images that FILE names"
        )
        parser.add_argument(
            "--search",
            default="",
            help="what to look for in sentences without --items, if the scheme has a choice",
        )
        parser.add_argument("--domain", default="")
        parser.add_argument("--partition", default="", choices=Partition.values)
        parser.add_argument(
            "--strict", action="store_true", help="import nothing if a row is invalid"
        )
        parser.add_argument(
            "--update",
            action="store_true",
            help="replace sentences and items that exist otherwise, unless work depends on them",
        )
        parser.add_argument(
            "--align",
            action="store_true",
            help="move the positions of --items in other tokens, by characters",
        )
        parser.add_argument(
            "--rescale-boxes",
            action="store_true",
            help="accept pictures that are resized copies of those that FILE describes",
        )
        add_reading_options(parser)
        add_bad_rows_option(parser)
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        corpus = scheme_of(project).corpus
        if options["search"] and options["search"] not in corpus.searches:
            known = ", ".join(corpus.searches) or "none"
            raise InputError(f"Unknown --search {options['search']!r}. Known searches: {known}.")
        reading = reading_given(options)
        sentences = open_sentences(
            options["files"], corpus=corpus, fmt=options["format"], options=reading
        )
        items = open_items(options["items"], corpus=corpus, options=reading)
        with sentences as files, items as item_files:
            for note in files.table.notes if files.table else ():
                self.stderr.write(note)
            report = self._run(project, files, item_files, options)
        if report.is_useless:
            raise InputError(f"None of the {report.error_count:,} rows could be imported.")
        facts = {**report.counts(), "format": files.fmt}
        self.write_result(facts, _sentence(report), as_json=options["json"])

    def _run(
        self, project: Project, files: OpenFiles, items: OpenFiles, options: dict[str, Any]
    ) -> ImportReport:
        names = {**items.names, **files.names}
        with (
            collect_bad_rows(
                self.stderr,
                file=options["bad_rows"],
                inputs=[*options["files"], *options["items"], *filter(None, [options["images"]])],
                names=names,
                project=project.slug,
                now=timezone.now(),
            ) as bad_rows,
            tqdm(unit=" rows", disable=None) as bar,
        ):

            def progress(unit: str, count: int) -> None:
                bar.set_description(unit)
                bar.update(count)

            corpus = _options(files, items, options)
            run = Import(
                project=project,
                options=corpus,
                on_error=bad_rows,
                on_warning=lambda warning: self.stderr.write(
                    f"Warning: {with_names(warning, names)}"
                ),
                progress=progress,
            )
            try:
                return run.run(files.paths)
            except FileError as error:
                nothing = " Nothing was imported." if corpus.strict else ""
                raise InputError(f"{with_names(error, names)}{nothing}") from error


def _options(files: OpenFiles, items: OpenFiles, options: dict[str, Any]) -> CorpusOptions:
    return CorpusOptions(
        fmt=files.fmt,
        items=items.paths,
        images=options["images"],
        search=options["search"],
        domain=options["domain"],
        partition=options["partition"],
        strict=options["strict"],
        update=options["update"],
        align=options["align"],
        rescale=options["rescale_boxes"],
    )


def _sentence(report: ImportReport) -> str:
    left_out = f" {report.error_count} rows were skipped (see above)." if report.error_count else ""
    if report.warning_count:
        left_out += f" {report.warning_count} warnings (see above)."
    if report.nothing_new:
        known = f"{report.sentences_known} sentences and {report.items_known} items"
        return f"Nothing new: {known} already existed.{left_out}"
    added = f"{report.sentences_added} sentences and {report.items_added} items added"
    if report.sentences_updated or report.items_updated:
        added += f", {report.sentences_updated} and {report.items_updated} updated"
    known = f"{report.sentences_known} and {report.items_known} already existed"
    no_items = "" if report.items_added or report.items_known else f" {NO_ITEMS}"
    return f"{added}, {known}.{no_items}{left_out}"
