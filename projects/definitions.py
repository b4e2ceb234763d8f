"""The figures on a project's pages: one name and one definition each."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Definition:
    """A figure's label, and what it counts."""

    label: str
    text: str


DEFINITIONS = {
    "items": Definition(
        "Items",
        "Items to annotate in production. Training items and withdrawn items do not count.",
    ),
    "gold_items": Definition(
        "Gold items",
        "Items in production whose gold this project produced. Gold that was imported or written by "
        "experts is counted apart.",
    ),
    "spent": Definition(
        "Spent",
        "Payments that the marketplace has confirmed, fees included, for production, training and "
        "experiments.",
    ),
    "reserved": Definition(
        "Reserved",
        "The most that published tasks and payments on their way can still cost, fees included.",
    ),
    "available": Definition(
        "Available", "The budget limit minus what is spent and reserved. It can be published."
    ),
    "budget_limit": Definition(
        "Budget limit",
        "The project never spends more. Tasks that would exceed it are not published.",
    ),
    "mean_item_cost": Definition(
        "Mean per finished item",
        "All payments for an item with gold, fees included, divided by the number of such items. "
        "Training and experiments do not count.",
    ),
    "worker_share": Definition(
        "Worker share", "The part of the mean per finished item that workers receive, without fees."
    ),
    "active_time": Definition(
        "Active time",
        "Time in which the workers' pages were visible and used. Of each pause, only the first 30 "
        "seconds count.",
    ),
    "hourly_pay": Definition(
        "Per active hour", "What workers were paid, without fees, divided by their active time."
    ),
    "annotations": Definition(
        "Annotations",
        "Accepted annotations of items in production, of all roles, in this time.",
    ),
    "items_finished": Definition(
        "Items finished", "Items in production that received their first gold in this time."
    ),
    "expected_end": Definition(
        "Expected end",
        "When the remaining items are finished at the pace of the last 24 hours, or since the first "
        "annotation if that is more recent.",
    ),
}
