"""Every setting, from the environment; without any, the embedded default runs.

Embedded: SQLite, Celery over the file system, our own marketplace on the same
site, everything kept under `var/`. `docs/settings.md` explains each variable.
A value that cannot be used stops the start with one line that names it.
"""

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
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()
# What may lie in a file instead, named by the variable with _FILE after it (Docker's secrets).
FROM_FILES = (
    "SECRET_KEY",
    "DATABASE_URL",
    "REDIS_URL",
    "EMAIL_URL",
    "METRICS_TOKEN",
    "MTURK_ACCESS_KEY_ID",
    "MTURK_SECRET_ACCESS_KEY",
)


def _secrets_from_files() -> dict[str, str]:
    found = {}
    for name in FROM_FILES:
        path = os.environ.get(f"{name}_FILE", "")
        if not path:
            continue
        if os.environ.get(name):
            raise ImproperlyConfigured(f"{name} and {name}_FILE are both set; set one of them.")
        try:
            found[name] = Path(path).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            raise ImproperlyConfigured(f"{name}_FILE is {path}, which can't be read.") from None
    return found


# Not into os.environ: what we start need not inherit them.
env.ENVIRON = {**os.environ, **_secrets_from_files()}


def _checked(name: str, value: str, allowed: tuple[str, ...]) -> str:
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} is {value!r}; it must be one of: {', '.join(allowed)}.")
    return value


def _flag(name: str, default: bool) -> bool:
    """A boolean that refuses what it does not understand (environ reads any typo as False)."""
    raw = env.str(name, default="true" if default else "false").lower()
    _checked(name, raw, ("true", "false", "1", "0", "yes", "no", "on", "off"))
    return raw in ("true", "1", "yes", "on")


def _number(name: str, default: str, *, low: str, high: str) -> Decimal:
    raw = env.str(name, default=default)
    try:
        value = Decimal(raw)
        inside = Decimal(low) <= value <= Decimal(high)
    except ArithmeticError:  # comparing with NaN is one, too
        raise ImproperlyConfigured(f"{name} is {raw!r}; it must be a number.") from None
    if not inside:
        raise ImproperlyConfigured(f"{name} is {raw}; it must lie between {low} and {high}.")
    return value


def _split(raw: str) -> SplitResult:
    """The parts of a URL; all empty where its port is no port."""
    try:
        parts = urlsplit(raw)
        _ = parts.port
    except ValueError:
        return SplitResult("", "", "", "", "")
    return parts


def _address(name: str, raw: str, schemes: tuple[str, ...], *, example: str) -> str:
    """A URL with one of the schemes. The message keeps the value back: it may hold a password."""
    parts = _split(raw)
    somewhere = parts.hostname or parts.path.strip("/") or parts.query
    if parts.scheme not in schemes or not somewhere:
        raise ImproperlyConfigured(f"{name} is no address that can be used; such as {example}.")
    return raw


def _checked_origin(name: str, raw: str) -> str:
    parts = _split(raw.rstrip("/"))
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path:
        raise ImproperlyConfigured(
            f"{name} is {raw!r}; it must be an origin such as https://touchstone.example."
        )
    return raw.rstrip("/")


def _origin(name: str, default: str) -> str:
    return _checked_origin(name, env.str(name, default=default))


def _hosts(name: str, default: list[str]) -> list[str]:
    hosts: list[str] = env.list(name, default=default)
    if not hosts or not all(re.fullmatch(r"\*|\.?[\w.-]+|\[[0-9a-f:]+\]", host) for host in hosts):
        raise ImproperlyConfigured(
            f"{name} is {','.join(hosts)!r}; it must list host names, without scheme or port."
        )
    return hosts


def _networks(name: str) -> list[IPv4Network | IPv6Network]:
    raw: list[str] = env.list(name, default=[])
    try:
        return [ip_network(one.strip()) for one in raw]
    except ValueError as error:
        raise ImproperlyConfigured(
            f"{name}: {error}; it must list networks such as 10.0.0.0/8, separated by commas."
        ) from None


