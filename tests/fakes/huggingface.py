"""A stand-in for the Hugging Face Hub, with the endpoints that huggingface_hub calls for datasets.

Files with the endings in LFS, and large ones, are sent through the LFS batch API, as the Hub decides.
"""

import base64
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from tests.fakes.stand_in import RefusedError, Request, StandIn

LFS = (".parquet", ".gz", ".zip")
LARGE = 10 * 2**20
PAGE = 7  # entries of a page of a tree
ATTRIBUTES = b"*.parquet filter=lfs diff=lfs merge=lfs -text\n"


def blob_id(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


@dataclass
class File:
    content: bytes
    is_lfs: bool = False

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def oid(self) -> str:
        """Return the blob's id, which for LFS files is that of their pointer."""
        return blob_id(f"pointer {self.sha256}".encode()) if self.is_lfs else blob_id(self.content)

    @property
    def preupload_oid(self) -> str:
        """Return what the client compares with its file, which for LFS files is the SHA-256."""
        return self.sha256 if self.is_lfs else self.oid


@dataclass
class Commit:
    oid: str
    summary: str
    files: dict[str, File]


@dataclass
class Dataset:
    private: bool
    commits: list[Commit] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def head(self) -> Commit:
        return self.commits[-1]

    @property
    def files(self) -> dict[str, bytes]:
        return {name: file.content for name, file in self.head.files.items()}

    def add(self, summary: str, files: dict[str, File]) -> Commit:
        text = f"{len(self.commits)} {summary} {sorted((n, f.oid) for n, f in files.items())}"
        commit = Commit(hashlib.sha1(text.encode()).hexdigest(), summary, files)
        self.commits.append(commit)
        return commit


ID = r"/datasets/([^/]+/[^/]+)"


class FakeHub(StandIn):
    """The Hub with one account, "lab", which is in the organisation "lab-group"."""

    routes = {
        r"GET /api/whoami-v2": "whoami",
        r"POST /api/repos/create": "create",
        r"POST /api/validate-yaml": "validate_yaml",
        rf"GET /api{ID}": "info",
        rf"GET /api{ID}/revision/([^/]+)": "info",
        rf"GET /api{ID}/tree/([^/]+)": "tree",
        rf"GET /api{ID}/refs": "refs",
        rf"POST /api{ID}/preupload/main": "preupload",
        rf"POST /api{ID}/commit/main": "commit",
        rf"POST /api{ID}/tag/([^/]+)": "tag",
        rf"POST {ID}\.git/info/lfs/objects/batch": "batch",
        r"PUT /lfs/([0-9a-f]{64})": "put_object",
        r"POST /lfs/verify": "verify",
    }

    def __init__(self, token: str = "hf_secret", *, role: str = "write") -> None:
        super().__init__(token)
        self.role = role
        self.datasets: dict[str, Dataset] = {}
        self.objects: dict[str, bytes] = {}

    def serve(self, request: Request) -> Any:
        is_storage = request.path.startswith("/lfs/") and request.method == "PUT"
        if is_storage:
            # Storage has signed addresses, and must not see the token.
            assert "authorization" not in request.headers
        elif not self.check_token(request):
            message = "Invalid credentials in Authorization header"
            raise RefusedError(401, {"error": message}, X_Error_Message=message)
        elif request.method != "GET" and self.role == "read":
            raise RefusedError(
                403, {"error": "You don't have the rights"}, X_Error_Message="Forbidden"
            )
        return super().serve(request)

    def whoami(self, request: Request) -> Any:
        return {
            "type": "user",
            "name": "lab",
            "orgs": [{"name": "lab-group"}],
            "auth": {"type": "access_token", "accessToken": {"role": self.role}},
        }

    def create(self, request: Request) -> Any:
        facts = request.json
        assert facts["type"] == "dataset"
        owner = facts.get("organization") or "lab"
        if owner not in ("lab", "lab-group"):
            raise RefusedError(
                403, {"error": "You don't have the rights"}, X_Error_Message="Forbidden"
            )
        name = f"{owner}/{facts['name']}"
        url = f"{self.url}/datasets/{name}"
        if name in self.datasets:
            raise RefusedError(409, {"error": "You already created this dataset repo", "url": url})
        dataset = self.datasets[name] = Dataset(facts.get("visibility") == "private")
        dataset.add("initial commit", {".gitattributes": File(ATTRIBUTES)})
        return {"url": url, "name": name}

    def validate_yaml(self, request: Request) -> Any:
        assert request.json["repoType"] == "dataset"
        if not request.json["content"].startswith("---\n"):
            raise RefusedError(400, {"errors": [{"message": "no metadata"}], "warnings": []})
        return {"errors": [], "warnings": []}

    def info(self, request: Request, name: str, revision: str = "main") -> Any:
        dataset = self._dataset(name)
        return {
            "id": name,
            "sha": self._commit(dataset, revision).oid,
            "private": dataset.private,
            "tags": [],
            "downloads": 0,
            "likes": 0,
        }

    def tree(self, request: Request, name: str, revision: str) -> Any:
        files = self._commit(self._dataset(name), revision).files
        rows: list[dict[str, Any]] = []
        folders = {path.rpartition("/")[0] for path in files} - {""}
        rows += [{"type": "directory", "oid": "0" * 40, "size": 0, "path": f} for f in folders]
        for path, file in files.items():
            row: dict[str, Any] = {"type": "file", "oid": file.oid, "path": path}
            row["size"] = len(file.content)
            if file.is_lfs:
                row["lfs"] = {"oid": file.sha256, "size": row["size"], "pointerSize": 134}
            rows.append(row)
        start = int(request.query.get("cursor", 0))
        if start + PAGE < len(rows):
            address = f"{self.url}{request.path}?recursive=true&cursor={start + PAGE}"
            raise RefusedError(200, rows[start : start + PAGE], Link=f'<{address}>; rel="next"')
        return rows[start:]

    def refs(self, request: Request, name: str) -> Any:
        dataset = self._dataset(name)
        head = {"name": "main", "ref": "refs/heads/main", "targetCommit": dataset.head.oid}
        tags = [
            {"name": tag, "ref": f"refs/tags/{tag}", "targetCommit": oid}
            for tag, oid in dataset.tags.items()
        ]
        return {"branches": [head], "converts": [], "tags": tags}

    def preupload(self, request: Request, name: str) -> Any:
        known = self._dataset(name).head.files
        return {
            "files": [
                {
                    "path": file["path"],
                    "uploadMode": "lfs" if self._is_lfs(file["path"], file["size"]) else "regular",
                    "shouldIgnore": False,
                    "oid": known[file["path"]].preupload_oid if file["path"] in known else None,
                }
                for file in request.json["files"]
            ]
        }

    def batch(self, request: Request, name: str) -> Any:
        self._dataset(name)
        objects = []
        for wanted in request.json["objects"]:
            row: dict[str, Any] = {"oid": wanted["oid"], "size": wanted["size"]}
            if wanted["oid"] not in self.objects:
                row["actions"] = {
                    "upload": {"href": f"{self.url}/lfs/{wanted['oid']}"},
                    "verify": {"href": f"{self.url}/lfs/verify"},
                }
            objects.append(row)
        return {"transfer": "basic", "objects": objects}

    def put_object(self, request: Request, oid: str) -> Any:
        if hashlib.sha256(request.content).hexdigest() != oid:
            raise RefusedError(400, {"error": "wrong checksum"})
        self.objects[oid] = request.content
        return None

    def verify(self, request: Request) -> Any:
        if len(self.objects.get(request.json["oid"], b"")) != request.json["size"]:
            raise RefusedError(404, {"message": "no such object"})
        return {}

    def commit(self, request: Request, name: str) -> Any:
        dataset = self._dataset(name)
        header, *operations = map(json.loads, request.content.splitlines())
        if header["value"].get("parentCommit", dataset.head.oid) != dataset.head.oid:
            raise RefusedError(412, {"error": "A commit has happened since"})
        files = dict(dataset.head.files)
        for operation in operations:
            self._apply(files, operation["key"], operation["value"])
        commit = dataset.add(header["value"]["summary"], files)
        address = f"{self.url}/datasets/{name}/commit/{commit.oid}"
        return {"success": True, "commitOid": commit.oid, "commitUrl": address}

    def _apply(self, files: dict[str, File], key: str, value: dict[str, Any]) -> None:
        path = value["path"]
        if key == "file":
            content = base64.b64decode(value["content"])
            if self._is_lfs(path, len(content)) and content:
                raise RefusedError(422, {"error": f"{path} must be sent through LFS"})
            files[path] = File(content)
        elif key == "lfsFile":
            if value["oid"] not in self.objects:
                raise RefusedError(422, {"error": f"{path}: the LFS object is missing"})
            files[path] = File(self.objects[value["oid"]], is_lfs=True)
        elif key == "deletedFile" and path in files:
            del files[path]
        else:
            raise RefusedError(404, {"error": f"{key} of {path}"}, X_Error_Code="EntryNotFound")

    def tag(self, request: Request, name: str, revision: str) -> Any:
        dataset = self._dataset(name)
        if request.json["tag"] in dataset.tags:
            raise RefusedError(409, {"error": "Tag reference exists already"})
        dataset.tags[request.json["tag"]] = self._commit(dataset, revision).oid
        return None

    def _is_lfs(self, path: str, size: int) -> bool:
        return size > 0 and (path.endswith(LFS) or size > LARGE)

    def _dataset(self, name: str) -> Dataset:
        if name not in self.datasets:
            raise RefusedError(404, {"error": "Repository not found"}, X_Error_Code="RepoNotFound")
        return self.datasets[name]

    def _commit(self, dataset: Dataset, revision: str) -> Commit:
        oid = dataset.tags.get(revision, revision)
        for commit in reversed(dataset.commits):
            if revision == "main" or commit.oid == oid:
                return commit
        raise RefusedError(404, {"error": "Invalid rev id"}, X_Error_Code="RevisionNotFound")
