"""Types of environment variables.

A validator raises ValueError with a line that names the variable. Values that may be secret are left
out of it.
"""

import base64
import binascii
import os
import re
from contextlib import suppress
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import SplitResult, urlsplit

from cryptography.fernet import Fernet
from environ import Env
from pydantic import AfterValidator, BeforeValidator, ValidationInfo

MIN_KEY_LETTERS = 50
BACKUP_KEY_BYTES = 32


class FromFile:
    """Marks a variable that may be read from a file, such as a Docker secret."""


def split_url(raw: str) -> SplitResult:
    """Return the parts of a URL, all empty if its port is invalid."""
    try:
        parts = urlsplit(raw)
        _ = parts.port
    except ValueError:
        return SplitResult("", "", "", "", "")
    return parts


def address(*schemes: str, example: str, may_be_empty: bool = False) -> AfterValidator:
    """Return a validator of URLs. Its message omits the value, which may have a password."""

    def check(raw: str, info: ValidationInfo) -> str:
        parts = split_url(raw)
        location = parts.hostname or parts.path.strip("/") or parts.query
        is_valid = (parts.scheme in schemes and location) or (may_be_empty and not raw)
        _require(is_valid, f"{info.field_name} is not a valid address. Example: {example}.")
        return raw

    return AfterValidator(check)


def matching(pattern: str, requirement: str) -> AfterValidator:
    """Return a validator of texts. The requirement completes "it must be"."""

    def check(text: str, info: ValidationInfo) -> str:
        is_valid = re.fullmatch(pattern, text)
        _require(is_valid, f"{info.field_name} is {text!r}; it must be {requirement}.")
        return text

    return AfterValidator(check)


def long_enough(length: int) -> AfterValidator:
    """Return a validator of secrets. They have at least this number of characters, or none."""

    def check(secret: str, info: ValidationInfo) -> str:
        name = info.field_name
        is_valid = not secret or len(secret) >= length
        _require(is_valid, f"{name} is too short; it must have at least {length} characters.")
        return secret

    return AfterValidator(check)


def folder(*, mode: int) -> AfterValidator:
    """Return a validator that creates the folder with this mode if it is missing."""

    def check(path: Path, info: ValidationInfo) -> Path:
        path = path.absolute()
        with suppress(OSError):
            path.mkdir(mode=mode, parents=True, exist_ok=True)
        is_writable = path.is_dir() and os.access(path, os.W_OK)
        message = f"{info.field_name} is {path}; it must be a folder that can be written."
        _require(is_writable, message)
        return path

    return AfterValidator(check)


def _require(is_valid: object, problem: str) -> None:
    if not is_valid:
        raise ValueError(problem)


def _split_list(raw: str | list[str]) -> list[str]:
    if isinstance(raw, list):
        return raw  # a default
    return [part for part in map(str.strip, raw.split(",")) if part]


def _check_origin(raw: str, info: ValidationInfo) -> str:
    parts = split_url(raw.rstrip("/"))
    is_origin = parts.scheme in ("http", "https") and parts.hostname and not parts.path
    example = "https://touchstone.example"
    _require(is_origin, f"{info.field_name} is {raw!r}; it must be an origin such as {example}.")
    return raw.rstrip("/")


def _check_optional_origin(raw: str, info: ValidationInfo) -> str:
    return _check_origin(raw, info) if raw else raw


def _check_called_origin(raw: str, info: ValidationInfo) -> str:
    """Secrets are sent there, so that only this machine may be called without encryption."""
    origin = _check_origin(raw, info)
    parts = split_url(origin)
    is_safe = parts.scheme == "https" or parts.hostname in ("127.0.0.1", "localhost", "::1")
    _require(is_safe, f"{info.field_name} is {raw!r}; it must begin with https.")
    return origin


def _check_hosts(hosts: list[str], info: ValidationInfo) -> list[str]:
    is_valid = hosts and all(re.fullmatch(r"\*|\.?[\w.-]+|\[[0-9a-f:]+\]", host) for host in hosts)
    requirement = "it must list host names, without scheme or port"
    _require(is_valid, f"{info.field_name} is {','.join(hosts)!r}; {requirement}.")
    return hosts


def _check_called_hosts(hosts: list[str], info: ValidationInfo) -> list[str]:
    is_valid = all(
        re.fullmatch(r"([\w.-]+|\[[0-9a-f:]+\])(:[0-9]+)?", host)
        and split_url(f"//{host}").hostname
        for host in hosts
    )
    requirement = "it must list hosts such as hooks.example or hooks.example:8443"
    _require(is_valid, f"{info.field_name} is {','.join(hosts)!r}; {requirement}.")
    return hosts


def _read_networks(raw: str | list[str], info: ValidationInfo) -> list[IPv4Network | IPv6Network]:
    try:
        return [ip_network(part) for part in _split_list(raw)]
    except ValueError as error:
        raise ValueError(
            f"{info.field_name}: {error}; it must list networks such as 10.0.0.0/8, separated by commas."
        ) from None


def _check_keys(keys: list[str], info: ValidationInfo) -> list[str]:
    is_valid = all(len(key) >= MIN_KEY_LETTERS for key in keys)
    _require(is_valid, f"{info.field_name} has a key of fewer than {MIN_KEY_LETTERS} characters.")
    return keys


