"""A stand-in for Zenodo's API of deposits, after https://developers.zenodo.org and what Zenodo does.

A deposit without files lacks the list of files, a draft has no DOI, and the answer to a new version is
its draft.
"""

import hashlib
import json
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.stand_in import RefusedError, Request, StandIn

LICENCES = {"cc-by-4.0", "cc0-1.0", "cc-by-sa-4.0", "mit", "apache-2.0"}
REQUIRED = ("title", "upload_type", "description", "creators", "publication_date", "access_right")
FIRST = 1001
D = r"/api/deposit/depositions"


@dataclass
class Record:
    number: int
    concept: int
    metadata: dict[str, Any] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    submitted: bool = False


class FakeZenodo(StandIn):
    """Zenodo with the deposits of one account, and licences in LICENCES."""

    routes = {
        rf"GET {D}": "listed",
        rf"POST {D}": "create",
        rf"GET {D}/(\d+)": "shown",
        rf"PUT {D}/(\d+)": "describe",
        rf"DELETE {D}/(\d+)/files/([^/]+)": "delete_file",
        rf"POST {D}/(\d+)/actions/publish": "publish",
        rf"POST {D}/(\d+)/actions/newversion": "new_version",
        r"PUT /api/files/bucket-(\d+)/([^/]+)": "put_file",
        r"GET /api/vocabularies/licenses/([^/]+)": "licence",
    }

    def __init__(self, token: str = "zenodo-secret", *, may_write: bool = True) -> None:
        super().__init__(token)
        self.may_write = may_write
        self.records: dict[int, Record] = {}
        self.published: list[int] = []

    def serve(self, request: Request) -> Any:
        if not self.check_token(request):
            text = (
                "The server could not verify that you are authorized to access the URL requested."
            )
            raise RefusedError(401, {"status": 401, "message": text})
        if request.method != "GET" and not self.may_write:
            raise RefusedError(403, {"status": 403, "message": "Permission denied."})
        is_json = request.headers.get("content-type", "") == "application/json"
        if request.content and request.path.startswith(D) and not is_json:
            raise RefusedError(415, {"status": 415, "message": "Unsupported media type"})
        return super().serve(request)

    def listed(self, request: Request) -> Any:
        rows = [r for r in self.records.values() if not r.submitted]
        if request.query.get("status") != "draft":
            rows = list(self.records.values())
        return [self._json(row) for row in rows][::-1][: int(request.query["size"])]

    def create(self, request: Request) -> Any:
        number = self._free()
        self.records[number] = Record(number, number - 1, request.json.get("metadata", {}))
        raise RefusedError(201, self._json(self.records[number]))

    def shown(self, request: Request, number: str) -> Any:
        return self._json(self._record(number))

    def describe(self, request: Request, number: str) -> Any:
        record = self._draft(number)
        record.metadata = request.json["metadata"]
        return self._json(record)

    def delete_file(self, request: Request, number: str, file: str) -> Any:
        record = self._draft(number)
        name = next((name for name in record.files if self._file_id(name) == file), None)
        if name is None:
            raise RefusedError(404, {"status": 404, "message": "File does not exist."})
        del record.files[name]
        raise RefusedError(204)

    def put_file(self, request: Request, number: str, name: str) -> Any:
        self._draft(number).files[name] = request.content
        size, checksum = len(request.content), hashlib.md5(request.content).hexdigest()
        raise RefusedError(201, {"key": name, "size": size, "checksum": f"md5:{checksum}"})

    def publish(self, request: Request, number: str) -> Any:
        record = self._draft(number)
        missing = [name for name in REQUIRED if not record.metadata.get(name)]
        errors = [
            {"field": f"metadata.{name}", "messages": ["Missing data for required field."]}
            for name in missing
        ]
        if not record.files:
            errors.append({"field": "files", "messages": ["Minimum one file must be provided."]})
        if errors:
            raise RefusedError(
                400, {"status": 400, "message": "Validation error.", "errors": errors}
            )
        record.submitted = True
        self.published.append(record.number)
        raise RefusedError(202, self._json(record))

    def new_version(self, request: Request, number: str) -> Any:
        record = self._record(number)
        if not record.submitted:
            raise RefusedError(403, {"status": 403, "message": "Not published."})
        draft = self._draft_of(record.concept)
        if draft is None:
            # The draft begins with the files of the version before.
            draft = deepcopy(record)
            draft.number, draft.submitted = self._free(), False
            del draft.metadata["version"], draft.metadata["publication_date"]
            self.records[draft.number] = draft
        elif draft.files:
            error = {"field": "files.enabled", "messages": ["Please remove all files first."]}
            message = "A validation error occurred."
            raise RefusedError(400, {"status": 400, "message": message, "errors": [error]})
        raise RefusedError(201, self._json(draft))

    def licence(self, request: Request, name: str) -> Any:
        if name not in LICENCES:
            raise RefusedError(
                404, {"status": 404, "message": "The persistent identifier is unknown."}
            )
        return {"id": name}

    def _free(self) -> int:
        return max(self.records, default=FIRST - 2) + 2

    def _draft_of(self, concept: int) -> Record | None:
        rows = (r for r in self.records.values() if r.concept == concept and not r.submitted)
        return next(rows, None)

    def _record(self, number: str) -> Record:
        if int(number) not in self.records:
            raise RefusedError(404, {"status": 404, "message": "PID does not exist."})
        return self.records[int(number)]

    def _draft(self, number: str) -> Record:
        record = self._record(number)
        if record.submitted:
            raise RefusedError(403, {"status": 403, "message": "The record is published."})
        return record

    def _file_id(self, name: str) -> str:
        return hashlib.sha1(name.encode()).hexdigest()[:12]

    def _json(self, record: Record) -> dict[str, Any]:
        here = f"{self.url}{D}/{record.number}"
        files = [
            {
                "id": self._file_id(name),
                "filename": name,
                "filesize": len(content),
                "checksum": hashlib.md5(content).hexdigest(),
            }
            for name, content in record.files.items()
        ]
        facts: dict[str, Any] = {
            "id": record.number,
            "record_id": record.number,
            "conceptrecid": str(record.concept),
            "metadata": json.loads(json.dumps(record.metadata)),
            "submitted": record.submitted,
            "state": "done" if record.submitted else "unsubmitted",
            "links": {
                "self": here,
                "bucket": f"{self.url}/api/files/bucket-{record.number}",
                "latest_draft": here,
            },
            **({"files": files} if files else {}),
        }
        if record.submitted:
            facts |= {
                "doi": f"10.5281/zenodo.{record.number}",
                "conceptdoi": f"10.5281/zenodo.{record.concept}",
            }
        return facts
