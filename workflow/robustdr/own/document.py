"""The report of `robustdr evaluate` as Markdown and as an HTML page."""

from pathlib import Path
from typing import Literal
from urllib.parse import quote

from robustdr.core.markup import code, plain, prose, table_row
from robustdr.evaluation.store import MEAN
from robustdr.own.compared import Compared
from robustdr.own.experiment import BM25, HYBRID, NAME, draws_of
from robustdr.own.results import Report

PARTS: tuple[Literal["original", "variations"], ...] = ("original", "variations")
PAGE = Path(__file__).with_name("page.html.j2")


def markdown(found: Report) -> str:
    """The whole report from the numbers of `results.collect`."""
    parts = [f"# {plain(_title(found))}", plain(headline(found))]
    parts += [_ranking(found), _pairs(found), f"## {plain(found['model'])} by variation"] if found["ranking"] else []
    parts += [_table(found), _notes(found)]
    parts += [_remedies(found)] if found["remedies"] else []
    return "\n\n".join([*parts, _worst(found)]) + "\n"


def html(found: Report) -> str:
    """The result of `markdown` as a page; HTML in texts of queries is escaped."""
    from jinja2 import Environment  # imported here: only this format needs these packages
    from markdown_it import MarkdownIt
    from markupsafe import Markup

    body = Markup(MarkdownIt("commonmark", {"html": False}).enable("table").render(markdown(found)))
    template = Environment(autoescape=True).from_string(PAGE.read_text(encoding="utf-8"))
    return template.render(title=_title(found), pages=found["pages"], body=body) + "\n"


def _title(found: Report) -> str:
    return "Which retriever is best, and how robust?" if found["ranking"] else f"How robust is {found['model']}?"


def headline(found: Report) -> str:
    """The main result, in one paragraph."""
    if found["ranking"]:
        return _best(found)
    own, mean = found["systems"][NAME], found["systems"][NAME]["query_sets"][MEAN]
    varied = {name: own["query_sets"][name] for kinds in found["categories"].values() for name in kinds}
    worst = min(varied, key=lambda name: varied[name]["difference"])
    down = sum(each["p_holm"] < 0.05 and each["difference"] < 0 for each in varied.values())
    others = [
        f"{other['label']} has {other['original']:.3f} and {share(other['query_sets'][MEAN]['drop'])}"
        for name, other in found["systems"].items()
        if name != NAME
    ]
    return (
        f"On {found['queries']} queries over {found['passages']} passages, {found['model']} has {found['measure']} "
        f"{own['original']:.3f}, and {mean['mean']:.3f} on average where the queries are reworded or misspelled: "
        f"{share(mean['drop'])} {interval(mean['drop_interval'])}, p {_p(mean['p'])}; "
        f"{', '.join(others)}. {down} of {len(varied)} variations lower it significantly (p < 0.05 after Holm's "
        f"correction); {worst} costs most, {share(varied[worst]['drop'])}."
    )


def _best(found: Report) -> str:
    """The best of several systems, in one paragraph."""
    first = found["ranking"][0]
    robust = max(found["ranking"], key=lambda each: each["variations"]["mean"])
    near = {
        part: [each["label"] for each in found["ranking"] if each[part].get("p_holm", 0.0) >= 0.05] for part in PARTS
    }
    said = {part: f" (not significantly better than {', '.join(of)})" if of else "" for part, of in near.items()}
    who = "also" if robust is first else f"{robust['label']} the highest"
    alone = [each for each in found["ranking"] if each["system"] not in (BM25, HYBRID)]
    single = ""
    if first not in alone and len(alone) > 1:
        single = f" Of the models alone, {alone[0]['label']} has the highest, {alone[0]['original']['mean']:.3f}."
    return (
        f"On {found['queries']} queries over {found['passages']} passages, {first['label']} has the highest "
        f"{found['measure']}, {first['original']['mean']:.3f}{said['original']}, and {who} "
        f"where the queries are reworded or misspelled, {robust['variations']['mean']:.3f}{said['variations']}.{single}"
    )


