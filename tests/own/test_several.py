"""Several collections in one call: their means, the forms for others, and what is refused."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest
from tests.encoding import shapes

import robustdr
from robustdr.cli import main
from robustdr.core.errors import UserError
from robustdr.core.processor import native
from robustdr.evaluation.pooled import pooled
from robustdr.own import exported, several

TOPICS = {"rivers": ("river", "mountain"), "cats": ("cat", "dog")}


def write_collection(folder: Path, first: str, second: str) -> Path:
    """A folder in BEIR's layout, of twelve passages and queries about two things."""
    (folder / "qrels").mkdir(parents=True)
    sizes = ("broad", "small", "old", "new", "red", "white")
    things = [f"{size} {thing}" for thing in (first, second) for size in sizes]
    corpus = [
        {"_id": f"d{n}", "title": "", "text": f"this passage is about the {thing}"} for n, thing in enumerate(things)
    ]
    queries = [{"_id": f"q{n}", "text": f"where is the {thing}"} for n, thing in enumerate(things)]
    for name, rows in (("corpus", corpus), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    rows = "".join(f"q{n}\td{n}\t1\n" for n in range(len(things)))
    (folder / "qrels/test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{rows}")
    return folder


@pytest.fixture(scope="module")
def evaluated(tiny_transformer, tmp_path_factory):
    folder = tmp_path_factory.mktemp("several")
    models = shapes.write("MiniLM", tiny_transformer, folder / "MiniLM")
    data = [write_collection(folder / name, *things) for name, things in TOPICS.items()]
    options = {"data": data, "variations": ["swap_adjacent_key", "swap_words"]}
    return robustdr.evaluate(models, folder / "report", **options), models, options


@pytest.mark.slow
def test_the_mean_is_that_of_the_reports_of_each_collection(evaluated):
    evaluation, _, _ = evaluated
    assert evaluation.report["collections"] == list(TOPICS)
    single = [json.loads((evaluation.folder / name / "report.json").read_text()) for name in TOPICS]
    assert [report["queries"] for report in single] == [12, 12]
    by_label = {system["label"]: system for system in evaluation.report["systems"]}
    assert by_label.keys() == {system["label"] for system in single[0]["systems"].values()}
    means = [report["systems"]["own_bm25"]["original"] for report in single]
    assert min(means) - 1e-9 <= by_label["BM25"]["original"]["mean"] <= max(means) + 1e-9
    first, *others = evaluation.report["systems"]
    assert first["to_best"] is None and all(system["to_best"]["mean"] <= 0 for system in others)
    assert first["original"]["mean"] == max(system["original"]["mean"] for system in evaluation.report["systems"])


@pytest.mark.slow
def test_the_report_says_which_to_take_and_every_collection(evaluated):
    evaluation, _, _ = evaluated
    report = (evaluation.folder / "report.md").read_text()
    assert "# Which retriever is best over 2 collections?" in report
    assert "over 2 collections with 24 queries it has the highest mean nDCG@10" in report
    assert all(name in report for name in TOPICS)
    assert evaluation.answer.startswith("Take ")
    page = (evaluation.folder / "index.html").read_text()
    assert '<a href="cats/index.html">cats</a>' in page
    assert (evaluation.folder / "rivers/results/own/report/site.css").is_file() and "rivers/results" in page
    assert len(evaluation.table) == 2 * len(evaluation.report["systems"]) * 6


@pytest.mark.slow
def test_the_report_says_in_which_number_type_its_numbers_were_computed(evaluated):
    evaluation, _, _ = evaluated
    report = json.loads((evaluation.folder / "rivers/report.json").read_text())
    (scale,) = (evaluation.folder / "rivers/config/scales").iterdir()
    assert "precision: auto" in scale.read_text()
    says = any(line.startswith("The results are computed in bfloat16") for line in report["encoding"])
    assert says == (native() == "bfloat16")


@pytest.mark.slow
def test_the_table_for_a_paper_and_mteb_s_results(evaluated):
    evaluation, _, _ = evaluated
    table = (evaluation.folder / "report.tex").read_text()
    assert table.startswith("\\begin{tabular}{lrrrrrr}\n\\toprule\n") and table.count("\\\\\n") == 2 + 3
    assert "\\multicolumn{2}{c}{rivers}" in table and "\\textbf{" in table
    (file,) = (evaluation.folder / "mteb").glob("*BM25/rivers.json")
    result = json.loads(file.read_text())
    single = json.loads((evaluation.folder / "rivers/report.json").read_text())
    (scores,) = result["scores"]["test"]
    assert result["task_name"] == "rivers" and scores["hf_subset"] == "default"
    assert scores["ndcg_at_10"] == scores["main_score"] == single["systems"]["own_bm25"]["original"]
    varied = json.loads(file.with_name("rivers-swap_words.json").read_text())["scores"]["test"][0]["main_score"]
    assert varied == single["systems"]["own_bm25"]["query_sets"]["swap_words"]["mean"]


@pytest.mark.slow
def test_a_second_call_goes_on_with_a_new_collection(evaluated, tmp_path):
    evaluation, models, options = evaluated
    made = evaluation.folder / "rivers/results/own/measures"
    before = {file: file.stat().st_mtime_ns for file in made.rglob("*.parquet")}
    more = [*options["data"], write_collection(tmp_path / "suns", "sun", "moon")]
    again = robustdr.evaluate(models, evaluation.folder, **{**options, "data": more})
    assert again.report["collections"] == [*TOPICS, "suns"]
    assert before == {file: file.stat().st_mtime_ns for file in made.rglob("*.parquet")} and before


def test_a_table_by_hand():
    """Bold is the best; labels are TeX."""

    def report(one, two):
        systems = {"a": ("A_1", *one), "b": ("B", *two)}
        return {
            "measure": "RR@10",
            "systems": {
                name: {"label": label, "original": mean, "query_sets": {"variations_mean": {"difference": change}}}
                for name, (label, mean, change) in systems.items()
            },
        }

    key = exported.MEAN
    reports = {"x&y": report((0.5, -0.1), (0.25, 0.0))}
    for system in reports["x&y"]["systems"].values():
        system["query_sets"] = {key: system["query_sets"]["variations_mean"]}
    assert exported.latex(reports).splitlines()[2:8] == [
        r" & \multicolumn{2}{c}{x\&y} \\",
        r"\cmidrule(lr){2-3}",
        r" & RR@10 & changed \\",
        r"\midrule",
        r"A\_1 & \textbf{50.0} & $-$10.0 \\",
        r"B & 25.0 & \textbf{+0.0} \\",
    ]


def test_mteb_s_results_are_those_of_the_last_call(tmp_path):
    def report(label, query_set):
        systems = {"own": {"label": label, "original": 0.5, "query_sets": {query_set: {"mean": 0.4}}}}
        return {"measure": "RR@10", "split": "test", "systems": systems}

    for label, query_set in (("old model", "typo"), ("new", "stem")):
        exported.write_mteb({"cats": report(label, query_set)}, tmp_path)
    assert sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.json")) == [
        "new/cats-stem.json",
        "new/cats.json",
    ]


