"""Invalid values stop the start with a one-line error that names the variable.

docs/reference/settings.md lists the variables.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from config.environment.model import secret_names
from scripts import write_settings
from tests import environment
from tests.starts import Starter

Start = Callable[..., subprocess.CompletedProcess[str]]

PROGRAM = (
    "import config.settings as s; print(s.DATABASES['default']['ENGINE'], s.CELERY_BROKER_URL)"
)

WRONG = [
    ("ALLOWED_HOSTS", ","),
    ("ALLOWED_HOSTS", "https://touchstone.example"),
    ("ARCHIVE_DIR", "archive"),
    ("PARTICIPANT_SIGNUP", "maybe"),
    ("PARTICIPANT_SIGNUP", "true"),  # without EMAIL_URL
    ("BACKUP_HOURS", "daily"),
    ("BACKUP_KEEP_DAYS", "0"),
    ("BACKUP_KEY", "hidden-word"),
    ("BACKUP_URL", "bucket"),
    ("DATABASE_URL", "touchstone"),
    ("DATABASE_URL", "mysql://user@127.0.0.1/touchstone"),
    ("DATABASE_URL", "postgres://user:hidden-word@127.0.0.1:port/touchstone"),
    ("DATABASE_URL", "postgres://"),
    ("DATABASE_DISK_GB", "large"),
    ("DEBUG", "maybe"),
    ("DEMO", "2"),
    ("DRAFTS_PER_ADDRESS", "-1"),
    ("DRAFTS_PER_TASK_AND_ADDRESS", "-1"),
    ("COPIES_DAYS", "30"),
    ("EMAIL_FROM", "nobody"),
    ("EMAIL_URL", "mail.example"),
    ("EMAIL_URL", "smtp://user:hidden-word@mail.example:port"),
    ("LOG_DAYS", "forever"),
    ("LOG_LEVEL", "LOUD"),
    ("API_READS_PER_MINUTE", "many"),
    ("API_WRITES_PER_MINUTE", "-1"),
    ("API_UPLOAD_MAX_MB", "0"),
    ("SECOND_FACTOR_ROLES", "admin,boss"),
    ("LOG_FORMAT", "xml"),
    ("IDLE_TRANSACTION_SECONDS", "-1"),
    ("MESSAGES_DAYS", "-1"),
    ("METRICS_NETWORKS", "everywhere"),
    ("MIGRATION_LOCK_SECONDS", "short"),
    ("MIGRATION_WAIT_SECONDS", "long"),
    ("WEB_LOCK_SECONDS", "-1"),
    ("WEB_STATEMENT_SECONDS", "soon"),
    ("WORKER_LOCK_SECONDS", "100000"),
    ("WORKER_STATEMENT_SECONDS", "later"),
    ("METRICS_TOKEN", "hidden-word"),
    ("SECURITY_CONTACT", "call me"),
    ("STUDY_WAIT_MINUTES", "-1"),
    ("TRUSTED_PROXIES", "10.0.0.1/8"),
    ("UNCONFIRMED_DRAFTS", "many"),
    ("MARKETPLACE_ALLOW_HTTP", "perhaps"),
    ("MARKETPLACE_ENABLED", "ture"),
    ("MARKETPLACE_FEE_RATE", "20%"),
    ("MARKETPLACE_FEE_RATE", "nan"),
    ("MARKETPLACE_FEE_RATE_MANY", "1.5"),
    ("MARKETPLACE_OPENING_BALANCE", "-1"),
    ("MARKETPLACE_REQUESTS_PER_SECOND", "fast"),
    ("MARKETPLACE_WEBHOOK_HOSTS", "https://hooks.example"),
    ("MODEL_HOSTS", "https://models.example"),
    ("WEBHOOK_HOSTS", "https://hooks.example"),
    ("HUGGINGFACE_URL", "http://hub.example"),
    ("ZENODO_URL", "sandbox.zenodo.org"),
    ("ZENODO_URL", "https://sandbox.zenodo.org/api"),
    ("MARKETPLACE_SQS_ENDPOINT_URL", "sqs.example"),
    ("MARKETPLACE_SNS_ENDPOINT_URL", "https://sns.example/topics"),
    ("MARKETPLACE_AWS_REGION", "Europe"),
    ("MARKETPLACE_AWS_ACCESS_KEY_ID", "ONE-OF-TWO"),
    ("MARKETPLACE_AWS_SECRET_ACCESS_KEY", "hidden-word"),
    ("MARKETPLACE_INTERNAL_URL", "web:8000"),
    ("MARKETPLACE_URL", "touchstone.example"),
    ("MARKETPLACE_CONTENT_URL", "content.example"),
    ("MARKETPLACE_CONTENT_URL", "http://127.0.0.1:1"),
    ("MTURK_ACCESS_KEY_ID", "ONE-OF-TWO"),
    ("MTURK_ENDPOINT_URL", "mturk-requester"),
    ("MTURK_FEE_RATE", "-0.1"),
    ("MTURK_FEE_RATE_MANY", "a lot"),
    ("MTURK_REGION", "America"),
    ("MTURK_REQUESTS_PER_SECOND", "infinity"),
    ("MTURK_NOTIFICATIONS", "https://elsewhere.example/"),
    ("MTURK_SECRET_ACCESS_KEY", "hidden-word"),
    ("MTURK_NOTIFICATIONS", "arn:aws:sns:us-east-1:123456789012:hits"),
    ("MTURK_WORKER_ORIGINS", "https://one.example,two.example"),
    ("PROLIFIC_URL", "api.prolific.com"),
    ("PROLIFIC_TOKEN", "hidden-word and another"),
    ("PROLIFIC_WORKSPACE", "mine"),
    ("PROLIFIC_PROJECT", "questions"),
    ("PROLIFIC_COMPLETION_URL", "complete"),
    ("PROLIFIC_WEBHOOKS", "sometimes"),
    ("PROLIFIC_REQUESTS_PER_SECOND", "fast"),
    ("PROLIFIC_TIME_FACTOR", "1"),
    ("SESSION_MIN_SHARE", "2"),
    ("SESSIONS_PER_WORKER", "-1"),
    ("PROLIFIC_FEE_RATE", "43 %"),
    ("PROLIFIC_VAT_RATE", "2"),
    ("REDIS_URL", "127.0.0.1:6379"),
    ("REDIS_URL", "redis://127.0.0.1:99999/0"),
    ("SECRET_KEY", "hidden-word"),
    ("SECRET_KEY_FALLBACKS", "hidden-word"),
    ("MARKETPLACE_ENCRYPTION_KEYS", "hidden-word"),
    ("STORAGE_URL", "bucket"),
    ("SNAPSHOT_MINUTES", "often"),
    ("SITE_URL", "http://touchstone.example/path"),
    ("SITE_URL", "http://touchstone.example:port"),
    ("SESSION_IDLE_HOURS", "0"),
    ("SESSION_MAX_DAYS", "forever"),
    ("SSL_REDIRECT", "si"),
    ("LEASE_SECONDS", "4"),
    ("SWEEP_SECONDS", "0"),
    ("VAR_DIR", "/dev/null/var"),
    ("STATIC_ROOT", "/dev/null/static"),
]
# The marketplace parses this variable itself, and tests/marketplace has its tests.
ELSEWHERE = {"MARKETPLACE_FAULTS"}


@pytest.fixture(scope="module")
def start() -> Iterator[Start]:
    with Starter() as starter:
        yield starter.run


def run(*arguments: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=environment.ROOT,
        env=env,
        check=False,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_start_with_a_wrong_value(start, embedded_site, name, value):
    # The marketplace keys are only read if the endpoint is not our own.
    endpoint = {"MTURK_ENDPOINT_URL": "https://mturk.example/"} if "ACCESS_KEY" in name else {}
    process = start("manage.py", "check", env={**embedded_site, **endpoint, name: value})
    assert process.returncode == 2
    assert len(process.stderr.splitlines()) == 1
    assert name in process.stderr
    assert "hidden-word" not in process.stderr


def test_wrong_values_are_reported_together(start, embedded_site):
    wrong = {"DEBUG": "maybe", "SECRET_KEY": "hidden-word", "SITE_URL": "touchstone.example"}
    process = start("manage.py", "check", env={**embedded_site, **wrong})
    # The defaults of other variables, which depend on SITE_URL, are not reported.
    assert process.stderr.splitlines() == [
        "SITE_URL is 'touchstone.example'; it must be an origin such as https://touchstone.example.",
        "SECRET_KEY is too short; it must have at least 50 characters.",
        "DEBUG is 'maybe'; it must be one of: true, false, 1, 0, yes, no, on, off.",
    ]


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("COPIES_DAYS", "1.5", "is '1.5'; it must be a whole number."),
        ("LOG_FORMAT", "xml", "is 'xml'; it must be line or json."),
        ("MARKETPLACE_FEE_RATE", "20%", "is '20%'; it must be a number."),
        ("MARKETPLACE_FEE_RATE_MANY", "1.5", "is 1.5; it must lie between 0 and 1."),
        ("MTURK_NOTIFICATIONS", "sns", "is 'sns'; it must be empty or webhook."),
        (
            "SECOND_FACTOR_ROLES",
            "admin, boss",
            "is 'boss'; it must be admin, requester, trainer or expert.",
        ),
    ],
)
def test_message_states_what_is_allowed(start, embedded_site, name, value, message):
    process = start("manage.py", "check", env={**embedded_site, name: value})
    assert process.stderr == f"{name} {message}\n"


def test_value_is_taken_as_it_is(start, embedded_site):
    program = "import config.settings as s; print(s.METRICS_TOKEN)"
    token = "$METRICS_TOKEN_OF_20_LETTERS"
    process = start("-c", program, env={**embedded_site, "METRICS_TOKEN": token})
    assert process.stdout == f"{token}\n"


def test_demo_serves_requesters_pages_from_another_origin(start, embedded_site):
    program = "import config.settings as s; print(s.MARKETPLACE_CONTENT_URL)"
    demo = {**embedded_site, "DEMO": "true", "SITE_URL": "http://127.0.0.1:8010"}
    assert start("-c", program, env=demo).stdout == "http://localhost:8011\n"
    assert start("-c", program, env={**demo, "DEMO": "false"}).stdout == "\n"
    custom = {**demo, "MARKETPLACE_CONTENT_URL": "http://content.example"}
    assert start("-c", program, env=custom).stdout == "http://content.example\n"


def test_secret_in_a_file(start, embedded_site, tmp_path):
    path = tmp_path / "database"
    path.write_text("postgres://touchstone:from-a-file@127.0.0.1/touchstone\n")
    env = {**embedded_site, "DATABASE_URL_FILE": str(path)}
    process = start("-c", PROGRAM, env=env)
    assert process.stdout == "django.db.backends.postgresql filesystem://localhost\n"
    for invalid in (
        {"DATABASE_URL": "sqlite:////x"},
        {"DATABASE_URL_FILE": str(tmp_path / "none")},
    ):
        process = start("manage.py", "check", env={**env, **invalid})
        assert (process.returncode, len(process.stderr.splitlines())) == (2, 1)
        assert "DATABASE_URL_FILE" in process.stderr
        assert "from-a-file" not in process.stderr


def test_empty_secret_file_is_no_value(start, embedded_site, tmp_path):
    (tmp_path / "empty").write_text("\n")
    empty = str(tmp_path / "empty")
    process = start("manage.py", "check", env={**embedded_site, "EMAIL_URL_FILE": empty})
    assert process.returncode == 0, process.stderr
    process = start("manage.py", "check", env={**embedded_site, "SECRET_KEY_FILE": empty})
    assert process.returncode == 2
    assert "which is empty" in process.stderr


def test_backups_in_a_bucket_need_a_key(start, embedded_site):
    process = start("manage.py", "check", env={**embedded_site, "BACKUP_URL": "s3://bucket"})
    assert process.returncode == 2
    assert "BACKUP_KEY is not set" in process.stderr


def test_documented_secret_files_are_those_of_the_settings():
    text = (environment.ROOT / "docs" / "reference" / "settings.md").read_text()
    listed = text[text.index("## Secrets in files") :].split("##")[1]
    assert set(re.findall(r"`([A-Z_]+)`", listed)) - {"SECRET_KEY_FILE", "_FILE"} == set(
        secret_names()
    )


def test_wrong_values_cover_every_variable():
    assert {name for name, _ in WRONG} | ELSEWHERE == environment.settings_variables()


@pytest.mark.parametrize(
    ("url", "code"), [("https://touchstone.example", 1), ("https://localhost", 0)]
)
def test_debug_is_refused_on_a_public_site(start, tmp_path, url, code):
    env = {"VAR_DIR": str(tmp_path), "DEBUG": "true", "SITE_URL": url}
    process = start("-c", PROGRAM, env=env)
    assert process.returncode == code
    assert ("DEBUG is set" in process.stderr) == bool(code)


def test_new_data_folder_is_private(start, tmp_path):
    start("-c", PROGRAM, env={"VAR_DIR": str(tmp_path / "data")})
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700


def test_start_without_an_environment(tmp_path):
    bare = {"VAR_DIR": str(tmp_path)}  # keeps the test from writing into the checkout
    process = run("-c", PROGRAM, env=bare)
    assert process.stdout == "django.db.backends.sqlite3 filesystem://localhost\n"
    assert run("manage.py", "check", env=bare).returncode == 0


def test_default_folder_is_var_in_the_checkout(tmp_path):
    """The settings run in a copy, so that only the copy's var/ is written."""
    for package in ("config", "touchstone"):
        shutil.copytree(environment.ROOT / package, tmp_path / package)
    shutil.copy(environment.ROOT / "pyproject.toml", tmp_path)
    process = subprocess.run(
        [sys.executable, "-c", "import config.settings as s; print(s.VAR_DIR)"],
        cwd=tmp_path,
        env={},
        check=True,
        capture_output=True,
        text=True,
    )
    assert process.stdout.strip() == str(tmp_path / "var")
    assert (tmp_path / "var" / "secret_key").stat().st_mode & 0o777 == 0o600


def test_servers_from_the_environment(start, embedded_site):
    servers = {
        "DATABASE_URL": "postgres://touchstone@127.0.0.1/touchstone",
        "REDIS_URL": "redis://127.0.0.1:6379/3",
    }
    process = start("-c", PROGRAM, env={**embedded_site, **servers})
    assert process.stdout == "django.db.backends.postgresql redis://127.0.0.1:6379/3\n"


def test_reference_is_written_from_the_variables():
    # Otherwise run: python -m scripts.write_settings
    text = write_settings.text()
    assert write_settings.PATH.read_text() == text
    documented = re.findall(r"^\| `([A-Z][A-Z0-9_]*)` \|", text, re.MULTILINE)
    assert sorted(documented) == sorted(environment.settings_variables())
