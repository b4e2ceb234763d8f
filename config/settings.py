"""Settings, read from the environment.

By default the site uses SQLite, a file-system queue and its own marketplace, all under `var/`.
`docs/reference/settings.md` explains each variable. An invalid value stops the start with a line
that names the variable.
"""

import base64
import binascii
import hashlib
import hmac
import os
import re
import secrets
import tomllib
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

import environ
from cryptography.fernet import Fernet
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django_guid.integrations import CeleryIntegration
from kombu import Queue
from pythonjsonlogger.core import RESERVED_ATTRS

from config.hosts import share_cookies

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()
MIN_KEY_LETTERS = 50
# Variables that may be read from a file, such as a Docker secret, by adding _FILE to the name.
FROM_FILES = (
    "SECRET_KEY",
    "SECRET_KEY_FALLBACKS",
    "DATABASE_URL",
    "REDIS_URL",
    "EMAIL_URL",
    "METRICS_TOKEN",
    "MTURK_ACCESS_KEY_ID",
    "MTURK_SECRET_ACCESS_KEY",
    "PROLIFIC_TOKEN",
    "MARKETPLACE_AWS_ACCESS_KEY_ID",
    "MARKETPLACE_AWS_SECRET_ACCESS_KEY",
    "MARKETPLACE_ENCRYPTION_KEYS",
    "BACKUP_KEY",
)


def _secrets_from_files() -> dict[str, str]:
    values = {}
    for name in FROM_FILES:
        path = os.environ.get(f"{name}_FILE", "")
        if not path:
            continue
        if os.environ.get(name):
            raise ImproperlyConfigured(f"{name} and {name}_FILE are both set; set one of them.")
        try:
            value = Path(path).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            raise ImproperlyConfigured(f"{name}_FILE is {path}, which cannot be read.") from None
        # Compose can't leave a secret out, so an empty file is no value.
        if value:
            values[name] = value
        elif name in ("SECRET_KEY", "DATABASE_URL"):
            raise ImproperlyConfigured(f"{name}_FILE is {path}, which is empty.")
    return values


# os.environ stays as it is, so that child processes do not inherit the secrets.
env.ENVIRON = {**os.environ, **_secrets_from_files()}


def _require(is_valid: object, problem: str) -> None:
    if not is_valid:
        raise ImproperlyConfigured(problem)


def _checked(name: str, value: str, allowed: tuple[str, ...]) -> str:
    _require(value in allowed, f"{name} is {value!r}; it must be one of: {', '.join(allowed)}.")
    return value


def _flag(name: str, default: bool) -> bool:
    """Return a boolean. Unlike environ, refuse a typo instead of reading it as False."""
    raw = env.str(name, default="true" if default else "false").lower()
    _checked(name, raw, ("true", "false", "1", "0", "yes", "no", "on", "off"))
    return raw in ("true", "1", "yes", "on")


def _number(name: str, default: str, *, low: str, high: str) -> Decimal:
    raw = env.str(name, default=default)
    try:
        value = Decimal(raw)
        in_range = Decimal(low) <= value <= Decimal(high)
    except ArithmeticError:  # includes comparison with NaN
        raise ImproperlyConfigured(f"{name} is {raw!r}; it must be a number.") from None
    _require(in_range, f"{name} is {raw}; it must lie between {low} and {high}.")
    return value


def _split(raw: str) -> SplitResult:
    """Return the parts of a URL, all empty if its port is invalid."""
    try:
        parts = urlsplit(raw)
        _ = parts.port
    except ValueError:
        return SplitResult("", "", "", "", "")
    return parts


def _address(name: str, raw: str, schemes: tuple[str, ...], *, example: str) -> str:
    """Return `raw` if it is a URL with one of the schemes. Errors omit it, as it may hold a password."""
    parts = _split(raw)
    location = parts.hostname or parts.path.strip("/") or parts.query
    is_valid = parts.scheme in schemes and location
    _require(is_valid, f"{name} is not a valid address. Example: {example}.")
    return raw


def _checked_origin(name: str, raw: str) -> str:
    parts = _split(raw.rstrip("/"))
    is_origin = parts.scheme in ("http", "https") and parts.hostname and not parts.path
    example = "https://touchstone.example"
    _require(is_origin, f"{name} is {raw!r}; it must be an origin such as {example}.")
    return raw.rstrip("/")


def _origin(name: str, default: str) -> str:
    return _checked_origin(name, env.str(name, default=default))


def _region(name: str) -> str:
    region = env.str(name, default="us-east-1")
    _require(
        re.fullmatch(r"[a-z]{2}(-[a-z]+)+-\d", region),
        f"{name} is {region!r}; it must be like us-east-1.",
    )
    return region


def _hosts(name: str, default: list[str]) -> list[str]:
    hosts: list[str] = env.list(name, default=default)
    _require(
        hosts and all(re.fullmatch(r"\*|\.?[\w.-]+|\[[0-9a-f:]+\]", host) for host in hosts),
        f"{name} is {','.join(hosts)!r}; it must list host names, without scheme or port.",
    )
    return hosts


def _is_host_and_port(text: str) -> bool:
    is_host = re.fullmatch(r"([\w.-]+|\[[0-9a-f:]+\])(:[0-9]+)?", text)
    return bool(is_host and _split(f"//{text}").hostname)


def _networks(name: str) -> list[IPv4Network | IPv6Network]:
    raw: list[str] = env.list(name, default=[])
    try:
        return [ip_network(network.strip()) for network in raw]
    except ValueError as error:
        raise ImproperlyConfigured(
            f"{name}: {error}; it must list networks such as 10.0.0.0/8, separated by commas."
        ) from None


def _folder(name: str, default: Path) -> Path:
    path = Path(env.str(name, default=str(default))).absolute()
    with suppress(OSError):
        # The database and exports are for the site's user only.
        path.mkdir(mode=0o700 if name == "VAR_DIR" else 0o777, parents=True, exist_ok=True)
    is_writable = path.is_dir() and os.access(path, os.W_OK)
    _require(is_writable, f"{name} is {path}; it must be a folder that can be written.")
    return path


