"""SQS: messages to queues of the operator's endpoint."""

import re

from django.conf import settings

from marketplace.domain.notifications.transports import aws
from marketplace.domain.notifications.transports.base import EndpointError
from marketplace.models import Notification, Requester

#: What follows the endpoint in the URL of a standard queue: an account, and the queue's name.
QUEUE = re.compile(r"([A-Za-z0-9_-]{1,64}/)?[A-Za-z0-9_-]{1,80}")


class Sqs:
    def check(self, destination: str, requester: Requester) -> None:
        endpoint = settings.MARKETPLACE_SQS_ENDPOINT_URL
        if not endpoint:
            raise EndpointError(
                "This marketplace does not deliver to SQS. Its operator can set "
                "MARKETPLACE_SQS_ENDPOINT_URL."
            )
        start, queue = destination[: len(endpoint) + 1], destination[len(endpoint) + 1 :]
        if start != f"{endpoint}/" or not QUEUE.fullmatch(queue):
            raise EndpointError(
                f"With Transport SQS, Destination must be the URL of a standard queue of {endpoint}, "
                f"such as {endpoint}/123456789012/queue."
            )

    def origin(self, destination: str) -> str:
        return f"sqs {settings.MARKETPLACE_SQS_ENDPOINT_URL}"

    def send(self, notification: Notification, body: str) -> str:
        client = aws.client("sqs", settings.MARKETPLACE_SQS_ENDPOINT_URL)
        return aws.call(client.send_message, QueueUrl=notification.destination, MessageBody=body)
