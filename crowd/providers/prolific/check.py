"""A check that a real workspace answers as this site expects. It only reads.

No request changes anything, and no report contains an id of a participant, a name or a secret.
docs/reference/prolific-api.md lists the sources of what is expected.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, TypeAdapter, ValidationError

from crowd.providers.base import OutcomeUnknownError, ProviderRefusedError
from crowd.providers.prolific.client import ProlificClient
from crowd.providers.prolific.eligibility import (
    ALLOWLIST,
    APPROVAL_RATE,
    BLOCKLIST,
    COUNTRIES,
    COUNTRY,
)
from crowd.providers.prolific.webhooks import EVENT_TYPES

# How many of the newest studies and submissions are read.
NEWEST = 10
MAX_PROBLEMS = 3  # per answer

Number = int | float
StudyStatus = Literal[
    "UNPUBLISHED",
    "SCHEDULED",
    "PUBLISHING",
    "ACTIVE",
    "PAUSED",
    "AWAITING REVIEW",
    "COMPLETED",
]
SubmissionStatus = Literal[
    "RESERVED",
    "ACTIVE",
    "PROCESSING",
    "AWAITING REVIEW",
    "APPROVED",
    "PARTIALLY APPROVED",
    "REJECTED",
    "RETURNED",
    "TIMED-OUT",
    "SCREENED OUT",
]


class _Researcher(BaseModel):
    id: str
    email: str


class _Titled(BaseModel):
    id: str
    title: str


class _Balance(BaseModel):
    currency_code: Literal["USD"]
    total_balance: Number
    available_balance: Number


class _Rate(BaseModel):
    min_reward_per_hour: Number
    recommended_reward_per_hour: Number


class _FilterKind(BaseModel):
    filter_id: str
    title: str
    type: Literal["select", "range"]
    choices: dict[str, str] | None = None


class _Group(BaseModel):
    id: str
    name: str


class _EventType(BaseModel):
    event_type: str


class _Subscription(BaseModel):
    id: str
    event_type: str
    target_url: str
    is_enabled: bool


class _ListedStudy(BaseModel):
    id: str
    name: str
    internal_name: str | None
    status: StudyStatus
    total_available_places: Number
    places_taken: Number
    date_created: str


class _Code(BaseModel):
    code: str | None
    code_type: str
    actor: Literal["participant", "researcher"] = "participant"
    actions: list[dict[str, Any]]


class _Study(BaseModel):
    id: str
    status: StudyStatus
    reward: Number
    estimated_completion_time: Number
    maximum_allowed_time: Number
    total_available_places: Number
    places_taken: Number
    completion_codes: list[_Code]
    filters: list[dict[str, Any]] | None


class _Amount(BaseModel):
    amount: Number


class _Cost(BaseModel):
    rewards: _Amount
    fees: _Amount
    tax: _Amount


class _StudyCost(BaseModel):
    rewards: _Cost
    bonuses: _Cost


class _ListedSubmission(BaseModel):
    id: str
    participant_id: str
    status: SubmissionStatus
    started_at: str
    completed_at: str | None = None
    study_code: str | None = None
    return_requested: str | None = None


class _Submission(BaseModel):
    id: str
    participant: str
    study_id: str
    status: SubmissionStatus
    started_at: str
    completed_at: str | None = None
    entered_code: str | None = None
    bonus_payments: list[Number]


def differences(client: ProlificClient, *, workspace: str, project: str) -> Iterator[str]:
    """Yield a sentence for every answer that differs from what this site expects."""
    check = _Check(client)
    check.object("/users/me/", _Researcher)
    titles = check.rows("/workspaces/", _Titled)
    workspace = workspace or (str(titles[0]["id"]) if titles else "")
    if workspace not in [row["id"] for row in titles]:
        yield from check.found
        yield "The token has no access to the workspace of the settings."
        return
    check.object(f"/workspaces/{workspace}/balance/", _Balance, name="the workspace's balance")
    _check_rates(check, workspace)
    _check_filters(check, workspace)
    check.rows("/participant-groups/", _Group, {"workspace_id": workspace})
    _check_webhooks(check, workspace)
    projects = check.rows(f"/workspaces/{workspace}/projects/", _Titled, name="the projects")
    if project and project not in [row["id"] for row in projects]:
        check.found.append("The workspace has no project with the id of the settings.")
    for key in [project] if project else [row["id"] for row in projects[:1]]:
        _check_studies(check, key)
    yield from check.found


class _Check:
    """Reads answers, and collects what differs."""

    def __init__(self, client: ProlificClient) -> None:
        self._client = client
        self.found: list[str] = []

    def get(self, path: str, query: dict[str, str] | None = None, *, name: str = "") -> Any:
        """Return the answer, or None after a refusal, which is a difference."""
        try:
            return self._client.read(path, query)
        except (OutcomeUnknownError, ProviderRefusedError) as error:
            self.found.append(f"{name or path} can't be read: {error}")
            return None

    def object(
        self,
        path: str,
        shape: type[BaseModel],
        query: dict[str, str] | None = None,
        *,
        name: str = "",
    ) -> Any:
        body = self.get(path, query, name=name)
        if body is not None:
            self.compare(name or path, shape, body)
        return body

    def rows(
        self,
        path: str,
        shape: type[BaseModel],
        query: dict[str, str] | None = None,
        *,
        name: str = "",
    ) -> Sequence[Mapping[str, Any]]:
        """Return the rows of the first page."""
        body = self.get(path, query, name=name)
        rows = body.get("results") if isinstance(body, dict) else None
        if not isinstance(rows, list):
            if body is not None:
                self.found.append(f"{name or path}: no list of results.")
            return []
        for row in rows:
            self.compare(name or path, shape, row)
        return [row for row in rows if isinstance(row, dict) and "id" in row]

    def compare(self, name: str, shape: type[BaseModel], body: Any) -> None:
        try:
            TypeAdapter(shape).validate_python(body, strict=True)
        except ValidationError as error:
            # Without the input, which can be personal data.
            for problem in error.errors(include_input=False)[:MAX_PROBLEMS]:
                field = ".".join(map(str, problem["loc"])) or "the answer"
                sentence = f"{name}: {field}: {problem['msg']}."
                if field.endswith("status") and isinstance(body, dict):
                    sentence += f" It is {body.get('status')!r}."
                if sentence not in self.found:
                    self.found.append(sentence)


def _check_rates(check: _Check, workspace: str) -> None:
    query = {"workspace_id": workspace, "currency": "USD"}
    rates = check.get("/reward-recommendations/", query)
    if rates is None:
        return
    newest = rates[0] if isinstance(rates, list) and rates else rates
    check.compare("/reward-recommendations/", _Rate, newest)


def _check_filters(check: _Check, workspace: str) -> None:
    body = check.get("/filters/", {"workspace_id": workspace})
    rows = body.get("results", []) if isinstance(body, dict) else []
    kinds = {row["filter_id"]: row for row in rows if "filter_id" in row}
    wanted = {ALLOWLIST: "select", BLOCKLIST: "select", APPROVAL_RATE: "range", COUNTRY: "select"}
    for name, kind in wanted.items():
        if name not in kinds:
            check.found.append(f"/filters/: the filter {name} is missing.")
        else:
            check.compare(f"/filters/ {name}", _FilterKind, kinds[name])
            if kinds[name].get("type") != kind:
                check.found.append(f"/filters/: the filter {name} is not of the type {kind}.")
    names = set((kinds.get(COUNTRY, {}).get("choices") or {}).values())
    if missing := sorted(set(COUNTRIES.values()) - names):
        check.found.append(f"/filters/: countries without a choice: {', '.join(missing)}.")


def _check_webhooks(check: _Check, workspace: str) -> None:
    body = check.get("/hooks/event-types/")
    rows = body.get("results", []) if isinstance(body, dict) else []
    offered = {row.get("event_type") for row in rows}
    for event_type in EVENT_TYPES:
        if body is not None and event_type not in offered:
            check.found.append(f"/hooks/event-types/: {event_type} is not offered.")
    check.get("/hooks/secrets/", {"workspace_id": workspace})
    check.rows("/hooks/subscriptions/", _Subscription, {"workspace_id": workspace})


def _check_studies(check: _Check, project: str) -> None:
    query = {"ordering": "-date_created", "page": "1", "page_size": str(NEWEST)}
    listed = check.rows(
        f"/projects/{project}/studies/", _ListedStudy, query, name="the project's studies"
    )
    for row in listed[:NEWEST]:
        study = row["id"]
        check.object(f"/studies/{study}/", _Study, name="a study")
        check.object(f"/studies/{study}/cost/", _StudyCost, name="the cost of a study")
        check.get(f"/studies/{study}/submissions/counts/", name="the counts of submissions")
        submissions = check.rows(
            "/submissions/",
            _ListedSubmission,
            {"study": study, "page": "1", "page_size": str(NEWEST)},
            name="the submissions of a study",
        )
        for submission in submissions[:1]:
            check.object(f"/submissions/{submission['id']}/", _Submission, name="a submission")
