"""Import a released version into a project as its corpus, with the gold as imported gold."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Literal

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from pydantic import Field

from annotation.domain.corpus.corpus_limits import MAX_KEY, within_limits
from annotation.domain.corpus.decode_image import MAX_BYTES
from annotation.domain.corpus.images import store_image
from annotation.domain.corpus.import_corpus import batched, shuffled_position
from annotation.domain.corpus.item_context import context_of
from annotation.models import Image, Item, Sentence
from audit.errors import TouchstoneError
from consolidation.domain.gold.add_gold import add_gold
from consolidation.enums import GoldSource
from datasets.domain.exports.copy_images import FOLDER as IMAGES
from projects.domain.create_project import ProjectExistsError, create_project
from projects.domain.resources import change_resource, current_version
from projects.domain.schemes import digest_of, scheme_of
from projects.languages import DEFAULT_LANGUAGE, LANGUAGES
from projects.models import Project
from releases.domain.gold_folder import ITEMS, RESOURCES
from releases.domain.layout import LAYOUT
from releases.domain.release_archive import ReleaseArchive, open_release
from schemes.content_models import Strict, validated
from schemes.contract.errors import ContentError, FileError
from schemes.contract.records import SentenceRecord
from schemes.contract.scheme import DEFINITION
from schemes.contract.values import Json
from schemes.registry import SCHEMES

BATCH = 200
MAX_POSITION = 2**63 - 1
IMPORTER = "import_release"
Progress = Callable[[int], None]


class ReleaseImportError(TouchstoneError):
    """The release does not fit the project, or its scheme is not known here."""


class _ImageOfItem(Strict):
    name: str
    width: int
    height: int
    digest: str


class _ReleasedLine(Strict):
    """A line of items.jsonl."""

    key: str = Field(min_length=1, max_length=MAX_KEY)
    domain: str = Field(max_length=60)
    partition: Literal["", "train", "dev", "test"]
    external_id: str = Field(min_length=1)
    tokens: list[str]
    text: str
    offsets: list[list[int]]
    document: str
    position: int = Field(ge=0, le=MAX_POSITION)
    metadata: Json
    image: _ImageOfItem | None
    target: Json
    content: Json
    provenance: list[Json]


@dataclass
class ReleaseImport:
    """The result of an import. Items whose newest imported gold is the same are known."""

    project: Project
    version: str
    sentences: int = 0
    items: int = 0
    gold: int = 0
    known: int = 0


def import_release(
    *,
    path: Path,
    slug: str,
    actor: str,
    now: datetime,
    title: str = "",
    owner: AbstractBaseUser | None = None,
    progress: Progress = lambda count: None,
) -> ReleaseImport:
    """Import the ZIP file of a release into the project, which is created if there is none.

    A repeated import adds nothing. All of it is one transaction. Raise FileError for a file that is no
    release or was changed, and ReleaseImportError if the project has other sentences, or another scheme
    or definition.
    """
    with open_release(path) as archive, transaction.atomic():
        project = _project(archive, slug=slug, title=title, owner=owner, actor=actor, now=now)
        _add_resources(archive, project, actor, now)
        report = ReleaseImport(project, str(archive.manifest.get("version", "")))
        for batch in batched(_lines(archive), BATCH):
            _import_batch(archive, report, batch, now)
            progress(report.gold + report.known)
    return report


def create_from_release(
    archive: ReleaseArchive,
    *,
    slug: str,
    title: str,
    owner: AbstractBaseUser,
    actor: str,
    now: datetime,
) -> Project:
    """Create a project with the release's scheme and definition, to import the release into it.

    Raise ProjectExistsError, SlugError, FileError and ReleaseImportError.
    """
    if Project.objects.filter(slug=slug).exists():
        raise ProjectExistsError(f"There is a project {slug!r} already.")
    return _project(archive, slug=slug, title=title, owner=owner, actor=actor, now=now)


def _project(
    archive: ReleaseArchive,
    *,
    slug: str,
    title: str,
    owner: AbstractBaseUser | None,
    actor: str,
    now: datetime,
) -> Project:
    """Return the project with the release's scheme and definition."""
    manifest = archive.manifest
    scheme, language = str(manifest.get("scheme")), str(manifest.get("language"))
    if manifest.get("layout") != LAYOUT:
        raise ReleaseImportError("The release was made by another version of Touchstone.")
    if scheme not in SCHEMES:
        raise ReleaseImportError(f"The scheme {scheme!r} of the release is not known here.")
    definition = archive.json(RESOURCES).get(DEFINITION)
    if definition is not None:
        definition = _parsed(scheme, DEFINITION, definition)
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        project = create_project(
            slug=slug,
            title=title,
            scheme=scheme,
            definition=definition,
            language=language if language in LANGUAGES else DEFAULT_LANGUAGE,
            owner=owner,
            actor=actor,
            now=now,
        )
    elif project.scheme != scheme:
        raise ReleaseImportError(
            f"{slug} has the scheme {project.scheme}, and the release {scheme}. Choose another project."
        )
    elif definition is not None and project.definition_digest != digest_of(definition):
        raise ReleaseImportError(
            f"{slug} has another definition than the release. Import it into a new project."
        )
    return project


def _add_resources(archive: ReleaseArchive, project: Project, actor: str, now: datetime) -> None:
    """Store the resources that the project lacks, such as a lexicon."""
    for name, value in archive.json(RESOURCES).items():
        if name != DEFINITION and current_version(project=project, name=name) is None:
            parsed = _parsed(project.scheme, name, value)
            change_resource(project=project, name=name, value=parsed, actor=actor, now=now)


