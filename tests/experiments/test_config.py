"""The configuration: what is wrong with it is one line that names file, key, value and what is allowed."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.workflow.small import edit

from robustdr.collections.settings import SOURCES
from robustdr.core.errors import UserError
from robustdr.experiments.config import load
from robustdr.experiments.models import Place

ROOT = Path(__file__).parents[2]
EXPERIMENT, CLAIMS, MINI = "papers/rodr/experiment.yaml", "papers/rodr/claims.yaml", "scales/mini.yaml"
CAPOT, CAPOT_CLAIMS = "papers/capot/experiment.yaml", "papers/capot/claims.yaml"


@pytest.fixture()
def folder(tmp_path):
    """A copy of config/ to break."""
    return shutil.copytree(ROOT / "config", tmp_path / "config")


def complaint(folder):
    """What loading the configuration ends with, one line, without the number of the line that is wrong."""
    with pytest.raises(UserError) as caught:
        load(folder)
    assert "\n" not in str(caught.value)
    return re.sub(r"^(\S+\.yaml):\d+: ", r"\1: ", str(caught.value))


def test_a_mistake_is_named_with_its_line(folder):
    before, _, after = (folder / EXPERIMENT).read_text(encoding="utf-8").partition("    budget: passage\n")
    (folder / EXPERIMENT).write_text(f"{before}    bugdet: passage\n{after}", encoding="utf-8")
    message = f"experiment.yaml:{before.count(chr(10)) + 1}: systems.dr_oq: key: 'bugdet' is unknown"
    with pytest.raises(UserError, match=message):
        load(folder)


def put(*keys):
    """put(key, …, value): a change that sets tree[key]… = value."""
    *path, last, value = keys

    def change(tree):
        for key in path:
            tree = tree[key]
        tree[last] = value

    return change


ALL = "papers/all/experiment.yaml"
TORODER = "papers/toroder/experiment.yaml"

# file, change, how the message begins (after the folder), and a part of what it says to be allowed
STUDY = {"title": "T", "rows": "changes", "collections": ["msmarco-passage"], "systems": ["dr_oq", "rodr"]}
STUDY |= {"query_sets": ["misspell"], "measures": ["RR@10"]}
ORIGINAL = {"against": "original", "level": 0.05, "mark": "↓", "gain": "↑", "correction": "bonferroni"}
RELEASE = {"path": "q.tsv", "sha256": "a" * 64}
REPOSITORY = {"github": "a/b", "revision": "0" * 40, "file": "q.tsv"}
MISTAKES = {
    "chain without its system": (
        ALL,
        put("tables", "decomposition", "systems", ["rodr", "da"]),
        "tables.decomposition.chains: ",
        "da, rodr",
    ),
    "chain of another length than the links": (
        ALL,
        put("tables", "decomposition", "chains", "da", ["dr_oq", "dr_oq_mined"]),
        "tables.decomposition.chains.da: 2 systems for the links steps, negatives, variations, loss",
        "one before each",
    ),
    "claim about a thing of which no scale has a proxy": (
        CLAIMS,
        put("claims", 0, "subjects", ["valid-variations"]),
        "claims.0.subjects: 'valid-variations' is unknown (did you mean validated-variations",
        "language-model-variations",
    ),
    "subjects of a claim under their old name": (
        CLAIMS,
        put("claims", 0, "about", ["validated-variations"]),
        "claims.0: key: 'about' is now called 'subjects'",
        "rename it",
    ),
    "requirement of a control under its old name": (
        CLAIMS,
        put("controls", "misspellings_cost", "what", "Misspellings cost a quarter"),
        "controls.misspellings_cost: key: 'what' is now called 'requirement'",
        "rename it",
    ),
    "test under its old name": (
        CLAIMS,
        put("claims", 0, "test", "name", "wins_back"),
        "claims.0.test.name: 'wins_back' is now called 'recovers'",
        "rename it",
    ),
    "printed size under its old name": (
        CLAIMS,
        put("claims", 0, "test", "by", {"table": "prose"}),
        "claims.0.test: key: 'by' is now called 'printed_size'",
        "rename it",
    ),
    "names of a paper under their old name": (
        EXPERIMENT,
        put("called", {"misspell": "MISSPELL"}),
        "top level: key: 'called' is now called 'display_names'",
        "rename it",
    ),
    "way of judging under its old name": (
        CAPOT,
        put("evaluation", "trivia-qa", "judged", "answers"),
        "evaluation.trivia-qa: key: 'judged' is now called 'judged_by'",
        "rename it",
    ),
    "judged negatives under their old name": (
        "scales/full.yaml",
        put("negatives", "judged", ["trivia-qa"]),
        "negatives: key: 'judged' is now called 'from_judgements'",
        "rename it",
    ),
    "table that is made and left out": (
        EXPERIMENT,
        put("left_out", {"figure2": "It is a drawing."}),
        "left_out.figure2: it is made, under `tables` or `figures`",
        "remove it",
    ),
    "proxy without words": (MINI, put("proxies", "query-log", ""), "proxies.query-log: '' should have", "at least 1"),
    "seeds of a paper that there is not": (
        MINI,
        put("seeds_of", {"qvq": 5}),
        "seeds_of: 'qvq' is unknown (did you mean qvg?); allowed: ",
        "all, capot",
    ),
    "shards of a collection that there is not": (
        MINI,
        put("embeddings", "shards_of", {"antiqe": 1}),
        "embeddings.shards_of: 'antiqe' is unknown (did you mean antique, antique-leak, antique-binary?); allowed: ",
        "antique",
    ),
    "misspelt key of a scale": (
        MINI,
        put("negative", {"depth": 100, "keep": 8}),
        "top level: key: 'negative' is unknown (did you mean negatives?); allowed: ",
        "bm25, budgets, checkpoints",
    ),
    "words of a checkpoint that has none": (
        MINI,
        put("checkpoints", "base", "words", 60000),
        "checkpoints.base.words: the form is 'encoder'; allowed with 'static' alone",
        "",
    ),
    "fitted words of a checkpoint that reads none": (
        MINI,
        put("checkpoints", "character_bert", "form", "encoder"),
        "checkpoints.character_bert.fitted: the form is 'encoder'; allowed with 'character' alone",
        "",
    ),
    "filters that nothing fits": (
        MINI,
        lambda tree: tree["checkpoints"]["character_bert"].pop("fitted"),
        "checkpoints.character_bert.filters: `fitted` is missing",
        "",
    ),
    "word vectors with a pooling": (
        MINI,
        put(
            "checkpoints", "base", {"description": "", "source": {"path": "a.vec"}, "form": "static", "pooling": "cls"}
        ),
        "checkpoints.base.pooling: the form is 'static'; allowed with ",
        "'encoder', 'character'",
    ),
    "word vectors with layers": (
        MINI,
        put("checkpoints", "base", {"description": "", "source": {"path": "a.vec"}, "form": "static", "layers": [0]}),
        "checkpoints.base.layers: the form is 'static'; allowed with ",
        "'encoder', 'character'",
    ),
    "misspelt key of a budget": (
        MINI,
        put("budgets", "passage", "learning_rat", 1.0),
        "budgets.passage: key: 'learning_rat' is unknown (did you mean learning_rate, new_layers_learning_rate?); ",
        "batch_size",
    ),
    "misspelt key of a system": (
        EXPERIMENT,
        put("systems", "rodr", "techer", "dr_oq"),
        "systems.rodr: key: 'techer' is unknown (did you mean teacher?); allowed: ",
        "initial, kind, label, loss",
    ),
    "missing key": (MINI, lambda tree: tree.pop("seeds"), "top level: 'seeds' is missing", ""),
    "value that is not allowed": (
        MINI,
        put("embeddings", "precision", "int8"),
        "embeddings.precision: 'int8' is",
        "float16",
    ),
    "value of another type": (
        MINI,
        put("budgets", "passage", "epochs", "two"),
        "budgets.passage.epochs: 'two' should be a valid number",
        "",
    ),
    "unknown collection": (
        MINI,
        put("collections", "antique", "wordnet-verb"),
        "collections.antique: 'wordnet-verb' is unknown (did you mean wordnet-verbs",
        "msmarco-passage",
    ),
    "unknown generator": (
        MINI,
        put("variations", {"swap_words": {"generator": "back_translatoin"}}),
        "variations.swap_words: variation: 'back_translatoin' is unknown (did you mean back_translation",
        "misspell",
    ),
    "unknown parameter of a generator": (
        MINI,
        put("variations", {"swap_words": {"parameters": {"word": 3}}}),
        "variations.swap_words: ",
        "'word' is unknown",
    ),
    "released query set of an unknown collection": (
        MINI,
        put("variations", {"swap_words": {"released": {"wordnet-min/dev": RELEASE}}}),
        "variations.swap_words.released: 'wordnet-min' is unknown (did you mean wordnet-mini",
        "wordnet-log",
    ),
    "corrected queries of an unknown split": (
        MINI,
        put("corrected", {"wordnet-mini/tset": {"typo": RELEASE}}),
        "corrected: 'tset' is unknown (did you mean test",
        "dev",
    ),
    "released query set without a digest": (
        MINI,
        put("variations", {"swap_words": {"released": {"wordnet-mini/dev": {"path": "q.tsv"}}}}),
        "variations.swap_words.released.wordnet-mini/dev.",
        "sha256",
    ),
    "released query set of a repository without its commit": (
        MINI,
        put(
            "variations", {"swap_words": {"released": {"wordnet-mini/dev": {**RELEASE, "path": None, "github": "a/b"}}}}
        ),
        "variations.swap_words.released.wordnet-mini/dev.",
        "`github`, `revision` and `file` go together",
    ),
    "released query set in two places": (
        MINI,
        put("variations", {"swap_words": {"released": {"wordnet-mini/dev": {**RELEASE, **REPOSITORY}}}}),
        "variations.swap_words.released.wordnet-mini/dev.",
        "either `path`, or `github` with `revision` and `file`",
    ),
    "released query set of a generator of several versions": (
        MINI,
        put("variations", {"llm": {"released": {"wordnet-mini/dev": RELEASE}}}),
        "variations.llm: released: llm makes several versions at once",
        "none of them",
    ),
    "unknown measure of a scale": (
        MINI,
        put("measures", {"R@1000": "Rec@100"}),
        "measures: measure: 'Rec@100' is",
        "nDCG@k",
    ),
    "unknown kind of collection": (
        "collections.yaml",
        put("wordnet-mini", "kind", "wordnett"),
        "wordnet-mini.kind: 'wordnett' is unknown (did you mean wordnet?)",
        ", ".join(sorted(SOURCES)),
    ),
    "unknown kind of system": (
        EXPERIMENT,
        put("systems", "bm25", "kind", "bm26"),
        "systems.bm25.kind: 'bm26' is unknown (did you mean bm25?)",
        "allowed: bm25, ",
    ),
    "key of another kind": (
        EXPERIMENT,
        put("systems", "bm25", "loss", {"name": "rodr"}),
        "systems.bm25: key: 'loss' is unknown",
        "kind, label, reported",
    ),
    "setting of a kind out of range": (
        EXPERIMENT,
        put(
            "systems",
            "bm25",
            {"label": "RM3", "kind": "rm3", "variant": "terrier", "terms": 0, "documents": 3, "original_weight": 0.6},
        ),
        "systems.bm25.terms: 0 should be greater than 0",
        "",
    ),
    "rewriter in front of nothing": (
        EXPERIMENT,
        put(
            "systems", "dr_qv", {"label": "S", "kind": "rewrite", "rewriter": "symspell", "edits": 2, "ranker": "dr_qo"}
        ),
        "systems.dr_qv.ranker: 'dr_qo' is unknown (did you mean dr_",
        "bm25",
    ),
    "unknown parent": (
        EXPERIMENT,
        put("systems", "rodr", "negatives", "dr_qo"),
        "systems.rodr.negatives: 'dr_qo' is unknown (did you mean dr_",
        "bm25",
    ),
    "unknown start": (
        EXPERIMENT,
        put("systems", "rodr", "initial", "dr_0q"),
        "systems.rodr.initial: 'dr_0q' is unknown (did you mean dr_",
        "base",
    ),
    "unknown budget": (
        EXPERIMENT,
        put("systems", "dr_oq", "budget", "passages"),
        "systems.dr_oq.budget: 'passages' is unknown (did you mean passage",
        "a new one stands in a scale, under `budgets`",
    ),
    "unknown role": (
        EXPERIMENT,
        put("systems", "dr_oq", "collection", "msmarco"),
        "systems.dr_oq.collection: 'msmarco' is unknown",
        "antique-binary",
    ),
    "unknown loss": (
        EXPERIMENT,
        put("systems", "rodr", "loss", "name", "rodrr"),
        "systems.rodr.loss: loss: 'rodrr'",
        "contrastive",
    ),
    "unknown setting of a loss": (
        EXPERIMENT,
        put("systems", "rodr", "loss", "w3", 0.2),
        "systems.rodr.loss: loss rodr: key: 'w3' is unknown",
        "nll, passage_alignment, query_alignment",
    ),
    "unknown training variation": (
        EXPERIMENT,
        put("systems", "rodr", "variations", ["mispell"]),
        "systems.rodr.variations: 'mispell' is unknown (did you mean misspell",
        "swap_words",
    ),
    "unknown variation": (
        EXPERIMENT,
        put("evaluation", "antique", "variations", ["swap_word"]),
        "evaluation.antique.variations: 'swap_word' is unknown (did you mean swap_words",
        "misspell",
    ),
    "unknown measure": (
        EXPERIMENT,
        put("evaluation", "antique", "measures", ["MRR@10"]),
        "evaluation.antique.measures: measure: 'MRR@10' is unknown",
        "AP, Judged@k, P@k, R@k, RBP, RR",
    ),
    "unknown split": (
        EXPERIMENT,
        put("evaluation", "antique", "split", "tests"),
        "evaluation.antique.split of antique: 'tests' is unknown (did you mean test",
        "official-test",
    ),
    "table without a layout": (
        EXPERIMENT,
        lambda tree: tree["tables"]["table2"].pop("rows"),
        "tables.table2: 'rows' is missing",
        "",
    ),
    "unknown layout": (
        EXPERIMENT,
        put("tables", "table2", "rows", "query_set"),
        "tables.table2.rows: 'query_set' is unknown (did you mean query_sets",
        "chains, changes, collections",
    ),
    "key of a table in the wrong form": (
        EXPERIMENT,
        put("tables", "table4", "systems", {"rodr": "RoDR"}),
        "tables.table4.systems: {'rodr': 'RoDR'} should be a valid array",
        "",
    ),
    "unknown key of the tests of a table": (
        EXPERIMENT,
        put("tables", "table2", "significance", "marks", "†"),
        "tables.table2.significance: key: 'marks' is unknown (did you mean mark",
        "against, correction, gain",
    ),
    "unknown system of a table": (
        EXPERIMENT,
        put("tables", "table2", "systems", ["drqv", "dr_oq_qv", "rodr"]),
        "tables.table2.systems: 'drqv' is unknown (did you mean dr_qv",
        "rodr",
    ),
    "two collections in a table of query sets": (
        EXPERIMENT,
        put("tables", "decomposition", "collections", ["msmarco-passage", "antique"]),
        "tables.decomposition.collections: ['msmarco-passage', 'antique'] should have at most 1 item",
        "",
    ),
    "average of a system that the table has not": (
        EXPERIMENT,
        put("tables", "study_rodr", {**STUDY, "averages": {"both": ["rodr", "ance"]}}),
        "tables.study_rodr.averages.both: 'ance' is unknown",
        "dr_oq, rodr",
    ),
    "changes without averages": (
        EXPERIMENT,
        put("tables", "study_rodr", STUDY),
        "tables.study_rodr: 'averages' is missing",
        "",
    ),
    "test against other queries than the original ones": (
        EXPERIMENT,
        put("tables", "table2", "significance", {**ORIGINAL, "against": "rodr"}),
        "tables.table2.significance.against: 'rodr' is unknown; allowed: original",
        "",
    ),
    "test against the original queries without a mark for gains": (
        EXPERIMENT,
        put("tables", "table2", "significance", {name: ORIGINAL[name] for name in ("against", "level", "mark")}),
        "tables.table2.significance.gain: required in tests against `original`",
        "",
    ),
    "test against a system that the table has not": (
        EXPERIMENT,
        put("tables", "table2", "significance", "against", {"rodr": "ance"}),
        "tables.table2.significance.against.rodr: 'ance' is unknown",
        "dr_oq, dr_oq_qv, dr_qv, rodr",
    ),
    "unknown system of a figure": (
        EXPERIMENT,
        put("figures", "figure2", "start", "dr_op"),
        "figures.figure2.systems: 'dr_op' is unknown (did you mean dr_oq",
        "bm25",
    ),
    "measure of a figure that is not taken": (
        EXPERIMENT,
        put("figures", "figure2", "measure", "RR@100"),
        "figures.figure2.measure: 'RR@100' is unknown",
        "R@1000, RR@10",
    ),
    "a place on an axis that is no number": (
        TORODER,
        put("figures", "figure2_left", "systems", "bottleneck", "none"),
        "figures.figure2_left.systems.bottleneck: 'none'; labels on the axis must be numbers",
        "",
    ),
    "series without its axis": (
        TORODER,
        lambda tree: tree["figures"]["figure2_left"].pop("axis"),
        "figures.figure2_left: 'axis' is missing",
        "",
    ),
    "table of statistics with systems": (
        TORODER,
        put("tables", "table1", "systems", ["bm25"]),
        "tables.table1: key: 'systems' is unknown",
        "collections, notes, rows, title",
    ),
    "share of a variation that takes none": (
        EXPERIMENT,
        put("evaluation", "msmarco-passage", "variations", ["misspell.share20"]),
        "evaluation.msmarco-passage.variations: parameter of variation misspell: 'share' is unknown",
        "variant",
    ),
    "share above the whole": (
        TORODER,
        put("evaluation", "msmarco-passage", "variations", ["typo.share120"]),
        "evaluation.msmarco-passage.variations: variation typo: share is 1.2",
        "between 0.0 and 1.0",
    ),
    "name of a query set that says too much": (
        TORODER,
        put("evaluation", "msmarco-passage", "variations", ["typo.words2"]),
        "evaluation.msmarco-passage.variations: 'typo.words2'; allowed: <variation>[.share<percent>]",
        ".draw<n>",
    ),
    "unknown test of a claim": (
        CLAIMS,
        put("claims", 0, "test", "name", "hurts"),
        "claims.0.test.name: 'hurts' is unknown (did you mean ",
        "hurts_most",
    ),
    "argument that a test has not": (
        CLAIMS,
        put("claims", 0, "test", "than", ["dr_oq"]),
        "claims.0.test: key: 'than' is unknown",
        "name, printed_size, query_sets, system",
    ),
    "unknown system of a claim": (
        CLAIMS,
        put("claims", 16, "test", "over", ["dr_op"]),
        "claims.16.test.over: 'dr_op' is unknown (did you mean dr_oq",
        "bm25",
    ),
    "query set of a claim that is not evaluated": (
        CLAIMS,
        put("claims", 0, "test", "query_sets", ["misspel"]),
        "claims.0.test.query_sets: 'misspel' is unknown (did you mean misspell",
        "variations_mean",
    ),
    "worst query set of a test that has none": (
        CLAIMS,
        put("claims", 0, "test", "query_sets", ["variations_worst"]),
        "claims.0.test.query_sets: 'variations_worst' is unknown",
        "variations_mean",
    ),
    "comparison with a query set that is not evaluated": (
        CLAIMS,
        put("claims", 2, "test", "against", ["misspel"]),
        "claims.2.test.against: 'misspel' is unknown (did you mean misspell",
        "variations_mean",
    ),
    "mark of a claim that names no table": (
        CLAIMS,
        lambda tree: tree["claims"][0].update(mark="†") or tree["claims"][0].pop("reported"),
        "claims.0: `mark` is given without `reported`",
        "",
    ),
    "margin around no size": (
        CLAIMS,
        put("claims", 0, "test", "margin", 0.1),
        "claims.0.test: `margin` needs `printed_size`",
        "",
    ),
    "assignment of variations that are not there": (
        CAPOT,
        put("systems", "regular_nq", "assign", "all"),
        "systems.regular_nq.variations: missing; `assign` needs it",
        "",
    ),
    "shared encoder that continues from separate ones": (
        CAPOT,
        lambda tree: tree["systems"]["capot_nq"].pop("encoders"),
        "systems.capot_nq: regular_nq has two encoders: add `encoders: separate`",
        "",
    ),
    "unknown variant of a loss": (
        CAPOT,
        put("systems", "capot_nq", "loss", "variant", "prited"),
        "systems.capot_nq.loss: loss capot: variant: 'prited' is unknown (did you mean printed",
        "released_sibling, text",
    ),
    "mean of a query set that is not evaluated": (
        CAPOT,
        put("evaluation", "trivia-qa", "means", {"typos_mean": ["typo"]}),
        "evaluation.trivia-qa.means.typos_mean: 'typo' is unknown",
        "delete_char",
    ),
    "mean that has its own meaning": (
        CAPOT,
        put("evaluation", "trivia-qa", "means", {"variations_mean": ["stem"]}),
        "evaluation.trivia-qa.means: 'variations_mean' is that of all variations already",
        "",
    ),
    "unknown mean of a claim": (
        CAPOT_CLAIMS,
        put("claims", 0, "test", "query_sets", ["typo_mean"]),
        "claims.0.test.query_sets: 'typo_mean' is unknown (did you mean typos_mean",
        "variations_mean",
    ),
    "snapshot of an unknown system": (
        CAPOT_CLAIMS,
        put("claims", 0, "test", "system", "capt_nq.at10"),
        "claims.0.test.system: 'capt_nq' is unknown (did you mean capot_nq",
        "regular_nq",
    ),
    "snapshot of a system that is not trained": (
        CAPOT_CLAIMS,
        put("claims", 0, "test", "system", "ance.at10"),
        "claims.0.test.system: ance.at10: ",
        "a snapshot is <system>.at<percent> of a system with a loss",
    ),
    "snapshot at no percentage": (
        CAPOT_CLAIMS,
        put("claims", 0, "test", "system", "capot_nq.at100"),
        "claims.0.test.system: capot_nq.at100: ",
        "a snapshot is <system>.at<percent> of a system with a loss",
    ),
    "fewer systems than collections": (
        CAPOT,
        put("tables", "table2", "systems", [["regular_nq", "regular_trivia"]]),
        "tables.table2.systems: regular_nq, regular_trivia: 2 for 3 collections",
        "name one system for each collection",
    ),
    "fewer systems to compare with than collections": (
        CAPOT,
        put("tables", "table2", "drop_from", ["regular_nq"]),
        "tables.table2.drop_from: regular_nq: 1 for 3 collections",
        "",
    ),
    "evaluation on a query log": (
        CAPOT,
        put("evaluation", "query-log", {"split": "train", "variations": ["stem"], "measures": ["RR@10"]}),
        "evaluation.query-log: 'orcas' of scale full is a query log: it has no passages to search",
        "",
    ),
    "measure that answers cannot give": (
        CAPOT,
        put("evaluation", "trivia-qa", "measures", ["Success@20", "RR@10"]),
        "evaluation.trivia-qa.measures: 'RR@10': answers judge test of trivia-qa (scale full)",
        "Success@k",
    ),
    "unknown way of judging": (
        CAPOT,
        put("evaluation", "trivia-qa", "judged_by", "answer"),
        "evaluation.trivia-qa.judged_by: 'answer' is unknown (did you mean answers?)",
        "answers, qrels",
    ),
    "unknown role with released negatives": (
        "scales/full.yaml",
        put("negatives", "from_judgements", ["nq"]),
        "negatives.from_judgements: 'nq' is unknown",
        "natural-questions",
    ),
    "questions from two places": (
        "collections.yaml",
        put("trivia-qa", "splits", "test", "path", "q.parquet"),
        "trivia-qa.splits.test.path: 'q.parquet' is not allowed beside `hub`",
        "",
    ),
    "questions of a moving revision": (
        "collections.yaml",
        put("trivia-qa", "splits", "test", "revision", "main"),
        "trivia-qa.splits.test.revision: 'main' should match pattern",
        "",
    ),
    "negatives from a query log": (
        CAPOT,
        put("systems", "aligned", "negatives", "bm25"),
        "systems.aligned.negatives: 'orcas' of scale full is a query log: it has no passages to search",
        "",
    ),
    "loss without its variations": (
        EXPERIMENT,
        lambda tree: tree["systems"]["rodr"].pop("variations"),
        "systems.rodr: the loss rodr needs variations; add `variations`",
        "",
    ),
    "loss on variations without any": (
        EXPERIMENT,
        put("systems", "dr_oq", "loss", "queries", "variation"),
        "systems.dr_oq: the loss contrastive needs variations; add `variations`",
        "",
    ),
    "loss without its teacher": (
        EXPERIMENT,
        lambda tree: tree["systems"]["rodr"].pop("teacher"),
        "systems.rodr: the loss rodr needs teacher; add `teacher`",
        "",
    ),
    "loss without its passages": (
        EXPERIMENT,
        lambda tree: tree["systems"]["dr_oq"].pop("negatives"),
        "systems.dr_oq: the loss contrastive needs negatives; add `negatives`",
        "",
    ),
    "variations that nothing reads": (
        EXPERIMENT,
        put("systems", "dr_oq", "variations", ["misspell"]),
        "systems.dr_oq.variations: the loss contrastive never reads them; remove `variations`",
        "",
    ),
    "teacher that nothing reads": (
        EXPERIMENT,
        put("systems", "dr_qv", "teacher", "dr_oq"),
        "systems.dr_qv.teacher: the loss contrastive never reads ",
        "",
    ),
    "augmentation of queries that nothing reads": (
        EXPERIMENT,
        put("systems", "dr_qv", "augmentation", 0.5),
        "systems.dr_qv.augmentation: the loss contrastive never reads the queries that it would replace",
        "",
    ),
    "printed table of a claim": (
        CLAIMS,
        put("claims", 0, "reported", ["table0"]),
        "claims.0.reported: 'table0' is unknown",
        "table2, table3",
    ),
    "printed table of a table": (
        EXPERIMENT,
        put("tables", "table5", "reported", ["table0"]),
        "tables.table5.reported: 'table0' is unknown",
        "table2, table3",
    ),
    "misspelt key of printed numbers": (
        CLAIMS.replace("claims", "reported"),
        put("tables", "table2", "units", "percent"),
        "tables.table2: key: 'units' is unknown",
        "unit",
    ),
    "published score of an unknown checkpoint": (
        MINI,
        put("published", {"bert": {"role": "antique", "measure": "RR@10", "score": "30", "source": "its card"}}),
        "published: 'bert' is unknown",
        "base",
    ),
    "unknown role of a published score": (
        MINI,
        put("published", {"base": {"role": "ms", "measure": "RR@10", "score": "30", "source": "its card"}}),
        "published.base.role: 'ms' is unknown",
        "antique",
    ),
    "unknown role of a claim": (CLAIMS, put("claims", 0, "role", "ms"), "claims.0.role: 'ms' is unknown", "antique"),
}


@pytest.mark.parametrize("mistake", list(MISTAKES))
def test_a_mistake_is_named(folder, mistake):
    file, change, start, allowed = MISTAKES[mistake]
    edit(folder / file, change)
    message = complaint(folder)
    assert message.startswith(f"{folder / file}: {start}"), message
    assert allowed in message[len(f"{folder / file}: {start}") :]


def test_training_variations_that_a_scale_cannot_generate(folder):
    edit(folder / MINI, put("variations", {"typo": {"unavailable": "no typos here"}}))
    path = folder / "papers/intent/experiment.yaml"
    message = f"{path}: systems.dr_typo_aware_wikiqa.variations: scale mini can generate none of them"
    assert complaint(folder) == message


def test_a_scale_that_extends_another_says_only_what_differs(folder):
    edit(folder / "scales/pretraining.yaml", put("budgets", {"ance": {"epochs": 7.0}}))
    edit(folder / "scales/pretraining.yaml", put("checkpoints", {"base": {"layers": [0, 1, 2, 3, 4, 5]}}))
    mini, extended = (load(folder).scales[name] for name in ("mini", "pretraining"))
    assert extended.budgets["ance"] == replace(mini.budgets["ance"], epochs=7.0) and mini.budgets["ance"].epochs < 7
    assert extended.collections == {
        **mini.collections,
        "msmarco-passage": Place("wordnet-nouns"),
        "msmarco-passage-misspelled": Place("wordnet-nouns"),
        "dl-typo": Place("wordnet-nouns-typos"),
    }
    assert extended.checkpoints["base"].layers == [0, 1, 2, 3, 4, 5]  # a list replaces a list


@pytest.mark.parametrize("base", ["maxi", "evidence"])
def test_a_scale_that_extends_none(folder, base):
    edit(folder / "scales/evidence.yaml", put("extends", base))
    message = f"{folder}/scales/evidence.yaml: extends: {base!r} is unknown"
    assert complaint(folder).startswith(message) and complaint(folder).endswith("released-models, text, unpretrained")


def test_a_scale_may_extend_one_that_extends_another_whatever_their_names(folder):
    (folder / "scales/a.yaml").write_text("extends: text\nseeds: 2\n", encoding="utf-8")
    scales = load(folder).scales
    assert (scales["a"].seeds, scales["a"].collections) == (2, scales["text"].collections)


def test_scales_that_extend_each_other(folder):
    edit(folder / "scales/evidence.yaml", put("extends", "text"))
    edit(folder / "scales/text.yaml", put("extends", "evidence"))
    assert "scales/text.yaml: extends: 'evidence' is unknown; allowed: compact" in complaint(folder)


def test_a_scale_may_take_the_variance_of_runs_from_another_that_is_there(folder):
    edit(folder / "scales/mini.yaml", put("variance_from", "evidenc"))
    assert complaint(folder).startswith(
        f"{folder}/scales/mini.yaml: variance_from: 'evidenc' is unknown (did you mean ev"
    )


def test_the_configuration_as_it_is():
    config = load(ROOT / "config")
    assert config.scales["mini"].variance_from == "evidence"  # and no scale of another setting does
    assert {name for name, scale in config.scales.items() if scale.variance_from == "evidence"} == {"mini", "evidence"}
    assert {"mini", "evidence", "full"} <= set(config.scales)
    assert config.paper_of("rodr") == config.paper_of("rodr.at10") == "rodr"


@pytest.mark.parametrize(
    "field, parent", [("initial", "dr_oq_qv"), ("negatives", "rodr"), ("teacher", "rodr_without_nll")]
)
def test_a_cycle_in_the_lineage(folder, field, parent):
    """dr_oq made from something that is made from dr_oq."""
    system = {"initial": "base", "negatives": "bm25", field: parent}
    edit(folder / EXPERIMENT, lambda tree: tree["systems"]["dr_oq"].update(system))
    message = complaint(folder)
    assert message.startswith(f"{folder / EXPERIMENT}: systems.dr_oq: the lineage is a cycle: dr_oq → {parent}")
    assert message.endswith("→ dr_oq")


def test_a_system_made_from_itself(folder):
    edit(folder / EXPERIMENT, put("systems", "rodr", "teacher", "rodr"))
    assert complaint(folder).endswith("systems.rodr: the lineage is a cycle: rodr → rodr")


def test_a_checkpoint_may_bear_the_name_of_the_system_that_evaluates_it():
    ance = load(ROOT / "config").systems["ance"]
    assert ance.initial == "ance" and ance.loss is None


@pytest.mark.parametrize("file", [EXPERIMENT, CLAIMS, MINI, "collections.yaml"])
def test_text_that_is_not_utf8(folder, file):
    (folder / file).write_bytes("titel: Übung\n".encode("latin-1"))
    assert complaint(folder) == f"{folder / file}: not UTF-8 text (invalid continuation byte); save the file as UTF-8"


@pytest.mark.parametrize("file", [EXPERIMENT, CLAIMS, MINI, "collections.yaml"])
def test_text_that_is_no_yaml(folder, file):
    (folder / file).write_text("systems: {rodr: [}\n")
    message = complaint(folder)
    assert message.startswith(f"{folder / file}: not YAML: ") and "(column 18)" in message


@pytest.mark.parametrize("text", ["", "- a\n- b\n"])
def test_a_file_that_is_no_mapping(folder, text):
    (folder / MINI).write_text(text)
    assert complaint(folder).startswith(f"{folder / MINI}: empty or no mapping")


def test_a_file_that_is_missing(folder):
    (folder / "collections.yaml").unlink()
    assert complaint(folder) == f"{folder}/collections.yaml: no such file"


def test_a_system_of_two_papers(folder):
    shutil.copytree(folder / "papers" / "rodr", folder / "papers" / "second")
    first, second = (folder / "papers" / name / "experiment.yaml" for name in ("rodr", "second"))
    assert complaint(folder) == f"{second}: systems.bm25: declared by {first} too; allowed: once"


def test_training_passages_need_more_than_answers(folder):
    part = {"kind": "questions", "path": "q.parquet", "question": "q", "answers": "a"}
    edit(folder / "collections.yaml", put("trivia-qa", "splits", "train", part))
    message = complaint(folder)
    assert message.startswith(f"{folder / CAPOT}: systems.regular_trivia.collection: 'train' of trivia-qa (scale full)")
    assert message.endswith("has only answers; positives need qrels")


@pytest.mark.parametrize("name", ["wei2023", "wei_2023"])
def test_a_paper_is_named_by_its_folder(folder, name):
    (folder / "papers" / "intent").rename(folder / "papers" / name)
    assert load(folder).paper_of("dr_wikiqa") == name


@pytest.mark.parametrize("name", ["Wei-2023", "wei 2023", "wei2023\n"])
def test_a_paper_s_folder_without_a_name(folder, name):
    (folder / "papers" / "capot").rename(folder / "papers" / name)
    with pytest.raises(UserError, match="is no name of a paper; allowed: lower-case letters, digits and _"):
        load(folder)


def test_a_key_given_twice(folder):
    text = (folder / MINI).read_text(encoding="utf-8")
    (folder / MINI).write_text(text.replace("threads: 1", "threads: 1\nseeds: 2"), encoding="utf-8")
    assert re.search(r"top level: 'seeds' is given twice, first on line \d+;", complaint(folder))


def test_all_systems_read_equally_much_of_real_passages():
    """Else a comparison of two of them would have two causes. CAPOT's alignment reads queries alone."""
    budgets = load(ROOT / "config").scales["text"].budgets
    lengths = {name: budget.passage_length for name, budget in budgets.items()}
    assert {length for name, length in lengths.items() if not name.startswith(("capot", "alignment"))} == {48}
