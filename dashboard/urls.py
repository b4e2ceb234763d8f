from django.conf import settings
from django.urls import path

from dashboard.views import (
    accounts,
    agreement,
    costs,
    exports,
    items,
    jobs,
    projects,
    reviews,
    submissions,
    workers,
)

app_name = "dashboard"

urlpatterns = [
    path("", projects.projects, name="projects"),
    path("login/", accounts.login, name="login"),
    path("logout/", accounts.logout, name="logout"),
    path("projects/<slug:slug>/", projects.project, name="project"),
    path("projects/<slug:slug>/publish/", projects.publish, name="publish"),
    path("projects/<slug:slug>/items/", items.items, name="items"),
    path("projects/<slug:slug>/items/<int:pk>/", items.item, name="item"),
    path("projects/<slug:slug>/submissions/", submissions.submissions, name="submissions"),
    path("projects/<slug:slug>/submissions/<int:pk>/accept/", submissions.accept, name="accept"),
    path("projects/<slug:slug>/submissions/<int:pk>/reject/", submissions.reject, name="reject"),
    path(
        "projects/<slug:slug>/submissions/<int:pk>/set-aside/",
        submissions.set_aside,
        name="set_aside",
    ),
    path("projects/<slug:slug>/workers/", workers.workers, name="workers"),
    path("projects/<slug:slug>/workers/<str:pseudonym>/", workers.worker, name="worker"),
    path("projects/<slug:slug>/costs/", costs.costs, name="costs"),
    path("projects/<slug:slug>/costs/items.svg", costs.cost_chart, name="cost_chart"),
    path("projects/<slug:slug>/ledger/", costs.ledger, name="ledger"),
    path("projects/<slug:slug>/ledger.csv", costs.ledger_csv, name="ledger_csv"),
    path("projects/<slug:slug>/exports/", exports.exports, name="exports"),
    path("projects/<slug:slug>/exports/new/", exports.export, name="export"),
    path(
        "projects/<slug:slug>/exports/<str:name>/<str:file>",
        exports.export_file,
        name="export_file",
    ),
    path("projects/<slug:slug>/jobs/", jobs.jobs, name="jobs"),
    path("projects/<slug:slug>/reviews/", reviews.reviews, name="reviews"),
    path("projects/<slug:slug>/reviews/<int:pk>/", reviews.review, name="review"),
    path("projects/<slug:slug>/reviews/<int:pk>/judge/", reviews.judge, name="judge"),
    path("projects/<slug:slug>/agreement/", agreement.agreement, name="agreement"),
    path("projects/<slug:slug>/agreement.svg", agreement.chart, name="agreement_chart"),
    path("projects/<slug:slug>/agreement.csv", agreement.table, name="agreement_csv"),
]

if settings.DEBUG:
    urlpatterns += [path("style/", projects.style, name="style")]
