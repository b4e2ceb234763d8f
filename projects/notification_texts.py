"""The sentences of notifications, on the page and in emails."""

from collections.abc import Mapping

from projects.enums import NotificationKind
from projects.models import Notification

# Filled with the `details` of a notification.
_SENTENCES: Mapping[str, str] = {
    NotificationKind.SUBMISSIONS: "Submissions need your decision.",
    NotificationKind.BONUSES: "Bonuses are held for your review.",
    NotificationKind.BATCH_FINISHED: "The batch “{batch}” is finished.",
    NotificationKind.BATCH_SHORT: "The batch “{batch}” has ended, and annotations are missing.",
    NotificationKind.BUDGET_NEAR: "{percent} % of the budget limit of {limit} is spent or reserved.",
    NotificationKind.BUDGET_REACHED: "The budget limit of {limit} is reached. Payments are on hold.",
    NotificationKind.PAYMENTS: "Payments have an unknown outcome and are being checked.",
    NotificationKind.SESSIONS: "Sessions ended with few tasks or none, or were never opened.",
    NotificationKind.OUTAGE: "The crowd service is unreachable. Publishing and payments are delayed.",
    NotificationKind.STUDY: "The study “{study}” needs attention: {notice}",
    NotificationKind.REQUEST: "{worker} requests the qualification “{qualification}”.",
    NotificationKind.COMMENT: "{worker} left a comment on item {item}.",
    NotificationKind.TRAINEES: "Trainees of “{round}” await your decision.",
    NotificationKind.REPLY: "{worker} answered the feedback on “{title}”.",
    NotificationKind.MESSAGE: "{worker} wrote to you: {subject}.",
    NotificationKind.ALERT: "{worker} needs attention: {alert}.",
    NotificationKind.REVIEWS: "Gold annotations were sampled for your review.",
    NotificationKind.QUEUE: "The expert queue “{queue}” is open.",
    NotificationKind.JOB_FINISHED: "Your {job} is finished.",
    NotificationKind.JOB_FAILED: "Your {job} failed.",
    NotificationKind.WEBHOOK_OFF: "The webhook to {host} was switched off after days of failures.",
}


def text_of(notification: Notification) -> str:
    return _SENTENCES[notification.kind].format_map(notification.details)
