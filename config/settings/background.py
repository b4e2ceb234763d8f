"""Background work: the queues, the cache and the schedule."""

from datetime import timedelta
from typing import Any

from kombu import Queue

from config.settings.database import USES_SQLITE
from config.settings.site import VAR_DIR, env
from config.settings.storage import ARCHIVE_DIR, BACKUP_EVERY, SNAPSHOT_EVERY

REDIS_URL = env.REDIS_URL
if REDIS_URL:
    CELERY_BROKER_URL = REDIS_URL
    CACHES: dict[str, dict[str, Any]] = {
        "default": {
            "BACKEND": "config.redis_cache.OptionalRedisCache",
            "LOCATION": REDIS_URL,
            "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 1},
        }
    }
    # Longer than any task, because Redis redelivers a task after this time.
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {"visibility_timeout": 3600}
else:
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
            "LOCATION": VAR_DIR / "cache",
            # Above this number a third is deleted at random, with the counters of failed attempts.
            "OPTIONS": {"MAX_ENTRIES": 20_000},
        }
    }
    _queue = VAR_DIR / "queue"
    _queue.mkdir(exist_ok=True)
    CELERY_BROKER_URL = "filesystem://localhost"
    CELERY_BROKER_TRANSPORT = "config.filesystem_queue:Transport"
    # Remote control needs broadcasts, which a folder cannot deliver safely.
    CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        # Producers write to the folder that workers read from.
        "data_folder_in": str(_queue),
        "data_folder_out": str(_queue),
        "control_folder": str(_queue / "control"),
        # Seconds between polls of an empty queue.
        "polling_interval": 0.3,
    }
if USES_SQLITE:
    # Reuse the connection, because opening the database takes longer than most tasks.
    CELERY_DB_REUSE_MAX = 500
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
# Payments and recording, in the default queue, must not wait for other servers or for imports.
CELERY_TASK_ROUTES = {
    "crowd.tasks.send_mail": {"queue": "outside"},
    "accounts.tasks.send_password_resets": {"queue": "outside"},
    "accounts.tasks.send_sign_up_links": {"queue": "outside"},
    "operations.tasks.run_outside_sweeps": {"queue": "outside"},
    "projects.tasks.send_digests": {"queue": "outside"},
    "projects.tasks.deliver_webhooks": {"queue": "outside"},
    "marketplace.tasks.deliver_notifications": {"queue": "outside"},
    "jobs.tasks.run_jobs": {"queue": "jobs"},
    "operations.tasks.back_up": {"queue": "backups"},
}
# A worker without -Q serves all of them.
CELERY_TASK_QUEUES = [
    Queue(name, routing_key=name) for name in ("celery", "outside", "jobs", "backups")
]
# A site without Redis has a single worker, which may fetch tasks ahead: with every process busy, it would
# wait a polling interval after each task, and queued tasks would expire.
CELERY_WORKER_PREFETCH_MULTIPLIER = 1 if REDIS_URL else 8
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# A broker that is away, or has no memory left, may take hours to repair. Workers wait for it.
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
CELERY_WORKER_CONSUMER = "config.patient_consumer:PatientConsumer"
CELERY_TASK_TIME_LIMIT = 3000
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "celerybeat-schedule")
# Seconds that figures on pages are cached.
FIGURES_TIMEOUT = 10
SWEEP_SECONDS = env.SWEEP_SECONDS
LEASE = timedelta(seconds=env.LEASE_SECONDS)
# Seconds between the heartbeats of each queue
HEARTBEAT_SECONDS = 60.0
JOB_KINDS = {
    "import": "annotation.domain.corpus.queue_import.KIND",
    "corpus-check": "annotation.domain.corpus.preview_corpus.KIND",
    "publication": "annotation.domain.publishing.publish_rest.KIND",
    "hit-changes": "annotation.domain.publishing.change_hits.KIND",
    "gold-import": "consolidation.domain.gold.queue_gold.KIND",
    "gold-check": "consolidation.domain.gold.check_gold.KIND",
    "resource-import": "consolidation.domain.experts.queue_resource.KIND",
    "queue-setup": "consolidation.domain.experts.queue_setup.KIND",
    "model-run": "model_annotators.domain.run_model.KIND",
    "round-setup": "qualification.domain.rounds.queue_rounds.KIND",
    "export": "datasets.domain.exports.queue_export.KIND",
    "system-evaluation": "datasets.domain.systems.evaluate_systems.KIND",
    "certainty": "datasets.domain.quality.certainty.KIND",
    "release": "releases.domain.queue_release.KIND",
    "release-import": "releases.domain.queue_release_import.KIND",
    "benchmark-entry": "benchmarks.domain.score_entry.KIND",
    "release-upload": "releases.domain.publishing.upload.KIND",
    "deletion": "dashboard.delete_project.KIND",
    "rehearsal": "rehearsal.domain.dry_run.KIND",
}
# Called with each job that ends, in the transaction of its end.
ON_JOB_END = "projects.domain.webhook_events.record_job"


