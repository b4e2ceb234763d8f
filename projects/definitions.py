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
        "Confirmed payments, fees included, for production, training and experiments.",
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
        "When the published items are finished at the pace of the last 24 hours, or since the first "
        "annotation if that is more recent. Items that need an expert or are unpublished don't count.",
    ),
    "production_work": Definition(
        "Production",
        "Work on items in production. Agreement experiments count here, and so does compensation.",
    ),
    "training_work": Definition(
        "Training", "Work on items that are reserved for training, in all rounds."
    ),
    "submissions": Definition(
        "Submissions",
        "Annotations that the worker submitted, in any state. A task can have several.",
    ),
    "accepted": Definition("Accepted", "Submissions that were accepted, and so are paid."),
    "rejected": Definition("Rejected", "Submissions that were rejected, and so are not paid."),
    "earned": Definition("Earned", "Confirmed payments, rewards and bonuses, without fees."),
    "mean_time": Definition(
        "Mean active time", "The active time divided by the number of submissions in any state."
    ),
    "unpublished_items": Definition(
        "Unpublished items",
        "Items in production that were never published to annotators. Withdrawn items do not count.",
    ),
    "reserved_per_item": Definition(
        "Reserved per item, for annotation",
        "The most that the annotations of an item can cost: rewards, the highest bonuses and fees. "
        "What is not used is released.",
    ),
    "expected_per_item": Definition(
        "Expected per item, for all steps",
        "The expected cost of an item through all steps of the protocol, fees included. It is based "
        "on the accepted work so far, and on an assumption before there is any.",
    ),
    "trained_pool": Definition(
        "Trained pool",
        "Workers who hold the qualification for this role, also if it is on its way.",
    ),
    "compared_items": Definition(
        "Items", "Items that have an annotation on both sides. Only these are compared."
    ),
    "pairs": Definition(
        "Pairs", "Pairs of workers, or of teams, who worked on the same items independently."
    ),
    "interval": Definition(
        "Interval", "The 95 % interval, from repeated random samples of the items."
    ),
    "verdicts": Definition("Verdicts", "What the validator judged, valid or not."),
    "found_valid": Definition(
        "Found valid", "The share of the validator's verdicts that are positive."
    ),
    "same_verdict": Definition(
        "Same verdict",
        "How often another validator of the same annotation gave the same verdict, of all pairs of "
        "verdicts.",
    ),
    "answered_items": Definition(
        "Items answered",
        "Items of the round with usable work. An item without it counts as an empty annotation.",
    ),
    "seconds_per_item": Definition(
        "Active time per item",
        "The mean of the active time over the answered items of the round.",
    ),
    "expert_done": Definition("Done by you", "Items of the queue that you have submitted."),
    "expert_started": Definition(
        "Started", "Items of the queue that you have opened and not submitted."
    ),
    "expert_left": Definition("Left for you", "Items of the queue that you can still start."),
    "expert_finished": Definition(
        "Finished by all",
        "Submissions of all experts, of those that the queue needs: its items times the experts per "
        "item.",
    ),
    "exported_items": Definition(
        "Items",
        "Items with current gold of the chosen source that match the filters. Withdrawn items are "
        "left out.",
    ),
}
