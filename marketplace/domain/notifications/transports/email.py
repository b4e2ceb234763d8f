"""Email to the address of the requester's account."""

from smtplib import SMTPConnectError, SMTPException, SMTPServerDisconnected
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend

from marketplace.domain.notifications.transports.base import EndpointError
from marketplace.models import Notification, Requester
from web.outgoing import UnreachableError


class Email:
    def check(self, destination: str, requester: Requester) -> None:
        if not settings.MAIL_IS_ON:
            raise EndpointError("This marketplace sends no email. Its operator can set EMAIL_URL.")
        if not requester.email:
            raise EndpointError(
                "Your account has no email address. The operator of this marketplace can enter one."
            )
        # Any other address would let requesters send mail to strangers.
        if destination.casefold() != requester.email.casefold():
            raise EndpointError(
                "With Transport Email, Destination must be the email address of your account."
            )

    def origin(self, destination: str) -> str:
        return f"mail {settings.EMAIL_HOST}"

    def send(self, notification: Notification, body: str) -> str:
        connection = get_connection()
        try:
            connection.open()
            _message(notification, body, connection).send()
        except (SMTPServerDisconnected, SMTPConnectError) as error:
            raise UnreachableError(str(error)) from error
        except SMTPException as error:
            return f"The mail server refused it: {error}"
        except OSError as error:
            raise UnreachableError(f"No connection to the mail server: {error}") from error
        finally:
            connection.close()
        return ""


def _message(notification: Notification, body: str, connection: BaseEmailBackend) -> EmailMessage:
    host = urlsplit(settings.MARKETPLACE_URL).hostname
    event = notification.event
    lines = [f"{name}: {value}" for name, value in event.items()]
    return EmailMessage(
        subject=f"HIT notification: {event['EventType']}",
        body="\n".join([*lines, "", body]),
        to=[notification.destination],
        # Stable, so that mail programs can recognize a repeated delivery.
        headers={
            "Message-ID": f"<{notification.doc_id}@{host}>",
            "Auto-Submitted": "auto-generated",
        },
        connection=connection,
    )