def _folder(name: str, default: Path) -> Path:
    path = Path(env.str(name, default=str(default))).absolute()
    with suppress(OSError):
        path.mkdir(parents=True, exist_ok=True)
    if not path.is_dir() or not os.access(path, os.W_OK):
        raise ImproperlyConfigured(f"{name} is {path}; it must be a folder that can be written.")
    return path


def _secret_key(var: Path) -> str:
    """The key given, or one made at the first start and kept, readable by its owner alone."""
    if given := env.str("SECRET_KEY", default=""):
        if len(given) < 50:
            raise ImproperlyConfigured(
                "SECRET_KEY is too short; it must have at least 50 characters."
            )
        return given
    kept = var / "secret_key"
    if not kept.exists():
        candidate = var / f"secret_key.{secrets.token_hex(8)}"
        candidate.touch(mode=0o600)
        candidate.write_text(secrets.token_urlsafe(50))
        with suppress(FileExistsError):
            kept.hardlink_to(candidate)  # atomic: processes that start together agree on one key
        candidate.unlink()
    return kept.read_text()


VERSION = tomllib.loads((BASE_DIR / "pyproject.toml").read_text("utf-8"))["project"]["version"]

# --- where things are ------------------------------------------------------------------------

VAR_DIR = _folder("VAR_DIR", BASE_DIR / "var")

DEBUG = _flag("DEBUG", False)
DEMO = _flag("DEMO", False)
SECRET_KEY = _secret_key(VAR_DIR)
SITE_URL = _origin("SITE_URL", "http://127.0.0.1:8000")
SITE_IS_SECURE = SITE_URL.startswith("https://")
if DEMO and urlsplit(SITE_URL).hostname not in ("127.0.0.1", "localhost", "::1"):
    raise ImproperlyConfigured(
        f"DEMO is set and SITE_URL is {SITE_URL}: the demo's passwords are public, it runs on this "
        "machine only."
    )
ALLOWED_HOSTS = _hosts(
    "ALLOWED_HOSTS", sorted({str(urlsplit(SITE_URL).hostname), "127.0.0.1", "localhost"})
)

# --- the house -------------------------------------------------------------------------------

INSTALLED_APPS = [
    # First: each {% static %} looks for this app from the top of the list.
    "whitenoise.runserver_nostatic",
    "config.static_files.StaticFiles",
    "operation",
    "dashboard",
    "accounts",
    "rehearsal",
    "qualification",
    "consolidation",
    "annotation",
    "crowd",
    "audit",
    "rest",
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
    "axes",
    "django_otp",
    "django_otp.plugins.otp_totp",
    "csp",
]

MIDDLEWARE = [
    "operation.request_id.RequestIdMiddleware",
    "operation.trusted_proxies.TrustedProxiesMiddleware",
    "operation.requests.RequestsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "config.permissions_policy.PermissionsPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "config.content_policy.ContentPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "config.text_only.TextOnlyMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_otp.middleware.OTPMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "accounts.middleware.SecondFactorMiddleware",
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
            "libraries": {"kept_addresses": "rendering.kept_addresses"},
        },
    },
]

# --- data ------------------------------------------------------------------------------------

DATABASE_URL = env.str("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'touchstone.sqlite3'}")
_address(
    "DATABASE_URL",
    DATABASE_URL,
    ("sqlite", "postgres", "postgresql"),
    example="postgres://touchstone:password@127.0.0.1:5432/touchstone",
)
DATABASES: dict[str, dict[str, Any]] = {"default": env.db_url_config(DATABASE_URL)}
DATABASES["default"]["CONN_MAX_AGE"] = 60
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 30,
        # A deferred transaction that turns to writing fails at once under contention, without
        # waiting for the timeout; an immediate one waits its turn.
        "transaction_mode": "IMMEDIATE",
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-32000;"
        ),
    }
else:
    DATABASES["default"]["ENGINE"] = "database.postgresql"
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    DATABASES["default"].setdefault("OPTIONS", {})["client_encoding"] = "UTF8"
# A pooler that hands a connection to another client after each transaction keeps nothing prepared.
DATABASE_PREPARES = _flag("DATABASE_PREPARES", True)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en-us"
USE_I18N = False