def _secret_key(var: Path) -> str:
    """Return the configured key, or one that the first start stores readable by its owner only."""
    if key := env.str("SECRET_KEY", default=""):
        _require(
            len(key) >= MIN_KEY_LETTERS,
            f"SECRET_KEY is too short; it must have at least {MIN_KEY_LETTERS} characters.",
        )
        return key
    path = var / "secret_key"
    if not path.exists():
        candidate = var / f"secret_key.{secrets.token_hex(8)}"
        candidate.touch(mode=0o600)
        candidate.write_text(secrets.token_urlsafe(50))
        with suppress(FileExistsError):
            path.hardlink_to(candidate)  # atomic, so that concurrent starts share one key
        candidate.unlink()
    return path.read_text()


def _encryption_keys() -> list[str]:
    keys: list[str] = env.list("MARKETPLACE_ENCRYPTION_KEYS", default=[])
    try:
        for key in keys:
            Fernet(key)
    except ValueError:
        raise ImproperlyConfigured(
            "MARKETPLACE_ENCRYPTION_KEYS has a key that is not 32 bytes in URL-safe base64."
        ) from None
    return keys


VERSION = tomllib.loads((BASE_DIR / "pyproject.toml").read_text("utf-8"))["project"]["version"]

VAR_DIR = _folder("VAR_DIR", BASE_DIR / "var")

DEBUG = _flag("DEBUG", False)
DEMO = _flag("DEMO", False)
SECRET_KEY = _secret_key(VAR_DIR)
# Earlier keys. Data signed or encrypted with them is still accepted.
SECRET_KEY_FALLBACKS: list[str] = env.list("SECRET_KEY_FALLBACKS", default=[])
_require(
    all(len(key) >= MIN_KEY_LETTERS for key in SECRET_KEY_FALLBACKS),
    f"SECRET_KEY_FALLBACKS has a key of fewer than {MIN_KEY_LETTERS} characters.",
)
SITE_URL = _origin("SITE_URL", "http://127.0.0.1:8000")
SITE_IS_SECURE = SITE_URL.startswith("https://")
_require(
    not DEMO or urlsplit(SITE_URL).hostname in ("127.0.0.1", "localhost", "::1"),
    f"DEMO is set and SITE_URL is {SITE_URL}: the demo's passwords are public, so it runs on "
    "this machine only.",
)
_require(
    not DEBUG
    or not SITE_IS_SECURE
    or urlsplit(SITE_URL).hostname in ("127.0.0.1", "localhost", "::1"),
    f"DEBUG is set and SITE_URL is {SITE_URL}: error pages would show settings and data to visitors.",
)
ALLOWED_HOSTS = _hosts(
    "ALLOWED_HOSTS", sorted({str(urlsplit(SITE_URL).hostname), "127.0.0.1", "localhost"})
)

INSTALLED_APPS = [
    # First, because each {% static %} searches for this app from the top of the list.
    "whitenoise.runserver_nostatic",
    "config.static_files.StaticFiles",
    "operations",
    "dashboard",
    "accounts",
    "rehearsal",
    "qualification",
    "datasets",
    "consolidation",
    "annotation",
    "projects",
    "crowd",
    "jobs",
    "audit",
    "web",
    "marketplace",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django_htmx",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "drf_standardized_errors",
    # Below "operations": its receivers of Celery's signals log before these remove the request's id.
    "django_guid",
    "axes",
    "csp",
]

MIDDLEWARE = [
    "config.static_headers.StaticHeadersMiddleware",
    "django_guid.middleware.guid_middleware",
    "operations.trusted_proxies.TrustedProxiesMiddleware",
    "operations.requests.RequestsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django_permissions_policy.PermissionsPolicyMiddleware",
    "config.private_pages.PrivatePagesMiddleware",
    "marketplace.middleware.RequesterApiMiddleware",
    "marketplace.middleware.ContentHostMiddleware",
    "config.static_files.NewStaticFilesMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "web.large_bodies.LargeBodiesMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "config.reject_nul.TextOnlyMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "accounts.middleware.AccountsMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "config.context.installation",
            ],
        },
    },
]

# Database and files

DATABASE_URL = env.str("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'touchstone.sqlite3'}")
_address(
    "DATABASE_URL",
    DATABASE_URL,
    ("sqlite", "postgres", "postgresql"),
    example="postgres://touchstone:password@127.0.0.1:5432/touchstone",
)
DATABASES: dict[str, dict[str, Any]] = {"default": env.db_url_config(DATABASE_URL)}
DATABASES["default"]["CONN_MAX_AGE"] = 60
# After a restart of the database, requests open new connections instead of failing.
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 30,
        # Under contention a deferred transaction fails on its first write, without waiting for the
        # timeout. An immediate transaction waits.
        "transaction_mode": "IMMEDIATE",
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32000;"
        ),
    }
else:
    DATABASES["default"].setdefault("OPTIONS", {})["client_encoding"] = "UTF8"
    DATABASES["default"]["OPTIONS"].setdefault("connect_timeout", 5)


def _seconds(name: str, default: str) -> float:
    return float(_number(name, default, low="0", high="86400"))


# Limits in seconds of a process's statements, by PostgreSQL's names. 0 is no limit. Commands have none.
_idle_limit = {
    "idle_in_transaction_session_timeout": _seconds("IDLE_TRANSACTION_SECONDS", "600"),
}
DATABASE_LIMITS = {
    "web": {
        "statement_timeout": _seconds("WEB_STATEMENT_SECONDS", "30"),
        "lock_timeout": _seconds("WEB_LOCK_SECONDS", "5"),
        **_idle_limit,
    },
    "worker": {
        "statement_timeout": _seconds("WORKER_STATEMENT_SECONDS", "900"),
        "lock_timeout": _seconds("WORKER_LOCK_SECONDS", "15"),
        **_idle_limit,
    },
}
# How long one attempt of a migration waits for a table, and all of them.
MIGRATION_LOCK_SECONDS = _seconds("MIGRATION_LOCK_SECONDS", "2")
MIGRATION_WAIT_SECONDS = _seconds("MIGRATION_WAIT_SECONDS", "1800")
# The room on the database's disk, if this machine can't see it. 0 is unknown.
DATABASE_DISK_GB = float(_number("DATABASE_DISK_GB", "0", low="0", high="1000000"))
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TIME_ZONE = "UTC"
USE_I18N = False

