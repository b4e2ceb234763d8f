"""The state of the stand-in: a wallet per workspace, studies, submissions, groups and events."""

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from random import Random
from typing import Any, TypeVar

from tests.fakes.prolific.errors import not_found

T = TypeVar("T")
TOKEN = "test-token"
RESERVATION = timedelta(minutes=10)
AUTO_APPROVAL = timedelta(days=21)

# Submissions that occupy a place, and those among them that await a decision.
UNDECIDED = {"RESERVED", "ACTIVE", "PROCESSING", "AWAITING REVIEW"}
PAID = {"APPROVED", "PARTIALLY APPROVED"}
HOLDING = UNDECIDED | PAID
# Studies whose open places are locked in the wallet.
RUNNING = {"SCHEDULED", "PUBLISHING", "ACTIVE", "PAUSED", "AWAITING REVIEW"}


class Clock:
    """A clock that tests set."""

    def __init__(self, now: datetime = datetime(2026, 11, 23, 9, tzinfo=UTC)) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **duration: float) -> datetime:
        self.now += timedelta(**duration)
        return self.now


@dataclass
class Options:
    """Options for behaviour that differs between workspaces or between sources."""

    publishing_time: timedelta = timedelta(0)
    # A completed submission keeps `lag_status` for this time. It is ACTIVE or PROCESSING.
    completion_lag: timedelta = timedelta(0)
    lag_status: str = "ACTIVE"
    bonus_delay: timedelta = timedelta(minutes=3)
    bulk_approval_delay: timedelta = timedelta(minutes=1)
    status_after_stop: str = "COMPLETED"
    # The documentation lists STOP only for studies that are ACTIVE or PAUSED.
    full_studies_can_be_stopped: bool = False
    # RETURN, START, SCREEN_OUT, UNREJECT and UNRETURN by the researcher.
    disputed_transitions: bool = False
    # The share of a study's places that can be rejected.
    max_rejections: float = 1.0
    has_balance_endpoint: bool = True
    has_links: bool = True
    # The official description has the places taken in lists only.
    details_have_places_taken: bool = True
    has_reward_recommendations: bool = True
    # Amounts in lists are 100 times the reward.
    inflated_list_rewards: bool = True


@dataclass
class Workspace:
    id: str
    title: str
    currency: str
    start: int
    fee_rate: Decimal
    vat_rate: Decimal
    created_at: datetime
    # Of FIXED_SCREEN_OUT_PAYMENT, DYNAMIC_PAYMENT, TEST_PARTICIPANTS, AUTO_REJECTION.
    features: set[str] = field(default_factory=set)
    secret: str = ""
    secret_id: str = ""

    def charges(self, amount: int) -> tuple[int, int]:
        """Return the fee on an amount, and the VAT on that fee."""
        fee = rounded(amount * self.fee_rate)
        return fee, rounded(fee * self.vat_rate)

    def cost(self, amount: int) -> int:
        return amount + sum(self.charges(amount))


@dataclass
class Project:
    id: str
    title: str
    workspace: str
    created_at: datetime


@dataclass
class Study:
    id: str
    project: str
    created_at: datetime
    fields: dict[str, Any]
    status: str = "UNPUBLISHED"
    published_at: datetime | None = None
    # The time when the present status ends automatically. It is SCHEDULED or PUBLISHING.
    due_at: datetime | None = None
    stopped: bool = False

    @property
    def reward(self) -> int:
        return int(self.fields["reward"])

    @property
    def places(self) -> int:
        return int(self.fields["total_available_places"])

    @property
    def maximum_time(self) -> timedelta:
        return timedelta(minutes=self.fields["maximum_allowed_time"])

    @property
    def max_per_participant(self) -> int:
        return int(self.fields["submissions_config"]["max_submissions_per_participant"])

    @property
    def max_at_once(self) -> int:
        return int(self.fields["submissions_config"].get("max_concurrent_submissions") or -1)


@dataclass
class Submission:
    id: str
    study: str
    participant: str
    reserved_at: datetime
    status: str = "RESERVED"
    started_at: datetime | None = None
    completed_at: datetime | None = None
    entered_code: str | None = None
    return_requested: datetime | None = None
    return_reasons: tuple[str, ...] = ()
    bonus_payments: list[int] = field(default_factory=list)
    rejection: tuple[str, str] | None = None
    # The index in the study's access_details, if it has any.
    access: int | None = None
    # A completion that is not visible yet, with its time and its data.
    settles_at: datetime | None = None
    percentage: Decimal | None = None


@dataclass
class Group:
    id: str
    name: str
    workspace: str
    created_at: datetime
    members: dict[str, datetime] = field(default_factory=dict)
    is_deleted: bool = False


@dataclass(frozen=True)
class Movement:
    """Money that left the wallet. `kind` is reward, bonus or screen_out."""

    kind: str
    amount: int
    fee: int
    vat: int
    submission: str
    workspace: str
    at: datetime

    @property
    def total(self) -> int:
        return self.amount + self.fee + self.vat