STATIC_URL = "/static/"
STATIC_ROOT = _folder("STATIC_ROOT", VAR_DIR / "static")
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "config.static_files.HashedModulesStorage"},
}
WHITENOISE_USE_FINDERS = DEBUG
MEDIA_ROOT = VAR_DIR / "media"
EXPORT_DIR = VAR_DIR / "exports"

# --- background work -------------------------------------------------------------------------

REDIS_URL = env.str("REDIS_URL", default="")
if REDIS_URL:
    _address(
        "REDIS_URL", REDIS_URL, ("redis", "rediss", "unix"), example="redis://127.0.0.1:6379/0"
    )
    CELERY_BROKER_URL = REDIS_URL
    # Counters that all web processes share, such as the marketplace's rate limit.
    _shared = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
    CACHES = {"default": _shared, "figures": _shared}
    # Longer than any task: Redis hands a task out again once this has passed.
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {"visibility_timeout": 3600}
else:
    # Figures that the worker process counts for the web processes; see annotation.domain.kept_figures.
    CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
        "figures": {
            "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
            "LOCATION": VAR_DIR / "figures",
        },
    }
    _queue = VAR_DIR / "queue"
    _queue.mkdir(exist_ok=True)
    CELERY_BROKER_URL = "filesystem://"
    CELERY_BROKER_TRANSPORT = "config.filesystem_queue:Transport"
    # Remote control is a broadcast, for which the folder has no safe way.
    CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        # One folder for both: what a producer puts out is what a worker takes in.
        "data_folder_in": str(_queue),
        "data_folder_out": str(_queue),
        "control_folder": str(_queue / "control"),
        # After each task a worker looks for the next one so much later: by 0.2 s, two processes took
        # in no more than ten tasks a second, and fell behind a quick beat until tasks expired.
        "polling_interval": 0.05,
    }
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    # Opening a file anew for each task takes longer than most sweeps. A server's connections are
    # closed after each: one that broke would fail every task until its turn to be closed.
    CELERY_DB_REUSE_MAX = 500
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_TIME_LIMIT = 3000
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "celerybeat-schedule")
SWEEP_SECONDS = float(_number("SWEEP_SECONDS", "10", low="0.2", high="3600"))
LEASE = timedelta(seconds=int(_number("LEASE_SECONDS", "60", low="5", high="3600")))
CELERY_BEAT_SCHEDULE = {
    name: {"task": name, "schedule": SWEEP_SECONDS, "options": {"expires": SWEEP_SECONDS * 3}}
    for name in (
        "crowd.tasks.create_pending_hits",
        "crowd.tasks.sync_due_hits",
        "crowd.tasks.send_due_payments",
        "crowd.tasks.send_due_mail",
        "annotation.tasks.record_new_assignments",
        "annotation.tasks.top_up_open_batches",
        "annotation.tasks.run_waiting_imports",
        "consolidation.tasks.open_due_cases",
        "consolidation.tasks.record_new_gold",
        "qualification.tasks.evaluate_rounds",
        "rehearsal.tasks.run_waiting_rehearsals",
    )
}
# How often the worker gives a sign of life: /health/ready misses it after three.
SIGN_SECONDS = 30.0
CELERY_BEAT_SCHEDULE["operation.tasks.give_sign"] = {
    "task": "operation.tasks.give_sign",
    "schedule": SIGN_SECONDS,
    "options": {"expires": SIGN_SECONDS * 2},
}
CELERY_BEAT_SCHEDULE["accounts.tasks.forget_expired_sessions"] = {
    "task": "accounts.tasks.forget_expired_sessions",
    "schedule": 86400.0,
}
# They look over everything that was ever offered, and a place that came back can wait so long.
CELERY_BEAT_SCHEDULE |= {
    name: {
        "task": name,
        "schedule": SWEEP_SECONDS * 3,
        "options": {"expires": SWEEP_SECONDS * 9},
    }
    for name in (
        "annotation.tasks.reoffer_short_items",
        "consolidation.tasks.reoffer_short_cases",
        "dashboard.tasks.restart_cut_exports",
    )
}
# They look over all that a project has, and nobody waits for them.
CELERY_BEAT_SCHEDULE |= {
    name: {
        "task": name,
        "schedule": SWEEP_SECONDS * 30,
        "options": {"expires": SWEEP_SECONDS * 60},
    }
    for name in (
        "consolidation.tasks.draw_due_reviews",
        "consolidation.tasks.index_missing_gold",
        "qualification.tasks.watch_pools",
    )
}

