"""Admin pages for benchmarks."""

from audit.admin import register_read_only
from benchmarks.models import Benchmark, Entry, Phase, Team

register_read_only(Benchmark, "title release opened_by opened_at closed_at")
register_read_only(Phase, "benchmark kind starts_at ends_at")
register_read_only(Team, "benchmark name affiliation is_baseline created_at withdrawn_at")
register_read_only(Entry, "team phase variant system state created_at withdrawn_at")
