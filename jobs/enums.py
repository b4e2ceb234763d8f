from django.db.models import TextChoices


class JobState(TextChoices):
    UPLOADED = "uploaded", "Waiting for confirmation"
    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    FINISHED = "finished", "Finished"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


# States in which a job still has work to do.
UNFINISHED = (JobState.QUEUED, JobState.RUNNING)
