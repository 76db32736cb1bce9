"""The report of `robustdr evaluate` as Markdown and as an HTML page."""

import csv
import re
from collections.abc import Mapping, Sequence
from html import escape
from io import StringIO
from itertools import count
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from robustdr.core.markup import code, markdown_table, plain, prose
from robustdr.evaluation.store import MEAN
from robustdr.own.compared import Compared
from robustdr.own.experiment import NAME, SPELL_CHECKED, draws_of, is_model
from robustdr.own.ranking import Ranked
from robustdr.own.results import Report

PARTS: tuple[Literal["original", "variations"], ...] = ("original", "variations")
PAGE = Path(__file__).with_name("page.html.j2")


def markdown(report: Report) -> str:
    """The whole report from the numbers of `results.collect`."""
    return "\n\n".join(_parts(report)) + "\n"


def _parts(report: Report) -> list[str]:
    """The title, the answer, and the other parts of the report."""
    several = sum(map(is_model, report["systems"])) > 1
    title = "Which retriever is best, and how robust?" if several else f"How robust is {report['model']}?"
    parts = [f"# {plain(title)}", plain(headline(report))]
    if notes := [f"- {plain(note)}" for note in report["notes"]]:
        parts.append("\n".join(["**Before you use the numbers:**", "", *notes]))
    parts += [_ranking(report), f"## {plain(report['model'])} by variation", _table(report), _notes(report)]
    parts += [_pairs(report)]
    parts += [_compressed(report)] if report["compressed"] else []
    parts += [_remedies(report)] if report["remedies"] else []
    return [*parts, _worst(report)]


def html(report: Report) -> str:
    """The result of `markdown` as a page; HTML in texts of queries is escaped."""
    links = {"all numbers": f"{report['pages']}/own_table1.html", "queries": f"{report['pages']}/queries.html"}
    return page_of(_parts(report), f"{report['pages']}/site.css", links, _forest(report))


def page_of(parts: Sequence[str], style: str, links: Mapping[str, str], picture: str = "") -> str:
    """A page of parts of Markdown: the title, the answer, and others.

    Args:
        style: address of the style sheet. links: addresses by their labels. picture: HTML that follows the answer.
    """
    from jinja2 import Environment  # imported here: only this format needs these packages
    from markdown_it import MarkdownIt
    from markupsafe import Markup

    reader = MarkdownIt("commonmark", {"html": False}).enable("table")
    title, answer, *further_parts = parts
    after = _stacked(reader.render("\n\n".join(further_parts)))
    body = Markup(reader.render(f"{title}\n\n{answer}") + picture + after)
    template = Environment(autoescape=True).from_string(PAGE.read_text(encoding="utf-8"))
    name = re.sub(r"\\(.)", r"\1", title.removeprefix("# "))
    return template.render(title=name, style=style, links=links, body=body) + "\n"


def table(report: Report) -> str:
    """The numbers of every system and query set as CSV."""
    rows = StringIO()
    writer = csv.writer(rows, lineterminator="\n")
    columns = [
        "mean",
        "difference",
        "difference_low",
        "difference_high",
        "drop",
        "drop_low",
        "drop_high",
        "p",
        "p_holm",
    ]
    writer.writerow(["system", "label", "query_set", "measure", "queries", *columns])
    for name, system in report["systems"].items():
        first = [name, system["label"]], [report["measure"], report["queries"]]
        writer.writerow([*first[0], "original", *first[1], system["original"], *[None] * (len(columns) - 1)])
        for query_set, change in system["query_sets"].items():
            numbers: list[float | None] = [change["mean"], change["difference"]]
            numbers += [*(change["difference_interval"] or (None, None))]
            numbers += [change["drop"], *(change["drop_interval"] or (None, None))]
            writer.writerow([*first[0], query_set, *first[1], *numbers, change["p"], change.get("p_holm")])
    return rows.getvalue()


