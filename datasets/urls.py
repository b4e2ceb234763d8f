from django.urls import path, re_path

from datasets.views import agreement, costs, exports, gold, protocols, quality

app_name = "datasets"

urlpatterns = [
    path("projects/<slug:slug>/gold/", gold.gold, name="gold"),
    path("projects/<slug:slug>/gold/<int:pk>/", gold.gold_sentence, name="gold_sentence"),
    path("projects/<slug:slug>/costs/", costs.costs, name="costs"),
    path("projects/<slug:slug>/costs/items.svg", costs.cost_chart, name="cost_chart"),
    path("projects/<slug:slug>/ledger/", costs.ledger, name="ledger"),
    path("projects/<slug:slug>/ledger.csv", costs.ledger_csv, name="ledger_csv"),
    path("projects/<slug:slug>/exports/", exports.exports, name="exports"),
    path("projects/<slug:slug>/exports/new/", exports.export, name="export"),
    path("projects/<slug:slug>/exports/<int:pk>/", exports.export_details, name="export_details"),
    path(
        "projects/<slug:slug>/exports/<int:pk>/<str:file>",
        exports.export_file,
        name="export_file",
    ),
    path("projects/<slug:slug>/quality/", quality.quality, name="quality"),
    re_path(
        r"^projects/(?P<slug>[-\w]+)/quality\.(?P<suffix>csv|json)$",
        quality.quality_file,
        name="quality_file",
    ),
    path("projects/<slug:slug>/quality/<int:pk>/", quality.quality_item, name="quality_item"),
    path("projects/<slug:slug>/quality/<int:pk>/decide/", quality.decide, name="decide_match"),
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
