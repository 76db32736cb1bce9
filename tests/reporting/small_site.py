"""A small report, made by the real stages from a few rankings, texts that try to break it, and one finding."""

import json
import shutil
from types import SimpleNamespace

from tests.reporting.conftest import RANKS, evaluation

from robustdr.core.files import write_queries as write_tsv
from robustdr.reporting.queries import write_queries, write_texts
from robustdr.reporting.settings import PARTS, Difference, Paper, QueriesSettings, SiteSettings, Step
from robustdr.reporting.site import write_site
from robustdr.retrieval.runs import write_run

NASTY = "<script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"
RIGHT_TO_LEFT, LONG = "ما هي عاصمة فرنسا", "endless" * 400
EFFECT = {
    "words": f"misspell {NASTY}", "size": -0.25, "low": -0.35, "high": -0.15, "interval": [-0.35, -0.15], "down": False,
    "confidence": 0.95, "p": 0.001, "there": 1.0, "against": 0.001, "power": 0.9, "compared": "", "queries": 40,
    "seeds": 1, "region": [0.0, None], "printed": [-0.31, -0.29],
    "verdict": "contradicted", "predicted": None,
    "sides": [["dr_oq", "original"], ["dr_oq", "misspell"]],
}  # fmt: skip
SINGLE = {"scale": "mini", "seed": 7, "hardware": "a box", "verdict": "inconclusive", "words": "", "size": -0.1,
          "interval": [-0.5, 0.3]}  # fmt: skip
PRINTED = {
    "verdict": "supported",
    "words": "supported",
    "reason": "",
    "evidence": ["-1.0%: supported"],
    "effects": [],
    "findings": [],
}
CLAIM = {
    "claim": f"Typos harm {NASTY}",
    "source": "§4",
    "how": "loses, RR@10",
    "why": "",
    "doubt": "",
    "reason": "",
    "as_printed": PRINTED,
}
CLAIM |= {
    "sentence": "Typos harm",
    "short": "typos harm",
    "headline": True,
    "hypothesis": False,
    "needs": [],
    "place": "toy",
}
CLAIM |= {"role": "passages", "measure": "RR@10", "measured": "RR@10", "tables": ["table1"], "systems": ["dr_oq"]}
CONTROL = {"name": "typos_cost", "what": f"Typos cost {NASTY}", "state": "fails", "reason": "", "evidence": "+1.0%"}
CLAIMS = {
    "title": "A toy paper", "scale": "mini", "miniature": "Toys & more.",
    "counts": {"here": "1 contradicted", "as_printed": "2 supported"},
    "legend": ["absent: as it says."],
    "chance": "None is supported.", "command": "snakemake results/mini/claims/toy.md",
    "names": {"dr_oq": "DR_OQ", "RR": "MRR"}, "evaluation": evaluation(), "controls": [{**CONTROL, "effects": []}],
    "claims": [
        {**CLAIM, "verdict": "contradicted", "words": "contradicted", "evidence": ["misspell: -25.0%"],
         "effects": [EFFECT]},
        {**CLAIM, "sentence": "Is it so?", "verdict": "inconclusive", "evidence": ["open"],
         "words": "inconclusive: 11 supported, 1 open, 0 against, of 12 (other parts: 1 not testable here)",
         "effects": [{**EFFECT, "low": None, "interval": [None, -0.15], "printed": None}]},
        {**CLAIM, "claim": "Never run", "sentence": "Never run", "verdict": "not run",
         "words": "not run", "reason": "a pickle",
         "evidence": [], "effects": []},
    ],
}  # fmt: skip


def texts(count):
    """Queries q0000 …: some that would run, break the line, or turn it round."""
    nasty = {0: NASTY, 2: RIGHT_TO_LEFT, 3: LONG}
    return {f"q{number:04}": nasty.get(number, f"what is thing {number}") for number in range(count)}


def explore(folder, system, measures, ranks, steps=()):
    """The queries behind a system's cells, from rankings with the relevant passage at these ranks."""
    runs, judgements = [], []
    for query_set, of_queries in ranks.items():
        runs.append(folder / "runs" / system / f"{query_set}.trec.gz")
        rankings = {
            f"q{n:04}": [
                ("relevant" if position == rank else f"d{position}", -float(position)) for position in range(1, 21)
            ]
            for n, rank in enumerate(of_queries)
        }
        write_run(runs[-1], rankings, {"tag": system})
        judgements.append(folder / "collections/toy/dev/qrels.txt")
    judgements[0].parent.mkdir(parents=True, exist_ok=True)
    count = len(next(iter(ranks.values())))
    judgements[0].write_text("".join(f"q{n:04} 0 relevant 1\n" for n in range(count)))
    settings = QueriesSettings(
        system, system.upper(), "toy", [1], {query_set: ["RR@10"] for query_set in ranks}, 1, list(steps)
    )
    output = folder / f"report/data/toy/systems/{system}.js"
    write_queries(settings, [measures], runs, judgements, [folder / "collections/toy/dev/queries.tsv"], None, output)
    return output


def collection(folder, count=40):
    """The files of a collection: passages, queries, and two variations; the second leaves queries as they are."""
    original = texts(count)
    paths = [folder / "collections/toy/dev/queries.tsv"]
    paths += [folder / f"variations/toy/dev/{kind}.tsv" for kind in ("misspell", "swap_words")]
    for path, end in zip(paths, ("", " mispelt", ""), strict=True):
        write_tsv(path, [(qid, text + end) for qid, text in original.items()])
    corpus = folder / "collections/toy/corpus.jsonl"
    names = ["relevant", *(f"d{number}" for number in range(1, 21))]
    lines = [{"docid": name, "title": NASTY, "text": f"the text of {name} {RIGHT_TO_LEFT}"} for name in names]
    corpus.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return paths, corpus


