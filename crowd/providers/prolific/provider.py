"""Prolific as a crowd provider. See `crowd.providers.base.StudyProvider`."""

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import cache, cached_property
from typing import ClassVar

from django.conf import settings

from crowd.providers.base import (
    AccountStatus,
    BadSignatureError,
    BonusOrder,
    Capabilities,
    ListedSession,
    ListedStudy,
    NotificationFailed,
    OutcomeUnknownError,
    ProviderEvent,
    ProviderRefusedError,
    Requirement,
    SessionArrival,
    StudySettings,
    StudyTerms,
)
from crowd.providers.limits import OutOfLimitsError
from crowd.providers.prolific import arrival, limits, values
from crowd.providers.prolific.check import differences
from crowd.providers.prolific.client import ProlificClient
from crowd.providers.prolific.eligibility import (
    BLOCKED,
    BLOCKLIST,
    COUNTRY,
    group_name,
    groups_of,
    system_filter,
)
from crowd.providers.prolific.fees import fee_cents
from crowd.providers.prolific.webhooks import EVENT_TYPES, read_notification

# A state that is not in the tables is never taken for a known one.
UNKNOWN = "unknown"
STUDY_STATES = {
    "UNPUBLISHED": "draft",
    "SCHEDULED": "draft",
    "PUBLISHING": "publishing",
    "ACTIVE": "live",
    "PAUSED": "paused",
    "AWAITING REVIEW": "full",
    "COMPLETED": "ended",
}
SESSION_STATES = {
    "RESERVED": "reserved",
    "ACTIVE": "active",
    "PROCESSING": "submitted",
    "AWAITING REVIEW": "submitted",
    "APPROVED": "approved",
    "PARTIALLY APPROVED": "approved",
    "REJECTED": "rejected",
    "RETURNED": "returned",
    "TIMED-OUT": "timed-out",
    "SCREENED OUT": "screened-out",
}
# The second code, with which this site completes a session whose redirect was lost.
RESEARCHER_SUFFIX = "R"
# A study with as many sessions per participant as there is work.
NO_LIMIT = -1
# The reason that Prolific shows to participants who choose not to take part.
DECLINED = "You chose not to take part. Return your place, which does not affect your record."
CENTS_TO_COMPARE = 10_000
# The secret of webhooks is read again at most this often.
SECRET_SECONDS = 60
NOT_CONFIGURED = "Set PROLIFIC_TOKEN to use Prolific."


