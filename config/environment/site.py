"""Variables of the site itself, its people and its API."""

from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import model_validator

from config.environment.section import Section, variable
from config.environment.values import (
    CalledHosts,
    CalledOrigin,
    Contact,
    DaysOfCopies,
    Folder,
    Hosts,
    LogLevel,
    MailServer,
    MetricsToken,
    Networks,
    Origin,
    PrivateFolder,
    Roles,
    Sender,
    SigningKey,
    SigningKeys,
    StorageUrl,
)
from touchstone.layout import data_folder

_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")


def is_secure(origin: str) -> bool:
    return origin.startswith("https://")


def host_of(origin: str) -> str:
    return str(urlsplit(origin).hostname)


class Site(Section):
    SITE_URL: Origin = variable(
        "Public origin of the site. `https` turns on secure cookies, HSTS and the redirect",
        default="http://127.0.0.1:8000",
    )
    ALLOWED_HOSTS: Hosts = variable(
        "Host names accepted in requests",
        default=lambda data: sorted({host_of(data["SITE_URL"]), "127.0.0.1", "localhost"}),
        shown="host of `SITE_URL`, `127.0.0.1`, `localhost`",
    )
    SECRET_KEY: SigningKey = variable(
        "Signs sessions and page tokens. At least 50 characters, and the same on every machine",
        default="",
        shown="generated, stored in `VAR_DIR`",
    )
    SECRET_KEY_FALLBACKS: SigningKeys = variable(
        "Earlier values of `SECRET_KEY` that remain valid. A pseudonymised worker is "
        "recognized only while the key of that time is listed",
        default="",
    )
    DRAFTS_PER_TASK_AND_ADDRESS: int = variable(
        "Unconfirmed drafts of a task that a network address may have "
        "([claims](../explanation/security.md#claims-of-worker-pages)). 0 is no limit",
        default=100,
        low=0,
        high=1_000_000,
    )
    DRAFTS_PER_ADDRESS: int = variable(
        "Unconfirmed drafts of all tasks, and unconfirmed consents, that a network address "
        "may have. 0 is no limit",
        default=300,
        low=0,
        high=1_000_000,
    )
    UNCONFIRMED_DRAFTS: int = variable(
        "Unconfirmed drafts in total, and as many unconfirmed consents. 0 is no limit",
        default=5000,
        low=0,
        high=1_000_000,
    )
    COPIES_DAYS: DaysOfCopies = variable(
        "Days after which drafts, copies of answers and records of how they were entered are "
        "deleted, once the submission is recorded ([what grows](limits.md#what-grows)). At least "
        "45, or 0 to keep them",
        default=60,
        low=0,
        high=36500,
    )
    MESSAGES_DAYS: int = variable(
        "Days after which the texts of messages to and from workers are deleted. 0 keeps them",
        default=365,
        low=0,
        high=36500,
    )
    LOG_DAYS: int = variable(
        "Days after which entries of the log are deleted. 0 keeps them",
        default=0,
        low=0,
        high=36500,
    )
    SSL_REDIRECT: bool = variable(
        "Redirect to `https` if `SITE_URL` uses it, except `/health/` and `/metrics`. Turn off if the "
        "proxy does this",
        default=True,
    )
    VAR_DIR: PrivateFolder = variable(
        "Folder for the database, queue, static files, uploads and exports",
        default=lambda _: data_folder(),
        shown="`var` in a checkout; `~/.local/share/touchstone` of an installed package",
    )
    STATIC_ROOT: Folder = variable(
        "Target of `collectstatic`",
        default=lambda data: data["VAR_DIR"] / "static",
        shown="`static` in `VAR_DIR`",
    )
    STORAGE_URL: StorageUrl = variable(
        "`s3://bucket/prefix` for uploads, images and exports. boto3 finds keys, region and "
        "endpoint. Without it they are folders in `VAR_DIR`",
        default="",
    )
    LOG_LEVEL: LogLevel = variable(
        "`DEBUG`, `INFO`, `WARNING`, `ERROR` or `CRITICAL`, for both",
        default="",
        shown="`INFO` for Touchstone, `WARNING` for others",
    )
    LOG_FORMAT: Literal["line", "json"] = variable(
        "`line` or `json` ([logs](../how-to/admin.md#logs))", default="line"
    )
    TRUSTED_PROXIES: Networks = variable(
        "Networks whose `X-Forwarded-For` is trusted, such as `10.0.0.0/8`", default=""
    )
    SECURITY_CONTACT: Contact = variable(
        "Where to report vulnerabilities, such as `mailto:security@example.org`. Shown in "
        "`/.well-known/security.txt`",
        default="",
    )
    MODEL_HOSTS: CalledHosts = variable(
        "Hosts of [models](../explanation/models.md) that requesters may register: `models.example` for "
        "the ports 80 and 443, `127.0.0.1:11434` for another",
        default="",
    )
    WEBHOOK_HOSTS: CalledHosts = variable(
        "Hosts that may receive the events of projects by [webhook](api.md#webhooks): "
        "`hooks.example` for the ports 80 and 443, `hooks.example:8443` for another",
        default="",
    )
    HUGGINGFACE_URL: CalledOrigin = variable(
        "Hub that [releases](../how-to/release.md#publish-it-elsewhere) are uploaded to",
        default="https://huggingface.co",
    )
    ZENODO_URL: CalledOrigin = variable(
        "Archive that releases are uploaded to. `https://sandbox.zenodo.org` is for trials",
        default="https://zenodo.org",
    )
    METRICS_TOKEN: MetricsToken = variable(
        "Bearer token that may read `/metrics`. At least 20 characters", default=""
    )
    METRICS_NETWORKS: Networks = variable(
        "Networks that may read `/metrics` without the token", default=""
    )
    DEBUG: bool = variable("Detailed error pages. Never use in production", default=False)
    DEMO: bool = variable(
        "Set by `demo`: public logins, fast password hashing. Never use in production",
        default=False,
    )

    @model_validator(mode="after")
    def _check_what_visitors_may_see(self) -> Self:
        is_public = host_of(self.SITE_URL) not in _THIS_MACHINE
        if self.DEMO and is_public:
            raise ValueError(
                f"DEMO is set and SITE_URL is {self.SITE_URL}: the demo's passwords are public, so it "
                "runs on this machine only."
            )
        if self.DEBUG and is_secure(self.SITE_URL) and is_public:
            raise ValueError(
                f"DEBUG is set and SITE_URL is {self.SITE_URL}: error pages would show settings and "
                "data to visitors."
            )
        return self