def _ranking(found: Report) -> str:
    """A row for each system, best first."""
    columns = ["retriever", found["measure"], "behind the best [95 %]", "p, Holm"]
    columns += ["reworded", "behind the best [95 %]", "p, Holm", "drop [95 %]"]
    others = list(found["ranking"][0]["others"])
    columns += [text for measure in others for text in (f"{measure} reworded", "drop")]
    lines = [[*columns, "weights", "index", "ms a query"], [":---", *["---:"] * (len(columns) + 2)]]
    for each in found["ranking"]:
        fields = [plain(each["label"])]
        for of in (each["original"], each["variations"]):
            fields.append(f"{of['mean']:.3f}")
            fields += [_behind(of), _p(of["p_holm"])] if "p_holm" in of else ["best", ""]
        fields.append(f"{share(each['drop']['drop'])} {interval(each['drop']['drop_interval'])}")
        for other in each["others"].values():
            fields += [f"{other['mean']:.3f}", share(other["drop"])]
        cost = found["costs"][each["system"]]
        took = "" if cost["ms"] is None else f"{cost['ms']:,.1f}"
        lines.append([*fields, _megabytes(cost["weights"]), _megabytes(cost["index"]), took])
    rows = "\n".join(map(table_row, lines))
    return (
        f"{rows}\n\n- Ordered by {found['measure']} of the original queries; reworded: the mean over all variations. "
        "Intervals are paired, query by query; p is corrected over the systems behind the best (Holm).\n"
        "- weights: of the model; index: of words, or the vectors of all passages in single precision. ms a query: the "
        "time of the job that ranks, divided by its queries; it reads the model, encodes the passages and searches.\n"
        "- Empty: not known here."
    )


def _pairs(found: Report) -> str:
    """A row for each pair of systems."""
    columns = [
        "first",
        "second",
        *(text for part in (found["measure"], "reworded", "change") for text in (part, "p, Holm")),
    ]
    lines = [columns, [":---", ":---", *["---:"] * 6]]
    for each in found["pairs"]:
        compared = [each["original"], each["variations"], each["change"]]
        fields = [text for of in compared for text in (_behind(of), _p(of["p_holm"]))]
        lines.append([*map(plain, each["labels"]), *fields])
    rows = "\n".join(map(table_row, lines))
    return (
        f"## Two by two\n\n{rows}\n\n- The first minus the second, query by query, with 95 % intervals; p is corrected "
        "over the pairs of a column.\n"
        "- change: reworded minus original. Below 0, rewordings cost the first more than the second. Where its "
        "interval holds 0, these queries do not say which of the two is more robust."
    )


def _behind(of: Compared) -> str:
    bounds = of["difference_interval"]
    return f"{of['difference']:+.3f}" + (f" [{bounds[0]:+.3f}, {bounds[1]:+.3f}]" if bounds else "")


def _megabytes(size: int | None) -> str:
    return "" if size is None else f"{size / 1e6:,.1f} MB"


def _table(found: Report) -> str:
    own, *others = [found["systems"][NAME], *(of for name, of in found["systems"].items() if name != NAME)]
    columns = ["query set", "changed", plain(found["model"]), "drop [95 %]", "p", "p, Holm", "detectable"]
    columns += [text for other in others for text in (plain(other["label"]), "drop")]
    lines = [columns, [":---", *["---:"] * (len(columns) - 1)]]
    first = ["original queries", "", f"{own['original']:.3f}", "", "", "", ""]
    lines.append(first + [text for other in others for text in (f"{other['original']:.3f}", "")])
    for mean, kinds in {MEAN: [], **found["categories"]}.items():
        for name in (mean, *kinds):
            each = own["query_sets"][name]
            label = _linked(found, f"**{_category(name)}**" if name == mean else name, name)
            changed = share(found["changed"][name], "") if name in found["changed"] else ""
            fields = [label, changed, f"{each['mean']:.3f}"]
            fields += [f"{share(each['drop'])} {interval(each['drop_interval'])}", _p(each["p"])]
            fields += [_p(each["p_holm"]) if "p_holm" in each else "", _points(each["detectable"])]
            beside = [other["query_sets"][name] for other in others]
            lines.append(fields + [text for of in beside for text in (f"{of['mean']:.3f}", share(of["drop"]))])
    return "\n".join(map(table_row, lines))


