"""Releases as records of Zenodo, which keeps them forever and gives them DOIs."""

import hashlib
from pathlib import Path
from typing import Any

from django.conf import settings

from releases.domain.citation import zenodo_json
from releases.domain.layout import README
from releases.domain.licences import LICENCES, licence_name
from releases.domain.publishing.plan import (
    Plan,
    PlannedFile,
    PublishingError,
    Target,
    details_notes,
    details_problems,
    shown_details,
)
from releases.domain.publishing.zenodo_client import ZenodoClient, ZenodoError
from releases.domain.release_files import ReleaseFiles
from releases.domain.released import Released
from releases.enums import PublicationState, Service
from releases.models import Publication, Release
from schemes.contract.values import Json

MAX_BYTES = 50 * 10**9


class Zenodo:
    """Zenodo as a publisher."""

    def __init__(self, token: str) -> None:
        self._token = token

    def plan(self, release: Release, target: Target) -> Plan:
        """Return what an upload would do."""
        problems = details_problems(release)
        licence = release.details["licence"]
        with ZenodoClient(self._token) as client:
            client.check_token()
            if licence not in LICENCES or not client.has_licence(licence.lower()):
                # Without a licence that it lists, Zenodo would give the data a default one.
                problems.append(f"Zenodo does not list the licence {licence}.")
        if release.archive.get("bytes", 0) > MAX_BYTES:
            problems.append("Zenodo takes 50 GB per record, and the release has more.")
        earlier = earlier_record(release)
        summary = "A new public record."
        if earlier:
            summary = f"A new version of the public record {earlier.doi}."
        facts = release.manifest.get("files", {}).get(README, {"bytes": 0})
        archive = release.archive or {"name": f"{release}.zip", "bytes": 0}
        metadata = zenodo_json(Released(release))["metadata"]
        return Plan(
            target=target,
            account="",
            place=settings.ZENODO_URL,
            summary=summary,
            confirmation=f"{release.project.slug} {release.version}",
            files=[
                PlannedFile(archive["name"], archive["bytes"], "new"),
                PlannedFile(README, facts["bytes"], "new"),
            ],
            shown=[
                *shown_details(
                    release, f"{licence_name(licence)} ({metadata.get('license', '–')})"
                ),
                ("Description", _plain(metadata["description"])),
                ("Keywords", ", ".join(metadata["keywords"])),
                ("Publication date", metadata["publication_date"]),
                ("Visibility", "public"),
            ],
            notes=[*details_notes(release), "Zenodo does not delete published records."],
            problems=problems,
        )

    def upload(self, publication: Publication, files: ReleaseFiles) -> None:
        """Send the files that are missing to the draft of the record, and publish it once."""
        release = publication.release
        plan = self.plan(release, Target(Service.ZENODO))
        if plan.problems:
            raise PublishingError(" ".join(plan.problems))
        metadata = zenodo_json(Released(release))
        try:
            with ZenodoClient(self._token, waits=True) as client:
                deposit = _deposit_of(client, publication, metadata)
                if not deposit["submitted"]:
                    _fill(client, deposit, files, metadata)
                    deposit = _publish(client, publication.record)
            publication.doi = deposit["doi"]
        except (KeyError, TypeError) as error:
            raise PublishingError(
                f"Zenodo's answer has another form than expected: {error}."
            ) from None
        publication.concept_doi = deposit.get("conceptdoi") or ""
        publication.url = f"{settings.ZENODO_URL}/records/{publication.record}"


def _deposit_of(client: ZenodoClient, publication: Publication, metadata: Json) -> Json:
    """Return the deposit of the publication, which is created if it is new or was deleted."""
    if publication.record:
        try:
            return client.deposit(publication.record)
        except ZenodoError as error:
            if error.status not in (404, 410):
                raise
        Publication.objects.filter(pk=publication.pk).update(record="")
    _create(client, publication, metadata)
    return client.deposit(publication.record)


def _create(client: ZenodoClient, publication: Publication, metadata: Json) -> None:
    """Create a draft, and store its number before any file is sent to it."""
    if earlier := earlier_record(publication.release):
        record = client.new_version(earlier.record)
    else:
        record = _draft_like(client, metadata) or str(client.create(metadata)["id"])
    rows = Publication.objects.filter(pk=publication.pk, record="")
    if not rows.update(record=record):
        raise PublishingError("Another process is uploading this release. Wait until it ends.")
    publication.record = record


def _draft_like(client: ZenodoClient, metadata: Json) -> str:
    """Return the number of an empty draft of the release, which was lost with Zenodo's answer, or ""."""
    wanted = metadata["metadata"]
    taken = set(Publication.objects.exclude(record="").values_list("record", flat=True))
    for draft in client.drafts():
        found, number = draft["metadata"], str(draft["id"])
        is_same = all(found.get(name) == wanted[name] for name in ("title", "version"))
        if is_same and number not in taken and not _files(client.deposit(number)):
            return number
    return ""


def _fill(client: ZenodoClient, deposit: Json, files: ReleaseFiles, metadata: Json) -> None:
    """Give the draft the metadata and exactly the two files."""
    record = str(deposit["id"])
    client.describe(record, metadata)
    wanted = {files.archive.name: files.archive, README: files.folder / README}
    checksums = {name: _md5(path) for name, path in wanted.items()}
    present = _checksums(deposit)
    for file in _files(deposit):
        if file["filename"] not in wanted:
            client.delete_file(record, file["id"])
    for name, path in wanted.items():
        if present.get(name) != checksums[name]:
            client.send_file(deposit["links"]["bucket"], name, path)
    if _checksums(client.deposit(record)) != checksums:
        raise PublishingError(
            "The files that Zenodo has stored differ from those of the release. Upload again."
        )


def _files(deposit: Json) -> list[Json]:
    """Return the files. A deposit without files lacks the list."""
    return deposit.get("files") or []


def _checksums(deposit: Json) -> dict[str, str]:
    return {file["filename"]: file["checksum"].removeprefix("md5:") for file in _files(deposit)}


def _publish(client: ZenodoClient, record: str) -> Json:
    """Publish the draft. An answer that was lost is looked up."""
    try:
        return client.publish(record)
    except PublishingError:
        deposit = client.deposit(record)
        if not deposit["submitted"]:
            raise
        return deposit


def earlier_record(release: Release) -> Publication | None:
    """Return the newest published record of an earlier release of the project."""
    rows = Publication.objects.filter(
        release__project=release.project,
        release__pk__lt=release.pk,
        service=Service.ZENODO,
        state=PublicationState.PUBLISHED,
    )
    return rows.order_by("-release__pk").first()


def _md5(path: Path) -> str:
    """Return the checksum that Zenodo shows."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, lambda: hashlib.md5(usedforsecurity=False)).hexdigest()


def _plain(html: str) -> Any:
    return " ".join(html.replace("<p>", "").replace("</p>", " ").split())
