"""Endpoints of the workers of a round: their figures, decisions and feedback."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.serializers import ContentField
from audit.errors import TouchstoneError
from projects.api.endpoint import ListEndpoint
from projects.api.roles import actor_of
from projects.enums import TokenScope
from projects.permissions import CAN_SEE_WORKERS, post, read
from qualification.api.pools import MAX_WORKERS
from qualification.api.rounds import OfRounds
from qualification.domain.rounds.queries import RoundOverviewRow, rounds_of, rows_of
from qualification.domain.training.bulk_feedback import conclude_all, send_feedback_to_all
from qualification.domain.training.decide import Verdict, can_decide
from qualification.domain.training.feedback import Notes, send_feedback
from qualification.enums import EnrolmentState
from qualification.models import Enrolment, Round
from web.actions import action
from web.filters import MAX_ID, ChoiceFilter
from web.serializers import BodySerializer

MAX_FEEDBACK = 20_000
MAX_NOTE = 4000


class TraineeSerializer(serializers.Serializer[RoundOverviewRow]):
    """A worker of a round. `figures` have the trainer's corrections, if there are any."""

    id = serializers.IntegerField(source="enrolment.pk")
    worker = serializers.CharField(source="enrolment.worker.pseudonym")
    state = serializers.ChoiceField(source="enrolment.state", choices=EnrolmentState.choices)
    enrolled_at = serializers.DateTimeField(source="enrolment.enrolled_at")
    publication = serializers.IntegerField(
        source="enrolment.cohort.number",
        allow_null=True,
        default=None,
        help_text="The number of the round's publication that admitted the worker.",
    )
    evaluation = serializers.IntegerField(
        source="evaluation.pk", allow_null=True, default=None, help_text="The newest one."
    )
    is_finished = serializers.SerializerMethodField()
    figures = ContentField(source="standing")
    unmet = serializers.ListField(
        child=serializers.CharField(), help_text="The thresholds that the figures do not meet."
    )
    suggestion = serializers.CharField(help_text="Whether to pass the worker, or empty.")
    feedback = serializers.SerializerMethodField()

    def get_is_finished(self, row: RoundOverviewRow) -> bool:
        """Return False while the figures cover only a part of the round."""
        return row.evaluation is not None and not row.evaluation.so_far

    @extend_schema_field(serializers.ChoiceField(choices=["none", "draft", "sent", "read"]))
    def get_feedback(self, row: RoundOverviewRow) -> str:
        if row.feedback is None:
            return "none"
        if row.feedback.acknowledged_at:
            return "read"
        return "sent" if row.feedback.sent_at else "draft"


class TraineeFilters(filters.FilterSet):
    state = ChoiceFilter(choices=EnrolmentState.choices)

    class Meta:
        model = Enrolment
        fields: list[str] = []


class Trainees(ListEndpoint):
    """List the workers of a round with their newest figures."""

    rules = read(CAN_SEE_WORKERS)
    queryset = Enrolment.objects.none()
    serializer_class = TraineeSerializer
    filterset_class = TraineeFilters
    operations = {"GET": "list_trainees"}
    tag = "rounds"

    def listed(self) -> QuerySet[Enrolment]:
        return self.find_round().enrolments.all()

    def find_round(self) -> Round:
        """Return the round in the URL. Raise Http404."""
        return get_object_or_404(rounds_of(project=self.project), pk=self.kwargs["pk"])

    def shown(self, rows: list[Enrolment]) -> list[RoundOverviewRow]:
        ids = [enrolment.pk for enrolment in rows]
        enrolments = Enrolment.objects.filter(pk__in=ids).select_related("worker", "cohort")
        overview = rows_of(round=self.find_round(), enrolments=enrolments)
        by_id = {row.enrolment.pk: row for row in overview}
        return [by_id[pk] for pk in ids]


class _IdSerializer(BodySerializer):
    id = serializers.IntegerField(
        min_value=1, max_value=MAX_ID, help_text="The id in the list of trainees."
    )


class DecisionSerializer(_IdSerializer):
    verdict = serializers.ChoiceField(
        choices=[(verdict.value, verdict.value) for verdict in Verdict],
        help_text="withdraw is for workers who gave up.",
    )
    reason = serializers.CharField(
        max_length=1000,
        default="",
        allow_blank=True,
        help_text="For the log. Workers don't see it.",
    )


def _require_once(rows: Iterable[dict[str, Any]]) -> None:
    counts = Counter(row["id"] for row in rows)
    if repeated := [pk for pk, count in counts.items() if count > 1]:
        raise serializers.ValidationError(f"The id {repeated[0]} is there twice.")