def _notes(found: Report) -> str:
    hybrid = "the hybrid ranks by reciprocal rank fusion of the two"
    lengths = (
        f"- {plain(found['model'])} reads {found['passage_length']} tokens of a passage; "
        f"{share(found['truncated'], '')} of the passages are longer and lose their end."
    )
    draws = (
        f"- Each variation is drawn {found['draws']} times, and a query's value is their mean: the intervals hold the "
        "chance of the queries and of the draws."
    )
    return "\n".join(
        [
            *(f"- {prose(said)}" for said in found["sources"]),
            *(f"- {plain(said)}." for said in found["encoding"]),
            f"- Measures are {found['measure']} of the whole split `{found['split']}`; {hybrid}.",
            "- drop: the difference as a share of the original, with the interval that holds every share that the "
            "queries do not exclude (Fieller's). p: of the difference, two-sided, paired, whatever its sign.",
            "- detectable: the smallest difference of the measure that so many queries would show with 80 % power.",
            "- changed: queries that the variation applies to; the others keep their text and count. "
            "`robustdr variations list` describes each variation.",
            *([lengths] if found["passage_length"] else []),
            *([draws] if found["draws"] > 1 else []),
        ]
    )


def _remedies(found: Report) -> str:
    columns = ["trained", "variations", "gain [95 %]", "p", "over the control", "p", "original", "gain [95 %]", "p"]
    columns += ["seconds", "index", "folder"]
    lines = [columns, [":---", *["---:"] * (len(columns) - 1)]]
    for each in found["remedies"].values():
        fields = [plain(each["label"])]
        for part in ("variations", "variations_over_control", "original"):
            fields += [f"{each[part]['mean']:.3f}"] if part != "variations_over_control" else []
            fields += [f"{share(each[part]['drop'])} {interval(each[part]['drop_interval'])}", _p(each[part]["p"])]
        index = "must be rebuilt" if each["reindexes"] else "stays"
        lines.append([*fields, f"{each['seconds']:.0f}", index, code(each["folder"])])
    rows = "\n".join(map(table_row, lines))
    return (
        "## What training would change\n\n"
        f"{rows}\n\n"
        f"Gains are over {plain(found['model'])}, as a share of what it has there. The control is trained as long on "
        "the same queries without a method: what a method gains over it is its own. Each is trained once, so that the "
        "intervals hold the chance of the queries and not that of training. A folder is a directory of "
        "sentence-transformers."
    )


def _worst(found: Report) -> str:
    lines = [["variation", "query", "becomes", "before", "after"], [":---"] * 3 + ["---:"] * 2]
    for each in found["worst"]:
        texts = [_linked(found, each["variation"], each["variation"])]
        texts += [plain(each[key]) for key in ("query", "varied")]
        lines.append([*texts, f"{each['before']:.3f}", f"{each['after']:.3f}"])
    rows = "\n".join(map(table_row, lines))
    return f"## The {len(found['worst'])} worst rewordings\n\n{rows}"


def _linked(found: Report, label: str, name: str) -> str:
    """A link to the queries behind a query set, or behind a mean of several."""
    every = [kind for kinds in found["categories"].values() for kind in kinds]
    named = {MEAN: every, **found["categories"]}.get(name, [name])
    kinds = ",".join(draw for kind in named for draw in draws_of(kind, found["draws"]))
    place = "/".join((NAME, NAME, found["split"], kinds, found["measure"], f"{NAME}_table1"))
    return f"[{label}]({found['pages']}/queries.html#{quote(place)})"


def _category(mean: str) -> str:
    return "all variations" if mean == MEAN else mean.removesuffix("_mean")


def share(share: float | None, sign: str = "+") -> str:
    """A share in percent; with its sign unless `sign` is empty."""
    return "–" if share is None else f"{100 * share:{sign}z.1f} %"


def interval(bounds: list[float] | None) -> str:
    """A 95 % interval of shares, in percent."""
    return "[unbounded]" if bounds is None else f"[{100 * bounds[0]:+.1f}, {100 * bounds[1]:+.1f}]"


def _points(difference: float | None) -> str:
    return "–" if difference is None else f"{difference:.3f}"


def _p(p: float) -> str:
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")
