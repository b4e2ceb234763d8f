"""The interface of a marketplace. Amounts are whole cents, times are aware UTC.

A call that returns has taken effect. It raises ProviderRefusedError after a final refusal, and
OutcomeUnknownError if it may or may not have taken effect. Every call that creates or pays carries a
token. A repeat with the same token succeeds without creating or paying again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from audit.errors import TouchstoneError


class ProviderRefusedError(TouchstoneError):
    """The marketplace refused the call, and would refuse it again."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class OutcomeUnknownError(TouchstoneError):
    """The call may or may not have taken effect, and can be repeated."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A condition on a qualification (by the marketplace's id), with one of MTurk's comparators."""

    qualification: str
    comparator: str
    integers: Sequence[int] = ()
    locales: Sequence[str] = ()
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
class NotificationFailed:
    """A message that did not reach a worker. A `hard` failure would happen again."""

    worker: str
    hard: bool
    reason: str


class Marketplace(Protocol):
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

    def create_qualification_type(self, *, name: str, description: str) -> str: ...

    def grant(self, *, qualification: str, worker: str, value: int) -> None: ...

    def revoke(self, *, qualification: str, worker: str, reason: str) -> None: ...

    def list_grants(self, qualification: str) -> dict[str, int]:
        """Return the values of the qualification's present holders, by worker."""
        ...

    def has_worker(self, worker: str, *, qualification: str) -> bool | None:
        """Return True if the worker exists, or None if the marketplace does not tell."""
        ...

    def list_requests(self) -> Iterator[ListedRequest]:
        """Yield the undecided requests for the account's qualifications."""
        ...

    def accept_request(self, request: str, *, value: int) -> None: ...

    def refuse_request(self, request: str, *, reason: str) -> None: ...

    def notify(
        self, *, subject: str, text: str, workers: Sequence[str]
    ) -> list[NotificationFailed]:
        """Send a message to at most 100 workers. A repeat may deliver it twice."""
        ...

    def block(self, worker: str, *, reason: str) -> None: ...

    def unblock(self, worker: str, *, reason: str) -> None: ...

    def balance_cents(self) -> int: ...
