"""A client for marketplaces with the MTurk Requester API (botocore's `mturk/2017-01-17`)."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from xml.sax.saxutils import escape

import boto3
import botocore.session
import requests
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, ParamValidationError
from defusedxml import ElementTree
from django.conf import settings

from crowd.providers import limits
from crowd.providers.base import (
    AnnouncedBonus,
    Bonus,
    Capabilities,
    ConfirmedAssignment,
    HitTypeTerms,
    ListedHit,
    ListedMessage,
    ListedRequest,
    NotificationFailed,
    OutcomeUnknownError,
    ProviderEvent,
    ProviderRefusedError,
)
from crowd.providers.mturk.eligibility import qualification_requirement
from crowd.providers.mturk.fees import MANY_ASSIGNMENTS, fee_cents
from crowd.providers.mturk.webhooks import EVENT_TYPES, read_notification
from crowd.providers.rate import RateLimit

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

T = TypeVar("T")

QUESTION = (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/'
    'AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd">'
    "<ExternalURL>{url}</ExternalURL><FrameHeight>0</FrameHeight></ExternalQuestion>"
)
ANSWERS = (
    "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/"
    "2005-10-01/QuestionFormAnswers.xsd}"
)
PAGE = 100
TIMEOUT_SECONDS = 3.0
SERVER_ERROR = 500
WEBHOOK = "webhook"
ID_IN_MESSAGE = re.compile(r"\b(?:HIT|hit)\s*(?:id)?\W*([A-Z0-9]{20,64})\b", re.IGNORECASE)
# Refusals that may end, for example once the account has funds.
RETRYABLE = {"insufficientfunds"}


def dollars(cents: int) -> str:
    """Return an amount in the format of the API, such as "0.05"."""
    return f"{cents // 100}.{cents % 100:02}"


def cents(amount: str) -> int:
    """Parse an amount in dollars with up to two decimals."""
    whole, _, fraction = amount.partition(".")
    return int(whole or 0) * 100 + int((fraction + "00")[:2])


class MTurk:
    """See `crowd.providers.base.HitProvider`."""

    capabilities: ClassVar[Capabilities] = Capabilities(
        assignments_without_surcharge=MANY_ASSIGNMENTS - 1
    )

    def __init__(
        self,
        client: "MTurkClient",
        *,
        requests_per_second: float,
        quick_client: "MTurkClient | None" = None,
    ) -> None:
        """`quick_client` does not repeat calls, and makes those that a worker waits for."""
        self._client = client
        self._quick_client = quick_client or client
        self._rate = RateLimit(requests_per_second)

    @property
    def is_configured(self) -> bool:
        return True  # boto3 finds the credentials itself

    @property
    def is_builtin(self) -> bool:
        return bool(settings.MTURK_IS_OURS)

    @property
    def sends_events(self) -> bool:
        return bool(settings.MTURK_NOTIFICATIONS == WEBHOOK)

    @property
    def signs_pages(self) -> bool:
        return self.is_builtin

    def fee_cents(self, amount_cents: int, *, max_assignments: int = 1) -> int:
        return fee_cents(amount_cents, max_assignments=max_assignments)

    def unreachable(self) -> str:
        try:
            response = requests.get(
                settings.MTURK_ENDPOINT_URL,
                headers=_proxy_headers(),
                timeout=TIMEOUT_SECONDS,
                allow_redirects=False,
            )
        except requests.Timeout:
            return f"no answer within {TIMEOUT_SECONDS:g} seconds"
        except requests.RequestException:
            return "can't be reached"
        return f"answers {response.status_code}" if response.status_code >= SERVER_ERROR else ""

    def read_event(
        self, *, body: bytes, headers: Mapping[str, str], now: datetime
    ) -> ProviderEvent:
        return read_notification(body, headers)

    def create_hit_type(self, terms: HitTypeTerms) -> str:
        limits.check_hit_type(**asdict(terms))
        answer = self._call(
            self._client.create_hit_type,
            Title=terms.title,
            Description=terms.description,
            Keywords=terms.keywords,
            Reward=dollars(terms.reward_cents),
            AssignmentDurationInSeconds=terms.assignment_seconds,
            AutoApprovalDelayInSeconds=terms.auto_approval_seconds,
            QualificationRequirements=[
                qualification_requirement(requirement) for requirement in terms.requirements
            ],
        )
        return answer["HITTypeId"]

    def create_hit(
        self, *, token: str, hit_type: str, url: str, max_assignments: int, lifetime_seconds: int
    ) -> str:
        question = question_of(url)
        limits.check_bytes("question", question, most=limits.QUESTION_BYTES)
        limits.check_bytes("annotation", token, most=limits.ANNOTATION_BYTES)
        limits.check_text("token", token, longest=limits.TOKEN)
        limits.check_range("lifetime", lifetime_seconds, limits.DURATION_SECONDS, unit="seconds")
        try:
            answer = self._call(
                self._client.create_hit_with_hit_type,
                HITTypeId=hit_type,
                MaxAssignments=max_assignments,
                LifetimeInSeconds=lifetime_seconds,
                Question=question,
                RequesterAnnotation=token,
                UniqueRequestToken=token,
            )
        except ProviderRefusedError as refused:
            if refused.code != "hitalreadyexists":
                raise
            return self._existing_hit(token, refused.message)
        return answer["HIT"]["HITId"]

    def _existing_hit(self, token: str, message: str) -> str:
        if match := ID_IN_MESSAGE.search(message):
            return match.group(1)
        if external_id := self.find_hit(token):
            return external_id
        # The list lags behind writes.
        raise OutcomeUnknownError(f"HIT {token} exists but is not listed yet.")

    def find_hit(self, token: str) -> str | None:
        hits = self._rows("HITs", self._client.list_hits)
        return next((hit["HITId"] for hit in hits if hit.get("RequesterAnnotation") == token), None)

    def list_hits(self) -> Iterator[ListedHit]:
        return map(_listed_hit, self._rows("HITs", self._client.list_hits))

    def is_in_progress(self, hit: str) -> bool:
        answer = self._call(self._quick_client.get_hit, HITId=hit)
        return answer["HIT"]["NumberOfAssignmentsPending"] > 0

    def move_end(self, hit: str, ends_at: datetime) -> None:
        self._call(self._client.update_expiration_for_hit, HITId=hit, ExpireAt=ends_at)

    def size_of(self, hit: str) -> int:
        return int(self._call(self._client.get_hit, HITId=hit)["HIT"]["MaxAssignments"])

    def add_assignments(self, hit: str, *, number: int, token: str) -> None:
        limits.check_text("token", token, longest=limits.TOKEN)
        self._call(
            self._client.create_additional_assignments_for_hit,
            HITId=hit,
            NumberOfAdditionalAssignments=number,
            UniqueRequestToken=token,
        )

    def watch(self, hit_type: str, *, destination: str) -> None:
        self._call(
            self._client.update_notification_settings,
            HITTypeId=hit_type,
            Active=True,
            Notification={
                "Destination": destination,
                "Transport": "SNS",
                "Version": "2006-05-05",
                "EventTypes": list(EVENT_TYPES),
            },
        )

    def list_assignments(self, hit: str) -> Iterator[ConfirmedAssignment]:
        for row in self._rows("Assignments", self._client.list_assignments_for_hit, HITId=hit):
            yield ConfirmedAssignment(
                external_id=row["AssignmentId"],
                worker=row["WorkerId"],
                state=row["AssignmentStatus"].lower(),
                accepted_at=row["AcceptTime"],
                submitted_at=row["SubmitTime"],
                answer=parse_answer(row.get("Answer", "")),
            )

    def state_of(self, assignment: str) -> str:
        answer = self._call(self._client.get_assignment, AssignmentId=assignment)
        return str(answer["Assignment"]["AssignmentStatus"]).lower()

    def approve(self, assignment: str, *, override: bool = False) -> None:
        self._decide(
            self._client.approve_assignment, assignment, "approved", OverrideRejection=override
        )

    def reject(self, assignment: str, *, reason: str) -> None:
        limits.check_text("reason", reason, longest=limits.FEEDBACK)
        self._decide(
            self._client.reject_assignment, assignment, "rejected", RequesterFeedback=reason
        )

    def _decide(
        self, method: Callable[..., Any], assignment: str, state: str, **parameters: Any
    ) -> None:
        """Send a decision. Ignore a refusal if the assignment already has that state."""
        try:
            self._call(method, AssignmentId=assignment, **parameters)
        except ProviderRefusedError:
            if self.state_of(assignment) != state:
                raise

    def send_bonus(self, bonus: Bonus) -> None:
        limits.check_worker(bonus.worker)
        limits.check_cents("bonus", bonus.amount_cents)
        limits.check_text("token", bonus.token, longest=limits.TOKEN)
        try:
            self._call(
                self._client.send_bonus,
                WorkerId=bonus.worker,
                AssignmentId=bonus.assignment,
                BonusAmount=dollars(bonus.amount_cents),
                Reason=bonus.reason,
                UniqueRequestToken=bonus.token,
            )
        except ProviderRefusedError as refused:
            # A used token is an error. If the code is inconclusive, look for the payment.
            if refused.code != "duplicaterequest" and not self.find_bonus(bonus):
                raise

    def find_bonus(self, bonus: Bonus) -> bool:
        list_payments = self._client.list_bonus_payments
        return any(
            payment["WorkerId"] == bonus.worker
            and cents(payment["BonusAmount"]) == bonus.amount_cents
            and payment["Reason"] == bonus.reason
            for payment in self._rows("BonusPayments", list_payments, AssignmentId=bonus.assignment)
        )

    def announce_bonus(self, bonus: AnnouncedBonus) -> None:
        if not self.is_builtin:
            return
        client: Any = self._client  # the types lack our extension
        self._call(
            client.update_bonus_status,
            WorkerId=bonus.worker,
            AssignmentId=bonus.assignment,
            BonusAmount=dollars(bonus.amount_cents),
            Status=bonus.status.capitalize(),
            Reason=bonus.text,
            AppealURL=bonus.appeal_url,
        )

    def balance_cents(self) -> int:
        return cents(self._call(self._client.get_account_balance)["AvailableBalance"])

    def create_qualification_type(
        self, *, name: str, description: str, is_requestable: bool = True
    ) -> str:
        limits.check_text("name", name, longest=limits.QUALIFICATION_NAME)
        limits.check_text("description", description, longest=limits.DESCRIPTION)
        if existing := self._find_qualification_type(name):
            return existing
        # Amazon has no such parameter, and offers all active types.
        only_ours: Any = {"IsRequestable": is_requestable} if self.is_builtin else {}
        try:
            answer = self._call(
                self._client.create_qualification_type,
                Name=name,
                Description=description,
                QualificationTypeStatus="Active",
                **only_ours,
            )
        except ProviderRefusedError as refused:
            # Another process has created it since.
            if refused.code != "qualificationtypealreadyexists":
                raise
            if existing := self._find_qualification_type(name):
                return existing
            # The list lags behind writes.
            unlisted = f"The qualification “{name}” exists but is not listed yet."
            raise OutcomeUnknownError(unlisted) from refused
        return str(answer["QualificationType"]["QualificationTypeId"])

    def _find_qualification_type(self, name: str) -> str | None:
        types = self._rows(
            "QualificationTypes",
            self._client.list_qualification_types,
            Query=name,
            MustBeRequestable=False,
            MustBeOwnedByCaller=True,
        )
        return next((kind["QualificationTypeId"] for kind in types if kind["Name"] == name), None)

    def grant(self, *, qualification: str, worker: str, value: int) -> None:
        limits.check_worker(worker)
        self._call(
            self._client.associate_qualification_with_worker,
            QualificationTypeId=qualification,
            WorkerId=worker,
            IntegerValue=value,
            SendNotification=False,
        )

    def revoke(self, *, qualification: str, worker: str, reason: str) -> None:
        self._call(
            self._client.disassociate_qualification_from_worker,
            QualificationTypeId=qualification,
            WorkerId=worker,
            **({"Reason": reason} if reason else {}),
        )

    def list_grants(self, qualification: str) -> dict[str, int]:
        grants = self._rows(
            "Qualifications",
            self._client.list_workers_with_qualification_type,
            QualificationTypeId=qualification,
            Status="Granted",
        )
        return {grant["WorkerId"]: grant.get("IntegerValue", 1) for grant in grants}

    def check_worker_id(self, worker: str) -> None:
        limits.check_worker(worker)

    def has_worker(self, worker: str, *, qualification: str) -> bool | None:
        try:
            if self.is_builtin:
                # Unlike MTurk's own operations, this one tells unknown workers from others.
                self._call(self._list_messages, WorkerId=worker, MaxResults=1)
                return True
            self._call(
                self._client.get_qualification_score,
                QualificationTypeId=qualification,
                WorkerId=worker,
            )
        except ProviderRefusedError as refused:
            # MTurk gives the same answer for an unknown worker and one without the qualification.
            return False if refused.code == "workerdoesnotexist" else None
        return True

    def list_requests(self) -> Iterator[ListedRequest]:
        rows = self._rows("QualificationRequests", self._client.list_qualification_requests)
        for row in rows:
            yield ListedRequest(
                external_id=row["QualificationRequestId"],
                qualification=row["QualificationTypeId"],
                worker=row["WorkerId"],
                answer=row.get("Answer", ""),
                requested_at=row["SubmitTime"],
            )

    def accept_request(self, request: str, *, value: int) -> None:
        self._call(
            self._client.accept_qualification_request,
            QualificationRequestId=request,
            IntegerValue=value,
        )

    def refuse_request(self, request: str, *, reason: str) -> None:
        limits.check_text("reason", reason, longest=limits.FEEDBACK)
        self._call(
            self._client.reject_qualification_request,
            QualificationRequestId=request,
            Reason=reason,
        )

    def notify(
        self, *, subject: str, text: str, workers: Sequence[str], posting: str = ""
    ) -> list[NotificationFailed]:
        limits.check_text("subject", subject, longest=limits.SUBJECT)
        limits.check_text("text", text, longest=limits.MESSAGE)
        answer = self._call(
            self._client.notify_workers,
            Subject=subject,
            MessageText=text,
            WorkerIds=list(workers),
        )
        return [
            NotificationFailed(
                worker=failure["WorkerId"],
                hard=failure["NotifyWorkersFailureCode"] == "HardFailure",
                reason=failure.get("NotifyWorkersFailureMessage", ""),
            )
            for failure in answer["NotifyWorkersFailureStatuses"]
        ]

    @property
    def inbox_elsewhere(self) -> str:
        return "" if self.is_builtin else "the emails that Amazon sends to your requester account"

    @property
    def _list_messages(self) -> Any:
        return getattr(self._client, "list_worker_messages")  # noqa: B009 - not in the stubs

    def list_messages(self) -> Iterator[ListedMessage]:
        for row in self._rows("WorkerMessages", self._list_messages):
            yield ListedMessage(
                external_id=row["MessageId"],
                worker=row["WorkerId"],
                hit=row.get("HITId", ""),
                subject=row["Subject"],
                text=row["MessageText"],
                sent_at=row["SendTime"],
            )

    def block(self, worker: str, *, reason: str) -> None:
        self._call(self._client.create_worker_block, WorkerId=worker, Reason=reason)

    def unblock(self, worker: str, *, reason: str) -> None:
        self._call(self._client.delete_worker_block, WorkerId=worker, Reason=reason)

    def _rows(self, name: str, method: Callable[..., Any], **parameters: Any) -> Iterator[Any]:
        """Yield the members of the list `name` on all pages."""
        token: dict[str, str] = {}
        while True:
            page = self._call(method, MaxResults=PAGE, **token, **parameters)
            yield from page[name]
            # The last page has a token too. Our own marketplace fills every page before it.
            is_last = self.is_builtin and len(page[name]) < PAGE
            if is_last or not page[name] or not page.get("NextToken"):
                return
            token = {"NextToken": page["NextToken"]}

    def _call(self, method: Callable[..., T], **parameters: Any) -> T:
        self._rate.wait()
        try:
            return method(**parameters)
        except ClientError as error:
            raise _translate(error) from error
        except (ParamValidationError, NoCredentialsError) as error:
            raise ProviderRefusedError("not-sent", str(error)) from error
        except BotoCoreError as error:
            raise OutcomeUnknownError(str(error)) from error


def _translate(error: ClientError) -> Exception:
    """Return OutcomeUnknownError for throttling and faults, otherwise ProviderRefusedError."""
    response: Any = error.response
    kind = response["Error"]["Code"]
    message = response["Error"].get("Message", "")
    status = response["ResponseMetadata"]["HTTPStatusCode"]
    if kind == "ThrottlingException" or status >= 500:
        return OutcomeUnknownError(f"{kind}: {message}")
    code = response.get("TurkErrorCode", kind).rsplit(".", 1)[-1].lower()
    if code in RETRYABLE:
        return OutcomeUnknownError(f"{code}: {message}")
    return ProviderRefusedError(code, message)


def question_of(url: str) -> str:
    """Return the XML of an ExternalQuestion that shows this page."""
    return QUESTION.format(url=escape(url))


def _listed_hit(hit: Any) -> ListedHit:
    max_assignments = hit["MaxAssignments"]
    without_submission_to_decide = (
        hit["NumberOfAssignmentsAvailable"]
        + hit["NumberOfAssignmentsPending"]
        + hit["NumberOfAssignmentsCompleted"]
    )
    return ListedHit(
        external_id=hit["HITId"],
        annotation=hit.get("RequesterAnnotation", ""),
        hit_type_id_there=hit["HITTypeId"],
        title=hit["Title"],
        description=hit["Description"],
        keywords=hit.get("Keywords", ""),
        reward_cents=cents(hit["Reward"]),
        assignment_seconds=hit["AssignmentDurationInSeconds"],
        auto_approval_seconds=hit["AutoApprovalDelayInSeconds"],
        max_assignments=max_assignments,
        undecided_assignments=max(0, max_assignments - without_submission_to_decide),
        created_at=hit["CreationTime"],
        expires_at=hit["Expiration"],
    )


def parse_answer(xml: str) -> dict[str, str]:
    """Return the texts of a QuestionFormAnswers document, by form field."""
    if not xml:
        return {}
    root = ElementTree.fromstring(xml)
    return {
        answer.findtext(f"{ANSWERS}QuestionIdentifier", ""): answer.findtext(
            f"{ANSWERS}FreeText", ""
        )
        for answer in root.iter(f"{ANSWERS}Answer")
    }


def new_client(**options: Any) -> "MTurkClient":
    """Return a boto3 client that also has the operations of our own marketplace."""
    session = botocore.session.get_session()
    loader = session.get_component("data_loader")
    loader.search_paths.append(str(settings.MTURK_API_EXTRAS))
    client: MTurkClient = boto3.Session(botocore_session=session).client("mturk", **options)
    return client


@cache
def connect() -> MTurk:
    """Return a client. Without configured credentials, boto3 searches its default locations."""
    # Repeats are safe, because every call that creates or pays carries a token.
    patient = {"connect_timeout": 5, "read_timeout": 30, "attempts": 4}
    quick = {"connect_timeout": 2, "read_timeout": 3, "attempts": 1}
    return MTurk(
        _configured_client(**patient),
        quick_client=_configured_client(**quick),
        requests_per_second=settings.MTURK_REQUESTS_PER_SECOND,
    )


def _configured_client(*, connect_timeout: int, read_timeout: int, attempts: int) -> "MTurkClient":
    client = new_client(
        region_name=settings.MTURK_REGION,
        endpoint_url=settings.MTURK_ENDPOINT_URL,
        aws_access_key_id=settings.MTURK_ACCESS_KEY_ID or None,
        aws_secret_access_key=settings.MTURK_SECRET_ACCESS_KEY or None,
        config=Config(
            retries={"mode": "standard", "total_max_attempts": attempts},
            connect_timeout=connect_timeout,
            read_timeout=read_timeout,
            tcp_keepalive=True,
        ),
    )
    client.meta.events.register("before-sign.mturk", _add_proxy_headers)
    return client


def _add_proxy_headers(request: Any, **_: Any) -> None:
    for name, value in _proxy_headers().items():
        request.headers[name] = value


def _proxy_headers() -> dict[str, str]:
    """Return what the proxy would add to a call. Without it, an https site redirects plain http."""
    is_inside = settings.MTURK_IS_OURS and settings.MARKETPLACE_INTERNAL_URL
    return {"X-Forwarded-Proto": "https"} if is_inside and settings.SITE_IS_SECURE else {}