def _every(seconds: float, *tasks: str, expires: float) -> dict[str, dict[str, Any]]:
    """Return beat entries for the tasks. A task that waits longer than `expires` is dropped."""
    return {
        task: {"task": task, "schedule": seconds, "options": {"expires": expires}} for task in tasks
    }


def _sweep(
    name: str, seconds: float, *tasks: str, task: str = "operations.tasks.run_sweeps"
) -> dict[str, dict[str, Any]]:
    """Return a beat entry for a single message that runs the tasks one after the other."""
    expires = {"expires": seconds * 3}
    return {name: {"task": task, "args": [tasks], "schedule": seconds, "options": expires}}


SESSION_TASKS = (
    ["crowd.tasks.run_studies", "crowd.tasks.settle_sessions"] if env.PROLIFIC_TOKEN else []
)
# A message costs more than an idle sweep, so sweeps of the same interval share one.
CELERY_BEAT_SCHEDULE = {
    **_sweep(
        "sweeps",
        SWEEP_SECONDS,
        "crowd.tasks.publish_hits",
        "crowd.tasks.send_hit_changes",
        "crowd.tasks.sync_due_hits",
        *SESSION_TASKS,
        "crowd.tasks.send_decisions",
        "annotation.tasks.record_generations",
        "annotation.tasks.pay_due_compensations",
        "annotation.tasks.top_up_open_batches",
        "consolidation.tasks.open_and_offer_cases",
        "consolidation.tasks.record_case_work_and_gold",
        "consolidation.tasks.decide_waiting_bonuses",
        "qualification.tasks.enrol_and_evaluate",
    ),
    **_sweep(
        "mail and webhooks",
        SWEEP_SECONDS,
        "crowd.tasks.send_mail",
        "accounts.tasks.send_password_resets",
        *(["accounts.tasks.send_sign_up_links"] if env.PARTICIPANT_SIGNUP else []),
        "projects.tasks.deliver_webhooks",
        task="operations.tasks.run_outside_sweeps",
    ),
    **_every(SWEEP_SECONDS, "jobs.tasks.run_jobs", expires=SWEEP_SECONDS * 3),
    # Slower, because these sweeps scan everything that was ever published.
    **_sweep(
        "slow sweeps",
        SWEEP_SECONDS * 3,
        "crowd.tasks.sync_qualification_requests",
        "crowd.tasks.fetch_messages",
        "annotation.tasks.republish_short_items",
        "consolidation.tasks.reopen_and_republish_cases",
        "datasets.tasks.decide_redundancy",
    ),
    # Slowest, because these sweeps scan whole projects and no user waits for the result.
    **_sweep(
        "slowest sweeps",
        SWEEP_SECONDS * 30,
        "crowd.tasks.forget_notifications",
        "crowd.tasks.check_balances",
        *(["crowd.tasks.check_accounts"] if env.PROLIFIC_TOKEN else []),
        "consolidation.tasks.draw_due_reviews",
        "consolidation.tasks.index_missing_gold",
        "qualification.tasks.compare_with_gold_and_watch_pools",
    ),
    **{
        f"watch {queue.name}": {
            "task": "operations.tasks.watch",
            "args": [queue.name],
            "schedule": HEARTBEAT_SECONDS,
            "options": {"queue": queue.name, "expires": HEARTBEAT_SECONDS * 2},
        }
        for queue in CELERY_TASK_QUEUES
    },
    **_every(
        60.0,
        "dashboard.tasks.notify_members",
        "annotation.tasks.send_bonus_news",
        expires=120.0,
    ),
    # Once a minute where WAL files are copied.
    **(
        _every(60.0 if ARCHIVE_DIR else 300.0, "operations.tasks.back_up", expires=300.0)
        if BACKUP_EVERY or ARCHIVE_DIR
        else {}
    ),
    **(
        _every(SNAPSHOT_EVERY.total_seconds(), "operations.tasks.take_snapshot", expires=300.0)
        if SNAPSHOT_EVERY and USES_SQLITE
        else {}
    ),
    **_every(900.0, "projects.tasks.send_digests", expires=900.0),
    **_every(3600.0, "annotation.tasks.delete_unconfirmed_drafts", expires=3600.0),
    **_every(86400.0, "accounts.tasks.clear_expired_sessions", expires=86400.0),
    **_every(86400.0, "accounts.tasks.forget_old_logins", expires=86400.0),
    **_every(86400.0, "operations.tasks.delete_expired_data", expires=86400.0),
}
if env.MARKETPLACE_ENABLED:
    _maintenance = _every(
        SWEEP_SECONDS, "marketplace.tasks.run_maintenance", expires=SWEEP_SECONDS * 3
    )
    _delivery = _every(
        min(5.0, SWEEP_SECONDS), "marketplace.tasks.deliver_notifications", expires=15.0
    )
    _retention = _every(86400.0, "marketplace.tasks.delete_expired_data", expires=86400.0)
    CELERY_BEAT_SCHEDULE |= _maintenance | _delivery | _retention
