from django.db.models import TextChoices


class BackupKind(TextChoices):
    """What is copied or proved. A site has only some of them."""

    BACKUP = "backup", "Backup"
    SNAPSHOT = "snapshot", "Snapshot of the database"
    BASE = "base", "Base backup of PostgreSQL"
    ARCHIVE = "archive", "Archived WAL file"
    DRILL = "drill", "Restore drill"
    MOMENT_DRILL = "moment_drill", "Restore drill to a moment"


class AlertKind(TextChoices):
    """What an alert is about. The label is the title of its section in docs/how-to/runbook.md."""

    WORKER = "worker", "A queue has no worker"
    MESSAGES = "messages", "Messages pile up"
    REDIS = "redis", "Redis is out of reach"
    DATABASE = "database", "A check fails in the database"
    LOCKS = "locks", "A database session blocks others"
    FAILING_ROWS = "failing rows", "Rows can't be processed"
    QUEUE = "queue", "HITs, submissions or payments wait"
    JOBS = "jobs", "Jobs don't start"
    REFUSED_PAYMENTS = "refused payments", "The marketplace rejected payments"
    DISK = "disk", "Low disk space"
    FILES = "files", "Files can't be stored"
    MARKETPLACE = "marketplace", "The marketplace is unreachable"
    BACKUP = "backup", "A backup is too old"
