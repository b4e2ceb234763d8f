from django.db.models import TextChoices


class BackupKind(TextChoices):
    """What is copied or proved. A site has only some of them."""

    BACKUP = "backup", "Backup"
    SNAPSHOT = "snapshot", "Snapshot of the database"
    BASE = "base", "Base backup of PostgreSQL"
    ARCHIVE = "archive", "Archived WAL file"
    DRILL = "drill", "Restore drill"
    MOMENT_DRILL = "moment_drill", "Restore drill to a moment"