STATIC_URL = "/static/"
STATIC_ROOT = _folder("STATIC_ROOT", VAR_DIR / "static")
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = DEBUG
# Pages use only the hashed names. Compressing the other copies would double the time.
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
MEDIA_ROOT = VAR_DIR / "media"
EXPORT_DIR = VAR_DIR / "exports"
IMAGE_DIR = VAR_DIR / "images"
UPLOAD_DIR = VAR_DIR / "uploads"
# Bucket for uploads, images and exports. Without it they are stored in folders.
STORAGE_URL = env.str("STORAGE_URL", default="")
if STORAGE_URL:
    _address("STORAGE_URL", STORAGE_URL, ("s3",), example="s3://bucket/touchstone")


def _storage(folder: Path) -> dict[str, Any]:
    if not STORAGE_URL:
        options: dict[str, Any] = {"location": folder, "allow_overwrite": True}
        return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": options}
    from botocore.config import Config  # noqa: PLC0415 - slow, and most sites need no bucket

    address = _split(STORAGE_URL)
    location = f"{address.path.strip('/')}/{folder.name}".lstrip("/")
    # Larger files are buffered on disk before they are sent.
    spool = 10 * 2**20
    # Without limits, a request to a server that doesn't answer would take minutes.
    limits = Config(connect_timeout=5, read_timeout=30, retries={"total_max_attempts": 3})
    options = {
        "bucket_name": address.hostname,
        "location": location,
        "max_memory_size": spool,
        "client_config": limits,
    }
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}


# Where scheduled backups go: a bucket, or a folder on another disk.
BACKUP_URL = env.str("BACKUP_URL", default="")
if BACKUP_URL:
    _address("BACKUP_URL", BACKUP_URL, ("s3", "file"), example="s3://bucket/touchstone")


def _backup_key() -> bytes | None:
    """Return the key that encrypts backups. Without one, they may not leave the machine's disks."""
    raw = env.str("BACKUP_KEY", default="")
    if not raw:
        _require(
            _split(BACKUP_URL).scheme != "s3",
            "BACKUP_KEY is not set. It must encrypt the backups in a bucket: openssl rand -base64 32.",
        )
        return None
    try:
        key = base64.b64decode(raw, validate=True)
    except binascii.Error:
        key = b""
    _require(
        len(key) == BACKUP_KEY_BYTES,
        f"BACKUP_KEY must be {BACKUP_KEY_BYTES} bytes in base64, from openssl rand -base64 32.",
    )
    return key


def _backups() -> dict[str, Any]:
    if _split(BACKUP_URL).scheme == "s3":
        address = _split(BACKUP_URL)
        options: dict[str, Any] = {
            "bucket_name": address.hostname,
            "location": address.path.strip("/"),
        }
        return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
    folder = _split(BACKUP_URL).path or VAR_DIR / "backups"
    private = {"file_permissions_mode": 0o600, "directory_permissions_mode": 0o700}
    options = {"location": folder, "allow_overwrite": True, **private}
    return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": options}


BACKUP_KEY_BYTES = 32
BACKUP_KEY = _backup_key()
# A demo's data are not worth it.
BACKUP_EVERY = timedelta(
    hours=float(_number("BACKUP_HOURS", "0" if DEMO else "24", low="0", high="720"))
)
BACKUP_KEEP_DAYS = int(_number("BACKUP_KEEP_DAYS", "14", low="1", high="3650"))
SNAPSHOT_EVERY = timedelta(
    minutes=float(_number("SNAPSHOT_MINUTES", "0" if DEMO else "5", low="0", high="1440"))
)
# The folder that deploy/postgres archives to, if this machine has it.
ARCHIVE_DIR = Path(_archive) if (_archive := env.str("ARCHIVE_DIR", default="")) else None
_require(
    ARCHIVE_DIR is None or ARCHIVE_DIR.is_absolute(),
    f"ARCHIVE_DIR is {ARCHIVE_DIR}; it must be an absolute path.",
)

STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.static_files.HashedModulesStorage"},
    "uploads": _storage(UPLOAD_DIR),
    "exports": _storage(EXPORT_DIR),
    "images": _storage(IMAGE_DIR),
    "backups": _backups(),
}

# Background tasks