@dataclass(frozen=True)
class BulkBonus:
    """A set-up of bonuses: (submission, amount) per line."""

    id: str
    study: str
    workspace: str
    lines: tuple[tuple[str, int], ...]


@dataclass
class PendingBonus:
    """A bonus in transit. `is_lost` bonuses never arrive."""

    submission: str
    amount: int
    workspace: str
    due_at: datetime
    is_lost: bool = False


@dataclass(frozen=True)
class Message:
    participants: tuple[str, ...]
    body: str
    study: str | None
    sent_at: datetime


@dataclass
class Subscription:
    id: str
    workspace: str
    event_type: str
    target_url: str
    handshake: str
    is_enabled: bool = False
    failing_since: datetime | None = None


@dataclass
class Event:
    """A webhook's delivery to one subscription."""

    id: str
    subscription: str
    payload: dict[str, Any]
    created_at: datetime
    due_at: datetime
    attempts: int = 0
    status: str = "PENDING"


@dataclass
class Person:
    """A participant's traits, which filters compare."""

    id: str
    country: str
    approval_rate: int
    language: str = "0"
    is_test: bool = False


class Platform:
    """The whole state, protected by one lock."""

    def __init__(
        self,
        *,
        clock: Callable[[], datetime],
        options: Options | None = None,
        token: str = TOKEN,
        seed: int = 0,
    ) -> None:
        self.lock = threading.RLock()
        self.clock = clock
        self.options = options or Options()
        self.token = token
        self.random = Random(seed)
        self.workspaces: dict[str, Workspace] = {}
        self.projects: dict[str, Project] = {}
        self.studies: dict[str, Study] = {}
        self.submissions: dict[str, Submission] = {}
        self.groups: dict[str, Group] = {}
        self.people: dict[str, Person] = {}
        self.filter_sets: dict[str, dict[str, Any]] = {}
        self.bulk_bonuses: dict[str, BulkBonus] = {}
        self.pending_bonuses: list[PendingBonus] = []
        self.pending_approvals: list[tuple[datetime, str]] = []
        self.movements: list[Movement] = []
        self.messages: list[Message] = []
        self.subscriptions: dict[str, Subscription] = {}
        self.events: list[Event] = []
        # The next bonuses that are paid but never arrive.
        self.bonuses_to_lose = 0

    @property
    def now(self) -> datetime:
        return self.clock()

    def new_id(self) -> str:
        return f"{self.random.getrandbits(96):024x}"

    def add_workspace(
        self,
        title: str = "Lab",
        *,
        balance: int = 1_000_000,
        currency: str = "USD",
        fee_rate: str = "0.428",
        vat_rate: str = "0.2",
        features: Collection[str] = (),
    ) -> Workspace:
        workspace = Workspace(
            id=self.new_id(),
            title=title,
            currency=currency,
            start=balance,
            fee_rate=Decimal(fee_rate),
            vat_rate=Decimal(vat_rate),
            created_at=self.now,
            features=set(features),
        )
        self.workspaces[workspace.id] = workspace
        return workspace

    def add_project(self, workspace: Workspace, title: str = "Project") -> Project:
        project = Project(self.new_id(), title, workspace.id, self.now)
        self.projects[project.id] = project
        return project

    def add_filter_set(self, name: str, filters: list[dict[str, Any]]) -> str:
        """Store a filter set as a researcher creates it in the web app, and return its id."""
        key = self.new_id()
        self.filter_sets[key] = {
            "id": key,
            "name": name,
            "version": 1,
            "is_deleted": False,
            "is_locked": False,
            "filters": filters,
            "eligible_participant_count": 1000,
        }
        return key

    def workspace(self, key: str) -> Workspace:
        return _entry(self.workspaces, key, "Workspace")

    def project(self, key: str) -> Project:
        return _entry(self.projects, key, "Project")

    def study(self, key: str) -> Study:
        return _entry(self.studies, key, "Study")

    def submission(self, key: str) -> Submission:
        return _entry(self.submissions, key, "Submission")

    def group(self, key: str) -> Group:
        group = _entry(self.groups, key, "Participant group")
        if group.is_deleted:
            raise not_found("Participant group")
        return group

    def person(self, key: str) -> Person:
        return _entry(self.people, key, "Participant")

    def workspace_of(self, study: Study) -> Workspace:
        return self.workspaces[self.projects[study.project].workspace]

    def submissions_of(self, study: Study) -> list[Submission]:
        return [row for row in self.submissions.values() if row.study == study.id]

    def places_taken(self, study: Study) -> int:
        return sum(row.status in HOLDING for row in self.submissions_of(study))


def _entry(rows: dict[str, T], key: str, name: str) -> T:
    if key not in rows:
        raise not_found(name)
    return rows[key]


def rounded(amount: Decimal) -> int:
    return int(amount.quantize(Decimal(1), ROUND_HALF_UP))


def text_of(time: datetime | None) -> str | None:
    """Return an RFC 3339 time."""
    return time.astimezone(UTC).isoformat().replace("+00:00", "Z") if time else None