def _forest(report: Report) -> str:
    """A picture of what each variation costs the first model: the change, with its interval, in SVG."""
    query_sets = report["systems"][NAME]["query_sets"]
    names = [name for mean, kinds in {MEAN: [], **report["categories"]}.items() for name in (mean, *kinds)]
    rows = [(name, drop, query_sets[name]) for name in names if (drop := query_sets[name]["drop"]) is not None]
    if not rows:
        return ""
    ends = [end for _, drop, change in rows for end in (change["drop_interval"] or [drop])]
    low, high = max(-1.0, min(*ends, -0.05)), min(1.0, max(*ends, 0.05))

    def x(value: float) -> float:
        return 6 + 328 * (min(max(value, low), high) - low) / (high - low)

    height, lines = 34, []
    for number, (name, drop, change) in enumerate(rows):
        y, heavy = height * number + 28, name == MEAN or name in report["categories"]
        label = _category(name) if heavy else name
        words = "no query changed" if not change["differing"] else share(drop)
        lines.append(
            f'<text x="6" y="{y - 8}" font-weight="{700 if heavy else 400}">{escape(label)}</text>'
            f'<text x="334" y="{y - 8}" text-anchor="end">{words}</text>'
        )
        if change["drop_interval"]:
            left, right = map(x, change["drop_interval"])
            lines.append(f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y}" y2="{y}" stroke-width="2.5"/>')
        lines.append(f'<circle cx="{x(drop):.1f}" cy="{y}" r="{5 if heavy else 4}" fill="currentColor"/>')
    bottom = height * len(rows) + 8
    scale = "".join(
        f'<text x="{x(end):.1f}" y="{bottom + 14}" text-anchor="{anchor}">{share(end)}</text>'
        for end, anchor in ((low, "start"), (high, "end"))
    )
    zero = f'<line x1="{x(0):.1f}" x2="{x(0):.1f}" y1="4" y2="{bottom}" stroke-dasharray="3 3" opacity=".6"/>'
    title = f"What each variation changes for {report['model']}, as a share of {report['measure']}, with 95 % intervals"
    return (
        f'<figure><svg viewBox="0 0 340 {bottom + 20}" role="img" aria-label="{escape(title)}" stroke="currentColor" '
        f'class="drops">{zero}{"".join(lines)}{scale}</svg><figcaption>{escape(title)}.</figcaption></figure>'
    )


def _stacked(page: str) -> str:
    """Tables whose cells know their columns: where the screen is narrow, a row is a list."""

    def labelled(match: re.Match[str]) -> str:
        heads = re.findall(r"<th[^>]*>(.*?)</th>", match[0], re.DOTALL)
        columns = [re.sub(r"<[^>]*>", "", head) for head in heads]

        def row(cells: re.Match[str]) -> str:
            numbers = count()
            return re.sub(r"<td", lambda _: f'<td data-label="{columns[next(numbers)]}"', cells[0])

        return f'<div class="scroll">{re.sub(r"<tr>(?:(?!</tr>).)*</tr>", row, match[0], flags=re.DOTALL)}</div>'

    return re.sub(r"<table>.*?</table>", labelled, page, flags=re.DOTALL)


def headline(report: Report) -> str:
    """The answer, in one paragraph: which system to take, what changed queries cost it, and what repairs it."""
    first = report["ranking"][0]
    varied = {system["system"]: system["variations"] for system in report["ranking"]}  # the best one has no p_holm
    robust = max(report["ranking"], key=lambda s: ("p_holm" not in varied[s["system"]], varied[s["system"]]["mean"]))
    robust_name = "also" if robust is first else f"{robust['label']} the highest"
    models = [system for system in report["ranking"] if is_model(system["system"])]
    single = ""
    if first not in models and len(models) > 1:
        single = f" Of the models alone, {models[0]['label']} has the highest, {models[0]['original']['mean']:.3f}."
    return (
        f"Take {first['label']}: on {report['queries']:,} queries over {report['passages']:,} passages it has the "
        f"highest {report['measure']}, {first['original']['mean']:.3f}{_ties(report, 'original')}, and {robust_name} "
        f"where the queries are changed, {robust['variations']['mean']:.3f}{_ties(report, 'variations')}.{single} "
        f"{_price(report, first['system'])} {_repair(report, first)}"
    )


