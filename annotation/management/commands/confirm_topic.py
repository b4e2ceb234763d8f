from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused
from crowd.domain.topic_subscription import NotConfirmed, StrangeTopic, confirm_topic
from crowd.models import TopicSubscription


class Command(BaseCommand):
    help = "Confirm that an SNS topic may send this site the marketplace's notifications."
    example = "manage.py confirm_topic arn:aws:sns:us-east-1:123456789012:hits"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("topic", help="the ARN of the topic that you have subscribed")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        asked = TopicSubscription.objects.filter(topic=options["topic"]).first()
        if asked is None:
            raise Refused(
                f"{options['topic']} has not asked. MTURK_NOTIFICATIONS must name it, and the "
                "topic must be subscribed to this site's address (docs/mturk.md)."
            )
        try:
            confirm_topic(asked=asked, now=timezone.now())
        except (NotConfirmed, StrangeTopic) as error:
            raise Refused(error) from error
        facts = {"topic": asked.topic, "asked_at": asked.asked_at.isoformat()}
        self.tell(facts, f"{asked.topic} sends its notifications here.", as_json=options["json"])