# --- the crowd -------------------------------------------------------------------------------

MTURK_REGION = env.str("MTURK_REGION", default="us-east-1")
if not re.fullmatch(r"[a-z]{2}(-[a-z]+)+-\d", MTURK_REGION):
    raise ImproperlyConfigured(f"MTURK_REGION is {MTURK_REGION!r}; it must be like us-east-1.")
MTURK_ENDPOINT_URL = _address(
    "MTURK_ENDPOINT_URL",
    env.str("MTURK_ENDPOINT_URL", default=f"{SITE_URL}/mturk/"),
    ("http", "https"),
    example="https://touchstone.example/mturk/",
)
MTURK_IS_OURS = "MTURK_ENDPOINT_URL" not in env.ENVIRON
# Where finished work may be posted, and who may frame a worker's page: the same places.
MTURK_WORKER_ORIGINS = [
    _checked_origin("MTURK_WORKER_ORIGINS", origin)
    for origin in env.list("MTURK_WORKER_ORIGINS", default=[SITE_URL])
]
MTURK_REQUESTS_PER_SECOND = float(
    _number("MTURK_REQUESTS_PER_SECOND", "0" if MTURK_IS_OURS else "10", low="0", high="10000")
)
# Where the marketplace is asked to send its events: "webhook" is this site; an ARN is a topic that
# passes them on to it; empty: nowhere, and HITs are looked at when pages or the clock say so.
MTURK_NOTIFICATIONS = env.str("MTURK_NOTIFICATIONS", default="")
if MTURK_NOTIFICATIONS not in ("", "webhook") and not MTURK_NOTIFICATIONS.startswith("arn:"):
    raise ImproperlyConfigured(
        f"MTURK_NOTIFICATIONS is {MTURK_NOTIFICATIONS!r}; it must be empty, webhook or a topic's ARN."
    )
# Where a topic's subscription may be confirmed: its own region's service.
MTURK_SNS_ORIGINS = [
    _checked_origin("MTURK_SNS_ORIGINS", one)
    for one in env.list("MTURK_SNS_ORIGINS", default=[f"https://sns.{MTURK_REGION}.amazonaws.com"])
]
MTURK_FEE_RATE = _number("MTURK_FEE_RATE", "0.20", low="0", high="1")
MTURK_FEE_RATE_MANY = _number("MTURK_FEE_RATE_MANY", "0.40", low="0", high="1")


def _house_credential(purpose: str) -> str:
    return hmac.new(SECRET_KEY.encode(), purpose.encode(), hashlib.sha256).hexdigest()


if MTURK_IS_OURS:
    # Our own marketplace on the same site: both ends derive one key pair from the secret key,
    # so that nothing has to be typed in anywhere.
    MTURK_ACCESS_KEY_ID = "TSHOUSE" + _house_credential("mturk access key id")[:13].upper()
    MTURK_SECRET_ACCESS_KEY = _house_credential("mturk secret access key")
    MARKETPLACE_HOUSE_KEY: tuple[str, str] | None = (MTURK_ACCESS_KEY_ID, MTURK_SECRET_ACCESS_KEY)
