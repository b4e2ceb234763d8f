"""Variables of crowd providers and of the built-in marketplace."""

from decimal import Decimal
from typing import Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import model_validator

from config.environment.section import Section, variable
from config.environment.site import Site, host_of, is_secure
from config.environment.values import (
    CalledHosts,
    CompletionUrl,
    FernetKeys,
    MTurkUrl,
    OptionalOrigin,
    Origin,
    Origins,
    ProlificId,
    ProlificUrl,
    Region,
    Secret,
    Token,
)
from config.hosts import share_cookies


def _demo_content_url(data: dict[str, Any]) -> str:
    """Return the origin of requesters' pages in a demo, which also listens on the next port.

    It has another name of the machine, because cookies don't distinguish ports.
    """
    address = urlsplit(data["MARKETPLACE_URL"])
    if data["DEMO"] and data["MARKETPLACE_ENABLED"] and address.hostname == "127.0.0.1":
        return f"http://localhost:{(address.port or 80) + 1}"
    return ""


def _check_pair(service: str, key_id: str, secret: str) -> None:
    if bool(key_id) != bool(secret):
        raise ValueError(
            f"{service}_ACCESS_KEY_ID and {service}_SECRET_ACCESS_KEY must be set together. Set both or "
            "neither."
        )


class Marketplace(Site):
    MARKETPLACE_ENABLED: bool = variable("Serve `/mturk/` and `/hits/`", default=True)
    MARKETPLACE_URL: Origin = variable(
        "Origin of the workers' site", default=lambda data: data["SITE_URL"], shown="`SITE_URL`"
    )
    MARKETPLACE_INTERNAL_URL: OptionalOrigin = variable(
        "Origin at which the site's own processes reach its marketplace, such as "
        "`http://web:8000`. Without it they use `SITE_URL`, which then must be reachable from "
        "the inside, with a certificate that they trust",
        default="",
    )
    MARKETPLACE_CONTENT_URL: OptionalOrigin = variable(
        "Origin of the pages of `HTMLQuestion`, under another domain than the site's, that "
        "leads to the same server. With the site at `https://touchstone.example`, "
        "`https://touchstone-content.example` is right and "
        "`https://content.touchstone.example` is refused. Without it, `HTMLQuestion` is "
        "refused",
        default=_demo_content_url,
        shown="none; in the demo, `localhost` with the next port",
    )
    MARKETPLACE_FEE_RATE: Decimal = variable(
        "Fee on rewards and bonuses", default="0.20", low=0, high=1
    )
    MARKETPLACE_FEE_RATE_MANY: Decimal = variable(
        "Fee on the reward of HITs with 10 or more assignments", default="0.40", low=0, high=1
    )
    MARKETPLACE_OPENING_BALANCE: Decimal = variable(
        "Balance in dollars of new requesters, unless one is given",
        default="100000.00",
        low=0,
        high=100_000_000,
    )
    MARKETPLACE_ALLOW_HTTP: bool = variable(
        "Allow task pages and webhooks over `http`",
        default=lambda data: not is_secure(data["MARKETPLACE_URL"]),
        shown="`true` if `MARKETPLACE_URL` is `http`",
    )
    MARKETPLACE_REQUESTS_PER_SECOND: float = variable(
        "Requests per access key before throttling. 0 is no limit. Shared between processes "
        "with Redis only",
        default=0,
        low=0,
        high=100_000,
    )
    MARKETPLACE_WEBHOOK_HOSTS: CalledHosts = variable(
        "Hosts that may receive notifications, besides the site's own: `hooks.example` for "
        "the ports 80 and 443, `hooks.example:8443` for another",
        default="",
    )
    MARKETPLACE_SQS_ENDPOINT_URL: OptionalOrigin = variable(
        "Origin of the SQS service that receives notifications, such as "
        "`https://sqs.us-east-1.amazonaws.com`. Without it, Transport `SQS` is refused",
        default="",
    )
    MARKETPLACE_SNS_ENDPOINT_URL: OptionalOrigin = variable(
        "The same for SNS topics. Webhooks don't need it", default=""
    )
    MARKETPLACE_AWS_REGION: Region = variable("Region of both services", default="us-east-1")
    MARKETPLACE_AWS_ACCESS_KEY_ID: Secret = variable(
        "Access key for both services. It needs `sqs:SendMessage` and `sns:Publish` only",
        default="",
        shown="boto3's own lookup",
    )
    MARKETPLACE_AWS_SECRET_ACCESS_KEY: Secret = variable(
        "Secret of that key", default="", shown="boto3's own lookup"
    )
    MARKETPLACE_ENCRYPTION_KEYS: FernetKeys = variable(
        "Fernet keys for the secrets of access keys. The first encrypts, all decrypt",
        default="",
        shown="derived from `SECRET_KEY`",
    )
    MARKETPLACE_FAULTS: str = variable(
        "Injected faults ([below](#faults)). Never use in production", default=""
    )

    @model_validator(mode="after")
    def _check_domain_of_content(self) -> Self:
        url = self.MARKETPLACE_CONTENT_URL
        hosts = [host_of(origin) for origin in (self.SITE_URL, self.MARKETPLACE_URL)]
        if url and any(share_cookies(host_of(url), host) for host in hosts):
            raise ValueError(
                f"MARKETPLACE_CONTENT_URL is {url!r}; it must be under another domain than SITE_URL and "
                "MARKETPLACE_URL, such as touchstone-content.example for touchstone.example, because a "
                "page can set cookies for all hosts of its domain."
            )
        return self

    @model_validator(mode="after")
    def _check_key_of_services(self) -> Self:
        _check_pair(
            "MARKETPLACE_AWS",
            self.MARKETPLACE_AWS_ACCESS_KEY_ID,
            self.MARKETPLACE_AWS_SECRET_ACCESS_KEY,
        )
        return self


