"""The downloads of an evaluation of systems: tables as CSV and LaTeX, JSON, and charts as SVG."""

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence

from django.conf import settings

from jobs.enums import JobState
from jobs.models import Job
from schemes.contract.values import Json
from web.charts import draw_category_bars, draw_heat_map
from web.latex import latex_table, latex_text

# The most types in a chart, and those are the most frequent ones.
MAX_DRAWN = 40
_UNDEFINED = "--"


def evaluation_json(job: Job) -> Json:
    """Return a finished evaluation with its reference and systems as JSON."""
    parameters = job.parameters
    return {
        "software": f"touchstone {settings.VERSION}",
        "project": job.scope,
        "task": parameters["variant"],
        "reference": {
            "source": parameters["source"],
            "partition": parameters["partition"],
            "files": [file["name"] for file in parameters["reference_files"]],
        },
        "skip_bad_rows": parameters["skip_bad_rows"],
        **job.result,
    }


def evaluation_file(job: Job, name: str) -> bytes | None:
    """Return a download of a finished evaluation. Return None if there is none of this name."""
    if job.state != JobState.FINISHED or name not in FILES:
        return None
    return FILES[name](job)


def _json(job: Job) -> bytes:
    return json.dumps(evaluation_json(job), indent=2, ensure_ascii=False).encode() + b"\n"


def _figures_csv(job: Job) -> bytes:
    measures = job.result["measures"]
    columns = ["system", *(f"{m['key']}{end}" for m in measures for end in ("", "_low", "_high"))]
    rows = [
        [
            system["name"],
            *(value for m in measures for value in system["figures"][m["key"]].values()),
        ]
        for system in job.result["systems"]
    ]
    return _csv(columns, rows)


def _differences_csv(job: Job) -> bytes:
    names = [system["name"] for system in job.result["systems"]]
    columns = ["measure", "first", "second", "difference", "low", "high", "p_value", "adjusted_p"]
    rows = [
        [
            difference["measure"],
            names[difference["first"]],
            names[difference["second"]],
            *(difference[key] for key in ("value", "low", "high", "p_value", "adjusted")),
        ]
        for difference in job.result["differences"]
    ]
    return _csv(columns, rows)


def _types_csv(job: Job) -> bytes:
    names = [system["name"] for system in job.result["systems"]]
    rows = [
        [
            table["title"],
            row["type"],
            row["count"],
            name,
            measure["key"],
            figures.get(measure["key"]),
        ]
        for table in job.result["types"]
        for row in table["rows"]
        for name, figures in zip(names, row["systems"], strict=True)
        for measure in table["measures"]
    ]
    return _csv(["table", "type", "count", "system", "measure", "value"], rows)


def _csv(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue().encode()


def _latex(job: Job) -> bytes:
    """Return tables for the package booktabs. The best system of a measure is bold."""
    result = job.result
    comment = (
        f"% {result['items']} items in {result['documents']} documents. Brackets: 95 % intervals, "
        f"{result['repetitions']} draws of the documents, seed {result['seed']}."
    )
    return "\n\n".join([comment, _figures_latex(result), _differences_latex(result)]).encode()


def _figures_latex(result: Json) -> str:
    measures = result["measures"]
    best = {
        m["key"]: max(
            (system["figures"][m["key"]]["value"] or 0.0 for system in result["systems"]),
            default=0.0,
        )
        for m in measures
    }
    rows = [
        [
            latex_text(system["name"]),
            *(_latex_figure(system["figures"][m["key"]], m, best[m["key"]]) for m in measures),
        ]
        for system in result["systems"]
    ]
    return latex_table(["System", *(latex_text(m["title"]) for m in measures)], rows)


def _latex_figure(figure: Mapping[str, float | None], measure: Json, best: float) -> str:
    value, low, high = figure["value"], figure["low"], figure["high"]
    if value is None:
        return _UNDEFINED
    text = f"{100 * value:.2f}"
    if value == best:
        text = rf"\textbf{{{text}}}"
    if measure["is_main"] and low is not None and high is not None:
        text += rf" {{\scriptsize [{100 * low:.1f}, {100 * high:.1f}]}}"
    return text


def _differences_latex(result: Json) -> str:
    names = [latex_text(system["name"]) for system in result["systems"]]
    titles = {measure["key"]: measure["title"] for measure in result["measures"]}
    rows = [
        [
            f"{names[difference['first']]} $-$ {names[difference['second']]}",
            latex_text(titles[difference["measure"]]),
            _points(difference["value"]),
            f"[{_points(difference['low'])}, {_points(difference['high'])}]",
            _UNDEFINED if difference["adjusted"] is None else f"{difference['adjusted']:.3f}",
        ]
        for difference in result["differences"]
    ]
    if not rows:
        return ""
    header = ["Systems", "Measure", "Difference", r"95\,\% interval", "$p$ (Holm)"]
    return latex_table(header, rows)


def _points(value: float | None) -> str:
    return _UNDEFINED if value is None else f"${100 * value:+.2f}$"


def _figures_chart(job: Job) -> bytes:
    systems = job.result["systems"]
    figures = {
        measure["title"]: [system["figures"][measure["key"]] for system in systems]
        for measure in job.result["measures"]
        if measure["is_main"]
    }
    return draw_category_bars(
        "Systems with 95 % intervals",
        [system["name"] for system in systems],
        {
            title: [figure["value"] for figure in of_systems]
            for title, of_systems in figures.items()
        },
        ranges={
            title: [
                None if figure["low"] is None else (figure["low"], figure["high"])
                for figure in of_systems
            ]
            for title, of_systems in figures.items()
        },
    )


def _types_chart(job: Job) -> bytes:
    """Draw the first measure of the first table by type."""
    table = job.result["types"][0]
    measure, rows = table["measures"][0], table["rows"][:MAX_DRAWN]
    return draw_heat_map(
        f"{measure['title']} in %, {table['title'][0].lower()}{table['title'][1:]}",
        [f"{row['type']} ({row['count']:,})" for row in rows],
        {
            system["name"]: [_percent(row["systems"][at].get(measure["key"])) for row in rows]
            for at, system in enumerate(job.result["systems"])
        },
        largest=100,
        number="{:.1f}",
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


FILES: Mapping[str, Callable[[Job], bytes]] = {
    "evaluation.json": _json,
    "figures.csv": _figures_csv,
    "differences.csv": _differences_csv,
    "types.csv": _types_csv,
    "tables.tex": _latex,
    "figures.svg": _figures_chart,
    "types.svg": _types_chart,
}
