"""Logs, and the ids of requests in them."""

from django_guid.integrations import CeleryIntegration
from pythonjsonlogger.core import RESERVED_ATTRS

from config.settings.site import env

# Each request has an id, which its response, log lines and tasks share.
DJANGO_GUID = {
    "GUID_HEADER_NAME": "X-Request-ID",
    "EXPOSE_HEADER": False,
    "INTEGRATIONS": [CeleryIntegration()],
}

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
            "formatter": env.LOG_FORMAT,
            "filters": ["request_id"],
        }
    },
    "root": {"handlers": ["stderr"], "level": env.LOG_LEVEL or "WARNING"},
    "loggers": {
        "touchstone": {"level": env.LOG_LEVEL or "INFO"},
        "django_guid": {"level": "WARNING"},
        # Anyone can send a request with a foreign Host header.
        "django.security.DisallowedHost": {"filters": ["without_traceback"]},
    },
}
