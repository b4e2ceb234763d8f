from django.urls import path

from benchmarks.views import participants, public, staff
from releases.converters import RELEASE

app_name = "benchmarks"

AT = "benchmarks/<slug:slug>/<version:version>/"
PHASE = f"{AT}<slug:kind>/"
STAFF = f"{RELEASE}benchmark/"

urlpatterns = [
    path("benchmarks/", public.public_benchmarks, name="public_benchmarks"),
    path(AT, public.public_benchmark, name="public_benchmark"),
    path(f"{AT}leaderboard/", public.leaderboard, name="leaderboard"),
    path(f"{AT}team/", participants.team, name="benchmark_team"),
    path(f"{AT}team/withdraw/", participants.withdraw_own_team, name="withdraw_own_team"),
    path(f"{AT}team/join/<str:code>/", participants.join, name="join_team"),
    path(f"{AT}entries/new/", participants.enter, name="enter"),
    path(f"{AT}entries/<int:pk>/", participants.entry, name="benchmark_entry"),
    path(f"{AT}entries/<int:pk>/withdraw/", participants.withdraw_own, name="withdraw_own_entry"),
    path(f"{PHASE}inputs.zip", public.inputs, name="benchmark_inputs"),
    path(f"{PHASE}chart.svg", public.chart, name="benchmark_chart"),
    path(f"{PHASE}items/", public.item_comparison, name="item_comparison"),
    path(STAFF, staff.benchmark, name="benchmark"),
    path(f"{STAFF}open/", staff.open_page, name="open_benchmark"),
    path(f"{STAFF}edit/", staff.edit, name="edit_benchmark"),
    path(f"{STAFF}close/", staff.close, name="close_benchmark"),
    path(f"{STAFF}baselines/new/", staff.baseline, name="add_baseline"),
    path(f"{STAFF}teams/<int:pk>/withdraw/", staff.remove_team, name="remove_team"),
    path(f"{STAFF}entries/<int:pk>/withdraw/", staff.remove_entry, name="remove_entry"),
    path(f"{STAFF}codabench.zip", staff.codabench, name="codabench_bundle"),
]
