from django.urls import path, re_path

from datasets.views import (
    adaptive,
    agreement,
    assistance,
    certainty,
    costs,
    effect,
    error_samples,
    exports,
    gold,
    protocols,
    quality,
    statistics,
    system_evaluations,
)

app_name = "datasets"

AT = "projects/<slug:slug>/"
EXPORT = AT + "exports/<int:pk>/"
ITEM = AT + "quality/<int:pk>/"
SAMPLES = AT + "quality/samples/"
SYSTEMS = AT + "systems/"
EXPERIMENTS = AT + "agreement/experiments/"

urlpatterns = [
    path(AT + "gold/", gold.gold, name="gold"),
    path(AT + "gold/<int:pk>/", gold.gold_sentence, name="gold_sentence"),
    path(AT + "costs/", costs.costs, name="costs"),
    path(AT + "costs/per-item/", costs.cost_per_item, name="cost_per_item"),
    path(AT + "costs/over-time/", costs.cost_over_time, name="cost_over_time"),
    path(AT + "ledger/", costs.ledger, name="ledger"),
    path(AT + "ledger.csv", costs.ledger_csv, name="ledger_csv"),
    path(AT + "exports/", exports.exports, name="exports"),
    path(AT + "exports/new/", exports.export, name="export"),
    path(EXPORT, exports.export_details, name="export_details"),
    path(EXPORT + "<path:file>", exports.export_file, name="export_file"),
    path(AT + "quality/", quality.quality, name="quality"),
    path(AT + "quality/equivalence/", quality.learn_equivalence, name="learn_equivalence"),
    path(AT + "quality/over-time/", quality.quality_over_time, name="quality_over_time"),
    re_path(
        r"^projects/(?P<slug>[-\w]+)/quality\.(?P<suffix>csv|json)$",
        quality.quality_file,
        name="quality_file",
    ),
    path(ITEM, quality.quality_item, name="quality_item"),
    path(ITEM + "decide/", quality.decide, name="decide_match"),
    path(SAMPLES, error_samples.samples, name="error_samples"),
    path(SAMPLES + "new/", error_samples.draw, name="draw_error_sample"),
    path(SAMPLES + "<int:pk>/", error_samples.sample, name="error_sample"),
    path(SAMPLES + "<int:pk>.csv", error_samples.sample_csv, name="error_sample_csv"),
    path(SAMPLES + "<int:pk>/<int:position>/", error_samples.part, name="sampled_part"),
    path(SAMPLES + "<int:pk>/<int:position>/judge/", error_samples.judge, name="judge_part"),
    path(SYSTEMS, system_evaluations.systems, name="systems"),
    path(SYSTEMS + "new/", system_evaluations.evaluate_systems, name="evaluate_systems"),
    path(SYSTEMS + "<int:pk>/", system_evaluations.system_evaluation, name="system_evaluation"),
    path(
        SYSTEMS + "<int:pk>/<str:file>",
        system_evaluations.system_evaluation_file,
        name="system_evaluation_file",
    ),
    path(AT + "effect/", effect.effect, name="effect"),
    path(AT + "assistance/", assistance.assistance, name="assistance"),
    path(AT + "certainty/", certainty.certainty, name="certainty"),
    path(AT + "certainty/fit/", certainty.fit_certainty, name="fit_certainty"),
    path(AT + "certainty/<slug:kind>/", certainty.certainty_chart, name="certainty_chart"),
    path(AT + "adaptive/", adaptive.adaptive, name="adaptive"),
    path(AT + "adaptive/chart/", adaptive.adaptive_chart, name="adaptive_chart"),
    path(AT + "statistics/", statistics.statistics, name="statistics"),
    path(AT + "statistics.csv", statistics.statistics_csv, name="statistics_csv"),
    path(AT + "statistics.svg", statistics.frequency_chart, name="frequency_chart"),
    path(AT + "agreement/", agreement.agreement, name="agreement"),
    path(AT + "protocols/", protocols.protocols, name="protocols"),
    path(EXPERIMENTS + "new/", agreement.begin, name="begin_experiment"),
    path(EXPERIMENTS + "<int:pk>/", agreement.experiment, name="experiment"),
    path(AT + "agreement.svg", agreement.chart, name="agreement_chart"),
    path(AT + "agreement.csv", agreement.table, name="agreement_csv"),
]
