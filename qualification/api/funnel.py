"""The endpoint of the funnel."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from projects.api.endpoint import ProjectEndpoint
from projects.permissions import CAN_SEE_WORKERS, read
from qualification.domain.training.funnel import funnel_of


class StageSerializer(serializers.Serializer[Any]):
    """The workers of a round, the time that it took them and their trainers, and its cost."""

    title = serializers.CharField()
    invited = serializers.IntegerField()
    started = serializers.IntegerField()
    finished = serializers.IntegerField()
    passed = serializers.IntegerField()
    declined = serializers.IntegerField()
    worker_seconds = serializers.IntegerField()
    trainer_seconds = serializers.IntegerField()
    cents = serializers.IntegerField(help_text="Settled, with fees.")
    opens_pool = serializers.BooleanField()


class FunnelSerializer(serializers.Serializer[Any]):
    results = StageSerializer(many=True)


class Funnel(ProjectEndpoint):
    rules = read(CAN_SEE_WORKERS)
    serializer_class = FunnelSerializer
    operations = {"GET": "get_funnel"}
    tag = "figures"

    def get(self, request: Request, slug: str) -> Response:
        """Return the numbers of workers at each round from the crowd to the trained pool."""
        return Response(FunnelSerializer({"results": funnel_of(project=self.project)}).data)