REDIS_URL = env.str("REDIS_URL", default="")
if REDIS_URL:
    _address(
        "REDIS_URL", REDIS_URL, ("redis", "rediss", "unix"), example="redis://127.0.0.1:6379/0"
    )
    CELERY_BROKER_URL = REDIS_URL
    CACHES: dict[str, dict[str, Any]] = {
        "default": {
            "BACKEND": "config.redis_cache.OptionalRedisCache",
            "LOCATION": REDIS_URL,
            "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 1},
        }
    }
    # Longer than any task, because Redis redelivers a task after this time.
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {"visibility_timeout": 3600}
else:
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
            "LOCATION": VAR_DIR / "cache",
            # Above this number a third is deleted at random, with the counters of failed attempts.
            "OPTIONS": {"MAX_ENTRIES": 20_000},
        }
    }
    _queue = VAR_DIR / "queue"
    _queue.mkdir(exist_ok=True)
    CELERY_BROKER_URL = "filesystem://localhost"
    CELERY_BROKER_TRANSPORT = "config.filesystem_queue:Transport"
    # Remote control needs broadcasts, which a folder cannot deliver safely.
    CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        # Producers write to the folder that workers read from.
        "data_folder_in": str(_queue),
        "data_folder_out": str(_queue),
        "control_folder": str(_queue / "control"),
        # Seconds between polls of an empty queue.
        "polling_interval": 0.3,
    }
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # Reuse the connection, because opening the database takes longer than most tasks.
    CELERY_DB_REUSE_MAX = 500
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
# Payments and recording, in the default queue, must not wait for other servers or for imports.
CELERY_TASK_ROUTES = {
    "crowd.tasks.send_mail": {"queue": "outside"},
    "accounts.tasks.send_password_resets": {"queue": "outside"},
    "operations.tasks.run_outside_sweeps": {"queue": "outside"},
    "projects.tasks.send_digests": {"queue": "outside"},
    "marketplace.tasks.deliver_notifications": {"queue": "outside"},
    "jobs.tasks.run_jobs": {"queue": "jobs"},
    "operations.tasks.back_up": {"queue": "backups"},
}
# A worker without -Q serves all of them.
CELERY_TASK_QUEUES = [
    Queue(name, routing_key=name) for name in ("celery", "outside", "jobs", "backups")
]
# A site without Redis has a single worker, which may fetch tasks ahead: with every process busy, it would
# wait a polling interval after each task, and queued tasks would expire.
CELERY_WORKER_PREFETCH_MULTIPLIER = 1 if REDIS_URL else 8
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# A broker that is away, or has no memory left, may take hours to repair. Workers wait for it.
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
CELERY_WORKER_CONSUMER = "config.patient_consumer:PatientConsumer"
CELERY_TASK_TIME_LIMIT = 3000
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "celerybeat-schedule")
# Seconds that figures on pages are cached.
FIGURES_TIMEOUT = 10
SWEEP_SECONDS = float(_number("SWEEP_SECONDS", "10", low="0.2", high="3600"))
LEASE = timedelta(seconds=int(_number("LEASE_SECONDS", "60", low="5", high="3600")))
# Seconds between the heartbeats of each queue
HEARTBEAT_SECONDS = 60.0
JOB_KINDS = {
    "import": "annotation.domain.corpus.queue_import.KIND",
    "corpus-check": "annotation.domain.corpus.preview_corpus.KIND",
    "publication": "annotation.domain.publishing.publish_rest.KIND",
    "hit-changes": "annotation.domain.publishing.change_hits.KIND",
    "gold-import": "consolidation.domain.gold.queue_gold.KIND",
    "gold-check": "consolidation.domain.gold.check_gold.KIND",
    "resource-import": "consolidation.domain.experts.queue_resource.KIND",
    "queue-setup": "consolidation.domain.experts.queue_setup.KIND",
    "round-setup": "qualification.domain.rounds.queue_rounds.KIND",
    "export": "datasets.domain.exports.queue_export.KIND",
    "system-evaluation": "datasets.domain.systems.evaluate_systems.KIND",
    "deletion": "dashboard.delete_project.KIND",
    "rehearsal": "rehearsal.domain.dry_run.KIND",
}


def _every(seconds: float, *tasks: str, expires: float) -> dict[str, dict[str, Any]]:
    """Return beat entries for the tasks. A task that waits longer than `expires` is dropped."""
    return {
        task: {"task": task, "schedule": seconds, "options": {"expires": expires}} for task in tasks
    }


def _sweep(
    name: str, seconds: float, *tasks: str, task: str = "operations.tasks.run_sweeps"
) -> dict[str, dict[str, Any]]:
    """Return a beat entry for a single message that runs the tasks one after the other."""
    expires = {"expires": seconds * 3}
    return {name: {"task": task, "args": [tasks], "schedule": seconds, "options": expires}}


# How long work that is published one by one waits until it fills a session.
STUDY_WAIT_MINUTES = float(_number("STUDY_WAIT_MINUTES", "15", low="0", high="1440"))
PROLIFIC_TOKEN = env.str("PROLIFIC_TOKEN", default="")
_require(re.fullmatch(r"\S*", PROLIFIC_TOKEN), "PROLIFIC_TOKEN must not contain spaces.")
SESSION_TASKS = ["crowd.tasks.run_studies", "crowd.tasks.settle_sessions"] if PROLIFIC_TOKEN else []
# A message costs more than an idle sweep, so sweeps of the same interval share one.
CELERY_BEAT_SCHEDULE = {
    **_sweep(
        "sweeps",
        SWEEP_SECONDS,
        "crowd.tasks.publish_hits",
        "crowd.tasks.send_hit_changes",
        "crowd.tasks.sync_due_hits",
        *SESSION_TASKS,
        "crowd.tasks.send_decisions",
        "annotation.tasks.record_generations",
        "annotation.tasks.pay_due_compensations",
        "annotation.tasks.top_up_open_batches",
        "consolidation.tasks.open_and_offer_cases",
        "consolidation.tasks.record_case_work_and_gold",
        "consolidation.tasks.decide_waiting_bonuses",
        "qualification.tasks.enrol_and_evaluate",
    ),
    **_sweep(
        "mail",
        SWEEP_SECONDS,
        "crowd.tasks.send_mail",
        "accounts.tasks.send_password_resets",
        task="operations.tasks.run_outside_sweeps",
    ),
    **_every(SWEEP_SECONDS, "jobs.tasks.run_jobs", expires=SWEEP_SECONDS * 3),
    # Slower, because these sweeps scan everything that was ever published.
    **_sweep(
        "slow sweeps",
        SWEEP_SECONDS * 3,
        "crowd.tasks.sync_qualification_requests",
        "crowd.tasks.fetch_messages",
        "annotation.tasks.republish_short_items",
        "consolidation.tasks.reopen_and_republish_cases",
    ),
    # Slowest, because these sweeps scan whole projects and no user waits for the result.
    **_sweep(
        "slowest sweeps",
        SWEEP_SECONDS * 30,
        "crowd.tasks.forget_notifications",
        "crowd.tasks.check_balances",
        *(["crowd.tasks.check_accounts"] if PROLIFIC_TOKEN else []),
        "consolidation.tasks.draw_due_reviews",
        "consolidation.tasks.index_missing_gold",
        "qualification.tasks.compare_with_gold_and_watch_pools",
    ),
    **{
        f"watch {queue.name}": {
            "task": "operations.tasks.watch",
            "args": [queue.name],
            "schedule": HEARTBEAT_SECONDS,
            "options": {"queue": queue.name, "expires": HEARTBEAT_SECONDS * 2},
        }
        for queue in CELERY_TASK_QUEUES
    },
    **_every(
        60.0,
        "dashboard.tasks.notify_members",
        "annotation.tasks.send_bonus_news",
        expires=120.0,
    ),
    # Once a minute where WAL files are copied.
    **(
        _every(60.0 if ARCHIVE_DIR else 300.0, "operations.tasks.back_up", expires=300.0)
        if BACKUP_EVERY or ARCHIVE_DIR
        else {}
    ),
    **(
        _every(SNAPSHOT_EVERY.total_seconds(), "operations.tasks.take_snapshot", expires=300.0)
        if SNAPSHOT_EVERY and DATABASES["default"]["ENGINE"].endswith("sqlite3")
        else {}
    ),
    **_every(900.0, "projects.tasks.send_digests", expires=900.0),
    **_every(3600.0, "annotation.tasks.delete_unconfirmed_drafts", expires=3600.0),
    **_every(86400.0, "accounts.tasks.clear_expired_sessions", expires=86400.0),
    **_every(86400.0, "accounts.tasks.forget_old_logins", expires=86400.0),
    **_every(86400.0, "operations.tasks.delete_expired_data", expires=86400.0),
}