else:
    # Empty: boto3's own chain (environment, profile, instance role) finds them.
    MTURK_ACCESS_KEY_ID = env.str("MTURK_ACCESS_KEY_ID", default="")
    MTURK_SECRET_ACCESS_KEY = env.str("MTURK_SECRET_ACCESS_KEY", default="")
    if bool(MTURK_ACCESS_KEY_ID) != bool(MTURK_SECRET_ACCESS_KEY):
        raise ImproperlyConfigured(
            "MTURK_ACCESS_KEY_ID and MTURK_SECRET_ACCESS_KEY belong together; set both or none."
        )
    MARKETPLACE_HOUSE_KEY = None

# --- our marketplace, when this site runs it ---------------------------------------------------

MARKETPLACE_ENABLED = _flag("MARKETPLACE_ENABLED", True)
MARKETPLACE_URL = _origin("MARKETPLACE_URL", SITE_URL)
MARKETPLACE_FEE_RATE = _number("MARKETPLACE_FEE_RATE", "0.20", low="0", high="1")
MARKETPLACE_FEE_RATE_MANY = _number("MARKETPLACE_FEE_RATE_MANY", "0.40", low="0", high="1")
MARKETPLACE_OPENING_BALANCE = _number(
    "MARKETPLACE_OPENING_BALANCE", "100000.00", low="0", high="100000000"
)
# A task page over plain http is let through only where the marketplace itself is one.
MARKETPLACE_ALLOW_HTTP = _flag("MARKETPLACE_ALLOW_HTTP", not MARKETPLACE_URL.startswith("https://"))
MARKETPLACE_FAULTS = env.str("MARKETPLACE_FAULTS", default="")
MARKETPLACE_REQUESTS_PER_SECOND = float(
    _number("MARKETPLACE_REQUESTS_PER_SECOND", "0", low="0", high="100000")
)
# Where requesters' webhooks may stand, beside this site itself.
MARKETPLACE_WEBHOOK_HOSTS = (
    _hosts("MARKETPLACE_WEBHOOK_HOSTS", []) if "MARKETPLACE_WEBHOOK_HOSTS" in env.ENVIRON else []
)
if MARKETPLACE_ENABLED:
    CELERY_BEAT_SCHEDULE |= {
        "marketplace.tasks.settle_due": {
            "task": "marketplace.tasks.settle_due",
            "schedule": SWEEP_SECONDS,
            "options": {"expires": SWEEP_SECONDS * 3},
        },
        "marketplace.tasks.deliver_notifications": {
            "task": "marketplace.tasks.deliver_notifications",
            "schedule": min(2.0, SWEEP_SECONDS),
            "options": {"expires": 6.0},
        },
    }