def _price(report: Report, system: str) -> str:
    """What changed queries cost a system, in a sentence or two."""
    query_sets, label = report["systems"][system]["query_sets"], report["systems"][system]["label"]
    kinds = {name: query_sets[name] for names in report["categories"].values() for name in names}
    if not any(change["differing"] for change in kinds.values()):
        return f"Changed queries cost {label} nothing: no query changed its result."
    mean, worst = query_sets[MEAN], min(kinds, key=lambda name: kinds[name]["difference"])
    down = sum(change["p_holm"] < 0.05 and change["difference"] < 0 for change in kinds.values())
    p = f", p {p_text(mean['p'])}" if mean["differing"] else ""
    least = share(kinds[worst]["drop"])
    cost = f"{worst} costs most, {least}" if kinds[worst]["difference"] < 0 else f"none lowers it ({worst} {least})"
    return (
        f"Changed queries change its {report['measure']} by {_drop(mean)}{p}; {cost}. {down} of {len(kinds)} "
        "variations lower it significantly (p < 0.05 after Holm's correction)."
    )


def _repair(report: Report, first: Ranked) -> str:
    """What has more where queries are changed, and what the best remedy brings the model, in sentences."""
    value = first["variations"]["mean"]
    systems = [system for system in report["ranking"] if system is not first]
    better = max([(system["variations"]["mean"], system["label"]) for system in systems], default=(0.0, ""))
    gains = [
        (change["mean"], change["mean"] - change["difference"], remedy["label"])
        for remedy in report["remedies"].values()
        if (change := remedy["variations"])["difference"] > 0 and change["p"] < 0.05
    ]
    after, before, label = max(gains, default=(0.0, 0.0, ""))
    own_gain = f" {label} raises {report['model']} there from {before:.3f} to {after:.3f}." if gains else ""
    if after > max(value, better[0]):
        better, own_gain = (after, f"{report['model']} trained with {label}"), ""
    if better[0] > value:
        return f"{better[1]} repairs most of what was tried: {better[0]:.3f} in place of {value:.3f}.{own_gain}"
    others = [
        text
        for text, tried in (
            ("--spell-checker", any(name.endswith(SPELL_CHECKED) for name in report["systems"])),
            ("--fix", bool(report["remedies"])),
        )
        if not tried
    ]
    more = f" {' and '.join(others)} would try more." if others else ""
    return f"Nothing that was tried does better than {first['label']} there.{own_gain}{more}"


def _ties(report: Report, part: Literal["original", "variations"]) -> str:
    """The systems that the best one equals, and those that it is not significantly better than; empty if none."""
    others = [system for system in report["ranking"] if "p_holm" in system[part]]
    equal = [system["label"] for system in others if not system[part]["differing"]]
    near = [system["label"] for system in others if system[part]["differing"] and system[part]["p_holm"] >= 0.05]
    texts = [f"as {', '.join(equal)} has"] if equal else []
    texts += [f"not significantly better than {', '.join(near)}"] if near else []
    return f" ({'; '.join(texts)})" if texts else ""


def _ranking(report: Report) -> str:
    """A row for each system, best first."""
    columns = ["retriever", report["measure"], "behind the best [95 %]", "p, Holm"]
    columns += ["changed", "behind the best [95 %]", "p, Holm", "drop [95 %]"]
    other_measures = list(report["ranking"][0]["others"])
    columns += [text for measure in other_measures for text in (f"{measure} changed", "drop")]
    lines = []
    for system in report["ranking"]:
        fields = [plain(system["label"])]
        for change in (system["original"], system["variations"]):
            fields.append(f"{change['mean']:.3f}")
            fields += [_difference_text(change), _p_holm(change)] if "p_holm" in change else ["best", ""]
        fields.append(_drop(system["drop"]))
        for drop in system["others"].values():
            fields += [f"{drop['mean']:.3f}", share(drop["drop"])]
        cost = report["costs"][system["system"]]
        took = ["" if cost[part] is None else f"{cost[part]:,.1f} ms" for part in ("p50", "p95")]
        many = "" if cost["throughput"] is None else f"{cost['throughput']:,.0f}"
        lines.append([*fields, _megabytes(cost["weights"]), _megabytes(cost["index"]), *took, many])
    head = [*columns, "weights", "index", "p50", "p95", "queries a second"]
    return (
        f"{markdown_table(head, lines)}\n\n"
        f"- Ordered by {report['measure']} of the original queries; changed: the mean over all variations, "
        "whose kinds weigh alike. Intervals are paired, query by query; p is corrected over the systems behind the "
        "best (Holm).\n"
        "- weights: of the model; index: of words, or the vectors of all passages (late interaction: of their "
        "tokens) in single precision. p50, p95: the "
        "time of a query alone, the median and the 95th percentile, with model and index loaded, on one core; queries "
        "a second: in batches. A hybrid, a spell checker and "
        "a reranker cost the sum of their parts.\n"
        "- Empty: not known here."
    )


