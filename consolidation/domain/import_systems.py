"""Import a parser's output as a source for experts' merges."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from django.db import transaction

from annotation.domain.import_corpus import batched
from consolidation.domain.import_gold import BATCH, GoldReport, find_items, item_of
from consolidation.models import SystemAnnotation
from projects.models import Project
from schemes.base import ContentError, FileError
from schemes.registry import get_scheme


def import_system(
    *,
    project: Project,
    path: Path,
    fmt: str,
    system: str,
    on_error: Callable[[FileError], None],
    now: datetime,
) -> GoldReport:
    """Import the system's annotations from a file, replacing its earlier ones.

    The file is streamed. Rows with an unknown item or invalid content are passed to `on_error`.
    Raise FileError if the file can't be read.
    """
    report = GoldReport()
    scheme = get_scheme(project.scheme)

    def refuse(error: FileError) -> None:
        report.error_count += 1
        on_error(error)

    for batch in batched(scheme.read_gold(path, fmt=fmt, on_error=refuse), BATCH):
        with transaction.atomic():
            items = find_items(project, batch)
            for record in batch:
                try:
                    item = item_of(items, record, path.name)
                    content = scheme.parse_system(
                        record.content, tokens=item.sentence.tokens, target=item.target
                    )
                except ContentError as error:
                    refuse(FileError(path.name, record.line, error.message, field=error.path))
                    continue
                except FileError as error:
                    refuse(error)
                    continue
                SystemAnnotation.objects.update_or_create(
                    item=item,
                    system=system,
                    defaults={
                        "content": content,
                        "schema_version": scheme.schema_version,
                        "imported_at": now,
                    },
                )
                report.added += 1
    return report
