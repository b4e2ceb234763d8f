"""Releases as datasets on the Hugging Face Hub: one commit with all files, and a tag for each version."""

import importlib
import os
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache, cached_property
from typing import Any

from django.conf import settings

from audit.errors import TouchstoneError
from datasets.domain.exports.export_gold import MANIFEST
from releases.domain.build_release import read_file
from releases.domain.licences import licence_name, licence_on_hubs
from releases.domain.publishing.plan import (
    Plan,
    PlannedFile,
    PublishingError,
    Target,
    details_notes,
    details_problems,
    shown_details,
)
from releases.domain.publishing.tokens import without_token
from releases.domain.release_files import ReleaseFiles
from releases.enums import Service
from releases.models import Publication, Release

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
# The Hub writes this file itself.
OF_THE_HUB = {".gitattributes"}
MISSING = (
    "Uploads to the Hub need the package huggingface_hub, which is not installed. Install Touchstone "
    "with the extra “hub”."
)
TIMEOUT_SECONDS = 60
# Uploads by HTTP need no other hosts than the Hub's. A token of the machine's user, and the Hub's
# counts of use, have no place in a site.
SWITCHES = {
    "HF_HUB_DISABLE_XET": "1",
    "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
}
DATASET = "dataset"


class Hub:
    """The Hub as a publisher."""

    def __init__(self, token: str) -> None:
        self._token = token

    def plan(self, release: Release, target: Target) -> Plan:
        """Return what an upload would do."""
        with self._answers():
            return self._plan(release, target)

    def upload(self, publication: Publication, files: ReleaseFiles) -> None:
        """Commit the files that differ, and tag the commit."""
        release = publication.release
        target = Target(Service.HUGGINGFACE, publication.repository, publication.private)
        with self._answers():
            plan = self._plan(release, target)
            if plan.problems:
                raise PublishingError(" ".join(plan.problems))
            repository = plan.target.repository
            Publication.objects.filter(pk=publication.pk).update(repository=repository)
            self._api.create_repo(
                repository, repo_type=DATASET, private=target.private, exist_ok=True
            )
            info = self._api.repo_info(repository, repo_type=DATASET)
            removed = [file.name for file in plan.files if file.change == "removed"]
            # Of equal files, nothing is sent. If all are equal, the Hub's newest commit is returned.
            commit = self._api.create_commit(
                repository,
                [
                    *(
                        self._hub.CommitOperationAdd(name, str(path))
                        for name, path in files.paths().items()
                    ),
                    *(self._hub.CommitOperationDelete(name) for name in removed),
                ],
                commit_message=f"Release {release.version}",
                repo_type=DATASET,
                parent_commit=info.sha,
            ).oid
            Publication.objects.filter(pk=publication.pk).update(commit=commit)
            self._check_files(repository, commit, release)
            self._tag(repository, commit, release)
        publication.commit = commit
        publication.repository = repository
        publication.private = info.private
        publication.url = f"{settings.HUGGINGFACE_URL}/datasets/{repository}/tree/{_tag(release)}"

    def _plan(self, release: Release, target: Target) -> Plan:
        account = self._api.whoami()
        repository, problems = _repository(release, target.repository, account)
        problems += details_problems(release)
        access = account.get("auth", {}).get("accessToken", {})
        if access.get("role") == "read":
            problems.append("The token may only read. Create one on the Hub that may write.")
        info = self._info(repository)
        files = self._files(repository) if info else {}
        tags = self._tags(repository) if info else {}
        ours, has_same = _is_ours(release, repository, files, tags), _has_files(files, release)
        earlier = _names_of_earlier(release, repository)
        if files and not ours:
            problems.append(
                f"{repository} exists with other content ({len(files)} files). Choose another name, or "
                "delete the dataset on the Hub."
            )
        commit = tags.get(_tag(release))
        if commit and not (has_same and info and commit == info.sha):
            problems.append(f"{repository} has a tag {_tag(release)} with other content.")
        private = info.private if info else target.private
        where = "private" if private else "public"
        summary = f"A new version of the {where} dataset {repository}."
        if not info:
            summary = f"A new {where} dataset {repository}."
        elif has_same:
            summary = f"The {where} dataset {repository} has these files already."
        licence = licence_on_hubs(release.details["licence"])
        shown = [
            *shown_details(release, f"{licence_name(release.details['licence'])} ({licence})"),
            ("Visibility", where),
            ("Tag", _tag(release)),
        ]
        return Plan(
            target=replace(target, repository=repository),
            account=account["name"],
            place=f"{settings.HUGGINGFACE_URL}/datasets/{repository}",
            summary=summary,
            confirmation=repository,
            files=_changes(release, files if ours else {}, earlier),
            shown=shown,
            notes=details_notes(release),
            problems=problems,
        )

    @cached_property
    def _hub(self) -> Any:
        """Return the module of the client. It is slow to import, and optional."""
        for name, value in SWITCHES.items():
            os.environ.setdefault(name, value)
        try:
            hub = importlib.import_module("huggingface_hub")
        except ImportError:
            raise PublishingError(MISSING) from None
        _limit_waiting(hub)
        return hub

    @cached_property
    def _api(self) -> Any:
        return self._hub.HfApi(
            endpoint=settings.HUGGINGFACE_URL, token=self._token, library_name="touchstone"
        )

    def _info(self, repository: str) -> Any:
        """Return the dataset, or None if it does not exist."""
        try:
            return self._api.repo_info(repository, repo_type=DATASET)
        except self._hub.errors.RepositoryNotFoundError:
            return None

    def _files(self, repository: str, revision: str = "main") -> dict[str, Any]:
        rows = self._api.list_repo_tree(
            repository, repo_type=DATASET, recursive=True, revision=revision
        )
        files = {row.path: row for row in rows if isinstance(row, self._hub.RepoFile)}
        return {name: row for name, row in files.items() if name not in OF_THE_HUB}

    def _tags(self, repository: str) -> dict[str, str]:
        refs = self._api.list_repo_refs(repository, repo_type=DATASET)
        return {tag.name: tag.target_commit for tag in refs.tags}

    def _check_files(self, repository: str, commit: str, release: Release) -> None:
        if not _has_files(self._files(repository, commit), release):
            raise PublishingError(
                f"The files of {repository} on the Hub differ from those of the release. Somebody may "
                "have changed them meanwhile. Check the dataset, and upload again."
            )

    def _tag(self, repository: str, commit: str, release: Release) -> None:
        tag = _tag(release)
        self._api.create_tag(repository, tag=tag, revision=commit, repo_type=DATASET, exist_ok=True)
        if self._tags(repository).get(tag) != commit:
            raise PublishingError(f"{repository} has a tag {tag} with other content.")

    @contextmanager
    def _answers(self) -> Iterator[None]:
        """Raise PublishingError for errors of the client. No message has the token."""
        try:
            yield
        except TouchstoneError:
            raise
        except Exception as error:
            # The client raises errors of several packages, and for wrong answers ValueError.
            raise PublishingError(_message(error, self._token)) from None


