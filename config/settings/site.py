"""The site: its address, applications and middleware."""

from config.environment.model import read_environment
from config.environment.site import host_of, is_secure
from touchstone import layout

env = read_environment()

BASE_DIR = layout.BASE_DIR
PREPARED_DIR = layout.PREPARED_DIR
VERSION = layout.version()
VAR_DIR = env.VAR_DIR
DEBUG = env.DEBUG
DEMO = env.DEMO
SITE_URL = env.SITE_URL
MODEL_HOSTS = env.MODEL_HOSTS
WEBHOOK_HOSTS = env.WEBHOOK_HOSTS
HUGGINGFACE_URL = env.HUGGINGFACE_URL
ZENODO_URL = env.ZENODO_URL
SITE_IS_SECURE = is_secure(SITE_URL)
# The site's own processes and requesters' pages use further hosts.
ALLOWED_HOSTS = [
    *env.ALLOWED_HOSTS,
    *(host_of(url) for url in (env.MARKETPLACE_INTERNAL_URL, env.MARKETPLACE_CONTENT_URL) if url),
]

INSTALLED_APPS = [
    # First, because each {% static %} searches for this app from the top of the list.
    "whitenoise.runserver_nostatic",
    "config.static_files.StaticFiles",
    "operations",
    "dashboard",
    "accounts",
    "rehearsal",
    "benchmarks",
    "releases",
    "model_annotators",
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
    "django_countries",
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
    "web.interface_language.InterfaceLanguageMiddleware",
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
            "libraries": {"i18n": "web.templatetags.fixed_texts"},
        },
    },
]
# Our library `i18n` extends Django's, which has the same name.
SILENCED_SYSTEM_CHECKS = ["templates.W003"]

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
TIME_ZONE = "UTC"
# Only the pages of workers are translated: web.interface_language
USE_I18N = True
LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_NAME = "language"
LANGUAGE_COOKIE_AGE = 365 * 24 * 60 * 60
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SECURE = SITE_IS_SECURE
