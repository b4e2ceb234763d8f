"""The baseline of the annotation benchmark, a minimal Django site with accept, page and submit views.

It has one table, no accounts, no tokens, no second copy and only CommonMiddleware.
`python -m tests.bench.bare_site ITEMS` creates the table, and gunicorn serves the module.
"""

import os
import sys

import environ
from django.conf import settings

if not settings.configured:
    settings.configure(
        ALLOWED_HOSTS=["127.0.0.1"],
        SECRET_KEY="bare",
        ROOT_URLCONF=__name__,
        USE_TZ=True,
        MIDDLEWARE=["django.middleware.common.CommonMiddleware"],
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}],
        DATABASES={
            "default": {
                **environ.Env.db_url_config(os.environ["DATABASE_URL"]),
                "CONN_MAX_AGE": 60,
            }
        },
    )
    if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3"):
        settings.DATABASES["default"]["OPTIONS"] = {
            "timeout": 30,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        }

from django.core.wsgi import get_wsgi_application

application = get_wsgi_application()

from django.db import connection, transaction  # noqa: E402
from django.http import HttpResponse, HttpResponseRedirect  # noqa: E402
from django.template import engines  # noqa: E402
from django.urls import path  # noqa: E402

PAGE = engines["django"].from_string(
    "<!doctype html><title>Task</title><p>{{ sentence }}</p>"
    '<form method="post" action="/submit/{{ pk }}/"><textarea name="content"></textarea></form>'
)
SENTENCE = "The rebels carried the old radio out of the burning village on Sunday ."


def accept(request):
    lock = "FOR UPDATE SKIP LOCKED" if connection.vendor == "postgresql" else ""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE item SET worker = %s WHERE id = (SELECT id FROM item WHERE worker IS NULL "
            f"ORDER BY id LIMIT 1 {lock}) RETURNING id",
            [request.POST["worker"]],
        )
        return HttpResponseRedirect(f"/page/{cursor.fetchone()[0]}/")


def page(request, pk):
    with connection.cursor() as cursor:
        cursor.execute("SELECT sentence FROM item WHERE id = %s", [pk])
        (sentence,) = cursor.fetchone()
    return HttpResponse(PAGE.render({"pk": pk, "sentence": sentence}, request))


def submit(request, pk):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE item SET content = %s WHERE id = %s AND content IS NULL",
            [request.POST["content"], pk],
        )
        return HttpResponse("ok" if cursor.rowcount == 1 else "refused")


urlpatterns = [
    path("accept/", accept),
    path("page/<int:pk>/", page),
    path("submit/<int:pk>/", submit),
]


def make_table(count: int) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        key = "INTEGER PRIMARY KEY" if connection.vendor == "sqlite" else "BIGSERIAL PRIMARY KEY"
        cursor.execute(f"CREATE TABLE item (id {key}, sentence TEXT, worker TEXT, content TEXT)")
        cursor.execute("CREATE INDEX item_open ON item (id) WHERE worker IS NULL")
        cursor.executemany("INSERT INTO item (sentence) VALUES (%s)", [(SENTENCE,)] * count)


if __name__ == "__main__":
    make_table(int(sys.argv[1]))
