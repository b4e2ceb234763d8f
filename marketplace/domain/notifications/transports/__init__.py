"""The ways of delivering notifications: webhook, SNS, SQS and email.

Each transport checks destinations, names the host that a destination depends on, and delivers one
notification. The outbox in `marketplace.domain.notifications.notifications` decides when.
"""

from marketplace.domain.notifications.transports import email, sns, sqs, webhook
from marketplace.domain.notifications.transports.base import Transport
from marketplace.enums import TransportKind

TRANSPORTS: dict[str, Transport] = {
    TransportKind.WEBHOOK: webhook.Webhook(),
    TransportKind.SNS: sns.Sns(),
    TransportKind.SQS: sqs.Sqs(),
    TransportKind.EMAIL: email.Email(),
}


def kind_of(transport: str, destination: str) -> TransportKind:
    """Return the kind of a NotificationSpecification. Its transport SNS with a URL is a webhook."""
    if transport == TransportKind.SNS and not destination.startswith("arn:"):
        return TransportKind.WEBHOOK
    return TransportKind(transport)