def build(folder, paper, **changes):
    """Write the whole report; `changes` of its settings. Gives the folder of the report and the tables as they are."""
    table_files = [paper.table(name)["json"] for name in ("table1", "table2")]
    measures = {path.parents[1].name: path for path in paper.measures}
    queries, corpus = collection(folder)
    path = str(measures["dr_oq"])
    steps = [Step("evaluate", "measures of dr_oq", path, "0123456789abcdef", str(folder / "evaluate.tsv"))]
    (folder / "evaluate.tsv").write_text("s\tmax_rss\tcpu_time\n1.25\t137.5\tNA\n")
    measures["dr_oq"].with_name("all.parquet.sha256").write_text(
        f"# key: {paper.measures[measures['dr_oq']]}\n# computed on CPU\n# installed: numpy 1\n"
        + "a" * 64
        + "  all.parquet\n"
    )
    explored = [explore(folder, system, measures[system], {f"dev.{kind}": r for kind, r in ranks.items()}, steps)
                for system, ranks in RANKS.items()]  # fmt: skip
    data = folder / "report/data/toy"
    write_texts(explored, queries, corpus, data / "queries.js", [data / f"passages{n}.js" for n in range(PARTS)])
    claims, audit = folder / "toy.json", folder / "audit" / "toy.json"
    claims.write_text(json.dumps(CLAIMS))
    audit.parent.mkdir(exist_ok=True)
    audit.write_text(json.dumps([AUDIT]))
    figures = [folder / f"toy_figure{number}.svg" for number in (1, 2)]
    for figure in figures:
        drawn = '<g id="axes_1"><path d="M0 0"/></g><use href="#axes_1"/>'
        figure.write_text(f'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg">{drawn}</svg>\n')
    parts = ["table1", "table2", "table9"], ["figure1", "figure2"]
    site_paper = Paper("toy", "A toy paper", "Me. 2026.", *parts, "https://toy.org/paper", claims=len(CLAIMS["claims"]))
    settings = {"scale": "mini", "root": "results/mini", "miniature": "Toys & more.", "papers": [site_paper],
                "explored": {"toy": list(RANKS)}, "command": "snakemake ",
                "differences": [Difference("base", "BERT", "a toy", "It is small.")],
                **changes}  # fmt: skip
    files = ([*table_files, folder / "tables/toy_table9.json"], figures, [claims], [audit])
    again = folder / "replicates.json"
    again.write_text(json.dumps({"toy": {CLAIM["claim"]: [SINGLE]}}))
    stamp = "scale mini, commit 1234567"
    write_site(SiteSettings(**settings), *files, folder / "report/index.html", replicates=again, stamp=stamp)
    return SimpleNamespace(
        folder=folder / "report", tables=[json.loads(path.read_text()) for path in table_files], files=files
    )


def two_results(folder, paper, measured):
    """Two results folders: in the second a typo costs rodr the first rank of half its queries, and a claim holds."""
    folders = []
    for name, misspell in (("a", RANKS["rodr"]["misspell"]), ("b", [2, 4] * 20)):
        ranks = {**RANKS["rodr"], "misspell": misspell}
        measured("rodr", {f"dev.{kind}": query_ranks for kind, query_ranks in ranks.items()})
        for table in ("table1", "table2"):
            paper.table(table)
        folders.append(folder / name)
        for part in ("tables", "measures"):
            shutil.copytree(folder / part, folders[-1] / part)
        (folders[-1] / "claims").mkdir()
        (folders[-1] / "claims/toy.json").write_text(json.dumps(CLAIMS))
    first, *other_claims = CLAIMS["claims"]
    (folders[-1] / "claims/toy.json").write_text(
        json.dumps({**CLAIMS, "claims": [{**first, "verdict": "seen", "words": "seen"}, *other_claims]})
    )
    return tuple(folders)


AT = {"collection": "passages", "split": "dev", "query_set": "misspell", "system": "dr_oq", "measure": "RR@10"}
FLAW = {"coordinates": {**AT, "value": "drop"}, "printed": "-50.0%", "mark": "", "line": 1, "consistent": "-40.0%",
        "relation": f"a relation {NASTY}"}  # fmt: skip
COUNT = {**FLAW, "coordinates": {"collection": "passages", "split": "dev", "query_set": "misspell",
         "quantity": "changed"}, "printed": "1,040"}  # fmt: skip
FINDING = {"id": "table1/drop_from/misspell", "severity": "impossible", "kind": "drop_from", "table": "table1",
           "hypothesis": "digits are swapped", "cells": [FLAW, COUNT]}  # fmt: skip
CAUSE = {"severity": "impossible", "hypotheses": ["digits are swapped"], "cells": 1, "findings": [FINDING["id"]],
         "consequences": [], "claims": ["Typos harm"]}  # fmt: skip
COVERAGE = {"cells": 1234, "related": 1000}
AUDIT = {"paper": "toy", "title": "A toy paper", "coverage": COVERAGE, "missing": {"table7": "not in the text"},
         "causes": [CAUSE], "findings": [FINDING], "recomputed": None, "claims": []}  # fmt: skip
