"""The interfaces of crowd providers. Amounts are whole cents, times are aware UTC.

A provider either posts each HIT (`HitProvider`), or posts studies whose places are sessions, to which
this site deals HITs (`StudyProvider`). Both share `CrowdProvider`. `capabilities` states what else
differs.

A call that returns has taken effect. It raises ProviderRefusedError after a final refusal, and
OutcomeUnknownError if it may or may not have taken effect. Every call of a `HitProvider` that creates
or pays carries a token. A repeat with the same token succeeds without creating or paying again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from typing import ClassVar, Protocol

from audit.errors import TouchstoneError

# The marketplace stores a token for 24 hours. After this time, search before creating again.
TOKEN_MEMORY = timedelta(hours=23)


class ProviderRefusedError(TouchstoneError):
    """The marketplace refused the call, and would refuse it again."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class ProviderNotFoundError(ProviderRefusedError):
    """The provider has no object with this id."""


class OutcomeUnknownError(TouchstoneError):
    """The call may or may not have taken effect, and can be repeated."""


class NotPerformedError(OutcomeUnknownError):
    """The call had no effect, for example because the provider was too busy."""


class InvalidNotificationError(TouchstoneError, ValueError):
    """The request to the webhook is not a valid notification of the provider."""


class BadSignatureError(InvalidNotificationError):
    """The notification is not signed with the secret that is known."""


class InvalidArrivalError(TouchstoneError):
    """The address with which a worker arrived is invalid."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a provider can do.

    `has_sessions`: workers take a place in a study, and this site deals HITs to them.
    `has_requests`: workers can request qualifications. `lists_hits`: HITs can be found by listing.
    `override_days`: how long a rejection can be overridden at the provider, 0 if it can't.
    `max_approval_days`: the longest delay of automatic approval.
    `minimum_hourly_cents`: the lowest pay per hour that the provider allows, or None.
    `hit_noun` is what requesters call a HIT, and `crowd_name` names the provider in a sentence.
    `min_rejection_reason`: the least number of characters in the reason for a rejection.
    `has_rejection_categories`: a rejection names one of `crowd.enums.RejectionCategory`.
    `assignments_without_surcharge`: HITs created with at most that many assignments can't exceed it.
    """

    has_sessions: bool = False
    has_requests: bool = True
    lists_hits: bool = True
    override_days: int = 30
    max_approval_days: int = 30
    minimum_hourly_cents: int | None = None
    hit_noun: str = "HIT"
    crowd_name: str = "the marketplace"
    min_rejection_reason: int = 1
    has_rejection_categories: bool = False
    assignments_without_surcharge: int | None = None


@dataclass(frozen=True, slots=True)
class Arrival:
    """The assignment and worker in the address of a task page.

    `assignment` is empty in a preview. Finished work is posted to `submit_to`. A signed address was
    made for this worker, assignment and page. An address that is not signed may be invented.
    """

    assignment: str = ""
    worker: str = ""
    submit_to: str = ""
    is_signed: bool = False


