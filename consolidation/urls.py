from django.urls import path

from consolidation.views import (
    batches,
    conflicts,
    expert_pages,
    experts,
    flags,
    gold,
    items,
    proposals,
    queue_items,
    resources,
    reviews,
    studies,
    submissions,
    written_resources,
)
from consolidation.views import work as views
from web.interface_language import for_workers

AT = "projects/<slug:slug>/"
SUBMISSION = AT + "submissions/<int:pk>/"
BATCH = AT + "batches/<int:pk>/"
REVIEW = AT + "reviews/<int:pk>/"
QUEUE = AT + "experts/<int:pk>/"
QUEUED = AT + "experts/items/<int:pk>/"
app_name = "consolidation"

urlpatterns = [
    path(AT + "submissions/", submissions.submissions, name="submissions"),
    path(AT + "selected-batches/", batches.manage_batches, name="manage_batches"),
    path(AT + "submissions/decide/", submissions.decide, name="decide_submissions"),
    path(SUBMISSION + "accept/", submissions.accept, name="accept"),
    path(SUBMISSION + "reject/", submissions.reject, name="reject"),
    path(
        SUBMISSION + "pay-without-using/",
        submissions.set_aside,
        name="pay_without_using",
    ),
    path(AT + "batches/", batches.batches, name="batches"),
    path(BATCH, batches.batch, name="batch"),
    path(BATCH + "manage_batch/", batches.manage_batch, name="manage_batch"),
    path(AT + "studies/", studies.studies, name="studies"),
    path(AT + "studies/<int:pk>/publish-now/", studies.publish_now, name="publish_study_now"),
    path(AT + "studies/sessions/<int:pk>/", studies.decide_session, name="decide_session"),
    path(AT + "studies/payments/<int:pk>/decide/", studies.resolve, name="decide_session_payment"),
    path(AT + "items/", items.items, name="items"),
    path(AT + "items/<int:pk>/", items.item, name="item"),
    path(AT + "items/<int:pk>/withdraw/", items.withdraw, name="withdraw_item"),
    path(AT + "items/<int:pk>/restore/", items.restore, name="restore_item"),
    path(AT + "items/<int:pk>/reopen/", items.reopen, name="reopen_item"),
    path(AT + "resources/", resources.resources, name="resources"),
    path(AT + "resources/<slug:name>/", resources.resource, name="resource"),
    path(AT + "resources/<slug:name>/import/", resources.import_file, name="import_resource"),
    path(AT + "resources/<slug:name>/proposals/", proposals.proposals, name="proposals"),
    path(AT + "resources/<slug:name>/proposals/decide/", proposals.decide, name="decide_proposals"),
    path(AT + "resources/<slug:name>/save/", written_resources.save_text, name="save_resource"),
    path(
        AT + "resources/<slug:name>/preview/",
        written_resources.preview_text,
        name="preview_resource",
    ),
    path(
        AT + "resources/<slug:name>/versions/<int:number>/",
        written_resources.version,
        name="resource_version",
    ),
    path(
        AT + "resources/<slug:name>/entries/<path:entry>/",
        resources.entry,
        name="resource_entry",
    ),
    path(SUBMISSION + "copies/", conflicts.copies, name="copies"),
    path(AT + "gold/import/", gold.gold_import, name="gold_import"),
    path(AT + "gold/import/<int:pk>/", gold.gold_preview, name="gold_preview"),
    path(AT + "gold/import/<int:pk>/bad-rows.csv", gold.gold_bad_rows, name="gold_bad_rows"),
    path(AT + "gold/<int:pk>/review/", reviews.request_gold_review, name="request_review"),
    path(AT + "reviews/", reviews.reviews, name="reviews"),
    path(AT + "reviews/draw/", reviews.draw, name="draw_reviews"),
    path(REVIEW, reviews.review, name="review"),
    path(REVIEW + "judge/", reviews.judge, name="judge"),
    path(REVIEW + "correct/", expert_pages.correction, name="correction"),
    path(
        REVIEW + "correct/draft/",
        expert_pages.correction_draft,
        name="correction_draft",
    ),
    path(
        REVIEW + "correct/submit/",
        expert_pages.correction_submit,
        name="correction_submit",
    ),
    path(AT + "experts/", experts.experts, name="experts"),
    path(AT + "experts/new/<slug:kind>/", experts.set_up, name="expert_set_up"),
    path(AT + "experts/items/choose/", queue_items.choose, name="choose_queue_items"),
    path(AT + "experts/flags/", flags.flags, name="flags"),
    path(AT + "experts/flags/<int:pk>/", flags.decide, name="decide_flag"),
    path(QUEUE, experts.queue, name="expert_queue"),
    path(QUEUE + "next/", experts.take, name="expert_next"),
    path(QUEUE + "state/", experts.state, name="expert_state"),
    path(QUEUE + "gold/", experts.gold, name="expert_gold"),
    path(QUEUE + "report/", experts.report, name="expert_report"),
    path(QUEUE + "report.csv", experts.report_csv, name="expert_report_csv"),
    path(AT + "experts/look-up/", expert_pages.look_up, name="expert_look_up"),
    path(QUEUED, expert_pages.item, name="expert_item"),
    path(QUEUED + "flag/", flags.flag, name="flag_item"),
    path(QUEUED + "correct/", expert_pages.correct, name="expert_correct"),
    path(QUEUED + "draft/", expert_pages.item_draft, name="expert_draft"),
    path(QUEUED + "submit/", expert_pages.item_submit, name="expert_submit"),
    *for_workers(
        [
            path("consolidate/<uuid:public_id>/", views.consolidate, name="consolidate"),
            path("validate/<uuid:public_id>/", views.validate, name="validate"),
            path("revise/<uuid:public_id>/", views.revise, name="revise"),
            path("work/consolidation/submit/", views.submit, name="submit"),
        ]
    ),
]
