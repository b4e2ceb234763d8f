"""Write the dashboard for Grafana, deploy/monitoring/grafana.json, from the list of its panels.

Usage: python -m scripts.write_dashboard
"""

import json
from pathlib import Path
from typing import Any

PATH = Path(__file__).resolve().parent.parent / "deploy" / "monitoring" / "grafana.json"
REQUESTS = "touchstone_http_request_seconds"
# Title, unit, and the queries with their legends. Two panels stand side by side.
PANELS: list[tuple[str, str, list[tuple[str, str]]]] = [
    ("Requests", "reqps", [(f"sum by (instance) (rate({REQUESTS}_count[5m]))", "{{instance}}")]),
    (
        "Failed requests by route",
        "percentunit",
        [
            (
                f'sum by (route) (rate({REQUESTS}_count{{status=~"5.."}}[5m]))'
                f" / sum by (route) (rate({REQUESTS}_count[5m]))",
                "{{route}}",
            )
        ],
    ),
    (
        "Latency of all requests",
        "s",
        [
            (f"histogram_quantile({q}, sum by (le) (rate({REQUESTS}_bucket[5m])))", f"p{q * 100:g}")
            for q in (0.5, 0.95, 0.99)
        ],
    ),
    (
        "Slowest routes (95th percentile)",
        "s",
        [
            (
                f"topk(10, histogram_quantile(0.95, sum by (route, le) (rate({REQUESTS}_bucket[5m]))))",
                "{{route}}",
            )
        ],
    ),
    (
        "Workers: time since the last heartbeat",
        "s",
        [("time() - max by (queue) (touchstone_heartbeat_timestamp_seconds)", "{{queue}}")],
    ),
    ("Messages waiting", "short", [("max by (queue) (touchstone_messages)", "{{queue}}")]),
    (
        "Age of the oldest message",
        "s",
        [("max by (queue) (touchstone_message_age_seconds)", "{{queue}}")],
    ),
    (
        "Age of the oldest waiting row",
        "s",
        [
            ("max by (queue) (touchstone_queue_age_seconds)", "{{queue}}"),
            ("max(touchstone_job_queue_age_seconds)", "jobs"),
        ],
    ),
    (
        "Seconds spent in tasks per second",
        "short",
        [("topk(10, sum by (task) (rate(touchstone_task_seconds_total[5m])))", "{{task}}")],
    ),
    (
        "Failed tasks",
        "short",
        [('sum by (task) (increase(touchstone_tasks_total{outcome!="success"}[5m]))', "{{task}}")],
    ),
    ("Failing rows", "short", [("max by (sweep) (touchstone_failing_rows)", "{{sweep}}")]),
    (
        "Not delivered",
        "short",
        [
            (
                'max by (kind, state) (touchstone_outbox{state=~"failed|uncertain"})',
                "{{kind}} {{state}}",
            ),
            ('max(touchstone_marketplace_notifications{state="given_up"})', "webhook given up"),
        ],
    ),
    (
        "HITs and payments",
        "short",
        [
            ("max by (state) (touchstone_hits)", "HITs {{state}}"),
            ("max by (state) (touchstone_payments)", "payments {{state}}"),
        ],
    ),
    (
        "Jobs",
        "short",
        [('max by (kind, state) (touchstone_jobs{state!="finished"})', "{{kind}} {{state}}")],
    ),
    (
        "Money by project",
        "currencyUSD",
        [("max by (project, kind) (touchstone_money_cents) / 100", "{{project}} {{kind}}")],
    ),
    (
        "Balances",
        "currencyUSD",
        [
            ("max by (provider) (touchstone_balance_cents) / 100", "{{provider}}"),
            ("max by (kind) (touchstone_marketplace_money_cents) / 100", "requesters: {{kind}}"),
        ],
    ),
    (
        "Free disk space",
        "bytes",
        [("min by (instance, disk) (touchstone_disk_free_bytes)", "{{instance}} {{disk}}")],
    ),
    ("Size of the database", "bytes", [("max(touchstone_database_bytes)", "database")]),
    (
        "Age of the last good backup",
        "s",
        [("max by (kind) (touchstone_backup_age_seconds)", "{{kind}}")],
    ),
    (
        "Statements ended by a limit",
        "short",
        [("sum by (limit) (increase(touchstone_database_timeouts_total[5m]))", "{{limit}}")],
    ),
    ("Open alerts", "short", [("max by (alert) (touchstone_alert)", "{{alert}}")]),
]
WIDTH, HEIGHT = 12, 8


def dashboard() -> dict[str, Any]:
    source = {"type": "prometheus", "uid": "${source}"}
    panels = []
    for number, (title, unit, queries) in enumerate(PANELS):
        targets = [
            {"refId": chr(65 + index), "expr": query, "legendFormat": legend}
            for index, (query, legend) in enumerate(queries)
        ]
        place = {"x": number % 2 * WIDTH, "y": number // 2 * HEIGHT, "w": WIDTH, "h": HEIGHT}
        panels.append(
            {
                "id": number + 1,
                "type": "timeseries",
                "title": title,
                "datasource": source,
                "gridPos": place,
                "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
                "targets": targets,
            }
        )
    variable = {"name": "source", "type": "datasource", "query": "prometheus", "label": "Source"}
    return {
        "uid": "touchstone",
        "title": "Touchstone",
        "schemaVersion": 39,
        "time": {"from": "now-24h", "to": "now"},
        "refresh": "1m",
        "templating": {"list": [variable]},
        "panels": panels,
    }


def text() -> str:
    return json.dumps(dashboard(), indent=1) + "\n"


if __name__ == "__main__":
    PATH.write_text(text())
