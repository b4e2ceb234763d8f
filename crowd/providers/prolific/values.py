"""What the client sends and returns. Amounts are minor units, times are aware UTC."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any


def minor_units(amount: Any) -> int:
    """Return an amount as an integer. The API's fees can have fractions, which are rounded."""
    return int(Decimal(str(amount)).quantize(Decimal(1), ROUND_HALF_UP))


def utc_time(text: str) -> datetime:
    time = datetime.fromisoformat(text)
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)


def optional_time(text: str | None) -> datetime | None:
    return utc_time(text) if text else None


# Sent


@dataclass(frozen=True, slots=True)
class CodeAction:
    """What a completion code does, such as AUTOMATICALLY_APPROVE, with its parameters."""

    action: str
    parameters: Mapping[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        return {"action": self.action, **(self.parameters or {})}


@dataclass(frozen=True, slots=True)
class CompletionCode:
    """A code that a participant or a researcher enters to complete a submission."""

    code: str
    code_type: str = "COMPLETED"
    actor: str = "participant"
    actions: Sequence[CodeAction] = (CodeAction("MANUALLY_REVIEW"),)

    def as_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "code_type": self.code_type,
            "actor": self.actor,
            "actions": [action.as_json() for action in self.actions],
        }


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on participants: chosen values, or a range."""

    filter_id: str
    values: Sequence[str] = ()
    lower: int | None = None
    upper: int | None = None

    def as_json(self) -> dict[str, Any]:
        limits = {"lower": self.lower, "upper": self.upper}
        selected = {name: limit for name, limit in limits.items() if limit is not None}
        if selected:
            return {"filter_id": self.filter_id, "selected_range": selected}
        return {"filter_id": self.filter_id, "selected_values": list(self.values)}


@dataclass(frozen=True, slots=True)
class CopiedFilter:
    """A filter as a filter set has it."""

    row: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        return dict(self.row)


@dataclass(frozen=True, slots=True)
class StudyTerms:
    """A new study. `minutes` is the estimated time, `maximum_minutes` the longest allowed time."""

    project: str
    name: str
    internal_name: str
    description: str
    url: str
    places: int
    reward: int
    minutes: int
    codes: Sequence[CompletionCode]
    filters: Sequence[Filter | CopiedFilter] = ()
    maximum_minutes: int | None = None
    submissions_per_participant: int = 1
    concurrent_submissions: int | None = None
    devices: Sequence[str] = ()
    labels: Sequence[str] = ()
    naivety_rate: float | None = None
    content_warning: str = ""
    content_warning_details: str = ""

    def as_json(self) -> dict[str, Any]:
        config = {"max_submissions_per_participant": self.submissions_per_participant}
        if self.concurrent_submissions is not None:
            config["max_concurrent_submissions"] = self.concurrent_submissions
        optional = {
            "maximum_allowed_time": self.maximum_minutes,
            "device_compatibility": list(self.devices) or None,
            "study_labels": list(self.labels) or None,
            "naivety_distribution_rate": self.naivety_rate,
            "content_warnings": [self.content_warning] if self.content_warning else None,
            "content_warning_details": self.content_warning_details or None,
        }
        return {
            "project": self.project,
            "name": self.name,
            "internal_name": self.internal_name,
            "description": self.description,
            "external_study_url": self.url,
            "prolific_id_option": "url_parameters",
            "total_available_places": self.places,
            "reward": self.reward,
            "estimated_completion_time": self.minutes,
            "completion_codes": [code.as_json() for code in self.codes],
            "filters": [row.as_json() for row in self.filters],
            "submissions_config": config,
            **{name: value for name, value in optional.items() if value is not None},
        }


# Returned


@dataclass(frozen=True, slots=True)
class Researcher:
    id: str
    name: str
    email: str


@dataclass(frozen=True, slots=True)
class Workspace:
    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Project:
    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Balance:
    """A wallet. `available` excludes what is locked for published studies."""

    currency: str
    total: int
    available: int


@dataclass(frozen=True, slots=True)
class ListedStudy:
    """A study in a list, where the API's rewards are not reliable."""

    id: str
    name: str
    internal_name: str
    status: str
    places: int
    places_taken: int
    created_at: datetime | None


@dataclass(frozen=True, slots=True)
class Study(ListedStudy):
    project: str
    reward: int
    currency: str
    minutes: int
    published_at: datetime | None


@dataclass(frozen=True, slots=True)
class Cost:
    """What was paid, or will be paid, with fees and the tax on fees."""

    amount: int
    fees: int
    tax: int

    @property
    def total(self) -> int:
        return self.amount + self.fees + self.tax