#: How long the receipts of notifications are kept. Providers stop repeating them long before this.
RECEIPTS_KEPT = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class ProviderEvent:
    """A provider's notification. `postings` and `sessions` are the ids to sync.

    A notification with a known one of the `receipts` is a repeat. `notice` is what the requesters of
    the postings should know.
    """

    receipts: Sequence[str]
    postings: Sequence[str] = ()
    sessions: Sequence[str] = ()
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A condition on a qualification (by the provider's id), with a comparator.

    Comparators are those of MTurk, such as Exists, NotIn and GreaterThanOrEqualTo. `is_system` means
    a qualification that the provider keeps, such as the approval rate.
    """

    qualification: str
    comparator: str
    integers: Sequence[int] = ()
    locales: Sequence[str] = ()
    is_system: bool = False
    guard: str = "DiscoverPreviewAndAccept"


@dataclass(frozen=True, slots=True)
class HitTypeTerms:
    title: str
    description: str
    keywords: str
    reward_cents: int
    assignment_seconds: int
    auto_approval_seconds: int
    requirements: Sequence[Requirement] = ()


@dataclass(frozen=True, slots=True)
class ConfirmedAssignment:
    """An assignment at the marketplace. `state` is submitted, approved or rejected."""

    external_id: str
    worker: str
    state: str
    accepted_at: datetime
    submitted_at: datetime
    answer: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bonus:
    token: str
    worker: str
    assignment: str
    amount_cents: int
    reason: str


@dataclass(frozen=True, slots=True)
class AnnouncedBonus:
    """A bonus to show its worker, which is not paid. `status` is reviewing, accepted or declined."""

    worker: str
    assignment: str
    amount_cents: int
    status: str
    text: str = ""
    appeal_url: str = ""


@dataclass(frozen=True, slots=True)
class ListedHit:
    """A HIT in the marketplace's list, with the fields of `crowd.models.OrphanHit`."""

    external_id: str
    annotation: str
    hit_type_id_there: str
    title: str
    description: str
    keywords: str
    reward_cents: int
    assignment_seconds: int
    auto_approval_seconds: int
    max_assignments: int
    undecided_assignments: int
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class ListedRequest:
    """A worker's undecided request for a qualification, by the marketplace's ids."""

    external_id: str
    qualification: str
    worker: str
    answer: str
    requested_at: datetime


@dataclass(frozen=True, slots=True)
class ListedMessage:
    """A worker's message, by the marketplace's ids. `hit` is empty if it is about none."""

    external_id: str
    worker: str
    subject: str
    text: str
    sent_at: datetime
    hit: str = ""


@dataclass(frozen=True, slots=True)
class NotificationFailed:
    """A message that did not reach a worker. A `hard` failure would happen again."""

    worker: str
    hard: bool
    reason: str


class CrowdProvider(Protocol):
    """What every provider offers."""

    capabilities: ClassVar[Capabilities]

    @property
    def is_configured(self) -> bool:
        """Return True if the settings have what calls need, such as a token."""
        ...

    @property
    def inbox_elsewhere(self) -> str:
        """Where workers' messages arrive, or an empty string if `list_messages` returns them."""
        ...

    def fee_cents(self, amount_cents: int, *, max_assignments: int = 1) -> int:
        """Return the provider's fee on a payment: 0 for 0, otherwise at least one cent."""
        ...

    def unreachable(self) -> str:
        """Return why the provider can't be reached, or an empty string if it responds."""
        ...

    def read_event(
        self, *, body: bytes, headers: Mapping[str, str], now: datetime
    ) -> ProviderEvent:
        """Parse a request to the webhook. Raise InvalidNotificationError."""
        ...

    def create_qualification_type(
        self, *, name: str, description: str, is_requestable: bool = True
    ) -> str:
        """Create a qualification, which workers are offered only if it `is_requestable`."""
        ...

    def grant(self, *, qualification: str, worker: str, value: int) -> None: ...

    def revoke(self, *, qualification: str, worker: str, reason: str) -> None:
        """Revoke the qualification, with a message to the worker if there is a reason."""
        ...

    def list_grants(self, qualification: str) -> dict[str, int]:
        """Return the values of the qualification's present holders, by worker."""
        ...

    def check_worker_id(self, worker: str) -> None:
        """Raise OutOfLimitsError if no worker can have this id."""
        ...

    def has_worker(self, worker: str, *, qualification: str) -> bool | None:
        """Return True if the worker exists, or None if the provider does not tell."""
        ...

    def notify(
        self, *, subject: str, text: str, workers: Sequence[str], posting: str = ""
    ) -> list[NotificationFailed]:
        """Send a message to at most 100 workers, about a posting that they worked on.

        A repeat may deliver it twice.
        """
        ...

    def block(self, worker: str, *, reason: str) -> None: ...

    def unblock(self, worker: str, *, reason: str) -> None: ...

    def balance_cents(self) -> int: ...


class HitProvider(CrowdProvider, Protocol):
    """A marketplace that posts HITs, records assignments and pays idempotently.

    `is_builtin` means that the marketplace is part of this site, which allows rehearsals.
    `sends_events` means that it can notify this site's webhook. `signs_pages` means that the addresses
    of its frames are signed.
    """

    @property
    def is_builtin(self) -> bool: ...

    @property
    def sends_events(self) -> bool: ...

    @property
    def signs_pages(self) -> bool: ...

    def create_hit_type(self, terms: HitTypeTerms) -> str: ...

    def create_hit(
        self, *, token: str, hit_type: str, url: str, max_assignments: int, lifetime_seconds: int
    ) -> str:
        """Create a HIT. `token` is also its annotation, by which it can be found again."""
        ...

    def find_hit(self, token: str) -> str | None:
        """Return the id of the HIT with this token, of any age, or None."""
        ...

    def list_hits(self) -> Iterator[ListedHit]:
        """Yield the account's HITs that are not deleted."""
        ...

    def is_in_progress(self, hit: str) -> bool:
        """Return True if a worker has accepted the HIT and not submitted it yet.

        It answers or fails within seconds, because a worker's page waits for it.
        """
        ...

    def move_end(self, hit: str, ends_at: datetime) -> None:
        """Set the HIT's expiration. A time in the past expires it at once."""
        ...

    def size_of(self, hit: str) -> int:
        """Return the HIT's maximum number of assignments."""
        ...

    def add_assignments(self, hit: str, *, number: int, token: str) -> None: ...

    def watch(self, hit_type: str, *, destination: str) -> None:
        """Subscribe `destination` to the events of the type's HITs."""
        ...

    def list_assignments(self, hit: str) -> Iterator[ConfirmedAssignment]: ...

    def state_of(self, assignment: str) -> str:
        """Return submitted, approved or rejected."""
        ...

    def approve(self, assignment: str, *, override: bool = False) -> None:
        """Approve an assignment, even a rejected one with `override`."""
        ...

    def reject(self, assignment: str, *, reason: str) -> None: ...

    def send_bonus(self, bonus: Bonus) -> None: ...

    def find_bonus(self, bonus: Bonus) -> bool:
        """Return True if this bonus was ever paid."""
        ...

    def announce_bonus(self, bonus: AnnouncedBonus) -> None:
        """Show the worker the bonus, or no longer once it is accepted. A repeat is harmless.

        Marketplaces that can't show it do nothing.
        """
        ...

    def list_requests(self) -> Iterator[ListedRequest]:
        """Yield the undecided requests for the account's qualifications."""
        ...

    def list_messages(self) -> Iterator[ListedMessage]:
        """Yield the messages that workers wrote to the account, newest first."""
        ...

    def accept_request(self, request: str, *, value: int) -> None: ...

    def refuse_request(self, request: str, *, reason: str) -> None: ...


@dataclass(frozen=True, slots=True)
class StudySettings:
    """How the studies of a project are offered.

    `content_warning` is empty, sensitive or explicit. `devices` are some of desktop, tablet and
    mobile, and none means all. `filter_set` is the provider's id of prepared filters.
    """

    content_warning: str = ""
    content_warning_details: str = ""
    devices: tuple[str, ...] = ()
    filter_set: str = ""


@dataclass(frozen=True, slots=True)
class StudyTerms:
    """A study to create. `token` identifies it in the provider's list.

    `reward_cents` is paid for a session of `minutes`. `decline_code` is that of workers who choose not to
    take part. `url` opens with the arrival's parameters.
    """

    token: str
    title: str
    description: str
    url: str
    places: int
    minutes: int
    reward_cents: int
    completion_code: str
    decline_code: str = ""
    requirements: Sequence[Requirement] = ()
    settings: StudySettings = StudySettings()


@dataclass(frozen=True, slots=True)
class ListedStudy:
    """A study at the provider. `state` is draft, publishing, live, paused, full, ended or unknown.

    `provider_state` is the provider's own name of the state.
    """

    external_id: str
    token: str
    state: str
    places: int
    places_taken: int
    provider_state: str = ""


@dataclass(frozen=True, slots=True)
class ListedSession:
    """A session at the provider.

    `state` is reserved, active, submitted, approved, rejected, returned, timed-out, screened-out or
    unknown, and `provider_state` the provider's own name of it. `code` is the completion code that
    the worker entered.
    """

    external_id: str
    study: str
    worker: str
    state: str
    started_at: datetime
    completed_at: datetime | None = None
    code: str = ""
    provider_state: str = ""


@dataclass(frozen=True, slots=True)
class BonusOrder:
    """A bonus that was set up and not paid yet, with its cost in cents."""

    external_id: str
    amount_cents: int
    fee_cents: int


@dataclass(frozen=True, slots=True)
class AccountStatus:
    """The state of the requester's account. Rates are fractions, such as 0.428.

    The hourly pay is what the provider requires and recommends, or None if it does not tell.
    """

    workspace: str
    currency: str
    balance_cents: int
    fee_rate: Decimal
    vat_rate: Decimal
    filters: int
    minimum_hourly_cents: int | None = None
    recommended_hourly_cents: int | None = None


@dataclass(frozen=True, slots=True)
class SessionArrival:
    """The ids in the address with which a worker opens a session."""

    study: str
    session: str
    worker: str


class StudyProvider(CrowdProvider, Protocol):
    """A provider whose postings are studies and whose assignments are sessions.

    Bonuses are not idempotent: see `crowd.domain.sessions.settle_sessions`.
    """

    def subscribe(self, address: str) -> None:
        """Subscribe the address to the workspace's events. A repeat is harmless."""
        ...

    def parse_session_arrival(self, parameters: Mapping[str, str]) -> SessionArrival:
        """Return the ids in the address. Raise InvalidArrivalError."""
        ...

    def completion_url(self, code: str) -> str:
        """Return the address that ends a session at the provider."""
        ...

    def session_seconds(self, minutes: int) -> int:
        """Return the time that a worker may take for a session of these estimated minutes."""
        ...

    def account(self) -> AccountStatus: ...

    def differences(self) -> Iterator[str]:
        """Yield what differs in the account from what this site expects. Changes nothing."""
        ...

    def filter_set_name(self, filter_set: str) -> str:
        """Return the name of prepared filters. Raise ProviderRefusedError if there are none."""
        ...

    def create_study(self, terms: StudyTerms) -> str:
        """Create a draft and return its id."""
        ...

    def find_studies(self, token: str) -> list[ListedStudy]:
        """Return the studies with this token, oldest first."""
        ...

    def study(self, study: str) -> ListedStudy: ...

    def delete_draft(self, study: str) -> None: ...

    def study_fee_cents(self, study: str, *, reward_cents: int) -> int:
        """Return the fee and tax on one session's reward."""
        ...

    def publish_study(self, study: str) -> None: ...

    def pause_study(self, study: str) -> None: ...

    def start_study(self, study: str) -> None: ...

    def stop_study(self, study: str) -> None: ...

    def set_places(self, study: str, places: int) -> None:
        """Set the total number of places, which can only grow. A repeat is harmless."""
        ...

    def list_sessions(self, study: str) -> Iterator[ListedSession]: ...

    def session(self, session: str) -> ListedSession: ...

    def complete_session(self, session: str, *, code: str) -> None:
        """Submit a session for a worker whose redirect was lost."""
        ...

    def approve_session(self, session: str) -> None: ...

    def reject_session(self, session: str, *, reason: str, category: str) -> None: ...

    def request_return(self, session: str, *, reason: str) -> None: ...

    def set_up_bonuses(self, *, study: str, bonuses: Sequence[tuple[str, int]]) -> BonusOrder:
        """Set up a bonus in cents for each of up to 200 sessions. Nothing is paid yet."""
        ...

    def pay_bonuses(self, order: str) -> None:
        """Pay the bonuses of an order. A repeat pays again."""
        ...

    def list_bonuses(self, session: str) -> list[int]:
        """Return the cents of all bonuses that were paid for the session, oldest first."""
        ...
