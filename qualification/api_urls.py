from django.urls import path

from qualification.api import evaluations, funnel, pools, rounds, trainees, workers

IN_API = "projects/<slug:slug>/"
WORKER = IN_API + "workers/<slug:pseudonym>/"
ROUND = IN_API + "rounds/<int:pk>/"

urlpatterns = [
    path(IN_API + "pools/", pools.Pools.as_view(), name="pools"),
    path(IN_API + "pools/admit/", pools.AdmitWorkers.as_view(), name="admit_workers"),
    path(IN_API + "pools/withdraw/", pools.WithdrawWorkers.as_view(), name="withdraw_workers"),
    path(IN_API + "pools/<int:pk>/workers/", pools.PoolWorkers.as_view(), name="pool_workers"),
    path(IN_API + "workers/message/", pools.MessageWorkers.as_view(), name="message_workers"),
    path(WORKER + "notes/", workers.WorkerNotes.as_view(), name="worker_notes"),
    path(WORKER + "compensations/", workers.Compensations.as_view(), name="compensations"),
    path(WORKER + "erase/", workers.EraseWorker.as_view(), name="erase_worker"),
    path(IN_API + "funnel/", funnel.Funnel.as_view(), name="funnel"),
    path(IN_API + "groups/", pools.Groups.as_view(), name="groups"),
    path(IN_API + "groups/divide/", pools.DividePool.as_view(), name="divide_pool"),
    path(IN_API + "rounds/", rounds.Rounds.as_view(), name="rounds"),
    path(ROUND, rounds.RoundDetail.as_view(), name="round"),
    path(ROUND + "items/", rounds.RoundItems.as_view(), name="round_items"),
    path(ROUND + "remove/", rounds.RemoveRound.as_view(), name="remove_round"),
    path(ROUND + "publish/", rounds.PublishRound.as_view(), name="publish_round"),
    path(ROUND + "invite/", rounds.InviteWorkers.as_view(), name="invite_workers"),
    path(ROUND + "trainees/", trainees.Trainees.as_view(), name="trainees"),
    path(ROUND + "decide/", trainees.DecideTrainees.as_view(), name="decide_trainees"),
    path(ROUND + "feedback/", trainees.SendFeedback.as_view(), name="send_feedback"),
    path(IN_API + "evaluations/", evaluations.Evaluations.as_view(), name="evaluations"),
    path(
        IN_API + "evaluations/<int:pk>/",
        evaluations.EvaluationDetail.as_view(),
        name="evaluation",
    ),
]
