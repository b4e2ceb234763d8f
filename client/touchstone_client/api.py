"""Touchstone's REST API: generic requests, and methods for the common steps of a project."""

from __future__ import annotations

import hashlib
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import requests

from touchstone_client import records
from touchstone_client.connection import ATTEMPTS, Connection, Uploads
from touchstone_client.errors import ApiError, DownloadError, JobFailedError, JobTimeoutError
from touchstone_client.jobs import Job, R

if TYPE_CHECKING:
    import pandas as pd

PAGE_SIZE = 200
FIRST_POLL = 0.5  # seconds
MAX_POLL = 10.0
CHUNK = 2**20
# A file, or several
Files = str | Path | Iterable[str | Path]


class Touchstone:
    """A site, to which requests are sent with a token.

    Paths are below /api/v1/, such as `projects/my-corpus/costs/`. `http://` is refused except for
    this machine, unless `allow_http` is set. A request is repeated after at most `max_wait` seconds,
    and fails if the site wants a longer pause.
    """

    def __init__(
        self, url: str, token: str, *, allow_http: bool = False, max_wait: float = 60
    ) -> None:
        self._connection = Connection(url, token, allow_http=allow_http, max_wait=max_wait)

    def __repr__(self) -> str:
        return f"Touchstone({self._connection.url!r})"

    def __enter__(self) -> Touchstone:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections to the site."""
        self._connection.close()

    def get(self, path: str, **query: Any) -> Any:
        """Return what is at a path."""
        return _content(self._connection.send("GET", path, query=query))

    def post(
        self,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        key: str | None = None,
        **query: Any,
    ) -> Any:
        """Send a body as JSON, and return the answer.

        `key` is the `Idempotency-Key`. A request that has one can be repeated, and is done once.
        """
        send = self._connection.send
        return _content(send("POST", path, query=query, body=body or {}, key=key))

    def patch(self, path: str, body: Mapping[str, Any], *, key: str | None = None) -> Any:
        """Change what is at a path, and return it."""
        return _content(self._connection.send("PATCH", path, body=body, key=key))

    def upload(
        self,
        path: str,
        files: Uploads,
        form: Mapping[str, Any],
        *,
        key: str | None = None,
        **query: Any,
    ) -> Any:
        """Send files, each with the name of its field, and other fields of a form."""
        send = self._connection.send
        return _content(send("POST", path, query=query, form=form, files=files, key=key))

    def pages(self, path: str, **query: Any) -> Iterator[Any]:
        """Yield the rows of a list. Its pages are read when their rows are needed."""
        page = self.get(path, **{"limit": PAGE_SIZE, **query})
        yield from page["results"]
        while page["next"] is not None:
            page = self.get(page["next"])
            yield from page["results"]

    def download(self, path: str, target: str | Path, *, sha256: str | None = None) -> Path:
        """Store a file, and check its SHA-256. The target is written only if all is well."""
        target = Path(target)
        part = target.with_name(f"{target.name}.part")
        try:
            for _ in range(ATTEMPTS):
                answer = self._connection.send("GET", path, stream=True)
                if (digest := _stored(answer, part)) is not None:
                    break
            else:
                raise DownloadError(f"The connection was lost {ATTEMPTS} times: {path}")
            if sha256 is not None and digest != sha256:
                raise DownloadError(f"The SHA-256 is {digest} instead of {sha256}: {path}")
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        return target

    def me(self) -> records.Me:
        """Return your name, and the scopes, projects and expiry of the token."""
        me: records.Me = self.get("me/")
        return me

    def create_project(self, **body: Unpack[records.NewProjectRequest]) -> Project:
        """Create a project, of which you become an admin."""
        created: records.Project = self.post("projects/", body, key=_new_key())
        return self.project(created["slug"])

    def project(self, slug: str) -> Project:
        """Return the steps of a project. Nothing is read yet."""
        return Project(self, slug)


class Project:
    """The common steps of a project, from a corpus to a release."""

    def __init__(self, site: Touchstone, slug: str) -> None:
        self.site = site
        self.slug = slug
        self.path = f"projects/{slug}/"

    def __repr__(self) -> str:
        return f"{self.site!r}.project({self.slug!r})"

    def read(self) -> records.Project:
        """Return the project's record."""
        project: records.Project = self.site.get(self.path)
        return project

    def import_corpus(
        self,
        files: Files,
        *,
        items_files: Files = (),
        images: str | Path | None = None,
        **settings: str | bool,
    ) -> Job[records.Import]:
        """Upload sentences, with their items or with files that list the items.

        Settings are the other fields of the endpoint, such as `domain`, `partition` or `strict`.
        """
        return self._upload("imports/", _corpus(files, items_files, images), settings)

    def preview_corpus(
        self,
        files: Files,
        *,
        items_files: Files = (),
        images: str | Path | None = None,
        timeout: float | None = 600,
        **settings: str | bool,
    ) -> records.PreviewedImport:
        """Return what an import would do, in `preview`. Nothing is imported before `confirm_import`.

        The arguments are those of `import_corpus`.
        """
        uploads = _corpus(files, items_files, images)
        job = self._upload("imports/", uploads, settings, dry_run=True)
        record: Any = job.record
        for record in self._poll(job.path, timeout):
            if not record["preview"] or record["preview"]["state"] not in ("queued", "running"):
                return record  # type: ignore[no-any-return]
        raise JobTimeoutError(f"{job.path} has no preview after {timeout} seconds.")

    def confirm_import(self, previewed: records.PreviewedImport) -> Job[records.Import]:
        """Import the files of a preview."""
        path = f"{self.path}imports/{previewed['id']}/"
        return Job(path, self.site.post(f"{path}confirm/", key=_new_key()))

    def import_gold(
        self,
        files: Files,
        source: records.NewGoldImportSourceEnum,
        **settings: str | bool,
    ) -> Job[records.GoldImport]:
        """Upload the annotations of experts, or of a published dataset."""
        form = {"source": source, **settings}
        return self._upload("gold-imports/", _uploads("files", files), form)

    def wait(self, job: Job[R], *, timeout: float | None = 600) -> R:
        """Return the record of a job once it has finished.

        The pauses between polls grow to ten seconds. A timeout of None waits forever.
        """
        record: Any = job.record
        for record in self._poll(job.path, timeout):
            if record["state"] == "finished":
                return record  # type: ignore[no-any-return]
            if record["state"] in ("failed", "cancelled"):
                raise JobFailedError(job.path, record["state"], record["problem"])
        raise JobTimeoutError(f"{job.path} is {record['state']} after {timeout} seconds.")

    def _poll(self, path: str, timeout: float | None) -> Iterator[Any]:
        """Yield the record at a path again and again, until the time is over."""
        end = None if timeout is None else time.monotonic() + timeout
        delay = FIRST_POLL
        while True:
            yield self.site.get(path)
            left = delay if end is None else end - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(delay, left))
            delay = min(delay * 1.5, MAX_POLL)

    @overload
    def publish(
        self, *, dry_run: Literal[True], **batch: Unpack[records.NewBatchRequest]
    ) -> records.BatchPreview: ...

    @overload
    def publish(
        self,
        *,
        dry_run: Literal[False] = False,
        key: str | None = None,
        **batch: Unpack[records.NewBatchRequest],
    ) -> records.Batch: ...

    def publish(
        self,
        *,
        dry_run: bool = False,
        key: str | None = None,
        **batch: Unpack[records.NewBatchRequest],
    ) -> Any:
        """Publish a batch, which reserves money, or return its cost with `dry_run`.

        Without a `key`, the call publishes one batch even if its request is repeated. A program that
        may be started again passes a key of its own, and publishes nothing twice within 24 hours.
        """
        path = f"{self.path}batches/"
        if dry_run:
            return self.site.post(path, batch, dry_run=True)
        return self.site.post(path, batch, key=key or _new_key())

    def progress(self, batch: int | None = None) -> records.BatchProgress:
        """Count the HITs and submissions of a batch by state, or those of all batches."""
        ids = (row["id"] for row in self.site.pages(f"{self.path}batches/"))
        hits: Counter[str] = Counter()
        submissions: Counter[str] = Counter()
        for number in ids if batch is None else [batch]:
            counts = self.site.get(f"{self.path}batches/{number}/progress/")
            hits.update(counts["hits"])
            submissions.update(counts["submissions"])
        return {"hits": dict(hits), "submissions": dict(submissions)}

    def gold(
        self,
        since: datetime | str | None = None,
        *,
        source: records.GoldSource | None = None,
        current: bool = True,
        with_sentence: bool = True,
        **filters: Any,
    ) -> Iterator[records.Gold]:
        """Yield gold of all sources or of one, optionally only what was made since a time.

        Without `current`, older versions are included. Filters are parameters of the list, such as
        `partition` or `id_after`.
        """
        query = {
            **filters,
            "created_after": _moment(since),
            "source": source,
            "current": current or None,
            "include": "sentence" if with_sentence else None,
        }
        return self.site.pages(f"{self.path}gold/", **query)

    def gold_table(
        self,
        since: datetime | str | None = None,
        *,
        source: records.GoldSource | None = None,
        current: bool = True,
        **filters: Any,
    ) -> pd.DataFrame:
        """Return gold as a pandas DataFrame, with its id as the index.

        `text` is the tokens with blanks if the original text is not known.
        """
        try:
            import pandas as pd  # noqa: PLC0415 - optional
        except ImportError as error:
            raise ImportError(
                "gold_table needs pandas. Install touchstone-client[pandas]."
            ) from error
        gold = self.gold(since, source=source, current=current, **filters)
        table = pd.DataFrame([_row(row) for row in gold], columns=["id", *_COLUMNS])
        table["created_at"] = pd.to_datetime(table["created_at"], utc=True, format="ISO8601")
        return table.set_index("id")

    def export(
        self,
        format: str,
        *,
        source: records.NewExportSourceEnum = "consolidated",
        annotations: bool = False,
        certainty: bool = False,
        domain: str = "",
        partition: records.Partition | Literal[""] = "",
        licence: str = "",
    ) -> Job[records.Export]:
        """Start an export in `jsonl` or a format of the scheme."""
        body: records.NewExportRequest = {
            "format": format,
            "source": source,
            "annotations": annotations,
            "certainty": certainty,
            "domain": domain,
            "partition": partition,
            "licence": licence,
        }
        return self._post("exports/", body)

    def release(self, **details: Unpack[records.NewReleaseRequest]) -> Job[records.ReleaseJob]:
        """Start a release, which can't be changed or deleted."""
        return self._post("releases/", details, jobs="release-jobs/")

    def evaluate_systems(
        self,
        files: Files,
        *,
        source: records.GoldSource | Literal[""] = "",
        reference: Files = (),
        sentences: Files = (),
        **settings: str | bool,
    ) -> Job[records.SystemEvaluation]:
        """Score the output of systems, a file per system, against gold of a source or files."""
        uploads = [
            *_uploads("systems", files),
            *_uploads("reference", reference),
            *_uploads("sentences", sentences),
        ]
        return self._upload("system-evaluations/", uploads, {"source": source, **settings})

    def download(self, record: Mapping[str, Any], folder: str | Path = ".") -> list[Path]:
        """Store the files of a finished export, release or system evaluation in a folder."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        return [
            self.site.download(url, folder / name, sha256=sha256)
            for name, url, sha256 in _files_of(record)
        ]

    def _post(self, name: str, body: Mapping[str, Any], *, jobs: str | None = None) -> Job[Any]:
        record = self.site.post(self.path + name, body, key=_new_key())
        return Job(f"{self.path}{jobs or name}{record['id']}/", record)

    def _upload(
        self, name: str, uploads: Uploads, form: Mapping[str, Any], **query: Any
    ) -> Job[Any]:
        record = self.site.upload(self.path + name, uploads, form, key=_new_key(), **query)
        return Job(f"{self.path}{name}{record['id']}/", record)


_COLUMNS = (
    "item", "source", "version", "domain", "partition", "sentence", "text", "tokens", "target",
    "content", "created_at",
)  # fmt: skip


def _row(gold: records.Gold) -> dict[str, Any]:
    """Return a row of the table, whose sentence was read with the gold."""
    sentence = gold["sentence"]
    assert sentence is not None
    return {
        **gold,
        "domain": sentence["domain"],
        "partition": sentence["partition"],
        "sentence": sentence["external_id"],
        "text": sentence["text"] or " ".join(sentence["tokens"]),
        "tokens": sentence["tokens"],
    }


def _content(answer: requests.Response) -> Any:
    if not answer.content:
        return None
    try:
        return answer.json()
    except requests.JSONDecodeError:
        reason = "The answer is not JSON. This is not the address of a Touchstone site."
        raise ApiError(answer.url, answer.status_code, reason, []) from None


def _stored(answer: requests.Response, path: Path) -> str | None:
    """Write an answer to a file, and return its SHA-256, or None if the connection was lost."""
    digest = hashlib.sha256()
    try:
        with answer, path.open("wb") as file:
            for chunk in answer.iter_content(CHUNK):
                digest.update(chunk)
                file.write(chunk)
    except requests.RequestException:
        return None
    return digest.hexdigest()


def _files_of(record: Mapping[str, Any]) -> list[tuple[str, str, str | None]]:
    """Return the name, the address and the SHA-256 of each file of a record."""
    record = record.get("release") or record
    files = record.get("files") or [record.get("archive")]
    found: list[tuple[str, str, str | None]]
    if isinstance(files, Mapping):
        found = [(name, url, None) for name, url in files.items()]
    else:
        found = [(file["name"], file["url"], file["sha256"]) for file in files if file is not None]
    if not found:
        raise DownloadError("The record has no files. Wait for its job first.")
    for name, *_ in found:
        if Path(name).name != name:
            raise DownloadError(f"{name!r} is not the name of a file.")
    return found


def _uploads(field: str, files: Files) -> list[tuple[str, str | Path]]:
    return [(field, path) for path in ([files] if isinstance(files, str | Path) else files)]


def _corpus(files: Files, items_files: Files, images: str | Path | None) -> Uploads:
    uploads = [*_uploads("files", files), *_uploads("items_files", items_files)]
    return uploads if images is None else [*uploads, *_uploads("images", images)]


def _moment(since: datetime | str | None) -> str | None:
    if not isinstance(since, datetime):
        return since
    if since.tzinfo is None:
        raise ValueError("The time has no time zone. Use datetime.now(UTC), for example.")
    return since.isoformat()


def _new_key() -> str:
    return uuid.uuid4().hex