# Crowdsourcing

# The variables that connect a site to services, which a demo does not use.
SERVICE_VARIABLES = (
    *("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "BACKUP_URL", "ARCHIVE_DIR"),
    *("MTURK_ENDPOINT_URL", "PROLIFIC_URL", "PROLIFIC_TOKEN"),
)

# Where the site's own processes reach its marketplace, past the proxy.
MARKETPLACE_INTERNAL_URL = env.str("MARKETPLACE_INTERNAL_URL", default="")
if MARKETPLACE_INTERNAL_URL:
    MARKETPLACE_INTERNAL_URL = _checked_origin("MARKETPLACE_INTERNAL_URL", MARKETPLACE_INTERNAL_URL)
    ALLOWED_HOSTS = [*ALLOWED_HOSTS, str(urlsplit(MARKETPLACE_INTERNAL_URL).hostname)]
MTURK_REGION = _region("MTURK_REGION")
MTURK_ENDPOINT_URL = _address(
    "MTURK_ENDPOINT_URL",
    env.str("MTURK_ENDPOINT_URL", default=f"{MARKETPLACE_INTERNAL_URL or SITE_URL}/mturk/"),
    ("http", "https"),
    example="https://touchstone.example/mturk/",
)
MTURK_IS_OURS = "MTURK_ENDPOINT_URL" not in env.ENVIRON
# botocore's description of the operations that MTurk lacks, for the marketplace and its clients
MTURK_API_EXTRAS = BASE_DIR / "marketplace" / "api" / "extras"
# Origins that finished work may be posted to, and that may frame a worker's page.
MTURK_WORKER_ORIGINS = [
    _checked_origin("MTURK_WORKER_ORIGINS", origin)
    for origin in env.list("MTURK_WORKER_ORIGINS", default=[SITE_URL])
]
MTURK_REQUESTS_PER_SECOND = float(
    _number("MTURK_REQUESTS_PER_SECOND", "0" if MTURK_IS_OURS else "10", low="0", high="10000")
)
# "webhook" subscribes this site to the marketplace's events. HITs are polled otherwise.
MTURK_NOTIFICATIONS = env.str("MTURK_NOTIFICATIONS", default="")
_require(
    MTURK_NOTIFICATIONS in ("", "webhook"),
    f"MTURK_NOTIFICATIONS is {MTURK_NOTIFICATIONS!r}; it must be empty or webhook.",
)
MTURK_FEE_RATE = _number("MTURK_FEE_RATE", "0.20", low="0", high="1")
MTURK_FEE_RATE_MANY = _number("MTURK_FEE_RATE_MANY", "0.40", low="0", high="1")


def _derived_credential(purpose: str) -> str:
    return hmac.new(SECRET_KEY.encode(), purpose.encode(), hashlib.sha256).hexdigest()


if MTURK_IS_OURS:
    # Both the platform and its built-in marketplace derive the same key pair from SECRET_KEY.
    MTURK_ACCESS_KEY_ID = "TSOWN" + _derived_credential("mturk access key id")[:15].upper()
    MTURK_SECRET_ACCESS_KEY = _derived_credential("mturk secret access key")
    MARKETPLACE_BUILTIN_KEY: tuple[str, str] | None = (MTURK_ACCESS_KEY_ID, MTURK_SECRET_ACCESS_KEY)
else:
    # If empty, boto3 searches the environment, the profile and the instance role.
    MTURK_ACCESS_KEY_ID = env.str("MTURK_ACCESS_KEY_ID", default="")
    MTURK_SECRET_ACCESS_KEY = env.str("MTURK_SECRET_ACCESS_KEY", default="")
    _require(
        bool(MTURK_ACCESS_KEY_ID) == bool(MTURK_SECRET_ACCESS_KEY),
        "MTURK_ACCESS_KEY_ID and MTURK_SECRET_ACCESS_KEY must be set together. Set both or neither.",
    )
    MARKETPLACE_BUILTIN_KEY = None

# Prolific, which is used if PROLIFIC_TOKEN is set

PROLIFIC_URL = _address(
    "PROLIFIC_URL",
    env.str("PROLIFIC_URL", default="https://api.prolific.com"),
    ("http", "https"),
    example="https://api.prolific.com",
)
# The ids of the workspace and the project. By default, the account's only ones.
PROLIFIC_WORKSPACE = env.str("PROLIFIC_WORKSPACE", default="")
PROLIFIC_PROJECT = env.str("PROLIFIC_PROJECT", default="")
for _name in ("PROLIFIC_WORKSPACE", "PROLIFIC_PROJECT"):
    _id = env.str(_name, default="")
    _require(
        re.fullmatch("([0-9a-f]{24})?", _id),
        f"{_name} is {_id!r}; it must be an id of 24 hex digits, as in Prolific's addresses.",
    )
# Where workers are sent at the end of a session.
PROLIFIC_COMPLETION_URL = _address(
    "PROLIFIC_COMPLETION_URL",
    env.str("PROLIFIC_COMPLETION_URL", default="https://app.prolific.com/submissions/complete"),
    ("http", "https"),
    example="https://app.prolific.com/submissions/complete",
)
# Without webhooks, sessions are polled. Prolific can only reach a site with a public address.
PROLIFIC_WEBHOOKS = _flag("PROLIFIC_WEBHOOKS", SITE_URL.startswith("https://"))
PROLIFIC_REQUESTS_PER_SECOND = float(
    _number("PROLIFIC_REQUESTS_PER_SECOND", "5", low="0", high="1000")
)
# The longest time of a session, as a multiple of its estimated time.
PROLIFIC_TIME_FACTOR = float(_number("PROLIFIC_TIME_FACTOR", "4", low="2", high="100"))
# The share of its tasks with which a session is completed, unless no task is left for the worker.
# Work in shorter sessions is paid by bonus when the worker returns the place.
SESSION_MIN_SHARE = float(_number("SESSION_MIN_SHARE", "0.5", low="0", high="1"))
# The number of sessions that a worker may do in a project. 0 is no limit.
SESSIONS_PER_WORKER = int(_number("SESSIONS_PER_WORKER", "0", low="0", high="10000"))
# Used until the API has returned the account's own rates.
PROLIFIC_FEE_RATE = _number("PROLIFIC_FEE_RATE", "0.428", low="0", high="1")
PROLIFIC_VAT_RATE = _number("PROLIFIC_VAT_RATE", "0.20", low="0", high="1")

# Built-in marketplace

MARKETPLACE_ENABLED = _flag("MARKETPLACE_ENABLED", True)
MARKETPLACE_URL = _origin("MARKETPLACE_URL", SITE_URL)
# The origin of HTMLQuestions. Requesters' scripts run there, and cookies don't distinguish ports. The
# demo also listens on the next port, under another name of the machine.
_site_address = urlsplit(MARKETPLACE_URL)
_demo_content_url = (
    f"http://localhost:{(_site_address.port or 80) + 1}"
    if DEMO and MARKETPLACE_ENABLED and _site_address.hostname == "127.0.0.1"
    else ""
)
MARKETPLACE_CONTENT_URL = env.str("MARKETPLACE_CONTENT_URL", default=_demo_content_url)
if MARKETPLACE_CONTENT_URL:
    MARKETPLACE_CONTENT_URL = _checked_origin("MARKETPLACE_CONTENT_URL", MARKETPLACE_CONTENT_URL)
    _content_host = str(urlsplit(MARKETPLACE_CONTENT_URL).hostname)
    _require(
        not any(
            share_cookies(_content_host, str(urlsplit(url).hostname))
            for url in (SITE_URL, MARKETPLACE_URL)
        ),
        f"MARKETPLACE_CONTENT_URL is {MARKETPLACE_CONTENT_URL!r}; it must be under another domain than "
        "SITE_URL and MARKETPLACE_URL, such as touchstone-content.example for touchstone.example, "
        "because a page can set cookies for all hosts of its domain.",
    )
    ALLOWED_HOSTS = [*ALLOWED_HOSTS, _content_host]
MARKETPLACE_FEE_RATE = _number("MARKETPLACE_FEE_RATE", "0.20", low="0", high="1")
MARKETPLACE_FEE_RATE_MANY = _number("MARKETPLACE_FEE_RATE_MANY", "0.40", low="0", high="1")
MARKETPLACE_OPENING_BALANCE = _number(
    "MARKETPLACE_OPENING_BALANCE", "100000.00", low="0", high="100000000"
)
# Allow task pages over plain HTTP only if the marketplace itself uses it.
MARKETPLACE_ALLOW_HTTP = _flag("MARKETPLACE_ALLOW_HTTP", not MARKETPLACE_URL.startswith("https://"))
# Keys for the secrets of access keys. The first encrypts, all decrypt. Default: from SECRET_KEY.
MARKETPLACE_ENCRYPTION_KEYS = _encryption_keys()
MARKETPLACE_FAULTS = env.str("MARKETPLACE_FAULTS", default="")
MARKETPLACE_REQUESTS_PER_SECOND = float(
    _number("MARKETPLACE_REQUESTS_PER_SECOND", "0", low="0", high="100000")
)
# Hosts, with or without port, allowed for requesters' webhooks in addition to this site.
MARKETPLACE_WEBHOOK_HOSTS: list[str] = env.list("MARKETPLACE_WEBHOOK_HOSTS", default=[])
_require(
    all(_is_host_and_port(host) for host in MARKETPLACE_WEBHOOK_HOSTS),
    f"MARKETPLACE_WEBHOOK_HOSTS is {','.join(MARKETPLACE_WEBHOOK_HOSTS)!r}; it must list hosts such as "
    "hooks.example or hooks.example:8443.",
)
# SQS and SNS for requesters' notifications. Requesters name queues and topics, not endpoints.
MARKETPLACE_SQS_ENDPOINT_URL = env.str("MARKETPLACE_SQS_ENDPOINT_URL", default="")
if MARKETPLACE_SQS_ENDPOINT_URL:
    MARKETPLACE_SQS_ENDPOINT_URL = _checked_origin(
        "MARKETPLACE_SQS_ENDPOINT_URL", MARKETPLACE_SQS_ENDPOINT_URL
    )
MARKETPLACE_SNS_ENDPOINT_URL = env.str("MARKETPLACE_SNS_ENDPOINT_URL", default="")
if MARKETPLACE_SNS_ENDPOINT_URL:
    MARKETPLACE_SNS_ENDPOINT_URL = _checked_origin(
        "MARKETPLACE_SNS_ENDPOINT_URL", MARKETPLACE_SNS_ENDPOINT_URL
    )
MARKETPLACE_AWS_REGION = _region("MARKETPLACE_AWS_REGION")
# If empty, boto3 searches the environment, the profile and the instance role.
MARKETPLACE_AWS_ACCESS_KEY_ID = env.str("MARKETPLACE_AWS_ACCESS_KEY_ID", default="")
MARKETPLACE_AWS_SECRET_ACCESS_KEY = env.str("MARKETPLACE_AWS_SECRET_ACCESS_KEY", default="")
_require(
    bool(MARKETPLACE_AWS_ACCESS_KEY_ID) == bool(MARKETPLACE_AWS_SECRET_ACCESS_KEY),
    "MARKETPLACE_AWS_ACCESS_KEY_ID and MARKETPLACE_AWS_SECRET_ACCESS_KEY must be set together. Set "
    "both or neither.",
)
if MARKETPLACE_ENABLED:
    _maintenance = _every(
        SWEEP_SECONDS, "marketplace.tasks.run_maintenance", expires=SWEEP_SECONDS * 3
    )
    _delivery = _every(
        min(5.0, SWEEP_SECONDS), "marketplace.tasks.deliver_notifications", expires=15.0
    )
    _retention = _every(86400.0, "marketplace.tasks.delete_expired_data", expires=86400.0)
    CELERY_BEAT_SCHEDULE |= _maintenance | _delivery | _retention
# Further metrics
FIGURES = ["marketplace.domain.figures.collect"] if MARKETPLACE_ENABLED else []

# Accounts

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AXES_FAILURE_LIMIT = 10
AXES_LOCKOUT_TEMPLATE = "accounts/locked.html"
AXES_HANDLER = "accounts.lockout.LockoutHandler"
AXES_COOLOFF_TIME = timedelta(minutes=15)  # also stated on the page
# Attempts during a lockout are refused without counting.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
if DEMO:  # the passwords are public, and a fast hash shortens the start
    PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "dashboard:projects"
LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_ADAPTER = "accounts.adapters.AccountAdapter"
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
ACCOUNT_EMAIL_VERIFICATION = "none"
# django-axes limits wrong passwords of a name, and "login" those of an address with many names.
# "login_failed" counts a user's wrong codes. The key of "reset_password" is the email address.
ACCOUNT_RATE_LIMITS = {
    "login": "100/15m/ip",
    "login_failed": "5/5m/key",
    "reset_password": "5/15m/ip,3/h/key",
}
# Stores the request. A task looks for the account and sends the mail.
ACCOUNT_FORMS = {"reset_password": "accounts.forms.RequestResetForm"}
ACCOUNT_SESSION_REMEMBER = True
# Staff sessions end when they are idle or old. Workers of the marketplace have sessions of another kind.
SESSION_IDLE = timedelta(hours=float(_number("SESSION_IDLE_HOURS", "12", low="0.25", high="8760")))
SESSION_LIFETIME = timedelta(days=float(_number("SESSION_MAX_DAYS", "14", low="0.25", high="365")))
# Until the first page after the login
SESSION_COOKIE_AGE = int(min(SESSION_IDLE, SESSION_LIFETIME).total_seconds())
USERSESSIONS_ADAPTER = "accounts.adapters.SessionsAdapter"

# Roles that require a second factor
SECOND_FACTOR_ROLES = frozenset(
    _checked("SECOND_FACTOR_ROLES", role, ("admin", "requester", "trainer", "expert"))
    for role in env.list(
        "SECOND_FACTOR_ROLES", default=["admin", "requester"] if SITE_IS_SECURE else []
    )
)
MFA_ADAPTER = "accounts.adapters.MFAAdapter"
MFA_ALLOW_UNVERIFIED_EMAIL = True
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_TOTP_ISSUER = f"Touchstone {urlsplit(SITE_URL).hostname}"
MFA_TOTP_TOLERANCE = 1

# Email

EMAIL_URL = env.str("EMAIL_URL", default="consolemail://")
# Without a mail server, workers cannot enter an address and receive no email.
MAIL_IS_ON = bool(env.str("EMAIL_URL", default=""))
_require(
    _split(EMAIL_URL).scheme in env.EMAIL_SCHEMES,
    "EMAIL_URL is not the address of a mail server. Example: smtp+tls://user:password@host:587.",
)
vars().update(env.email_url_config(EMAIL_URL))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.str(
    "EMAIL_FROM", default=f"Touchstone <touchstone@{urlsplit(SITE_URL).hostname}>"
)
_require(
    "@" in DEFAULT_FROM_EMAIL and "\n" not in DEFAULT_FROM_EMAIL,
    f"EMAIL_FROM is {DEFAULT_FROM_EMAIL!r}; it must be an email address, or Name <address>.",
)

# Browser security

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SITE_IS_SECURE
# Browsers accept cookies with this prefix from the host itself only, not from its subdomains or siblings.
COOKIE_PREFIX = "__Host-" if SITE_IS_SECURE else ""
SESSION_COOKIE_NAME = f"{COOKIE_PREFIX}sessionid"
CSRF_COOKIE_NAME = f"{COOKIE_PREFIX}csrftoken"
MESSAGE_STORAGE = "web.messages.MessageStorage"
CSRF_TRUSTED_ORIGINS = [SITE_URL]
SECURE_HSTS_SECONDS = 31_536_000 if SITE_IS_SECURE else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = SITE_IS_SECURE
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if SITE_IS_SECURE else None
SECURE_SSL_REDIRECT = _flag("SSL_REDIRECT", True) and SITE_IS_SECURE
PERMISSIONS_POLICY: dict[str, list[str]] = {
    feature: []
    for feature in (
        "accelerometer",
        "camera",
        "display-capture",
        "geolocation",
        "gyroscope",
        "hid",
        "magnetometer",
        "microphone",
        "midi",
        "payment",
        "screen-wake-lock",
        "serial",
        "usb",
    )
}
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "base-uri": [NONE],
        "object-src": [NONE],
        "frame-ancestors": [NONE],
        "form-action": [SELF],
        "img-src": [SELF, "data:"],
    },
}
# deploy/Caddyfile limits request bodies too.
DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 2**20
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000
DATA_UPLOAD_MAX_NUMBER_FILES = 5
FILE_UPLOAD_MAX_MEMORY_SIZE = 2 * 2**20
# On the disk of the data, because /tmp may be in memory.
FILE_UPLOAD_TEMP_DIR = VAR_DIR / "incoming"
FILE_UPLOAD_TEMP_DIR.mkdir(exist_ok=True)

