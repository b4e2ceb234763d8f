"""What `crowd.domain` asks of a marketplace. Amounts are whole cents, times aware UTC.

Each call either has happened when it returns, or raises: ProviderRefused when the marketplace said
no for good, ProviderInDoubt when nobody can tell whether it happened. Every call that creates or
pays carries a token, and a repeat with the same token is a success that creates or pays nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


class ProviderRefused(Exception):
    """The marketplace refused; repeating the same call is of no use."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class ProviderInDoubt(Exception):
    """No answer, or one that says to come again: the call may or may not have happened."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """Who may take a HIT. `qualification` is the marketplace's id of a type; comparators are MTurk's."""

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
class HitOrder:
    """A HIT to be made. `token` also becomes its annotation, by which it can be found again."""

    token: str
    hit_type: str
    url: str
    max_assignments: int
    lifetime_seconds: int


@dataclass(frozen=True, slots=True)
class ConfirmedAssignment:
    """Finished work as the marketplace holds it; `state` is submitted, approved or rejected."""

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
class MadeHit:
    """A HIT as the marketplace lists it; `undecided` counts work handed in and not decided."""

    external_id: str
    annotation: str
    hit_type: str
    title: str
    description: str
    keywords: str
    reward_cents: int
    assignment_seconds: int
    auto_approval_seconds: int
    max_assignments: int
    undecided: int
    created_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class NotTold:
    """A worker whom a message did not reach; `hard` when trying again will not help."""

    worker: str
    hard: bool
    reason: str


@dataclass(frozen=True, slots=True)
class HeldGrant:
    worker: str
    value: int


class Marketplace(Protocol):
    def create_hit_type(self, terms: HitTypeTerms) -> str: ...

    def create_hit(self, order: HitOrder) -> str: ...

    def find_hit(self, token: str) -> str | None:
        """The HIT made under this token, however long ago."""
        ...

    def list_hits(self) -> Iterator[MadeHit]:
        """Every HIT of the account that isn't disposed of."""
        ...

    def move_end(self, hit: str, ends_at: datetime) -> None:
        """Offer the HIT until then; a time that has passed ends the offer now."""
        ...

    def size_of(self, hit: str) -> int:
        """How many assignments the HIT has room for."""
        ...

    def add_assignments(self, hit: str, *, number: int, token: str) -> None: ...

    def watch(self, hit_type: str, *, destination: str) -> None:
        """Have events on HITs of the type sent there."""
        ...

    def list_assignments(self, hit: str) -> Iterator[ConfirmedAssignment]: ...

    def state_of(self, assignment: str) -> str:
        """submitted, approved or rejected."""
        ...

    def approve(self, assignment: str, *, override: bool = False) -> None:
        """`override` also approves what was rejected before."""
        ...

    def reject(self, assignment: str, *, reason: str) -> None: ...

    def send_bonus(self, bonus: Bonus) -> None: ...

    def find_bonus(self, bonus: Bonus) -> bool:
        """Whether this bonus was paid, however long ago."""
        ...

    def create_qualification_type(self, *, name: str, description: str) -> str: ...

    def grant(self, *, qualification: str, worker: str, value: int) -> None: ...

    def revoke(self, *, qualification: str, worker: str, reason: str) -> None: ...

    def list_grants(self, qualification: str) -> Iterator[HeldGrant]:
        """Who holds the qualification now."""
        ...

    def notify(self, *, subject: str, text: str, workers: Sequence[str]) -> list[NotTold]:
        """Write to at most 100 workers. Without a token: after a doubt they may be told twice."""
        ...

    def block(self, worker: str, *, reason: str) -> None: ...

    def unblock(self, worker: str, *, reason: str) -> None: ...

    def balance_cents(self) -> int: ...