def _parsed(scheme: str, name: str, value: Json) -> Json:
    """Return a resource as the scheme would store it. Raise FileError."""
    if name not in SCHEMES[scheme].resources:
        raise FileError(RESOURCES, None, f"has {name!r}, which the scheme {scheme} lacks.")
    try:
        return SCHEMES[scheme].resources[name].parse(value)
    except ContentError as error:
        raise FileError(RESOURCES, None, str(error), field=name) from error


def _lines(archive: ReleaseArchive) -> Iterator[tuple[int, _ReleasedLine]]:
    """Yield the numbers and contents of all lines. Raise FileError for a bad or repeated one."""
    seen: set[str] = set()
    for number, content in archive.lines(ITEMS):
        try:
            line = validated(_ReleasedLine, content)
        except ContentError as error:
            raise FileError(ITEMS, number, error.message, field=error.path) from error
        if line.key in seen:
            raise FileError(ITEMS, number, f"{line.key} is there more than once.")
        if not line.key.startswith(f"{line.external_id}/"):
            raise FileError(ITEMS, number, f"{line.key} is no item of {line.external_id}.")
        seen.add(line.key)
        yield number, line


def _import_batch(
    archive: ReleaseArchive,
    report: ReleaseImport,
    batch: Sequence[tuple[int, _ReleasedLine]],
    now: datetime,
) -> None:
    project = report.project
    sentences = _sentences(archive, report, batch)
    keys = [line.key for _, line in batch]
    items = {item.key: item for item in project.items.filter(key__in=keys)}
    new = [
        Item(
            project=project,
            sentence=sentences[line.external_id],
            key=line.key,
            target=line.target,
            position=shuffled_position(project.seed, line.key),
        )
        for _, line in batch
        if line.key not in items
    ]
    Item.objects.bulk_create(new)
    report.items += len(new)
    items |= {item.key: item for item in new}
    for number, line in batch:
        item = items[line.key]
        item.sentence = sentences[line.external_id]
        if item.target != line.target:
            raise FileError(ITEMS, number, f"{line.key} has another target in the project.")
        _add_gold(report, item, line, number, now)


def _sentences(
    archive: ReleaseArchive, report: ReleaseImport, batch: Sequence[tuple[int, _ReleasedLine]]
) -> dict[str, Sentence]:
    """Return the sentences of the batch by id, of which new ones are added."""
    project = report.project
    ids = {line.external_id for _, line in batch}
    known = Sentence.objects.filter(project=project, external_id__in=ids).select_related("image")
    sentences = {sentence.external_id: sentence for sentence in known}
    new: dict[str, Sentence] = {}
    for number, line in batch:
        sentence = sentences.get(line.external_id) or new.get(line.external_id)
        if sentence is None:
            new[line.external_id] = _new_sentence(archive, project, line, number)
        elif sentence.tokens != line.tokens:
            message = f"{line.external_id} has other tokens in the project or in an earlier line."
            raise FileError(ITEMS, number, message)
    Sentence.objects.bulk_create(new.values())
    report.sentences += len(new)
    return sentences | new


def _new_sentence(
    archive: ReleaseArchive, project: Project, line: _ReleasedLine, number: int
) -> Sentence:
    metadata = {**line.metadata, "document": line.document} if line.document else line.metadata
    record = SentenceRecord(line.external_id, tuple(line.tokens), number, metadata, text=line.text)
    list(within_limits([record], file=ITEMS, on_error=_refuse))
    if line.offsets and not _are_ranges(line.offsets, line):
        raise FileError(ITEMS, number, "is no range of the text per token.", field="offsets")
    return Sentence(
        project=project,
        external_id=line.external_id,
        tokens=line.tokens,
        domain=line.domain,
        partition=line.partition,
        group=line.document,
        position=line.position,
        metadata=line.metadata,
        text=line.text,
        offsets=line.offsets,
        image=_image(archive, project, line, number),
    )


def _are_ranges(offsets: Sequence[Sequence[int]], line: _ReleasedLine) -> bool:
    return len(offsets) == len(line.tokens) and all(
        len(offset) == 2 and 0 <= offset[0] <= offset[1] <= len(line.text) for offset in offsets
    )


def _refuse(error: FileError) -> None:
    raise error


def _image(
    archive: ReleaseArchive, project: Project, line: _ReleasedLine, number: int
) -> Image | None:
    if line.image is None:
        return None
    name = f"{IMAGES}/{PurePosixPath(line.image.name).name}"
    if not archive.has(name):
        raise FileError(ITEMS, number, f"needs {name}, but the release has no images.")
    return store_image(
        project=project,
        name=PurePosixPath(name).name,
        data=archive.read(name, MAX_BYTES),
    )


def _add_gold(
    report: ReleaseImport, item: Item, line: _ReleasedLine, number: int, now: datetime
) -> None:
    scheme, context = scheme_of(report.project), context_of(item, report.project)
    try:
        if any(at not in range(len(line.tokens)) for at in scheme.views.marked(line.target)):
            raise FileError(ITEMS, number, "has words that the sentence lacks.", field="target")
        content = scheme.content.parse_gold(line.content, context)
    except ContentError as error:
        raise FileError(ITEMS, number, error.message, field=error.path) from error
    except (LookupError, TypeError, AttributeError) as error:
        # Schemes write targets themselves, and read them without a check.
        message = f"is not one of the scheme {report.project.scheme}."
        raise FileError(ITEMS, number, message, field="target") from error
    newest = item.gold.filter(source=GoldSource.IMPORTED).order_by("-version").first()
    if newest and newest.content == content:
        report.known += 1
        return
    add_gold(
        item=item,
        source=GoldSource.IMPORTED,
        content=content,
        provenance=line.provenance,
        now=now,
    )
    report.gold += 1
