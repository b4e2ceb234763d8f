"""A script that publishes a verb on a site with the built-in marketplace and prints an invitation code.

Run as `python -m tests.browser.seed_market` with the environment of that site.
"""

import sys

import django

django.setup()

from django.utils import timezone  # noqa: E402

from annotation.domain.publishing.publish import publish_batch  # noqa: E402
from marketplace.domain.accounts.accounts import invite  # noqa: E402
from tests.annotation.factories import make_item, make_project  # noqa: E402

if __name__ == "__main__":
    project = make_project()
    # A test types faster than people, so its bonus would need review.
    project.pay_scheme["generator"]["least_seconds"] = 0
    project.save()
    make_item(project)
    publish_batch(project=project, now=timezone.now())
    (invitation,) = invite(count=1, now=timezone.now())
    sys.stdout.write(invitation.code)
