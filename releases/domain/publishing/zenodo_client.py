"""Requests to Zenodo's API of deposits (https://developers.zenodo.org)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote, urlsplit

import requests
from django.conf import settings
from requests.adapters import HTTPAdapter
from urllib3 import Retry

from releases.domain.publishing.plan import PublishingError
from releases.domain.publishing.tokens import without_token
from schemes.contract.values import Json

CONNECT_SECONDS, READ_SECONDS = 10, 60
# Zenodo answers after it has stored all bytes.
UPLOAD_SECONDS = 900
# Only requests that Zenodo did not process are repeated.
PATIENT = Retry(
    total=3,
    read=0,
    status_forcelist=[429, 503],
    allowed_methods=None,
    backoff_factor=1,
    retry_after_max=60,
    raise_on_status=False,
)
DEPOSITS = "/api/deposit/depositions"
DRAFTS_SHOWN = 100


class ZenodoError(PublishingError):
    """Zenodo did not answer, or refused a request."""

    def __init__(self, message: str, *, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class ZenodoClient:
    """A connection to Zenodo with a token. All methods raise ZenodoError.

    If it `waits`, it repeats requests when Zenodo's limit of requests allows it.
    """

    def __init__(self, token: str, *, waits: bool = False) -> None:
        self._token = token
        self._origin = settings.ZENODO_URL
        self._session = requests.Session()
        # Proxies and passwords of the server's environment are not for these requests.
        self._session.trust_env = False
        self._session.headers["Authorization"] = f"Bearer {token}"
        for scheme in ("https://", "http://"):
            self._session.mount(scheme, HTTPAdapter(max_retries=PATIENT if waits else 0))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._session.close()

    def check_token(self) -> None:
        self._call("GET", f"{DEPOSITS}?size=1")

    def has_licence(self, licence: str) -> bool:
        """Return False for a licence that Zenodo does not list."""
        try:
            self._call("GET", f"/api/vocabularies/licenses/{quote(licence)}")
        except ZenodoError as error:
            if error.status == 404:
                return False
            raise
        return True

    def drafts(self) -> list[Json]:
        """Return the newest deposits that are not published."""
        query = f"?status=draft&sort=mostrecent&size={DRAFTS_SHOWN}"
        rows: list[Json] = self._call("GET", f"{DEPOSITS}{query}")
        return [row for row in rows if not row.get("submitted")]

    def create(self, metadata: Json) -> Json:
        """Create a deposit and return it."""
        deposit: Json = self._call("POST", DEPOSITS, json=metadata)
        return deposit

    def deposit(self, record: str) -> Json:
        """Return a deposit with its files."""
        deposit: Json = self._call("GET", f"{DEPOSITS}/{quote(record)}")
        return deposit

    def new_version(self, record: str) -> str:
        """Return the number of the draft of a published record's next version.

        Zenodo has one such draft at most. It refuses to create it again once it has files.
        """
        try:
            answer = self._call("POST", f"{DEPOSITS}/{quote(record)}/actions/newversion")
        except ZenodoError as error:
            concept = self.deposit(record)["conceptrecid"]
            drafts = (row for row in self.drafts() if row["conceptrecid"] == concept)
            if error.status != 400 or (draft := next(drafts, None)) is None:
                raise
            return str(draft["id"])
        return str(answer["links"]["latest_draft"]).rstrip("/").rpartition("/")[2]

    def describe(self, record: str, metadata: Json) -> None:
        """Set the metadata of a draft."""
        self._call("PUT", f"{DEPOSITS}/{quote(record)}", json=metadata)

    def delete_file(self, record: str, file: str) -> None:
        """Delete a file of a draft. Zenodo may report an error of its own after it has done so."""
        try:
            self._call("DELETE", f"{DEPOSITS}/{quote(record)}/files/{quote(file)}")
        except ZenodoError as error:
            if error.status < 500:
                raise

    def send_file(self, bucket: str, name: str, path: Path) -> None:
        """Send a file to the bucket of a draft, in place of one of the same name."""
        address = urlsplit(bucket)
        # The token is for this service only.
        if f"{address.scheme}://{address.netloc}" != self._origin:
            raise ZenodoError(f"Zenodo named another host for files, {address.netloc}.")
        with path.open("rb") as content:
            self._call("PUT", f"{address.path}/{quote(name)}", data=content, seconds=UPLOAD_SECONDS)

    def publish(self, record: str) -> Json:
        """Publish a draft and return it."""
        deposit: Json = self._call("POST", f"{DEPOSITS}/{quote(record)}/actions/publish")
        return deposit

    def _call(self, method: str, path: str, *, seconds: int = READ_SECONDS, **body: Any) -> Any:
        try:
            response = self._session.request(
                method,
                f"{self._origin}{path}",
                timeout=(CONNECT_SECONDS, seconds),
                allow_redirects=False,
                **body,
            )
        except requests.RequestException as error:
            # The error's text has the address only. Its name says what happened.
            raise ZenodoError(
                f"Zenodo did not answer ({type(error).__name__}). Upload again later. What it has "
                "received is not sent again."
            ) from None
        if not response.ok:
            message = without_token(_refusal(response), self._token)
            raise ZenodoError(message, status=response.status_code)
        try:
            return response.json() if response.content else {}
        except ValueError:
            raise ZenodoError("Zenodo's answer is no JSON. Upload again later.") from None


def _refusal(response: requests.Response) -> str:
    status = response.status_code
    if status == 401:
        return "Zenodo refuses the token. Create another one, and enter it."
    if status == 403:
        return (
            "The token may not do this. Create one on Zenodo with the scopes deposit:write and "
            "deposit:actions."
        )
    if status == 429:
        wait = response.headers.get("Retry-After", "")
        after = f" in {wait} seconds" if wait.isdigit() else " in some minutes"
        return f"Zenodo limits the number of requests. Upload again{after}."
    try:
        body = response.json()
        details = [_problem(error) for error in body.get("errors") or []]
        text = " ".join([str(body.get("message", "")), *details])
    except (ValueError, AttributeError, TypeError):
        text = ""
    return f"Zenodo refused the request: HTTP {status}. {text[:400]}".rstrip()


def _problem(error: Mapping[str, Any]) -> str:
    """Return a problem with a field, such as "metadata.creators: required"."""
    messages = error.get("messages") or [error.get("message", "")]
    return f"{error.get('field', '')}: {' '.join(map(str, messages))}".strip(": ")