# Drafts that no marketplace has confirmed: of a task per network address, per address, and in total.
# 0 is no limit.
DRAFTS_PER_TASK_AND_ADDRESS = int(
    _number("DRAFTS_PER_TASK_AND_ADDRESS", "100", low="0", high="1000000")
)
DRAFTS_PER_ADDRESS = int(_number("DRAFTS_PER_ADDRESS", "300", low="0", high="1000000"))
UNCONFIRMED_DRAFTS = int(_number("UNCONFIRMED_DRAFTS", "5000", low="0", high="1000000"))

# Retention, in days. 0 keeps everything.
COPIES_DAYS = int(_number("COPIES_DAYS", "60", low="0", high="36500"))
_require(
    not 0 < COPIES_DAYS < 45,
    "COPIES_DAYS must be 0 or at least 45, because pages can use drafts for 40 days.",
)
MESSAGES_DAYS = int(_number("MESSAGES_DAYS", "365", low="0", high="36500"))
LOG_DAYS = int(_number("LOG_DAYS", "0", low="0", high="36500"))

# Networks whose X-Forwarded-For is trusted, and networks that may read /metrics
TRUSTED_PROXIES = _networks("TRUSTED_PROXIES")
METRICS_NETWORKS = _networks("METRICS_NETWORKS")
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
_require(
    not METRICS_TOKEN or len(METRICS_TOKEN) >= 20,
    "METRICS_TOKEN is too short; it must have at least 20 characters.",
)

