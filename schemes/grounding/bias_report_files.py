"""The command `ground_report`, and the bias report of a project's gold."""

import json
from argparse import ArgumentParser
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from schemes.contract.comparison import AlignedRow, RowSide
from schemes.contract.errors import ErrorSink
from schemes.contract.external import ExternalCase, ExternalComparison, ExternalTable, GoldItem
from schemes.contract.values import Json
from schemes.grounding.content import phrase_text
from schemes.json_values import json_object
from schemes.reports import (
    FileProgram,
    Notify,
    Options,
    Progress,
    UsageError,
    paragraphs,
    shown,
    text_table,
    write_csv,
)
from schemes.text_lines import numbered_lines

_HEADER = ("Predictions", "Candidates", "Metric", "All %", "Plural %")
_MAX_CASES = 40
# Of a project's report
_SHOWN_CASES = 12


def report_text(report: Json) -> str:
    """Return the table and the statistics as text."""
    # Inline, because it loads numpy.
    from schemes.grounding.bias_report import table_rows  # noqa: PLC0415

    counts = f"{report['phrases']} phrases, {report['plural_phrases']} of them plural."
    return paragraphs(counts, text_table(_HEADER, table_rows(report)), *statistics_of(report))


def statistics_of(report: Json) -> list[str]:
    """Return sentences about the gold, the disagreements, and rows that are absent."""
    from schemes.grounding.bias_report import ROWS  # noqa: PLC0415

    gold, cases = report["gold"], report["disagreements"]
    sentences = _plural_statistics(gold) if report["plural_phrases"] else []
    if gold["cardinality"]["n"]:
        number = gold["cardinality"]
        sentences.append(
            f"{number['mismatches']} of {number['n']} phrases with a known number have another number "
            f"of boxes in the gold ({shown(number['share'])} %)."
        )
    sentences.append(
        f"Only IoU accepts the prediction of {cases['iou_only']} phrases, and only c-IoU that of "
        f"{cases['c_iou_only']}."
    )
    sentences += [
        f"{title}: {report['absent'][row]}." for row, title in ROWS if row in report["absent"]
    ]
    return sentences


def _plural_statistics(gold: Json) -> list[str]:
    mean, filler = gold["components"]["mean"], gold["filler"]
    lone, improper = gold["plural_with_one_box"], gold["plural_without_components"]
    return [
        f"Plural phrases have {mean:.2f} boxes on average in the gold, and {lone['n']} "
        f"({shown(lone['share'])} %) have one. Their filler is {shown(filler['mean'])} % on average, "
        f"and over one half in {filler['over_half']} ({shown(filler['over_half_share'])} %).",
        f"{improper['n']} plural phrases ({shown(improper['share'])} %) have one box or another number "
        "of boxes than their words call for.",
    ]


def _add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("phrases", type=Path, metavar="PHRASES.jsonl")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write the report and a gallery")
    parser.add_argument(
        "--images", type=Path, metavar="FOLDER", help="the pictures, by the field `picture`"
    )
    parser.add_argument(
        "--gallery",
        type=int,
        default=_MAX_CASES,
        metavar="N",
        help=f"the largest number of phrases in the gallery (default {_MAX_CASES})",
    )
    parser.add_argument("--seed", type=int, default=0, help="random seed (default 0)")


def _run(options: Options, notify: Notify, progress: Progress) -> tuple[Json, str]:
    # Inline, because they load numpy and Pillow.
    from schemes.grounding.bias_report import bias_report  # noqa: PLC0415
    from schemes.grounding.evaluation import evaluate_file  # noqa: PLC0415

    if options["seed"] < 0 or options["gallery"] < 0:
        raise UsageError("--seed and --gallery must not be negative.")
    evaluation = evaluate_file(options["phrases"], seed=options["seed"])
    report = bias_report(evaluation)
    if not options["out"]:
        return report, report_text(report)
    try:
        cases = _write(report, evaluation, options, progress)
    except OSError as error:
        raise UsageError(f"{options['out']}: cannot be written ({error.strerror}).") from error
    return report, f"{report_text(report)}\n\n{cases} drawings: {options['out']}"


