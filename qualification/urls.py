from django.urls import path

from qualification.views import (
    bulk_feedback,
    desk,
    differences,
    feedback,
    groups,
    invite,
    pool,
    requests,
    round_items,
    rounds,
    second_opinion,
    threads,
    trainee,
    worker_actions,
    workers,
)
from web.interface_language import for_workers

app_name = "qualification"

WORKER = "projects/<slug:slug>/workers/<str:pseudonym>/"
SELECTED = "projects/<slug:slug>/selected-workers/"
AT = "projects/<slug:slug>/training/"
TRAINEE = AT + "rounds/<int:pk>/<str:pseudonym>/"
POOL_WORKER = AT + "pool/<str:pseudonym>/"

urlpatterns = [
    path("projects/<slug:slug>/workers/", workers.workers, name="workers"),
    path(SELECTED + "message/", worker_actions.message_workers, name="message_workers"),
    path(SELECTED + "withdraw/", worker_actions.withdraw_workers, name="withdraw_workers"),
    path(WORKER, workers.worker, name="worker"),
    path("projects/<slug:slug>/messages/", threads.inbox, name="inbox"),
    path(WORKER + "messages/", threads.thread, name="thread"),
    path(WORKER + "label/", workers.worker_label, name="worker_label"),
    path(WORKER + "note/", workers.worker_note, name="worker_note"),
    path(WORKER + "forget/", workers.erase_worker_page, name="erase_worker_page"),
    path(WORKER + "admit/", workers.admit_to_pool, name="admit_to_pool"),
    path(WORKER + "compensate/", workers.compensate, name="compensate"),
    path(AT, rounds.rounds, name="rounds"),
    path(AT + "set-up/", rounds.set_up, name="set_up"),
    path(AT + "new/", round_items.new_round, name="new_round"),
    path(AT + "rounds/<int:pk>/items/", round_items.round_items, name="round_items"),
    path(AT + "rounds/<int:pk>/remove/", round_items.remove, name="remove_round"),
    path(AT + "funnel.svg", rounds.funnel_svg, name="funnel_svg"),
    path(AT + "funnel.csv", rounds.funnel_csv, name="funnel_csv"),
    path(AT + "rounds/<int:pk>/", desk.desk, name="round"),
    path(AT + "rounds/<int:pk>/publish/", rounds.publish, name="publish"),
    path(AT + "rounds/<int:pk>/invite/", invite.invite, name="invite"),
    path(AT + "rounds/<int:pk>/edit/", rounds.edit, name="edit"),
    path(AT + "rounds/<int:pk>/decide/", desk.decide, name="decide"),
    path(AT + "rounds/<int:pk>/feedback/", bulk_feedback.send_feedback, name="send_feedback"),
    path(AT + "rounds/<int:pk>/differences/", differences.differences, name="differences"),
    path(
        AT + "rounds/<int:pk>/second-opinion/",
        second_opinion.second_opinion,
        name="second_opinion",
    ),
    path(AT + "rounds/<int:pk>/admit/", desk.admit, name="admit"),
    path(TRAINEE + "withdraw/", rounds.withdraw, name="withdraw"),
    path(AT + "requests/", requests.requests, name="requests"),
    path(AT + "requests/<int:pk>/grant/", requests.grant_request, name="grant_request"),
    path(AT + "requests/<int:pk>/refuse/", requests.refuse, name="refuse_request"),
    path(TRAINEE, trainee.trainee, name="trainee"),
    path(TRAINEE + "evaluate/", trainee.evaluate, name="evaluate"),
    path(TRAINEE + "overrule/", trainee.overrule, name="overrule"),
    path(TRAINEE + "feedback/", trainee.write, name="write"),
    path(TRAINEE + "confirm/", trainee.confirm, name="confirm"),
    path(TRAINEE + "preview/", trainee.preview, name="preview"),
    path(AT + "mail/<int:pk>/", rounds.send_mail_again, name="send_mail_again"),
    path(AT + "groups/", groups.groups, name="groups"),
    path(AT + "pool/", pool.pool, name="pool"),
    path(AT + "pool-chart/", pool.speed_and_quality, name="speed_and_quality"),
    path(POOL_WORKER, pool.pool_worker, name="pool_worker"),
    path(POOL_WORKER + "agreement/", pool.worker_agreement, name="worker_agreement"),
    path(POOL_WORKER + "feedback/", pool.pool_write, name="pool_write"),
    path(POOL_WORKER + "preview/", pool.pool_preview, name="pool_preview"),
    path(POOL_WORKER + "alerts/<int:pk>/", pool.pool_acknowledge, name="pool_acknowledge"),
    *for_workers([path("feedback/<str:token>/", feedback.feedback, name="feedback")]),
]