# Where to report vulnerabilities, in /.well-known/security.txt.
SECURITY_CONTACT = env.str("SECURITY_CONTACT", default="")
_require(
    not SECURITY_CONTACT or re.fullmatch(r"(mailto:|https://|tel:)\S+", SECURITY_CONTACT),
    f"SECURITY_CONTACT is {SECURITY_CONTACT!r}; it must be like mailto:security@example.org.",
)

# REST API

API_READS_PER_MINUTE = int(_number("API_READS_PER_MINUTE", "600", low="0", high="1000000"))
API_WRITES_PER_MINUTE = int(_number("API_WRITES_PER_MINUTE", "60", low="0", high="1000000"))
API_UPLOAD_MAX_BYTES = int(_number("API_UPLOAD_MAX_MB", "200", low="1", high="100000")) * 2**20
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "projects.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["projects.api.roles.RulePermission"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["web.parsers.TextJson"],
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "DEFAULT_THROTTLE_CLASSES": ["web.throttles.Reads", "web.throttles.Writes"],
    "DEFAULT_SCHEMA_CLASS": "web.schema.Schema",
    "EXCEPTION_HANDLER": "drf_standardized_errors.handler.exception_handler",
    # Throttle the address that the proxy saw, if there is a proxy.
    "NUM_PROXIES": 1 if SITE_IS_SECURE else 0,
    "URL_FORMAT_OVERRIDE": None,
}
_ERROR_STATUSES = [
    str(status) for status in (400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 422, 429, 500, 503)
]
DRF_STANDARDIZED_ERRORS = {
    "EXCEPTION_HANDLER_CLASS": "web.errors.Handler",
    "ALLOWED_ERROR_STATUS_CODES": _ERROR_STATUSES,
    "ERROR_SCHEMAS": dict.fromkeys(_ERROR_STATUSES, "web.errors.ErrorResponseSerializer"),
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Touchstone",
    "VERSION": "1",
    "DESCRIPTION": "Projects, their work, people and money; see docs/reference/api.md.",
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "SERVE_PERMISSIONS": ["projects.api.roles.RulePermission"],
    "SERVE_INCLUDE_SCHEMA": False,
    "SORT_OPERATIONS": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "ENUM_NAME_OVERRIDES": {
        "Role": "projects.enums.Role",
        "Partition": "annotation.enums.Partition",
        "BatchState": "annotation.enums.BatchState",
        "JobState": "jobs.enums.JobState",
        "SubmissionState": "annotation.enums.SubmissionState",
        "CaseState": "consolidation.enums.CaseState",
        "GoldSource": "consolidation.enums.GoldSource",
        "LedgerKind": "crowd.enums.LedgerKind",
        "EnrolmentState": "qualification.enums.EnrolmentState",
        "RoundKind": "qualification.enums.RoundKind",
        "MemberRole": "projects.enums.MemberRole",
    },
}

