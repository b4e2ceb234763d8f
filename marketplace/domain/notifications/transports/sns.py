"""SNS: messages to topics of the operator's endpoint."""

import re

from django.conf import settings

from marketplace.domain.notifications.transports import aws
from marketplace.domain.notifications.transports.base import EndpointError
from marketplace.models import Notification, Requester

#: The ARN of a standard topic. The region is its fourth part.
TOPIC = re.compile(r"arn:aws[a-z-]*:sns:(?P<region>[a-z0-9-]+):[0-9]{12}:[A-Za-z0-9_-]{1,256}")


class Sns:
    def check(self, destination: str, requester: Requester) -> None:
        endpoint, region = settings.MARKETPLACE_SNS_ENDPOINT_URL, settings.MARKETPLACE_AWS_REGION
        if not endpoint:
            raise EndpointError(
                "This marketplace does not deliver to SNS topics. Its operator can set "
                "MARKETPLACE_SNS_ENDPOINT_URL. Webhooks are accepted: a Destination that begins "
                "with https://."
            )
        topic = TOPIC.fullmatch(destination)
        if topic is None or topic["region"] != region:
            raise EndpointError(
                f"Destination must be the ARN of a standard topic in the region {region}, such as "
                f"arn:aws:sns:{region}:123456789012:topic."
            )

    def origin(self, destination: str) -> str:
        return f"sns {settings.MARKETPLACE_SNS_ENDPOINT_URL}"

    def send(self, notification: Notification, body: str) -> str:
        client = aws.client("sns", settings.MARKETPLACE_SNS_ENDPOINT_URL)
        return aws.call(client.publish, TopicArn=notification.destination, Message=body)