@dataclass(frozen=True, slots=True)
class StudyCost:
    rewards: Cost
    bonuses: Cost


@dataclass(frozen=True, slots=True)
class ListedSubmission:
    """A submission in a list. `code` is the completion code that was entered."""

    id: str
    participant: str
    status: str
    started_at: datetime
    completed_at: datetime | None
    code: str | None
    return_requested_at: datetime | None


@dataclass(frozen=True, slots=True)
class Submission(ListedSubmission):
    study: str
    bonus_payments: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class BulkBonus:
    """Bonuses that are set up but not paid."""

    id: str
    amount: int
    fees: int
    vat: int
    total: int


@dataclass(frozen=True, slots=True)
class Group:
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class FilterKind:
    """A filter that studies can use. `choices` maps ids to labels."""

    filter_id: str
    title: str
    choices: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Subscription:
    """A webhook. `is_enabled` is False until the subscription is confirmed."""

    id: str
    event_type: str
    target_url: str
    is_enabled: bool


@dataclass(frozen=True, slots=True)
class NewSubscription(Subscription):
    """A subscription with the secret that confirms it."""

    handshake: str


@dataclass(frozen=True, slots=True)
class FilterSet:
    """Filters that were prepared in the web app. They are copied into studies."""

    id: str
    name: str
    filters: Sequence[CopiedFilter]


@dataclass(frozen=True, slots=True)
class HourlyRates:
    """The pay per hour that Prolific requires and recommends."""

    minimum: int
    recommended: int


# Parsed


def listed_study(row: Any) -> dict[str, Any]:
    """Return the fields of a ListedStudy."""
    return {
        "id": str(row["id"]),
        "name": str(row["name"]),
        "internal_name": str(row.get("internal_name") or ""),
        "status": str(row["status"]),
        "places": int(row["total_available_places"]),
        "places_taken": int(row["places_taken"] or 0),
        "created_at": optional_time(row.get("date_created")),
    }


def parse_filter_set(row: Any) -> FilterSet:
    if row.get("is_deleted"):
        raise ValueError("The filter set is deleted.")
    return FilterSet(
        id=str(row["id"]),
        name=str(row["name"]),
        filters=[CopiedFilter(dict(fields)) for fields in row["filters"]],
    )


def parse_hourly_rates(rows: Any) -> HourlyRates:
    """Parse recommendations, of which the first is the newest, or a single one."""
    newest = rows[0] if isinstance(rows, list) else rows
    return HourlyRates(
        minimum=minor_units(newest["min_reward_per_hour"]),
        recommended=minor_units(newest["recommended_reward_per_hour"]),
    )


def _id(value: Any) -> str:
    """Return the id of an object, which some answers contain whole."""
    return str(value["id"] if isinstance(value, dict) else value)


def parse_study(row: Any) -> Study:
    return Study(
        **listed_study(row),
        project=_id(row.get("project") or ""),
        reward=minor_units(row["reward"]),
        currency=str(row.get("currency_code") or row.get("presentment_currency_code") or ""),
        minutes=int(row["estimated_completion_time"]),
        published_at=optional_time(row.get("published_at")),
    )


def _shared_submission(row: Any) -> dict[str, Any]:
    return {
        "id": str(row["id"]),
        "status": str(row["status"]),
        "started_at": utc_time(row["started_at"]),
        "completed_at": optional_time(row.get("completed_at")),
        "return_requested_at": optional_time(row.get("return_requested")),
    }


def parse_listed_submission(row: Any) -> ListedSubmission:
    return ListedSubmission(
        **_shared_submission(row),
        participant=str(row["participant_id"]),
        code=row.get("study_code") or None,
    )


def parse_submission(row: Any) -> Submission:
    return Submission(
        **_shared_submission(row),
        participant=str(row["participant"]),
        code=row.get("entered_code") or None,
        study=str(row["study_id"]),
        bonus_payments=tuple(minor_units(amount) for amount in row.get("bonus_payments") or ()),
    )


def parse_cost(row: Any) -> Cost:
    """Parse a cost, in which missing amounts are 0."""
    amounts = [(row.get(name) or {}).get("amount") or 0 for name in ("rewards", "fees", "tax")]
    return Cost(*map(minor_units, amounts))


def parse_subscription(row: Any) -> Subscription:
    return Subscription(**subscription_fields(row))


def first_result(body: Any) -> Any:
    """Return an object, which some answers contain in a list."""
    return body["results"][0] if "results" in body else body


def subscription_fields(row: Any) -> dict[str, Any]:
    return {
        "id": str(row["id"]),
        "event_type": str(row["event_type"]),
        "target_url": str(row["target_url"]),
        "is_enabled": bool(row["is_enabled"]),
    }