def _check_fernet_keys(keys: list[str], info: ValidationInfo) -> list[str]:
    try:
        for key in keys:
            Fernet(key)
    except ValueError:
        raise ValueError(
            f"{info.field_name} has a key that is not 32 bytes in URL-safe base64."
        ) from None
    return keys


def _read_backup_key(raw: str, info: ValidationInfo) -> bytes | None:
    if not raw:
        return None
    try:
        key = base64.b64decode(raw, validate=True)
    except binascii.Error:
        key = b""
    _require(
        len(key) == BACKUP_KEY_BYTES,
        f"{info.field_name} must be {BACKUP_KEY_BYTES} bytes in base64, from openssl rand -base64 32.",
    )
    return key


def _read_archive_folder(raw: str, info: ValidationInfo) -> Path | None:
    message = f"{info.field_name} is {raw}; it must be an absolute path."
    _require(not raw or Path(raw).is_absolute(), message)
    return Path(raw) if raw else None


def _check_days_of_copies(days: int, info: ValidationInfo) -> int:
    message = "must be 0 or at least 45, because pages can use drafts for 40 days"
    _require(not 0 < days < 45, f"{info.field_name} {message}.")
    return days


def _check_mail_server(url: str, info: ValidationInfo) -> str:
    example = "smtp+tls://user:password@host:587"
    _require(
        split_url(url).scheme in Env.EMAIL_SCHEMES,
        f"{info.field_name} is not the address of a mail server. Example: {example}.",
    )
    return url


def _check_sender(sender: str, info: ValidationInfo) -> str:
    _require(
        "@" in sender and "\n" not in sender,
        f"{info.field_name} is {sender!r}; it must be an email address, or Name <address>.",
    )
    return sender


def _check_token(token: str, info: ValidationInfo) -> str:
    _require(re.fullmatch(r"\S*", token), f"{info.field_name} must not contain spaces.")
    return token


Secret = Annotated[str, FromFile()]
Origin = Annotated[str, AfterValidator(_check_origin)]
OptionalOrigin = Annotated[str, AfterValidator(_check_optional_origin)]
CalledOrigin = Annotated[str, AfterValidator(_check_called_origin)]
TextList = Annotated[list[str], BeforeValidator(_split_list)]
Hosts = Annotated[TextList, AfterValidator(_check_hosts)]
# Hosts that the site may call, with a port or with those of https and http
CalledHosts = Annotated[TextList, AfterValidator(_check_called_hosts)]
Origins = Annotated[list[Origin], BeforeValidator(_split_list)]
Networks = Annotated[list[IPv4Network | IPv6Network], BeforeValidator(_read_networks)]
Role = Literal["admin", "requester", "trainer", "expert"]
Roles = Annotated[frozenset[Role], BeforeValidator(_split_list)]
SigningKey = Annotated[Secret, long_enough(MIN_KEY_LETTERS)]
SigningKeys = Annotated[TextList, FromFile(), AfterValidator(_check_keys)]
FernetKeys = Annotated[TextList, FromFile(), AfterValidator(_check_fernet_keys)]
BackupKey = Annotated[bytes | None, FromFile(), BeforeValidator(_read_backup_key)]
ArchiveFolder = Annotated[Path | None, BeforeValidator(_read_archive_folder)]
DaysOfCopies = Annotated[int, AfterValidator(_check_days_of_copies)]
MailServer = Annotated[Secret, AfterValidator(_check_mail_server)]
Sender = Annotated[str, AfterValidator(_check_sender)]
Token = Annotated[Secret, AfterValidator(_check_token)]
Region = Annotated[str, matching(r"[a-z]{2}(-[a-z]+)+-\d", "like us-east-1")]
LogLevel = Annotated[
    Literal["", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"], BeforeValidator(str.upper)
]
StorageUrl = Annotated[str, address("s3", example="s3://bucket/touchstone", may_be_empty=True)]
BackupUrl = Annotated[
    str, address("s3", "file", example="s3://bucket/touchstone", may_be_empty=True)
]
DatabaseUrl = Annotated[
    Secret,
    address(
        *("sqlite", "postgres", "postgresql"),
        example="postgres://touchstone:password@127.0.0.1:5432/touchstone",
    ),
]
RedisUrl = Annotated[
    Secret,
    address("redis", "rediss", "unix", example="redis://127.0.0.1:6379/0", may_be_empty=True),
]
MTurkUrl = Annotated[str, address("http", "https", example="https://touchstone.example/mturk/")]
ProlificUrl = Annotated[str, address("http", "https", example="https://api.prolific.com")]
CompletionUrl = Annotated[
    str, address("http", "https", example="https://app.prolific.com/submissions/complete")
]
PrivateFolder = Annotated[Path, folder(mode=0o700)]
Folder = Annotated[Path, folder(mode=0o777)]
Contact = Annotated[
    str, matching(r"((mailto:|https://|tel:)\S+)?", "like mailto:security@example.org")
]
MetricsToken = Annotated[Secret, long_enough(20)]
ProlificId = Annotated[
    str, matching(r"([0-9a-f]{24})?", "an id of 24 hex digits, as in Prolific's addresses")
]