# Each request has an id, which its response, log lines and tasks share.
DJANGO_GUID = {
    "GUID_HEADER_NAME": "X-Request-ID",
    "EXPOSE_HEADER": False,
    "INTEGRATIONS": [CeleryIntegration()],
}

LOG_LEVEL = env.str("LOG_LEVEL", default="").upper()
if LOG_LEVEL:
    _checked("LOG_LEVEL", LOG_LEVEL, ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"))
LOG_FORMAT = _checked("LOG_FORMAT", env.str("LOG_FORMAT", default="line"), ("line", "json"))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "operations.logs.LineFormatter",
            "format": "%(asctime)s %(levelname)s %(name)s %(message)s",
        },
        "json": {
            "()": "operations.logs.JsonFormatter",
            "fmt": ["levelname", "name", "message"],
            "timestamp": "at",
            "rename_fields": {"levelname": "level", "name": "logger", "exc_info": "traceback"},
            # Objects attached by Django and Celery (the request, a task's arguments)
            "reserved_attrs": [*RESERVED_ATTRS, "request", "data"],
        },
    },
    "filters": {
        "request_id": {
            "()": "django_guid.log_filters.CorrelationId",
            "correlation_id_field": "request_id",
        },
        "without_traceback": {"()": "operations.logs.WithoutTraceback"},
    },
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "formatter": LOG_FORMAT,
            "filters": ["request_id"],
        }
    },
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL or "WARNING"},
    "loggers": {
        "touchstone": {"level": LOG_LEVEL or "INFO"},
        "django_guid": {"level": "WARNING"},
        # Anyone can send a request with a foreign Host header.
        "django.security.DisallowedHost": {"filters": ["without_traceback"]},
    },
}
