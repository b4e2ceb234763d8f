"""Notes of what is to be reviewed, in the transaction of the submission or expiry.

Callers have locked the HIT. Reviews follow in transactions of their own.
"""

from marketplace.enums import ReviewPolicyLevel
from marketplace.models import DueReview, Hit, ReviewPolicy


def note_submission(hit: Hit, *, assignment_pk: int) -> None:
    """Make a submitted assignment due for the policy of its HIT, if it has one."""
    if hit.has_review_policies:
        _note(hit, ReviewPolicyLevel.ASSIGNMENT, assignment_pk)


def note_reviewable(hit: Hit) -> None:
    """Make a HIT that became reviewable due for its policy, if it has one."""
    if hit.has_review_policies:
        _note(hit, ReviewPolicyLevel.HIT, None)


def _note(hit: Hit, level: ReviewPolicyLevel, assignment_pk: int | None) -> None:
    for policy in ReviewPolicy.objects.filter(hit_id=hit.pk, level=level):
        DueReview.objects.create(hit_id=hit.pk, policy=policy, assignment_id=assignment_pk)