class Prolific:
    """See `crowd.providers.base.StudyProvider`."""

    capabilities: ClassVar[Capabilities] = Capabilities(
        has_sessions=True,
        has_requests=False,
        lists_hits=False,
        override_days=21,
        max_approval_days=20,
        minimum_hourly_cents=limits.MINIMUM_HOURLY_CENTS,
        hit_noun="task",
        crowd_name="Prolific",
        min_rejection_reason=limits.MIN_REASON,
        has_rejection_categories=True,
    )

    def __init__(self, client: ProlificClient, *, workspace: str = "", project: str = "") -> None:
        self._client = client
        self._workspace_id = workspace
        self._project_id = project
        self._groups: dict[str, str] = {}
        self._secret_due_at = 0.0

    @cached_property
    def workspace(self) -> str:
        """Return the id of the workspace in the settings, or of the account's first one."""
        if self._workspace_id:
            return self._workspace_id
        workspace = next(iter(self._client.list_workspaces()), None)
        if workspace is None:
            raise ProviderRefusedError("no-workspace", "The Prolific account has no workspace.")
        return workspace.id

    @cached_property
    def project(self) -> str:
        if self._project_id:
            return self._project_id
        project = next(iter(self._client.list_projects(self.workspace)), None)
        if project is None:
            project = self._client.create_project(self.workspace, title="Touchstone")
        return project.id

    # Account

    @property
    def is_configured(self) -> bool:
        return self._client.has_token

    @property
    def inbox_elsewhere(self) -> str:
        return "Prolific's inbox"

    def fee_cents(self, amount_cents: int, *, max_assignments: int = 1) -> int:
        return fee_cents(amount_cents)

    def unreachable(self) -> str:
        try:
            self._client.get_researcher()
        except (OutcomeUnknownError, ProviderRefusedError) as error:
            return str(error)
        return ""

    def balance_cents(self) -> int:
        return self._client.get_balance(self.workspace).available

    def account(self) -> AccountStatus:
        self._client.get_researcher()
        balance = self._client.get_balance(self.workspace)
        cost = self._client.calculate_cost(reward=CENTS_TO_COMPARE, places=1)
        # The API tells only the sum of fee and tax, which is booked as one amount.
        rate = Decimal(cost - CENTS_TO_COMPARE) / CENTS_TO_COMPARE
        try:
            rates = self._client.get_hourly_rates(self.workspace, currency=balance.currency)
        except ProviderRefusedError:
            rates = None  # the minimum of the capabilities applies
        return AccountStatus(
            workspace=self.workspace,
            currency=balance.currency,
            balance_cents=balance.available,
            fee_rate=rate,
            vat_rate=Decimal(0),
            filters=sum(1 for _ in self._client.list_filters()),
            minimum_hourly_cents=rates.minimum if rates else None,
            recommended_hourly_cents=rates.recommended if rates else None,
        )

    def differences(self) -> Iterator[str]:
        return differences(self._client, workspace=self._workspace_id, project=self._project_id)

    def filter_set_name(self, filter_set: str) -> str:
        return self._client.get_filter_set(filter_set).name

    @cached_property
    def _secret(self) -> str:
        """Return the secret of the events' signatures, which Prolific keeps."""
        secret = self._client.get_secret(self.workspace)
        return secret or self._client.create_secret(self.workspace)

    def _read_secret_again(self) -> bool:
        """Return True if the secret was replaced. Strangers can't make this read it often."""
        if time.monotonic() < self._secret_due_at:
            return False
        self._secret_due_at = time.monotonic() + SECRET_SECONDS
        old = self._secret
        del self._secret
        return self._secret != old

    def subscribe(self, address: str) -> None:
        if not settings.PROLIFIC_WEBHOOKS:
            return
        assert self._secret  # subscriptions need one
        known = {
            row.event_type: row
            for row in self._client.list_subscriptions(self.workspace)
            if row.target_url == address
        }
        offered = self._client.list_event_types()
        for event_type in EVENT_TYPES:
            if event_type not in offered:
                continue
            row = known.get(event_type)
            if row and row.is_enabled:
                continue
            if row:
                self._client.delete_subscription(row.id)
            new = self._client.create_subscription(
                self.workspace, event_type=event_type, target_url=address
            )
            self._client.confirm_subscription(new.id, handshake=new.handshake)

    def read_event(
        self, *, body: bytes, headers: Mapping[str, str], now: datetime
    ) -> ProviderEvent:
        """Parse a notification. A workspace has one secret, which other tools may replace."""
        try:
            return read_notification(body, headers, secret=self._secret, now=now)
        except BadSignatureError:
            if not self._read_secret_again():
                raise
            return read_notification(body, headers, secret=self._secret, now=now)

    # People

    def create_qualification_type(
        self, *, name: str, description: str, is_requestable: bool = True
    ) -> str:
        """Return the name of the groups. They are created with their first members."""
        return name

    def grant(self, *, qualification: str, worker: str, value: int) -> None:
        wanted = {group_name(qualification), group_name(qualification, value)}
        for name in wanted:
            self._client.add_members(self._group(name), [worker])
        for name, group in self._groups_of(qualification).items():
            if name not in wanted:
                self._client.remove_members(group, [worker])

    def revoke(self, *, qualification: str, worker: str, reason: str) -> None:
        for group in self._groups_of(qualification).values():
            self._client.remove_members(group, [worker])

    def list_grants(self, qualification: str) -> dict[str, int]:
        grants: dict[str, int] = {}
        for name, group in self._groups_of(qualification).items():
            _, _, value = name.removeprefix(qualification).partition("=")
            if value:
                grants |= dict.fromkeys(self._client.list_members(group), int(value))
        return grants

    def check_worker_id(self, worker: str) -> None:
        if not arrival.ID.fullmatch(worker):
            raise OutOfLimitsError(
                "worker",
                f"{worker!r} is not a Prolific ID, which has 24 digits and letters from a to f.",
            )

    def has_worker(self, worker: str, *, qualification: str) -> bool | None:
        return None if arrival.ID.fullmatch(worker) else False

    def notify(
        self, *, subject: str, text: str, workers: Sequence[str], posting: str = ""
    ) -> list[NotificationFailed]:
        body = f"{subject}\n\n{text}"[: limits.MAX_MESSAGE]
        self._client.send_message(workers, text=body, study=posting)
        return []

    def block(self, worker: str, *, reason: str) -> None:
        self._client.add_members(self._group(self._blocklist), [worker])

    def unblock(self, worker: str, *, reason: str) -> None:
        self._client.remove_members(self._group(self._blocklist), [worker])

    @property
    def _blocklist(self) -> str:
        return f"Touchstone {BLOCKED}"

    def _groups_of(self, qualification: str) -> dict[str, str]:
        """Return the ids of the qualification's groups, by name."""
        self._load_groups()
        return {
            name: group
            for name, group in self._groups.items()
            if name == qualification or name.startswith(f"{qualification}=")
        }

    def _group(self, name: str) -> str:
        """Return the id of the group with this name, which is created if necessary."""
        if name not in self._groups:
            self._load_groups()
        if name not in self._groups:
            self._groups[name] = self._client.create_group(self.workspace, name=name).id
        return self._groups[name]

    def _load_groups(self) -> None:
        groups: dict[str, str] = {}
        for row in self._client.list_groups(self.workspace):
            groups.setdefault(row.name, row.id)  # the oldest, if two processes created it
        self._groups = groups

    # Studies

    def parse_session_arrival(self, parameters: Mapping[str, str]) -> SessionArrival:
        return arrival.parse_session_arrival(parameters)

    def completion_url(self, code: str) -> str:
        return arrival.completion_url(code, base=settings.PROLIFIC_COMPLETION_URL)

    def session_seconds(self, minutes: int) -> int:
        return _maximum_minutes(minutes) * 60

    def create_study(self, terms: StudyTerms) -> str:
        actions = (values.CodeAction("MANUALLY_REVIEW"),)
        codes = [
            values.CompletionCode(terms.completion_code, actions=actions),
            values.CompletionCode(
                terms.completion_code + RESEARCHER_SUFFIX,
                code_type="OTHER",
                actor="researcher",
                actions=actions,
            ),
        ]
        if terms.decline_code:
            request = values.CodeAction("REQUEST_RETURN", {"return_reason": DECLINED})
            codes.append(
                values.CompletionCode(
                    terms.decline_code, code_type="NO_CONSENT", actions=(request,)
                )
            )
        study = self._client.create_study(
            values.StudyTerms(
                project=self.project,
                name=terms.title,
                internal_name=terms.token,
                description=terms.description,
                url=arrival.study_address(terms.url),
                places=terms.places,
                reward=terms.reward_cents,
                minutes=terms.minutes,
                maximum_minutes=_maximum_minutes(terms.minutes),
                codes=codes,
                filters=[*self._filters(terms.requirements), *self._copied(terms.settings)],
                submissions_per_participant=NO_LIMIT,
                devices=terms.settings.devices,
                content_warning=terms.settings.content_warning,
                content_warning_details=terms.settings.content_warning_details,
                labels=["ai_annotation"],
            )
        )
        return study.id

    def _filters(self, requirements: Sequence[Requirement]) -> list[values.Filter]:
        filters = [values.Filter(BLOCKLIST, values=[self._group(self._blocklist)])]
        countries: Mapping[str, str] = {}
        if any(requirement.locales for requirement in requirements):
            kinds = {row.filter_id: row for row in self._client.list_filters()}
            countries = kinds[COUNTRY].choices if COUNTRY in kinds else {}
        for requirement in requirements:
            if requirement.is_system:
                if found := system_filter(requirement, countries):
                    filters.append(found)
                continue
            kind, names = groups_of(requirement)
            filters.append(values.Filter(kind, values=[self._group(name) for name in names]))
        return filters

    def _copied(self, settings: StudySettings) -> Sequence[values.CopiedFilter]:
        """Return the filters of the filter set. A study can't have both a set and filters."""
        if not settings.filter_set:
            return ()
        return self._client.get_filter_set(settings.filter_set).filters

    def find_studies(self, token: str) -> list[ListedStudy]:
        rows = self._client.list_studies(self.project)
        found = [row for row in rows if row.internal_name == token]
        return [
            _listed(row)
            for row in sorted(found, key=lambda row: (row.created_at is None, row.created_at))
        ]

    def study(self, study: str) -> ListedStudy:
        return _listed(self._client.get_study(study))

    def delete_draft(self, study: str) -> None:
        self._client.delete_study(study)

    def study_fee_cents(self, study: str, *, reward_cents: int) -> int:
        cost = self._client.get_study_cost(study, projected=True).rewards
        places = cost.amount // reward_cents
        return (cost.fees + cost.tax) // places

    def publish_study(self, study: str) -> None:
        self._client.transition_study(study, "PUBLISH")

    def pause_study(self, study: str) -> None:
        self._client.transition_study(study, "PAUSE")

    def start_study(self, study: str) -> None:
        self._client.transition_study(study, "START")

    def stop_study(self, study: str) -> None:
        self._client.transition_study(study, "STOP")

    def set_places(self, study: str, places: int) -> None:
        self._client.change_study(study, places=places)

    # Sessions

    def list_sessions(self, study: str) -> Iterator[ListedSession]:
        for row in self._client.list_submissions(study):
            yield _session(row, study)

    def session(self, session: str) -> ListedSession:
        row = self._client.get_submission(session)
        return _session(row, row.study)

    def complete_session(self, session: str, *, code: str) -> None:
        self._client.complete(session, code=code + RESEARCHER_SUFFIX)

    def approve_session(self, session: str) -> None:
        self._client.approve(session)

    def reject_session(self, session: str, *, reason: str, category: str) -> None:
        self._client.reject(session, message=reason, category=category)

    def request_return(self, session: str, *, reason: str) -> None:
        self._client.request_return(session, reasons=[reason])

    # Bonuses

    def set_up_bonuses(self, *, study: str, bonuses: Sequence[tuple[str, int]]) -> BonusOrder:
        bulk = self._client.set_up_bonuses(study, bonuses)
        return BonusOrder(bulk.id, bulk.amount, bulk.fees + bulk.vat)

    def pay_bonuses(self, order: str) -> None:
        self._client.pay_bonuses(order)

    def list_bonuses(self, session: str) -> list[int]:
        return list(self._client.get_submission(session).bonus_payments)