def _tag(release: Release) -> str:
    return f"v{release.version}"


@cache
def _limit_waiting(hub: Any) -> None:
    """Let the package's clients, which all of its users share, not wait forever."""
    http = importlib.import_module("huggingface_hub.utils._http")

    def create() -> Any:
        client = http.default_client_factory()
        client.timeout = TIMEOUT_SECONDS
        return client

    hub.set_client_factory(create)


def _repository(release: Release, wanted: str, account: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Return the full name of the dataset, and what is wrong with it."""
    namespace, _, name = (wanted or release.project.slug).rpartition("/")
    namespace = namespace or account["name"]
    problems = []
    if not (NAME.fullmatch(namespace) and NAME.fullmatch(name)):
        raise PublishingError(
            f"{wanted!r} is no name of a dataset. Enter one such as {account['name']}/wikinews."
        )
    groups = [group["name"] for group in account.get("orgs", [])]
    if namespace not in (account["name"], *groups):
        known = ", ".join([account["name"], *groups])
        problems.append(f"The token is not for {namespace}. It can upload to {known}.")
    return f"{namespace}/{name}", problems


def _is_ours(
    release: Release, repository: str, files: Mapping[str, Any], tags: Mapping[str, str]
) -> bool:
    """Return True if the dataset has a release of the project, or an upload that was interrupted."""
    earlier = Publication.objects.filter(
        release__project=release.project, service=Service.HUGGINGFACE, repository=repository
    )
    if earlier.exclude(commit="").exists():
        return True
    return earlier.filter(release=release).exists() and not tags and _has_files(files, release)


def _names_of_earlier(release: Release, repository: str) -> set[str]:
    """Return the names of the files of all releases that were uploaded to the dataset."""
    uploaded = Publication.objects.filter(
        release__project=release.project, service=Service.HUGGINGFACE, repository=repository
    ).exclude(commit="")
    manifests = uploaded.values_list("release__manifest", flat=True)
    return {name for manifest in manifests for name in manifest["files"]} | {MANIFEST}


def _sizes(release: Release) -> dict[str, int]:
    """Return the bytes of all files of the release."""
    sizes = {name: facts["bytes"] for name, facts in release.manifest.get("files", {}).items()}
    return sizes | {MANIFEST: len(read_file(release, MANIFEST))} if sizes else {}


def _has_files(files: Mapping[str, Any], release: Release) -> bool:
    """Return True if the Hub has the files of the release, by size and, if it is known, SHA-256."""
    sizes = _sizes(release)
    if not sizes or any(
        name not in files or files[name].size != size for name, size in sizes.items()
    ):
        return False
    known = release.manifest["files"]
    return all(
        files[name].lfs is None or files[name].lfs.sha256 == facts["sha256"]
        for name, facts in known.items()
    )


def _changes(
    release: Release, files: Mapping[str, Any], earlier: Collection[str]
) -> list[PlannedFile]:
    """Return what happens to each file. Those that no release has brought are not touched."""
    sizes = _sizes(release)
    return [
        *(
            PlannedFile(name, size, "replaced" if name in files else "new")
            for name, size in sorted(sizes.items())
        ),
        *(
            PlannedFile(name, files[name].size, "removed" if name in earlier else "kept")
            for name in sorted(files.keys() - sizes.keys())
        ),
    ]


def _message(error: Exception, token: str) -> str:
    response = _response_of(error)
    status = getattr(response, "status_code", None)
    if status == 401:
        return "The Hub refuses the token. Create another one, and enter it."
    if status == 403:
        return "The token may not write to this dataset. Give it the permission on the Hub."
    if status == 412:
        return "Somebody has changed the dataset on the Hub meanwhile. Check it, and upload again."
    if status == 429:
        wait = response.headers.get("Retry-After", "") if response is not None else ""
        after = f" in {wait} seconds" if wait.isdigit() else " in some minutes"
        return f"The Hub limits the number of requests. Upload again{after}."
    text = " ".join(without_token(str(error), token).split())[:300]
    return f"The Hub did not take the upload: {text or type(error).__name__}"


def _response_of(error: BaseException | None) -> Any:
    """Return the answer that caused the error, or None. The client wraps errors of single files."""
    while error is not None:
        if response := getattr(error, "response", None):
            return response
        error = error.__cause__
    return None