class Requester(Section):
    MTURK_ENDPOINT_URL: MTurkUrl | None = variable(
        "Requester API to publish to", default=None, shown="`/mturk/` of the built-in marketplace"
    )
    MTURK_WORKER_ORIGINS: Origins = variable(
        "Origins that may frame worker pages and receive finished work",
        default=lambda data: [data["SITE_URL"]],
        shown="`SITE_URL`",
    )
    MTURK_ACCESS_KEY_ID: Secret = variable(
        "Access key for another endpoint. The site's own marketplace uses a key derived from "
        "`SECRET_KEY`",
        default="",
        shown="boto3's own lookup",
    )
    MTURK_SECRET_ACCESS_KEY: Secret = variable(
        "Secret of the access key", default="", shown="boto3's own lookup"
    )
    MTURK_REGION: Region = variable("Region in request signatures", default="us-east-1")
    MTURK_REQUESTS_PER_SECOND: float = variable(
        "Rate limit of calls. 0 is no limit",
        default=lambda data: 10 if data["MTURK_ENDPOINT_URL"] else 0,
        shown="0 for the own marketplace, else 10",
        low=0,
        high=10000,
    )
    MTURK_NOTIFICATIONS: Literal["", "webhook"] = variable(
        "`webhook` requests events for each HIT type. Empty polls", default="", shown="empty"
    )
    MTURK_FEE_RATE: Decimal = variable(
        "Fee on rewards and bonuses, for reservations", default="0.20", low=0, high=1
    )
    MTURK_FEE_RATE_MANY: Decimal = variable(
        "Fee on the reward of HITs with 10 or more assignments", default="0.40", low=0, high=1
    )

    @model_validator(mode="after")
    def _check_key_of_endpoint(self) -> Self:
        # The site's own marketplace has a key of its own.
        if self.MTURK_ENDPOINT_URL:
            _check_pair("MTURK", self.MTURK_ACCESS_KEY_ID, self.MTURK_SECRET_ACCESS_KEY)
        return self


class Prolific(Section):
    PROLIFIC_TOKEN: Token = variable("API token of the Prolific account", default="")
    PROLIFIC_WORKSPACE: ProlificId = variable(
        "Id of the workspace, which must use US dollars", default="", shown="the first one"
    )
    PROLIFIC_PROJECT: ProlificId = variable(
        "Id of the project in which studies are created", default="", shown="the first one"
    )
    PROLIFIC_URL: ProlificUrl = variable("API to call", default="https://api.prolific.com")
    PROLIFIC_COMPLETION_URL: CompletionUrl = variable(
        "Where workers are sent at the end of a session",
        default="https://app.prolific.com/submissions/complete",
    )
    PROLIFIC_WEBHOOKS: bool = variable(
        "Subscribe to events. Without them, sessions are polled",
        default=lambda data: is_secure(data["SITE_URL"]),
        shown="`true` if `SITE_URL` is `https`",
    )
    PROLIFIC_REQUESTS_PER_SECOND: float = variable(
        "Rate limit of calls. 0 is no limit", default=5, low=0, high=1000
    )
    STUDY_WAIT_MINUTES: float = variable(
        "How long consolidations and other work that is published one by one wait until they "
        "fill a session",
        default=15,
        low=0,
        high=1440,
    )
    PROLIFIC_TIME_FACTOR: float = variable(
        "The longest time of a session, as a multiple of its estimated time (at least 20 minutes)",
        default=4,
        low=2,
        high=100,
    )
    SESSION_MIN_SHARE: float = variable(
        "The share of a session's tasks with which it is completed. Shorter sessions are "
        "returned, and their work is paid by bonus",
        default=0.5,
        low=0,
        high=1,
    )
    SESSIONS_PER_WORKER: int = variable(
        "The number of sessions that a worker may do in a project. 0 is no limit",
        default=0,
        low=0,
        high=10000,
    )
    PROLIFIC_FEE_RATE: Decimal = variable(
        "Fee on rewards and bonuses, until the API returns the account's own",
        default="0.428",
        low=0,
        high=1,
    )
    PROLIFIC_VAT_RATE: Decimal = variable(
        "Tax on the fee, until the API returns the account's own", default="0.20", low=0, high=1
    )
