from django.db.models import TextChoices


class RehearsalState(TextChoices):
    QUEUED = "queued", "waits for a worker process"
    RUNNING = "running", "running"
    FINISHED = "finished", "finished"
    FAILED = "failed", "failed"