class DecisionsOnTraineesSerializer(BodySerializer):
    decisions = DecisionSerializer(many=True, min_length=1, max_length=MAX_WORKERS)  # type: ignore[call-arg]
    send_feedback = serializers.BooleanField(
        default=False, help_text="Send the drafts or the suggested remarks before the decisions."
    )

    def validate_decisions(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        _require_once(rows)
        return rows


class NewFeedbackSerializer(_IdSerializer):
    """Feedback to a worker. Without text and notes, the draft or the suggested remarks are sent."""

    text = serializers.CharField(max_length=MAX_FEEDBACK, default="", allow_blank=True)
    notes = serializers.DictField(
        child=serializers.CharField(max_length=MAX_NOTE, allow_blank=True),
        default=dict,
        help_text="A note by the key of an item of the round.",
    )


class FeedbackToTraineesSerializer(BodySerializer):
    feedback = NewFeedbackSerializer(many=True, min_length=1, max_length=MAX_WORKERS)  # type: ignore[call-arg]

    def validate_feedback(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        _require_once(rows)
        return rows


class ChangedTraineeSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    state = serializers.ChoiceField(
        choices=EnrolmentState.choices, allow_null=True, help_text="Null if there is none."
    )
    problem = serializers.CharField(help_text="Why nothing was done, or empty.")


class ChangedTraineesSerializer(serializers.Serializer[Any]):
    results = ChangedTraineeSerializer(many=True)


class _TraineeChange(OfRounds):
    """An action on workers of a round, with a result for each."""

    rules = post(CAN_SEE_WORKERS, TokenScope.TRAIN)
    serializer_class = ChangedTraineesSerializer

    def change_each(
        self,
        round: Round,
        wanted: list[dict[str, Any]],
        change: Callable[[Enrolment, dict[str, Any]], str],
    ) -> Response:
        """Change each worker, or say why not. `change` returns the problem."""
        rows = round.enrolments.select_related("round__project", "worker")
        ids = [entry["id"] for entry in wanted]
        known = rows.in_bulk(ids)
        problems = {
            entry["id"]: self._problem(known.get(entry["id"]), entry, change) for entry in wanted
        }
        states = dict(rows.filter(pk__in=ids).values_list("pk", "state"))
        results = [
            {"id": pk, "state": states.get(pk), "problem": problem}
            for pk, problem in problems.items()
        ]
        return Response(ChangedTraineesSerializer({"results": results}).data)

    def _problem(
        self,
        enrolment: Enrolment | None,
        entry: dict[str, Any],
        change: Callable[[Enrolment, dict[str, Any]], str],
    ) -> str:
        if enrolment is None:
            return "The round has no worker with this id."
        try:
            return change(enrolment, entry)
        except TouchstoneError as error:
            return str(error)


class DecideTrainees(_TraineeChange):
    operations = {"POST": "decide_trainees"}

    @extend_schema(
        request=DecisionsOnTraineesSerializer, responses={200: ChangedTraineesSerializer}
    )
    @action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Pass workers, let them repeat the round, or decline them. Each receives a message.

        The answer has what became of each, in the same order.
        """
        data = self.read_body(request, DecisionsOnTraineesSerializer)
        actor = actor_of(request)

        def decide(enrolment: Enrolment, entry: dict[str, Any]) -> str:
            verdict = Verdict(entry["verdict"])
            if not can_decide(enrolment, verdict):
                return f"This is not possible for a worker who is {enrolment.get_state_display()}."
            conclude_all(
                enrolments=[enrolment],
                verdict=verdict,
                reason=entry["reason"],
                sends=data["send_feedback"],
                trainer=request.user,
                actor=actor,
                now=timezone.now(),
            )
            return ""

        return self.change_each(self.find_row(pk=pk), data["decisions"], decide)


class SendFeedback(_TraineeChange):
    operations = {"POST": "send_feedback"}

    @extend_schema(request=FeedbackToTraineesSerializer, responses={200: ChangedTraineesSerializer})
    @action
    def post(self, request: Request, slug: str, pk: int) -> Response:
        """Send workers feedback on a finished round: the comparison with the expert, and your notes."""
        data = self.read_body(request, FeedbackToTraineesSerializer)
        round, actor, now = self.find_row(pk=pk), actor_of(request), timezone.now()
        items = dict(round.round_items.values_list("item__key", "item"))
        for entry in data["feedback"]:
            if unknown := sorted(set(entry["notes"]) - set(items)):
                detail = f"The round has no item with the key {unknown[0][:240]!r}."
                raise ValidationError({"feedback": [detail]})

        def send(enrolment: Enrolment, entry: dict[str, Any]) -> str:
            sender: dict[str, Any] = {"trainer": request.user, "actor": actor, "now": now}
            if entry["text"].strip() or entry["notes"]:
                by_item = {str(items[key]): note for key, note in entry["notes"].items()}
                notes = Notes(text=entry["text"], by_item=by_item)
                send_feedback(enrolment=enrolment, notes=notes, **sender)
            elif not send_feedback_to_all(enrolments=[enrolment], **sender):
                return "The worker has not finished the round, or got feedback before."
            return ""

        return self.change_each(round, data["feedback"], send)