def _write(report: Json, evaluation: Any, options: Options, progress: Progress) -> int:
    """Write report.json, table.csv, index.html and the gallery. Return the number of drawings."""
    from schemes.grounding.bias_report import COLUMNS, disagreements, table_rows  # noqa: PLC0415
    from schemes.grounding.gallery import Drawing, write_png, write_svg  # noqa: PLC0415

    out: Path = options["out"]
    (out / "gallery").mkdir(parents=True, exist_ok=True)
    cases = disagreements(evaluation)[: options["gallery"]]
    described = _descriptions(options["phrases"], {case["id"] for case in cases})
    figures = []
    for number, case in enumerate(progress(cases), start=1):
        phrase, words = evaluation.phrases[case["place"]], described[case["id"]]
        picture = options["images"] and words["picture"] and options["images"] / words["picture"]
        title = words["phrase"] or case["id"]
        drawing = Drawing(title, phrase.image, phrase.gold, phrase.predicted, picture or None)
        name = f"{number:03d}"
        write_png(drawing, out / "gallery" / f"{name}.png")
        write_svg(drawing, out / "gallery" / f"{name}.svg")
        figures.append((name, title, case))
    write_csv(out / "table.csv", COLUMNS, table_rows(report))
    (out / "report.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    (out / "index.html").write_text(_page(report, figures), encoding="utf-8")
    return len(cases)


def _descriptions(path: Path, ids: set[str]) -> dict[str, dict[str, str]]:
    """Return the optional fields `phrase` and `picture` of these phrases, or empty texts.

    A picture is the name of a file in the folder of images, without a path.
    """
    described = {id: {"phrase": "", "picture": ""} for id in ids}
    for _, line in numbered_lines(path):
        if not line.strip():
            continue
        entry = json_object(line)
        if (id := str(entry["id"])) in described:
            described[id] = {
                "phrase": str(entry.get("phrase") or ""),
                "picture": Path(str(entry.get("picture") or "")).name,
            }
    return described


_PAGE = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bias report</title>
<style>
:root {{ color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }}
body {{ max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }}
table {{ border-collapse: collapse; }}
th, td {{ padding: .25rem .75rem; border-bottom: 1px solid #8886; text-align: left; }}
td.n {{ text-align: right; font-variant-numeric: tabular-nums; }}
.scroll {{ overflow-x: auto; }}
.gallery {{ display: grid; gap: 1.5rem; }}
.gallery {{ grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); }}
figure {{ margin: 0; }}
img {{ width: 100%; height: auto; }}
.gold, .predicted {{ padding-left: .4em; border-left: .5em solid {gold}; }}
.predicted {{ border-left: .5em dashed {predicted}; }}
</style>
<main>
<h1>IoU and c-IoU of the same predictions</h1>
<p>{counts}</p>
<div class="scroll" tabindex="0" role="region" aria-label="Accuracy"><table>
<tr>{header}</tr>
{rows}
</table></div>
{statistics}
<h2>Where the metrics disagree</h2>
<p><span class="gold">Gold</span> &emsp; <span class="predicted">Predicted</span></p>
<div class="gallery">
{figures}
</div>
</main>
</html>
"""


def _page(report: Json, figures: Iterable[tuple[str, str, Mapping[str, Any]]]) -> str:
    from schemes.grounding.bias_report import table_rows  # noqa: PLC0415
    from schemes.grounding.gallery import GOLD, PREDICTED  # noqa: PLC0415

    rows = [
        "<tr>"
        + "".join(f"<td>{escape(str(cell))}</td>" for cell in row[:3])
        + "".join(f'<td class="n">{shown(cell)}</td>' for cell in row[3:])
        + "</tr>"
        for row in table_rows(report)
    ]
    drawn = [_figure(name, escape(title, quote=True), case) for name, title, case in figures]
    return _PAGE.format(
        gold=GOLD,
        predicted=PREDICTED,
        counts=f"{report['phrases']} phrases, {report['plural_phrases']} of them plural.",
        header="".join(f"<th>{name}</th>" for name in _HEADER),
        rows="\n".join(rows),
        statistics="\n".join(f"<p>{sentence}</p>" for sentence in statistics_of(report)),
        figures="\n".join(drawn) or "<p>They agree on every phrase.</p>",
    )


def _figure(name: str, title: str, case: Mapping[str, Any]) -> str:
    image = f'<img src="gallery/{name}.png" alt="Gold and predicted boxes of {title}">'
    figures = f"IoU {case['iou']:.2f}, c-IoU {case['c_iou']:.2f}"
    return (
        f'<figure><a href="gallery/{name}.svg">{image}</a>'
        f"<figcaption>{title}<br>{figures}</figcaption></figure>"
    )


def _gold_phrases(items: Iterable[GoldItem]) -> dict[str, Json]:
    """Return the gold of phrases with boxes by `<id of the caption>/<id of the phrase>`."""
    gold = {}
    for item in items:
        targets = {phrase["id"]: phrase for phrase in item.context.target.get("phrases", ())}
        image = item.context.image
        for phrase in item.content.get("phrases", ()):
            if phrase["boxes"]:
                target = targets.get(phrase["id"], {})
                gold[f"{item.external_id}/{phrase['id']}"] = {
                    "image": [image.width, image.height] if image else None,
                    "gold": phrase["boxes"],
                    "plural": bool(target.get("plural")),
                    "cardinality": target.get("cardinality"),
                    "phrase": phrase_text(target, item.context) if target else "",
                }
    return gold


def _whole(boxes: Iterable[Iterable[float]]) -> list[list[int]]:
    return [[round(side) for side in box] for box in boxes]


class Predictions(ExternalComparison):
    """Comparison of gold with a system's predictions by IoU and c-IoU."""

    key = "predictions"
    label = "predictions"
    help = (
        "a file of a system's predictions (JSON Lines as for ground_report), with the ids "
        "CAPTION/PHRASE, to rate by IoU and c-IoU"
    )
    matching = "Phrases are matched by their ids, such as 1000092795#0/p0."
    cases_title = "Where IoU and c-IoU disagree"

    def compare(self, path: Path, gold: Iterable[GoldItem], on_error: ErrorSink) -> Json | None:
        """Return the bias report of a file's predictions for the phrases of the gold, or None.

        The file's gold boxes and plurality are replaced by the project's.
        """
        from schemes.grounding.bias_report import bias_report, disagreements  # noqa: PLC0415
        from schemes.grounding.evaluation import ScoredPhrases  # noqa: PLC0415
        from schemes.grounding.phrases import predictions_for  # noqa: PLC0415

        known = _gold_phrases(gold)
        phrases = predictions_for(path, known, on_error=on_error)
        if not phrases:
            return None
        evaluation = ScoredPhrases(phrases)
        cases = [
            {
                **{name: case[name] for name in ("id", "iou", "c_iou")},
                "phrase": known[case["id"]]["phrase"],
                "gold": phrases[case["place"]].gold,
                "predicted": phrases[case["place"]].predicted,
            }
            for case in disagreements(evaluation)[:_SHOWN_CASES]
        ]
        return {**bias_report(evaluation), "cases": cases}

    def table(self, figures: Json) -> ExternalTable:
        from schemes.grounding.bias_report import table_rows  # noqa: PLC0415

        rows = [
            (f"{title}, {kind}, {metric}", *shares)
            for title, kind, metric, *shares in table_rows(figures)
        ]
        return ExternalTable(
            caption="Accuracy of the predictions by both metrics",
            columns=("Predictions, candidates, metric", "All %", "Plural %"),
            rows=rows,
            note=" ".join(statistics_of(figures)),
        )

    def text(self, figures: Json) -> str:
        return report_text(figures)

    def cases(self, figures: Json) -> list[ExternalCase]:
        """Return phrases that one metric accepts and the other rejects."""
        return [
            ExternalCase(
                case["id"].rpartition("/")[0],
                AlignedRow(
                    state="extent-differs",
                    label=case["phrase"] or case["id"],
                    reference=RowSide(case["id"], [case["phrase"]], "", _whole(case["gold"])),
                    predicted=RowSide(case["id"], [case["phrase"]], "", _whole(case["predicted"])),
                    detail=f"IoU {case['iou']:.2f}, c-IoU {case['c_iou']:.2f}",
                ),
            )
            for case in figures.get("cases", ())
        ]


PREDICTIONS = Predictions()

GROUND_REPORT = FileProgram(
    name="ground_report",
    help="""Rate predictions by IoU and c-IoU, and show where the metrics disagree (JSON Lines).

The lines have the fields of `evaluate grounding`, and for the gallery `phrase`, the words, and
`picture`, the name of the image's file. DIR gets report.json, table.csv, index.html and the drawings
in gallery/, as PNG and SVG.""",
    example="python manage.py ground_report phrases.jsonl --out report --images flickr30k-images",
    add_arguments=_add_arguments,
    run=_run,
)
