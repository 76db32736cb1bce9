"""Small projects: the whole pipeline on a few hundred WordNet glosses, and the little of it that a table needs."""

import json
import shutil
from pathlib import Path

import yaml
from tests.workflow.conftest import Project

from robustdr.core.locks import exclusive_lock

TABLE = "results/mini/tables/rodr_table2.md"
KINDS, NOISE = ["extra_punctuation", "swap_words"], ["stem", "random_char"]
ROLE = "msmarco-passage"


def edit(path, change):
    """Let `change` alter the file's tree, in which nothing is shared by anchors any more."""
    tree = json.loads(json.dumps(yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)))
    change(tree)
    path.write_text(yaml.dump(tree, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True), encoding="utf-8")


def some(tree, names):
    return {name: tree[name] for name in names}


def only_claim(**entries):
    """Return a change of a claims.yaml that leaves its first sentence, with these entries and without controls."""

    def change(tree):
        first = {
            key: value for key, value in tree["claims"][0].items() if key in ("claim", "source", "level", "reported")
        }
        tree.clear()
        tree["claims"] = [first | entries]

    return change


def make_papers(folder, *papers):
    """Let the page show these papers."""
    edit(folder / "config/config.yaml", lambda tree: tree.update(papers=list(papers)))


def keep_papers(folder, *kept):
    """Let the configuration have these papers alone."""
    papers = [path.name for path in (folder / "config/papers").iterdir() if path.name not in kept]
    for paper in papers:
        shutil.rmtree(folder / "config/papers" / paper)
    for scale in (folder / "config/scales").glob("*.yaml"):
        edit(scale, lambda tree: [tree.get("seeds_of", {}).pop(paper, None) for paper in papers])
    forget_released(folder)


def forget_released(folder):
    """Remove what the authors released for systems that the configuration may lack now."""
    for scale in (folder / "config/scales").glob("*.yaml"):
        edit(scale, lambda tree: tree.pop("released", None))


def shrink(folder):
    """Let the configuration ask for a few systems, two variations, one small collection and a small query log."""

    def collections(tree):
        tree["wordnet-mini"] |= {"passages": 300, "splits": {"train": {"queries": 64}, "dev": {"queries": 25}}}
        tree["wordnet-log"] |= {"passages": 300, "splits": {"train": {"queries": 64}}}

    def scale(tree):
        for budget in tree["budgets"].values():
            budget |= {"epochs": 2.0, "batch_size": 16}
        tree["retrieval"]["depth"] = 20
        tree["collections"]["natural-questions"] = "wordnet-mini"

    def rodr(tree):
        tree["evaluation"] = {ROLE: {**tree["evaluation"][ROLE], "variations": KINDS}}
        tree["systems"] = some(tree["systems"], ["bm25", "dr_oq", "rodr"])
        tree["systems"]["rodr"]["variations"] = ["swap_words"]
        tree["tables"], tree["figures"] = some(tree["tables"], ["table2"]), {}
        tree["tables"]["table2"] |= {
            "systems": ["dr_oq", "rodr"],
            "significance": {"against": {"rodr": "dr_oq"}, "level": 0.01, "mark": "†"},
        }

    def capot(tree):
        evaluation = {"variations": NOISE, "means": {"typos_mean": ["random_char"]}, "measures": ["Success@20"]}
        tree["evaluation"] = {"natural-questions": {"split": "dev", **evaluation}}
        tree["systems"] = some(tree["systems"], ["regular_nq", "aligned", "pt_nq", "capot_nq", "capot_orcas_trivia"])
        tree["systems"]["capot_orcas_trivia"] |= {"initial": "regular_nq"}
        for system in ("aligned", "capot_nq", "capot_orcas_trivia"):
            tree["systems"][system]["variations"] = NOISE
        nq = {"collections": ["natural-questions"], "drop_from": ["regular_nq"]}
        tree["tables"] = some(tree["tables"], ["table3", "table18", "table28"])
        tree["tables"]["table3"] |= {**nq, "systems": [["regular_nq"], ["pt_nq"]], "measures": ["Success@20"]}
        tree["tables"]["table18"] |= {"systems": ["regular_nq", "pt_nq", "capot_nq"]}
        tree["tables"]["table28"] |= {**nq, "systems": ["regular_nq", "capot_orcas_trivia"]}
        tree["figures"] = {}

    def every(tree):
        tree["evaluation"][ROLE] |= {"variations": KINDS, "means": {"ordering_mean": ["swap_words"]}}
        tree["systems"], tree["tables"] = {}, some(tree["tables"], ["methods"])
        tree["tables"]["methods"] |= {"systems": ["dr_oq", "rodr"], "base": "dr_oq"}
        tree["figures"]["methods"]["systems"] = {"dr_oq": "DR_OQ", "rodr": "RoDR"}

    keep_papers(folder, "rodr", "capot", "all")
    make_papers(folder, "rodr", "capot", "all")
    edit(folder / "config/collections.yaml", collections)
    edit(folder / "config/scales/mini.yaml", scale)
    forget_released(folder)
    test = {"name": "not_worse", "system": "rodr", "than": "dr_oq", "query_sets": ["original"], "margin": 0.02}
    share = {"name": "share_of_gain", "system": "capot_nq", "snapshot": "capot_nq.at10", "base": "regular_nq"}
    share |= {
        "query_sets": ["typos_mean"],
        "printed_size": {"table": "prose_training", "quantity": "share_of_gain_after_1_epoch"},
    }
    for paper, change, claims in (
        ("rodr", rodr, only_claim(role=ROLE, measure="RR@10", test=test)),
        ("capot", capot, only_claim(role="natural-questions", measure="Success@20", test=share)),
        ("all", every, only_claim(role=ROLE, measure="RR@10", test=test)),
    ):
        edit(folder / f"config/papers/{paper}/experiment.yaml", change)
        edit(folder / f"config/papers/{paper}/claims.yaml", claims)


def tiny(folder: Path) -> Project:
    """A project whose table needs BM25, one trained system with its passage vectors, and one variation."""

    def scale(tree):
        tree["embeddings"]["keep"] = True
        for budget in tree["budgets"].values():
            budget |= {"epochs": 2.0, "batch_size": 8, "checkpoint_every": 5}

    def experiment(tree):
        tree["systems"] = some(tree["systems"], ["bm25", "dr_oq"])
        tree["evaluation"][ROLE]["variations"] = ["swap_words"]
        tree["tables"]["table2"] |= {"systems": ["bm25", "dr_oq"]}
        del tree["tables"]["table2"]["significance"]

    folder.mkdir(parents=True, exist_ok=True)
    project = Project(folder)
    shrink(folder)
    keep_papers(folder, "rodr")
    make_papers(folder, "rodr")
    edit(folder / "config/scales/mini.yaml", scale)
    edit(folder / "config/papers/rodr/experiment.yaml", experiment)
    edit(folder / "config/papers/rodr/claims.yaml", lambda tree: tree["claims"][0]["test"].update(system="bm25"))
    return project


def tabulated(folder: Path) -> Project:
    """The tiny project in `folder` once its table is made; the first process that asks makes it."""
    with exclusive_lock(Path(f"{folder}.lock")):
        if not (made := folder / "made").exists():
            shutil.rmtree(folder, ignore_errors=True)
            status, output = tiny(folder).snakemake("--", TABLE)
            assert status == 0, output
            made.touch()
    return Project.at(folder)