def _pairs(report: Report) -> str:
    """A row for each pair of systems."""
    columns = [
        "first",
        "second",
        *(text for part in (report["measure"], "changed", "change") for text in (part, "p, Holm")),
    ]
    lines = []
    for pair in report["pairs"]:
        compared = [pair["original"], pair["variations"], pair["change"]]
        fields = [text for change in compared for text in (_difference_text(change), _p_holm(change))]
        lines.append([*map(plain, pair["labels"]), *fields])
    return (
        f"## Two by two\n\n{markdown_table(columns, lines, left=(0, 1))}\n\n"
        "- The first minus the second, query by query, with 95 % intervals; p is corrected "
        "over the pairs of a column.\n"
        "- change: changed queries minus original ones. Below 0, changes cost the first more than the second. Where "
        "its interval holds 0, these queries do not say which of the two is more robust."
    )


def _compressed(report: Report) -> str:
    """A row for each size of the vectors of each model."""
    columns = ["model", "dimensions", "precision", "bytes of a passage", report["measure"], "changed", "drop [95 %]"]
    lines = []
    for row in report["compressed"]:
        sizes = [f"{row['dimensions']:,}", row["precision"], f"{row['bytes']:,}"]
        values = [f"{row['original']:.3f}", f"{row['variations']['mean']:.3f}", _drop(row["variations"])]
        lines.append([plain(row["label"]), *sizes, *values])
    return (
        f"## Smaller vectors\n\n{markdown_table(columns, lines, left=(0, 2))}\n\n"
        "- The first dimensions of the same vectors, with length 1 again where the "
        "model normalises them. Fewer dimensions suit a model that was trained for them.\n"
        "- int8, binary: vectors of passages as sentence-transformers quantises them. Queries stay in single "
        "precision, and all passages are compared: a search that ranks only some candidates again may find less.\n"
        "- drop: what changed queries cost at this size, compared with the original queries at the same size."
    )


def _difference_text(change: Compared) -> str:
    if not change["differing"]:
        return "equal in every query"
    bounds = change["difference_interval"]
    return f"{change['difference']:+.3f}" + (f" [{bounds[0]:+.3f}, {bounds[1]:+.3f}]" if bounds else "")


def _megabytes(size: int | None) -> str:
    return "" if size is None else f"{size / 1e6:,.1f} MB"


def _table(report: Report) -> str:
    model, *rivals = [report["systems"][NAME], *(system for name, system in report["systems"].items() if name != NAME)]
    columns = ["query set", "queries changed", plain(report["model"]), "drop [95 %]", "p", "p, Holm", "detectable"]
    columns += [text for rival in rivals for text in (plain(rival["label"]), "drop")]
    first = ["original queries", "", f"{model['original']:.3f}", "", "", "", ""]
    lines = [first + [text for rival in rivals for text in (f"{rival['original']:.3f}", "")]]
    for mean, kinds in {MEAN: [], **report["categories"]}.items():
        for name in (mean, *kinds):
            change = model["query_sets"][name]
            label = _linked(report, f"**{_category(name)}**" if name == mean else name, name)
            changed = share(report["changed"][name], "") if name in report["changed"] else ""
            fields = [label, changed, f"{change['mean']:.3f}"]
            drop = "no query changed" if report["changed"].get(name) == 0 else _drop(change)
            fields += [drop, p_text(change["p"]) if change["differing"] else ""]
            detectable = change["detectable"]
            fields += [_p_holm(change), "–" if detectable is None else f"{detectable:.3f}"]
            rival_changes = [rival["query_sets"][name] for rival in rivals]
            lines.append(
                fields
                + [
                    text
                    for rival_change in rival_changes
                    for text in (f"{rival_change['mean']:.3f}", share(rival_change["drop"]))
                ]
            )
    return markdown_table(columns, lines)


