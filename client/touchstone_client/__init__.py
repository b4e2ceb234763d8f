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
    TouchstoneError,
)
from touchstone_client.jobs import Job

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
    "Touchstone",
    "TouchstoneError",
]
