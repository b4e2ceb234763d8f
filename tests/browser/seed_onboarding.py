"""A script that lets the project of `seed_market` ask for consent and answers.

Run as `python -m tests.browser.seed_onboarding` with the environment of that site. With the argument
"again", it publishes a new version of the consent text.
"""

import sys

import django

django.setup()

from django.utils import timezone  # noqa: E402

from annotation.domain.publishing.publish import publish_batch  # noqa: E402
from projects.models import Project  # noqa: E402
from tests.annotation.factories import make_item  # noqa: E402
from tests.annotation.onboarding import AGE, LANGUAGE, STUDIES, publish_fields, publish_text  # noqa: E402

if __name__ == "__main__":
    project = Project.objects.get()
    if "again" in sys.argv:
        publish_text(project, "The data is published **with** the year of birth.")
    else:
        publish_text(project)
        publish_fields(project, AGE, STUDIES, LANGUAGE)
        for _ in range(2):
            make_item(project)
        publish_batch(project=project, now=timezone.now())