def _notes(report: Report) -> str:
    hybrid = "the hybrid ranks by reciprocal rank fusion of the two"
    lengths = (
        f"- {plain(report['model'])} reads {report['passage_length']} tokens of a passage; "
        f"{share(report['truncated'], '')} of the passages are longer and lose their end."
    )
    draws = (
        f"- Each variation is drawn {report['draws']} times, and a query's value is their mean: the intervals hold the "
        "chance of the queries and of the draws."
    )
    return "\n".join(
        [
            *(f"- {prose(note)}" for note in report["sources"]),
            *(f"- {plain(note)}." for note in report["encoding"]),
            f"- Measures are {report['measure']} of the whole split `{report['split']}`; {hybrid}.",
            "- drop: the difference as a share of the original, with the interval that holds every share that the "
            "queries do not exclude (Fieller's). p: of the difference, two-sided, paired, whatever its sign.",
            "- detectable: the smallest difference of the measure that so many queries would show with 80 % power.",
            "- queries changed: those that the variation applies to; the others keep their text and count. "
            "`robustdr variations list` describes each variation.",
            *([lengths] if report["passage_length"] else []),
            *([draws] if report["draws"] > 1 else []),
        ]
    )


def _remedies(report: Report) -> str:
    columns = ["trained", "variations", "gain [95 %]", "p", "over the control", "p", "original", "gain [95 %]", "p"]
    columns += ["seconds", "index", "folder"]
    lines = []
    for remedy in report["remedies"].values():
        fields = [plain(remedy["label"])]
        for part in ("variations", "variations_over_control", "original"):
            fields += [f"{remedy[part]['mean']:.3f}"] if part != "variations_over_control" else []
            fields += [_drop(remedy[part]), p_text(remedy[part]["p"]) if remedy[part]["differing"] else ""]
        index = "must be rebuilt" if remedy["reindexes"] else "stays"
        lines.append([*fields, f"{remedy['seconds']:.0f}", index, code(remedy["folder"])])
    return (
        "## What training would change\n\n"
        f"{markdown_table(columns, lines)}\n\n"
        f"Gains are over {plain(report['model'])}, as a share of what it has there. The control is trained as long on "
        "the same queries without a method: what a method gains over it is its own. Each is trained once, so that the "
        "intervals hold the chance of the queries and not that of training. A folder is a directory of "
        "sentence-transformers."
    )


def _worst(report: Report) -> str:
    lines = []
    for rewording in report["worst"]:
        texts = [_linked(report, rewording["variation"], rewording["variation"])]
        texts += [plain(rewording[key]) for key in ("query", "varied")]
        lines.append([*texts, f"{rewording['before']:.3f}", f"{rewording['after']:.3f}"])
    rows = markdown_table(["variation", "query", "becomes", "before", "after"], lines, left=range(3))
    return f"## The {len(report['worst'])} worst rewordings\n\n{rows}"


def _linked(report: Report, label: str, name: str) -> str:
    """A link to the queries behind a query set, or behind a mean of several."""
    all_kinds = [kind for kinds in report["categories"].values() for kind in kinds]
    shown_kinds = {MEAN: all_kinds, **report["categories"]}.get(name, [name])
    kinds = ",".join(draw for kind in shown_kinds for draw in draws_of(kind, report["draws"]))
    place = "/".join((NAME, NAME, report["split"], kinds, report["measure"], f"{NAME}_table1"))
    return f"[{label}]({report['pages']}/queries.html#{quote(place)})"


def _category(mean: str) -> str:
    return "all variations" if mean == MEAN else mean.removesuffix("_mean")


def share(share: float | None, sign: str = "+") -> str:
    """A share in percent; with its sign unless `sign` is empty."""
    return "–" if share is None else f"{100 * share:{sign}z.1f} %"


def interval(bounds: list[float] | None) -> str:
    """A 95 % interval of shares, in percent."""
    return "[unbounded]" if bounds is None else f"[{100 * bounds[0]:+.1f}, {100 * bounds[1]:+.1f}]"


def _drop(change: Compared) -> str:
    """A change as a share of the original, with its interval; in words if no query has another value."""
    if not change["differing"]:
        return "no query changed its result"
    return f"{share(change['drop'])} {interval(change['drop_interval'])}"


def _p_holm(change: Compared) -> str:
    """The corrected p of a comparison that has one; empty if no query differs, and nothing was tested."""
    return p_text(change["p_holm"]) if "p_holm" in change and change["differing"] else ""


def p_text(p: float) -> str:
    """A p without its leading 0."""
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")
