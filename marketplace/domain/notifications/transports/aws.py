"""boto3 clients of the operator's SQS and SNS endpoints."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as BotoConnectionError
from django.conf import settings

from web.outgoing import UnreachableError

TIMEOUT_SECONDS = 5.0


def client(service: str, endpoint: str) -> Any:
    """Return a client of the endpoint, with the region and the key of the settings."""
    key = (settings.MARKETPLACE_AWS_ACCESS_KEY_ID, settings.MARKETPLACE_AWS_SECRET_ACCESS_KEY)
    return _client(service, endpoint, settings.MARKETPLACE_AWS_REGION, key, TIMEOUT_SECONDS)


@lru_cache(maxsize=4)
def _client(service: str, endpoint: str, region: str, key: tuple[str, str], timeout: float) -> Any:
    # The outbox repeats failed deliveries, so the client does not. Without a key, boto3 looks for one.
    config = Config(
        connect_timeout=timeout, read_timeout=timeout, retries={"total_max_attempts": 1}
    )
    return boto3.session.Session().client(
        service,  # type: ignore[call-overload] # one of two names
        endpoint_url=endpoint,
        region_name=region,
        aws_access_key_id=key[0] or None,
        aws_secret_access_key=key[1] or None,
        config=config,
    )


def call(operation: Callable[..., object], **parameters: str) -> str:
    """Call an operation. Return the refusal, or an empty string. Raise UnreachableError."""
    try:
        operation(**parameters)
    except ClientError as error:
        details = error.response.get("Error", {})
        return f"{details.get('Code', 'Error')}: {details.get('Message', '')}"
    except (HTTPClientError, BotoConnectionError) as error:
        raise UnreachableError(str(error)) from error
    except BotoCoreError as error:
        return str(error)
    return ""
