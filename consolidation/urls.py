from django.urls import path

from consolidation.views import (
    batches,
    conflicts,
    expert_pages,
    experts,
    items,
    reviews,
    submissions,
)
from consolidation.views import work as views

app_name = "consolidation"

urlpatterns = [
    path("projects/<slug:slug>/submissions/", submissions.submissions, name="submissions"),
    path("projects/<slug:slug>/submissions/<int:pk>/accept/", submissions.accept, name="accept"),
    path("projects/<slug:slug>/submissions/<int:pk>/reject/", submissions.reject, name="reject"),
    path(
        "projects/<slug:slug>/submissions/<int:pk>/pay-without-using/",
        submissions.set_aside,
        name="pay_without_using",
    ),
    path("projects/<slug:slug>/batches/", batches.batches, name="batches"),
    path("projects/<slug:slug>/batches/<int:pk>/", batches.batch, name="batch"),
    path(
        "projects/<slug:slug>/batches/<int:pk>/manage_batch/",
        batches.manage_batch,
        name="manage_batch",
    ),
    path("projects/<slug:slug>/items/", items.items, name="items"),
    path("projects/<slug:slug>/items/<int:pk>/", items.item, name="item"),
    path("projects/<slug:slug>/submissions/<int:pk>/copies/", conflicts.copies, name="copies"),
    path("projects/<slug:slug>/reviews/", reviews.reviews, name="reviews"),
    path("projects/<slug:slug>/reviews/<int:pk>/", reviews.review, name="review"),
    path("projects/<slug:slug>/reviews/<int:pk>/judge/", reviews.judge, name="judge"),
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
    path("consolidate/<uuid:public_id>/", views.consolidate, name="consolidate"),
    path("validate/<uuid:public_id>/", views.validate, name="validate"),
    path("work/consolidation/submit/", views.submit, name="submit"),
]
