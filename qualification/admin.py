"""Read-only admin pages of rounds, enrolments, evaluations and feedback."""

from audit.admin import register_read_only
from qualification.models import Enrolment, Evaluation, Feedback, Round

register_read_only(Round, "title project role ordinal kind", filters="kind role")
register_read_only(
    Enrolment,
    "worker round state enrolled_at",
    filters="state",
    search="worker__pseudonym",
    related="round__project",
)
register_read_only(Evaluation, "enrolment rule computed_at", related="enrolment__worker")
register_read_only(Feedback, "evaluation trainer written_at sent_at trainer_seconds")