class People(Section):
    SECOND_FACTOR_ROLES: Roles = variable(
        "Roles that must use two-factor authentication. `admin` includes superusers",
        default=lambda data: ["admin", "requester"] if is_secure(data["SITE_URL"]) else [],
        shown="`admin,requester` with `https`, else none",
    )
    SESSION_IDLE_HOURS: float = variable(
        "Hours after which an unused session of staff ends, 0.25 to 8760. Use is recorded "
        "every 10 minutes, and figures that refresh themselves do not count",
        default=12,
        low=0.25,
        high=8760,
    )
    SESSION_MAX_DAYS: float = variable(
        "Days after the login after which a session of staff ends, 0.25 to 365",
        default=14,
        low=0.25,
        high=365,
    )
    EMAIL_URL: MailServer = variable(
        "Mail server, such as `smtp+tls://user:password@host:587`. Without it, mail is "
        "written to the terminal",
        default="consolemail://",
        shown="none",
    )
    EMAIL_FROM: Sender = variable(
        "Sender, as an address or `Name <address>`",
        default=lambda data: f"Touchstone <touchstone@{host_of(data['SITE_URL'])}>",
        shown="`touchstone@` and the host of `SITE_URL`",
    )

    PARTICIPANT_SIGNUP: bool = variable(
        "Let anyone create an account to take part in [benchmarks](../how-to/benchmark.md), without "
        "access to any project. Needs `EMAIL_URL`, because addresses are confirmed by email",
        default=False,
    )

    @model_validator(mode="after")
    def _check_that_sign_up_can_send_mail(self) -> Self:
        if self.PARTICIPANT_SIGNUP and "EMAIL_URL" not in self.model_fields_set:
            raise ValueError(
                "PARTICIPANT_SIGNUP is set without EMAIL_URL. Addresses are confirmed by email, so set "
                "EMAIL_URL."
            )
        return self


class RestApi(Section):
    API_READS_PER_MINUTE: int = variable(
        "Reads per token, user or address. 0 is no limit. Counted per process without Redis",
        default=600,
        low=0,
        high=1_000_000,
    )
    API_WRITES_PER_MINUTE: int = variable("The same for writes", default=60, low=0, high=1_000_000)
    API_UPLOAD_MAX_MB: int = variable(
        "Largest upload by the API or a page, in MiB. The proxy reads it too",
        default=200,
        low=1,
        high=100_000,
    )
