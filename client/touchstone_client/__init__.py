"""A client for the REST API of a Touchstone site."""

from touchstone_client.api import Project, Touchstone
from touchstone_client.errors import (
    ApiError,
    ConnectionFailedError,
    DownloadError,
    JobFailedError,
    JobTimeoutError,
    NotFoundError,
    RateLimitedError,
    SignatureError,
    TouchstoneError,
)
from touchstone_client.jobs import Job
from touchstone_client.webhooks import verify_webhook

__all__ = [
    "ApiError",
    "ConnectionFailedError",
    "DownloadError",
    "Job",
    "JobFailedError",
    "JobTimeoutError",
    "NotFoundError",
    "Project",
    "RateLimitedError",
    "SignatureError",
    "Touchstone",
    "TouchstoneError",
    "verify_webhook",
]
