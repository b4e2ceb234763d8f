from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from tqdm import tqdm

from annotation.domain.find_items import NO_ITEMS
from annotation.domain.import_corpus import CorpusOptions, Import, ImportReport
from annotation.enums import Partition
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from schemes.base import FileError
from schemes.registry import get_scheme


class Command(BaseCommand):
    help = "Add the sentences of one or more files, and their items, to a project."
    example = (
        "manage.py import_corpus wikinews-dev sentences.csv --format conllu --items items.csv "
        "--domain wikinews --partition dev"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument("--format", required=True, help="a format of the project's scheme")
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
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        searches = get_scheme(project.scheme).corpus.searches
        if options["search"] and options["search"] not in searches:
            known = ", ".join(searches) or "none"
            raise InputError(f"Unknown --search {options['search']!r}. Known searches: {known}.")
        corpus = CorpusOptions(
            fmt=options["format"],
            items=options["items"],
            images=options["images"],
            search=options["search"],
            domain=options["domain"],
            partition=options["partition"],
            strict=options["strict"],
            update=options["update"],
            align=options["align"],
            rescale=options["rescale_boxes"],
        )
        with tqdm(unit=" rows", disable=None) as bar:

            def progress(unit: str, count: int) -> None:
                bar.set_description(unit)
                bar.update(count)

            run = Import(
                project=project,
                options=corpus,
                on_error=lambda error: self.stderr.write(str(error)),
                on_warning=lambda warning: self.stderr.write(f"Warning: {warning}"),
                progress=progress,
            )
            try:
                report = run.run(options["files"])
            except FileError as error:
                raise InputError(
                    f"{error} Nothing was imported." if corpus.strict else error
                ) from error
        self.write_result(report.counts(), _sentence(report), as_json=options["json"])


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
