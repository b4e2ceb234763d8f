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


class Marketplace(Protocol):
    def create_hit_type(self, terms: HitTypeTerms) -> str: ...

    def create_hit(self, order: HitOrder) -> str: ...

    def find_hit(self, token: str) -> str | None:
        """The HIT made under this token, however long ago."""
        ...

    def list_assignments(self, hit: str) -> Iterator[ConfirmedAssignment]: ...

    def approve(self, assignment: str) -> None: ...

    def reject(self, assignment: str, *, reason: str) -> None: ...

    def send_bonus(self, bonus: Bonus) -> None: ...

    def find_bonus(self, bonus: Bonus) -> bool:
        """Whether this bonus was paid, however long ago."""
        ...

    def create_qualification_type(self, *, name: str, description: str) -> str: ...

    def grant(self, *, qualification: str, worker: str, value: int) -> None: ...

    def revoke(self, *, qualification: str, worker: str, reason: str) -> None: ...

    def expire_hit(self, hit: str) -> None: ...

    def balance_cents(self) -> int: ...
