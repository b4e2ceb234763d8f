"""A client for the Prolific API, with one method per endpoint.

A method that returns has taken effect. It raises ProviderRefusedError after a final refusal, and
OutcomeUnknownError if it may or may not have taken effect. Methods documented as safe to repeat are
retried automatically, as are methods that only read. Paying bonuses is never repeated.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from crowd.providers.prolific.transport import (
    ATTEMPTS,
    TIMEOUTS,
    NotFoundError,
    Transport,
    checked_id,
    json_of,
    path_of,
    read,
)
from crowd.providers.prolific.values import (
    Balance,
    BulkBonus,
    FilterKind,
    FilterSet,
    Group,
    HourlyRates,
    ListedStudy,
    ListedSubmission,
    NewSubscription,
    Project,
    Researcher,
    Study,
    StudyCost,
    StudyTerms,
    Submission,
    Subscription,
    Workspace,
    first_result,
    listed_study,
    minor_units,
    parse_cost,
    parse_filter_set,
    parse_hourly_rates,
    parse_listed_submission,
    parse_study,
    parse_submission,
    parse_subscription,
    subscription_fields,
)

T = TypeVar("T")

PRODUCTION = "https://api.prolific.com"
MAX_BONUSES = 200
# The statuses of submissions that hold a place.
PLACE_HELD = (
    "RESERVED",
    "ACTIVE",
    "PROCESSING",
    "AWAITING REVIEW",
    "APPROVED",
    "PARTIALLY APPROVED",
)


class ProlificClient:
    """Identifiers are Prolific's. `url` has no path."""

    def __init__(
        self,
        *,
        token: str,
        url: str = PRODUCTION,
        requests_per_second: float = 0,
        attempts: int = ATTEMPTS,
        timeouts: tuple[float, float] = TIMEOUTS,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.has_token = bool(token)
        self._transport = Transport(
            token=token,
            url=url,
            requests_per_second=requests_per_second,
            attempts=attempts,
            timeouts=timeouts,
            sleep=sleep,
        )

    # Account

    def get_researcher(self) -> Researcher:
        return self._get(
            "/users/me/",
            lambda row: Researcher(str(row["id"]), str(row.get("name", "")), str(row["email"])),
        )

    def list_workspaces(self) -> Iterator[Workspace]:
        return self._list(
            "/workspaces/",
            lambda row: Workspace(str(row["id"]), str(row["title"])),
            by_offset=True,
        )

    def list_projects(self, workspace: str) -> Iterator[Project]:
        path = path_of("/workspaces/{}/projects/", workspace)
        return self._list(path, _project, by_offset=True)

    def create_project(self, workspace: str, *, title: str) -> Project:
        return self._post(
            path_of("/workspaces/{}/projects/", workspace), {"title": title}, _project
        )

    def get_balance(self, workspace: str) -> Balance:
        return self._get(
            path_of("/workspaces/{}/balance/", workspace),
            lambda row: Balance(
                currency=str(row["currency_code"]),
                total=minor_units(row["total_balance"]),
                available=minor_units(row["available_balance"]),
            ),
        )

    def get_hourly_rates(self, workspace: str, *, currency: str) -> HourlyRates:
        query = {"workspace_id": workspace, "currency": currency}
        return self._get("/reward-recommendations/", parse_hourly_rates, query)

    def read(self, path: str, query: dict[str, str] | None = None) -> Any:
        """Return the answer to any request that only reads, as it is."""
        return self._transport.get(path, query)

    # Studies

    def create_study(self, terms: StudyTerms) -> Study:
        """Create a draft, which costs nothing."""
        return self._post("/studies/", terms.as_json(), parse_study)

    def get_study(self, study: str) -> Study:
        """Return a study. The documentation promises its taken places in lists only."""
        path = path_of("/studies/{}/", study)
        row = self._transport.get(path)
        if isinstance(row, dict) and "places_taken" not in row:
            row["places_taken"] = self._count_places(study)
        return read(path, parse_study, row)

    def _count_places(self, study: str) -> int:
        """Return the number of submissions that hold a place of the study."""
        return self._get(
            path_of("/studies/{}/submissions/counts/", study),
            lambda counts: sum(int(counts.get(status) or 0) for status in PLACE_HELD),
        )

    def list_studies(self, project: str) -> Iterator[ListedStudy]:
        """Yield the project's studies, the latest first."""
        return self._list(
            path_of("/projects/{}/studies/", project),
            lambda row: ListedStudy(**listed_study(row)),
            {"ordering": "-date_created"},
        )

    def change_study(
        self,
        study: str,
        *,
        places: int | None = None,
        internal_name: str | None = None,
        submissions_per_participant: int | None = None,
    ) -> Study:
        """Change what may change after publication. `places` is the new total. Safe to repeat."""
        changes: dict[str, Any] = {"total_available_places": places, "internal_name": internal_name}
        if submissions_per_participant is not None:
            config = {"max_submissions_per_participant": submissions_per_participant}
            changes["submissions_config"] = config
        body = {name: value for name, value in changes.items() if value is not None}
        path = path_of("/studies/{}/", study)
        answer = self._transport.call("PATCH", path, body, repeatable=True)
        return read(path, parse_study, json_of(answer, path))

    def delete_study(self, study: str) -> None:
        """Delete a draft. A draft that does not exist counts as deleted. Safe to repeat."""
        try:
            self._transport.call("DELETE", path_of("/studies/{}/", study), repeatable=True)
        except NotFoundError:
            return

    def transition_study(self, study: str, action: str) -> str:
        """Apply PUBLISH, PAUSE, START or STOP, and return the new status."""
        path = path_of("/studies/{}/transition/", study)
        return self._post(path, {"action": action}, lambda row: str(row["status"]))

    def get_study_cost(self, study: str, *, projected: bool = False) -> StudyCost:
        """Return what a study has cost, or the cost of all its places if `projected`."""
        return self._get(
            path_of("/studies/{}/cost/", study),
            lambda row: StudyCost(parse_cost(row["rewards"]), parse_cost(row["bonuses"])),
            {"is_projected": "true"} if projected else None,
        )

    def calculate_cost(self, *, reward: int, places: int) -> int:
        """Return the cost of a study with fees and VAT, before it exists. Safe to repeat."""
        body = {"reward": reward, "total_available_places": places}
        return self._post(
            "/study-cost-calculator/",
            body,
            lambda row: minor_units(row["total_cost"]),
            repeatable=True,
        )

    def list_filters(self) -> Iterator[FilterKind]:
        return self._list("/filters/", _filter_kind)

    def get_filter_set(self, filter_set: str) -> FilterSet:
        return self._get(path_of("/filter-sets/{}/", filter_set), parse_filter_set)

    # Submissions

    def list_submissions(self, study: str) -> Iterator[ListedSubmission]:
        return self._list("/submissions/", parse_listed_submission, {"study": study})

    def get_submission(self, submission: str) -> Submission:
        return self._get(path_of("/submissions/{}/", submission), parse_submission)

    def approve(self, submission: str) -> None:
        """Approve a submission that awaits review. Safe to repeat."""
        self.transition_submission(submission, "APPROVE")

    def reject(self, submission: str, *, message: str, category: str) -> None:
        """Reject a submission. The message needs 100 characters. Safe to repeat."""
        fields = {"message": message, "rejection_category": category}
        self.transition_submission(submission, "REJECT", fields)

    def complete(self, submission: str, *, code: str) -> None:
        """Complete a submission by a code whose actor is the researcher. Safe to repeat."""
        self.transition_submission(submission, "COMPLETE", {"completion_code": code})

    def transition_submission(
        self, submission: str, action: str, fields: dict[str, Any] | None = None
    ) -> None:
        """Apply a transition. Safe to repeat."""
        path = path_of("/submissions/{}/transition/", submission)
        body = {"action": action, **(fields or {})}
        self._transport.call("POST", path, body, repeatable=True)

    def request_return(self, submission: str, *, reasons: Sequence[str]) -> None:
        """Ask the participant to return the submission."""
        path = path_of("/submissions/{}/request-return/", submission)
        self._transport.call("POST", path, {"request_return_reasons": list(reasons)})

    # Bonuses

    def set_up_bonuses(self, study: str, bonuses: Sequence[tuple[str, int]]) -> BulkBonus:
        """Set up at most 200 bonuses of (submission or participant, amount) without paying them.

        Safe to repeat: a set-up that is not paid has no effect.
        """
        if not 0 < len(bonuses) <= MAX_BONUSES:
            raise ValueError(f"Set up 1 to {MAX_BONUSES} bonuses at once.")
        body = {"study_id": study, "csv_bonuses": "\n".join(map(_bonus_line, bonuses))}
        return self._post(
            "/submissions/bonus-payments/",
            body,
            lambda row: BulkBonus(
                id=str(row["id"]),
                amount=minor_units(row["amount"]),
                fees=minor_units(row["fees"]),
                vat=minor_units(row["vat"]),
                total=minor_units(row["total_amount"]),
            ),
            repeatable=True,
        )

    def pay_bonuses(self, bulk_bonus: str) -> None:
        """Pay bonuses, which arrive minutes later. A repeat pays again."""
        self._transport.call("POST", path_of("/bulk-bonus-payments/{}/pay/", bulk_bonus))

    # Participants

    def create_group(self, workspace: str, *, name: str) -> Group:
        body = {"workspace_id": workspace, "name": name}
        return self._post("/participant-groups/", body, _group)

    def list_groups(self, workspace: str) -> Iterator[Group]:
        """Yield the workspace's groups that are not deleted."""
        query = {"workspace_id": workspace, "active": "true"}
        return self._list("/participant-groups/", _group, query, by_offset=True)

    def list_members(self, group: str) -> list[str]:
        return self._get(path_of("/participant-groups/{}/participants/", group), _members)

    def add_members(self, group: str, participants: Sequence[str]) -> None:
        """Add participants to a group. Safe to repeat."""
        self._change_members("POST", group, participants)

    def remove_members(self, group: str, participants: Sequence[str]) -> None:
        """Remove participants from a group. Safe to repeat."""
        self._change_members("DELETE", group, participants)

    def _change_members(self, method: str, group: str, participants: Sequence[str]) -> None:
        path = path_of("/participant-groups/{}/participants/", group)
        body = {"participant_ids": list(participants)}
        self._transport.call(method, path, body, repeatable=True)

    def send_message(self, participants: Sequence[str], *, text: str, study: str) -> None:
        """Send a message about a study. There is no result per participant."""
        body = {"ids": list(participants), "body": text, "study_id": study}
        self._transport.call("POST", "/messages/bulk/", body)

    # Webhooks

    def list_event_types(self) -> list[str]:
        return self._get(
            "/hooks/event-types/",
            lambda body: [str(row["event_type"]) for row in body["results"]],
        )

    def create_secret(self, workspace: str) -> str:
        """Create the workspace's secret for signatures, or replace it. Safe to repeat."""
        return self._post(
            "/hooks/secrets/",
            {"workspace_id": workspace},
            lambda row: str(row["value"]),
            repeatable=True,
        )

    def get_secret(self, workspace: str) -> str | None:
        """Return the workspace's secret for signatures, or None."""
        return self._get(
            "/hooks/secrets/",
            lambda body: next((str(row["value"]) for row in body["results"]), None),
            {"workspace_id": workspace},
        )

    def list_subscriptions(
        self, workspace: str, *, is_enabled: bool = True
    ) -> Iterator[Subscription]:
        """Yield the enabled subscriptions, or those that are not."""
        query = {"workspace_id": workspace, "is_enabled": str(is_enabled).lower()}
        return self._list("/hooks/subscriptions/", parse_subscription, query, by_offset=True)

    def create_subscription(
        self, workspace: str, *, event_type: str, target_url: str
    ) -> NewSubscription:
        """Subscribe to events. The subscription is disabled until it is confirmed."""
        path = "/hooks/subscriptions/"
        body = {"workspace_id": workspace, "event_type": event_type, "target_url": target_url}
        answer = self._transport.call("POST", path, body)
        return read(
            path,
            lambda row: NewSubscription(
                **subscription_fields(first_result(row)), handshake=answer.headers["X-Hook-Secret"]
            ),
            json_of(answer, path),
        )

    def confirm_subscription(self, subscription: str, *, handshake: str) -> None:
        self._transport.call(
            "POST", path_of("/hooks/subscriptions/{}/", subscription), {"secret": handshake}
        )

    def delete_subscription(self, subscription: str) -> None:
        """Delete a subscription. A missing one counts as deleted. Safe to repeat."""
        try:
            self._transport.call(
                "DELETE", path_of("/hooks/subscriptions/{}/", subscription), repeatable=True
            )
        except NotFoundError:
            return

    # Requests

    def _get(self, path: str, parse: Callable[[Any], T], query: dict[str, str] | None = None) -> T:
        return read(path, parse, self._transport.get(path, query))

    def _post(
        self,
        path: str,
        body: dict[str, Any],
        parse: Callable[[Any], T],
        *,
        repeatable: bool = False,
    ) -> T:
        answer = self._transport.call("POST", path, body, repeatable=repeatable)
        return read(path, parse, json_of(answer, path))

    def _list(
        self,
        path: str,
        parse: Callable[[Any], T],
        query: dict[str, str] | None = None,
        *,
        by_offset: bool = False,
    ) -> Iterator[T]:
        for row in self._transport.rows(path, query, by_offset=by_offset):
            yield read(path, parse, row)


def _project(row: Any) -> Project:
    return Project(str(row["id"]), str(row["title"]))


def _group(row: Any) -> Group:
    return Group(str(row["id"]), str(row["name"]))


def _members(body: Any) -> list[str]:
    return [str(row["participant_id"]) for row in body["results"]]


def _filter_kind(row: Any) -> FilterKind:
    choices = row.get("choices") or {}
    labels = {str(key): str(label) for key, label in choices.items()}
    return FilterKind(str(row["filter_id"]), str(row.get("title", "")), labels)


def _bonus_line(bonus: tuple[str, int]) -> str:
    recipient, amount = bonus
    if amount <= 0:
        raise ValueError("A bonus must be more than 0.")
    return f"{checked_id(recipient)},{amount // 100}.{amount % 100:02}"
