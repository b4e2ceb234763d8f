from django.conf import settings
from django.urls import path, re_path

from dashboard import api
from dashboard.views import (
    accounts,
    agreement,
    batches,
    costs,
    expert_pages,
    experts,
    exports,
    gold,
    items,
    jobs,
    log,
    members,
    projects,
    protocols,
    quality,
    rejections,
    reviews,
    submissions,
    tokens,
    workers,
)
from dashboard.views import (
    settings as settings_pages,
)

app_name = "dashboard"

urlpatterns = [
    path("", projects.projects, name="projects"),
    path("login/", accounts.login, name="login"),
    path("logout/", accounts.logout, name="logout"),
    path("projects/new/", settings_pages.project_new, name="project_new"),
    path("api/docs/", tokens.api_docs, name="api_docs"),
    path("account/tokens/", tokens.tokens, name="tokens"),
    path("account/tokens/<int:pk>/revoke/", tokens.revoke, name="revoke_token"),
    path("projects/<slug:slug>/", projects.project, name="project"),
    path("projects/<slug:slug>/settings/", settings_pages.settings, name="settings"),
    path("projects/<slug:slug>/corpus/", settings_pages.corpus, name="corpus"),
    path(
        "projects/<slug:slug>/corpus/<int:pk>/",
        settings_pages.corpus_preview,
        name="corpus_preview",
    ),
    path("projects/<slug:slug>/guidelines/", settings_pages.guidelines, name="guidelines"),
    path("projects/<slug:slug>/pay/", settings_pages.pay, name="pay"),
    path("projects/<slug:slug>/try-out/", settings_pages.try_out, name="try_out"),
    path("projects/<slug:slug>/publish/", projects.publish, name="publish"),
    path("projects/<slug:slug>/batches/", batches.batches, name="batches"),
    path("projects/<slug:slug>/batches/<int:pk>/", batches.batch, name="batch"),
    path("projects/<slug:slug>/batches/<int:pk>/steer/", batches.steer, name="steer"),
    path("projects/<slug:slug>/items/", items.items, name="items"),
    path("projects/<slug:slug>/items/<int:pk>/", items.item, name="item"),
    path("projects/<slug:slug>/gold/", gold.gold, name="gold"),
    path("projects/<slug:slug>/gold/<int:pk>/", gold.gold_sentence, name="gold_sentence"),
    path("projects/<slug:slug>/submissions/", submissions.submissions, name="submissions"),
    path("projects/<slug:slug>/submissions/<int:pk>/accept/", submissions.accept, name="accept"),
    path("projects/<slug:slug>/submissions/<int:pk>/reject/", submissions.reject, name="reject"),
    path(
        "projects/<slug:slug>/submissions/<int:pk>/set-aside/",
        submissions.set_aside,
        name="set_aside",
    ),
    path("projects/<slug:slug>/submissions/<int:pk>/copies/", submissions.copies, name="copies"),
    path("projects/<slug:slug>/rejections/", rejections.rejections, name="rejections"),
    path(
        "projects/<slug:slug>/rejections/<int:pk>/overturn/", rejections.overturn, name="overturn"
    ),
    path("projects/<slug:slug>/workers/", workers.workers, name="workers"),
    path("projects/<slug:slug>/workers/<str:pseudonym>/", workers.worker, name="worker"),
    path(
        "projects/<slug:slug>/workers/<str:pseudonym>/note/",
        workers.worker_note,
        name="worker_note",
    ),
    path(
        "projects/<slug:slug>/workers/<str:pseudonym>/forget/",
        workers.worker_forget,
        name="worker_forget",
    ),
    path(
        "projects/<slug:slug>/workers/<str:pseudonym>/compensate/",
        workers.compensate,
        name="compensate",
    ),
    path("projects/<slug:slug>/costs/", costs.costs, name="costs"),
    path("projects/<slug:slug>/costs/items.svg", costs.cost_chart, name="cost_chart"),
    path("projects/<slug:slug>/ledger/", costs.ledger, name="ledger"),
    path("projects/<slug:slug>/ledger.csv", costs.ledger_csv, name="ledger_csv"),
    path("projects/<slug:slug>/exports/", exports.exports, name="exports"),
    path("projects/<slug:slug>/exports/new/", exports.export, name="export"),
    path("projects/<slug:slug>/exports/<str:name>/", exports.export_details, name="export_details"),
    path(
        "projects/<slug:slug>/exports/<str:name>/<str:file>",
        exports.export_file,
        name="export_file",
    ),
    path("projects/<slug:slug>/jobs/", jobs.jobs, name="jobs"),
    path("projects/<slug:slug>/log/", log.log, name="log"),
    path("projects/<slug:slug>/log.csv", log.log_csv, name="log_csv"),
    path("projects/<slug:slug>/members/", members.members, name="members"),
    path("projects/<slug:slug>/members/<int:pk>/", members.member, name="member"),
    path("projects/<slug:slug>/members/invite/", members.invite_member, name="invite"),
    path(
        "projects/<slug:slug>/members/invitations/<int:pk>/", members.invitation, name="invitation"
    ),
    path("projects/<slug:slug>/reviews/", reviews.reviews, name="reviews"),
    path("projects/<slug:slug>/reviews/<int:pk>/", reviews.review, name="review"),
    path("projects/<slug:slug>/reviews/<int:pk>/judge/", reviews.judge, name="judge"),
    path("projects/<slug:slug>/quality/", quality.quality, name="quality"),
    re_path(
        r"^projects/(?P<slug>[-\w]+)/quality\.(?P<suffix>csv|json)$",
        quality.quality_file,
        name="quality_file",
    ),
    path("projects/<slug:slug>/quality/<int:pk>/", quality.quality_item, name="quality_item"),
    path("projects/<slug:slug>/quality/<int:pk>/decide/", quality.decide, name="decide_match"),
    path(
        "projects/<slug:slug>/reviews/<int:pk>/correct/", expert_pages.correction, name="correction"
    ),
    path(
        "projects/<slug:slug>/reviews/<int:pk>/correct/draft/",
        expert_pages.correction_draft,
        name="correction_draft",
    ),
    path(
        "projects/<slug:slug>/reviews/<int:pk>/correct/submit/",
        expert_pages.correction_submit,
        name="correction_submit",
    ),
    path("projects/<slug:slug>/experts/", experts.experts, name="experts"),
    path("projects/<slug:slug>/experts/new/<slug:kind>/", experts.set_up, name="expert_set_up"),
    path("projects/<slug:slug>/experts/<int:pk>/", experts.queue, name="expert_queue"),
    path("projects/<slug:slug>/experts/<int:pk>/next/", experts.take, name="expert_next"),
    path("projects/<slug:slug>/experts/<int:pk>/state/", experts.state, name="expert_state"),
    path("projects/<slug:slug>/experts/<int:pk>/report/", experts.report, name="expert_report"),
    path(
        "projects/<slug:slug>/experts/<int:pk>/report.csv",
        experts.report_csv,
        name="expert_report_csv",
    ),
    path("projects/<slug:slug>/experts/items/<int:pk>/", expert_pages.item, name="expert_item"),
    path(
        "projects/<slug:slug>/experts/items/<int:pk>/draft/",
        expert_pages.item_draft,
        name="expert_draft",
    ),
    path(
        "projects/<slug:slug>/experts/items/<int:pk>/submit/",
        expert_pages.item_submit,
        name="expert_submit",
    ),
    path("projects/<slug:slug>/agreement/", agreement.agreement, name="agreement"),
    path("projects/<slug:slug>/protocols/", protocols.protocols, name="protocols"),
    path(
        "projects/<slug:slug>/agreement/experiments/new/",
        agreement.begin,
        name="begin_experiment",
    ),
    path(
        "projects/<slug:slug>/agreement/experiments/<int:pk>/",
        agreement.experiment,
        name="experiment",
    ),
    path("projects/<slug:slug>/agreement.svg", agreement.chart, name="agreement_chart"),
    path("projects/<slug:slug>/agreement.csv", agreement.table, name="agreement_csv"),
]

if settings.DEBUG:
    urlpatterns += [path("style/", projects.style, name="style")]

AT = "projects/<slug:slug>/"

api_urlpatterns = [
    path(AT + "workers/", api.Workers.as_view(), name="workers"),
    path(AT + "workers/<slug:pseudonym>/", api.WorkerDetail.as_view(), name="worker"),
    path(AT + "costs/", api.Costs.as_view(), name="costs"),
    path(AT + "ledger/", api.Ledger.as_view(), name="ledger"),
    path(AT + "exports/", api.Exports.as_view(), name="exports"),
    path(AT + "exports/<str:name>/", api.ExportDetail.as_view(), name="export"),
    path(AT + "exports/<str:name>/<str:file>", api.ExportedFile.as_view(), name="export_file"),
    path(AT + "jobs/", api.Jobs.as_view(), name="jobs"),
]