def _maximum_minutes(minutes: int) -> int:
    return limits.maximum_minutes(minutes, factor=settings.PROLIFIC_TIME_FACTOR)


def _listed(row: values.ListedStudy) -> ListedStudy:
    return ListedStudy(
        external_id=row.id,
        token=row.internal_name,
        state=STUDY_STATES.get(row.status, UNKNOWN),
        places=row.places,
        places_taken=row.places_taken,
        provider_state=row.status,
    )


def _session(row: values.ListedSubmission, study: str) -> ListedSession:
    return ListedSession(
        external_id=row.id,
        study=study,
        worker=row.participant,
        state=SESSION_STATES.get(row.status, UNKNOWN),
        provider_state=row.status,
        started_at=row.started_at,
        completed_at=row.completed_at,
        code=row.code or "",
    )


@cache
def connect() -> Prolific:
    """Return a provider for the account of the settings. Without a token, calls are refused."""
    client = ProlificClient(
        token=settings.PROLIFIC_TOKEN,
        url=settings.PROLIFIC_URL,
        requests_per_second=settings.PROLIFIC_REQUESTS_PER_SECOND,
    )
    return Prolific(
        client, workspace=settings.PROLIFIC_WORKSPACE, project=settings.PROLIFIC_PROJECT
    )