# --- people and safety -------------------------------------------------------------------------

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
AXES_FAILURE_LIMIT = 10
AXES_LOCKOUT_TEMPLATE = "dashboard/locked.html"
AXES_COOLOFF_TIME = 0.25  # hours; the page names it
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
if DEMO:  # its passwords are public, and two dozen simulated workers sign up while somebody watches
    PASSWORD_HASHERS = ["accounts.hashers.DemoHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "dashboard:login"
LOGIN_REDIRECT_URL = "dashboard:projects"
LOGOUT_REDIRECT_URL = "dashboard:login"

# Whose second factor is not a matter of choice.
SECOND_FACTOR_ROLES = frozenset(
    _checked("SECOND_FACTOR_ROLES", one, ("admin", "requester", "trainer", "expert"))
    for one in env.list(
        "SECOND_FACTOR_ROLES", default=["admin", "requester"] if SITE_IS_SECURE else []
    )
)
OTP_TOTP_ISSUER = f"Touchstone {urlsplit(SITE_URL).hostname}"
SESSION_ENGINE = "accounts.sessions"

# --- mail ----------------------------------------------------------------------------------------

EMAIL_URL = env.str("EMAIL_URL", default="consolemail://")
# Without a server no worker is asked for an address, and none is written to.
MAIL_IS_ON = bool(env.str("EMAIL_URL", default=""))
if _split(EMAIL_URL).scheme not in env.EMAIL_SCHEMES:
    raise ImproperlyConfigured(
        "EMAIL_URL is no address of a mail server; such as smtp+tls://user:password@host:587."
    )
vars().update(env.email_url_config(EMAIL_URL))
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.str(
    "EMAIL_FROM", default=f"Touchstone <touchstone@{urlsplit(SITE_URL).hostname}>"
)
if "@" not in DEFAULT_FROM_EMAIL or "\n" in DEFAULT_FROM_EMAIL:
    raise ImproperlyConfigured(
        f"EMAIL_FROM is {DEFAULT_FROM_EMAIL!r}; it must be an e-mail address, or Name <address>."
    )

# --- what browsers are told -----------------------------------------------------------------------

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SITE_IS_SECURE
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_TRUSTED_ORIGINS = [SITE_URL]
SECURE_REFERRER_POLICY = "same-origin"
SECURE_HSTS_SECONDS = 31_536_000 if SITE_IS_SECURE else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = SITE_IS_SECURE
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if SITE_IS_SECURE else None
SECURE_SSL_REDIRECT = _flag("SSL_REDIRECT", True) and SITE_IS_SECURE
X_FRAME_OPTIONS = "DENY"
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
# The proxy refuses bodies that are larger still (deploy/Caddyfile).
DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 2**20
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000
DATA_UPLOAD_MAX_NUMBER_FILES = 5
FILE_UPLOAD_MAX_MEMORY_SIZE = 2 * 2**20

# Whose X-Forwarded-For is believed, and who may read the figures.
TRUSTED_PROXIES = _networks("TRUSTED_PROXIES")
METRICS_NETWORKS = _networks("METRICS_NETWORKS")
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
if METRICS_TOKEN and len(METRICS_TOKEN) < 20:
    raise ImproperlyConfigured("METRICS_TOKEN is too short; it must have at least 20 characters.")

# --- the REST API ------------------------------------------------------------------------------

API_READS_PER_MINUTE = int(_number("API_READS_PER_MINUTE", "600", low="0", high="1000000"))
API_WRITES_PER_MINUTE = int(_number("API_WRITES_PER_MINUTE", "60", low="0", high="1000000"))
API_UPLOAD_MAX_BYTES = int(_number("API_UPLOAD_MAX_MB", "200", low="1", high="100000")) * 2**20
UPLOAD_DIR = VAR_DIR / "uploads"
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "annotation.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["annotation.api.roles.RoleTable"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest.parsers.TextJson"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "rest.parsers.AlwaysJson",
    "DEFAULT_THROTTLE_CLASSES": ["rest.throttles.Reads", "rest.throttles.Writes"],
    "DEFAULT_SCHEMA_CLASS": "rest.schema.Schema",
    "EXCEPTION_HANDLER": "rest.problems.problem_response",
    # The address that is throttled: the one that the proxy saw, where there is one.
    "NUM_PROXIES": 1 if SITE_IS_SECURE else 0,
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Touchstone",
    "VERSION": "1",
    "DESCRIPTION": "Projects, their work, people and money; docs/api.md tells how to begin.",
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "SERVE_PERMISSIONS": ["annotation.api.roles.RoleTable"],
    "SERVE_INCLUDE_SCHEMA": False,
    "SORT_OPERATIONS": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "ENUM_NAME_OVERRIDES": {
        "Role": "annotation.enums.Role",
        "Partition": "annotation.enums.Partition",
        "BatchState": "annotation.enums.BatchState",
        "ImportState": "annotation.enums.ImportState",
        "SubmissionState": "annotation.enums.SubmissionState",
        "CaseState": "consolidation.enums.CaseState",
        "GoldSource": "consolidation.enums.GoldSource",
        "LedgerKind": "crowd.enums.LedgerKind",
        "EnrolmentState": "qualification.enums.EnrolmentState",
    },
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
            "()": "operation.logs.Line",
            "format": "%(asctime)s %(levelname)s %(name)s %(message)s",
        },
        "json": {"()": "operation.logs.JsonLine"},
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT}},
    "root": {"handlers": ["stderr"], "level": LOG_LEVEL or "WARNING"},
    "loggers": {"touchstone": {"level": LOG_LEVEL or "INFO"}},
}