def test_names_of_collections_and_systems_are_fields_of_the_csv():
    change = {
        "mean": 0.4,
        "difference": -0.1,
        "difference_interval": None,
        "drop": -0.2,
        "drop_interval": None,
        "p": 1.0,
    }
    system = {"label": 'm, "large"', "original": 0.5, "query_sets": {"typo": change}}
    report = {"measure": "RR", "queries": 3, "systems": {"own": system}}
    head, *rows = csv.reader(StringIO(several.rows({"A, B": report, "C": report})))
    assert head[:4] == ["collection", "system", "label", "query_set"] and len(head) == 15
    assert [row[:4] for row in rows] == [
        [name, "own", 'm, "large"', query_set] for name in ("A, B", "C") for query_set in ("original", "typo")
    ]


def test_an_error_is_that_of_the_interval():
    """Of 12 queries: the t quantile with 11 degrees of freedom is 2.201."""
    assert several._error([0.1, 0.1 + 2 * 2.201 * 0.05], 12) == pytest.approx(0.05, abs=1e-4)


def test_a_collection_whose_queries_all_agree_does_not_decide_the_mean():
    """No change among 12 queries is 0 as surely as 22 % of unseen ones allow: 1 - 0.05 ** (1 / 12)."""
    error = several._error([0.1, 0.1 + 2 * 0.1], 12)
    unseen = several._error(None, 12)
    assert unseen == several._error([1.0, 1.0], 12) == pytest.approx(0.2209 / 2.201, abs=1e-4)
    result = pooled([-0.1, 0.0], [error, unseen])
    assert -0.1 < result["mean"] < -0.05 and result["interval"][0] < -0.1
    assert pooled([-0.1, 0.0], [error, several._error(None, 1)])["mean"] == pytest.approx(-0.1, abs=0.005)


def test_all_collections_are_checked_before_any_work(tiny_model, tmp_path, capsys):
    data = [write_collection(tmp_path / name, *things) for name, things in TOPICS.items()]
    with open(data[1] / "queries.jsonl", "a") as file:
        file.write('{"_id": "q0", "text": "again"}\n')
    options = ["--data", *map(str, data), "--model", str(tiny_model), "--variations", "swap_words"]
    assert main(["evaluate", *options, "-o", str(tmp_path / "out")]) == 2
    assert "cats/queries.jsonl:13: query id 'q0' is also at" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_what_is_of_one_collection_is_refused(tmp_path):
    with pytest.raises(UserError, match="a: the name of several collections"):
        several.names_of([tmp_path / "x/a", tmp_path / "y/a"])
    assert list(several.names_of([Path("irds:beir/arguana"), tmp_path / "b"])) == ["beir-arguana", "b"]
    with pytest.raises(UserError, match="--variations-file: allowed with one collection only"):
        robustdr.evaluate("m", tmp_path / "o", data=[tmp_path, tmp_path / "b"], variations_file=tmp_path / "f")
