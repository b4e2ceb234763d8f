from audit.admin import register_read_only
from jobs.models import Job, SweepFailure

register_read_only(
    Job, "kind scope state requested_by requested_at ended_at", filters="kind state", search="scope"
)
register_read_only(
    SweepFailure,
    "first_failed_at sweep model object_id attempts retry_at",
    filters="sweep",
    search="object_id",
)
