"""Two results folders side by side: differences and intervals by hand, and a word for what cannot be compared."""

import json
import shutil

import lxml.html
import numpy as np
import pandas as pd
import pytest
import scipy.stats
from tests.reporting.small_site import NASTY, two_results

from robustdr.core.errors import UserError
from robustdr.evaluation.measures import read_measures
from robustdr.reporting import side_by_side
from robustdr.reporting.comparison import compared_claims, write_comparison
from robustdr.reporting.origins import origins
from robustdr.reporting.queries import write_data
from robustdr.reporting.side_by_side import interval


@pytest.fixture()
def folders(paper, measured, tmp_path):
    return two_results(tmp_path, paper, measured)


def classed(element, *names):
    """The elements below one that have one of these classes, in order."""
    return [child for child in element.iter() if set(names) & set((child.get("class") or "").split())]


def cells(page):
    """The cells of a page by (system, query set): what A and B show, their difference, and how B stands to A."""
    cell_by_key = {}
    for cell in lxml.html.fromstring(page.read_text(encoding="utf-8")).xpath("//td[@data-system != '']"):
        shown_texts = [span.text_content().split(" ", 1)[1] for span in classed(cell, "said", "made")]
        change_text = "".join(span.text_content().removeprefix("B less A ") for span in classed(cell, "change"))
        cell_by_key[cell.get("data-system"), cell.get("data-query-set")] = (
            *shown_texts,
            change_text,
            cell.get("data-agreement"),
        )
    return cell_by_key


def test_a_cell_of_both_has_its_difference_and_a_paired_interval(folders, tmp_path):
    write_comparison(*folders, tmp_path / "pages")
    cell_by_key = cells(tmp_path / "pages/toy_table1.html")
    # 1 and 1/4 become 1/2 and 1/4: -1/2 and 0 in turn, -25.00 ±(t = 2.0227) · sd .25320 / √40 · 100 = 8.10.
    assert cell_by_key["RoDR w/o L_p|q", "misspell"][2:] == ("-25.00 [-33.10, -16.90]", "lower")
    assert cell_by_key["RoDR w/o L_p|q", "variations_mean"][2:] == ("-12.50 [-16.55, -8.45]", "lower")
    assert cell_by_key["DR_OQ", "misspell"][2:] == ("equal", "equal")
    first, second = (json.loads((folder / "tables/toy_table1.json").read_text()) for folder in folders)
    for table, side in ((first, 0), (second, 1)):
        for row in table["layout"]["fields"]:
            for _, text, number in (field for field in row if field[2] is not None):
                cell = table["cells"][number]
                assert cell_by_key[cell["label"], cell["query_set"]][side] == text


def test_an_interval_needs_the_measures_behind_the_number(folders, tmp_path):
    """Without the measures, with damaged ones, or with those of another run, a difference has no interval."""
    path = folders[1] / "measures/toy/rodr/seed1/all.parquet"
    for harm in (
        lambda: shutil.copy(folders[0] / "measures/toy/rodr/seed1/all.parquet", path),
        lambda: path.write_bytes(path.read_bytes()[:100]),
        path.unlink,
    ):
        harm()
        side_by_side._measured.cache_clear()  # read once a process
        write_comparison(*folders, tmp_path / "pages")
        assert cells(tmp_path / "pages/toy_table1.html")["RoDR w/o L_p|q", "misspell"][2:] == ("-25.00", "")


def test_equal_runs_are_equal_and_other_queries_with_an_equal_mean_are_not(folders, tmp_path):
    first = folders[0]
    page = write_comparison(first, first, tmp_path / "same").read_text(encoding="utf-8")
    numbers = [cell for name in ("toy_table1", "toy_table2") for cell in cells(tmp_path / f"same/{name}.html").values()]
    assert {cell[3] for cell in numbers} == {"equal"} and "<h3>0 of 3 verdicts changed</h3>" in page
    path = folders[1] / "measures/toy/rodr/seed1/all.parquet"
    frame = read_measures(first / "measures/toy/rodr/seed1/all.parquet")
    is_misspelt = frame["query_set"].eq("dev.misspell")
    frame.loc[is_misspelt, "value"] = frame.loc[is_misspelt, "value"].to_numpy()[::-1]
    frame.to_parquet(path)
    shutil.copytree(first / "tables", folders[1] / "tables", dirs_exist_ok=True)
    side_by_side._measured.cache_clear()
    write_comparison(*folders, tmp_path / "turned")
    assert cells(tmp_path / "turned/toy_table1.html")["RoDR w/o L_p|q", "misspell"][3] == "not significantly different"


def test_samples_of_other_sizes_stop_a_comparison_of_scores(folders, tmp_path):
    for system in ("dr_oq", "rodr"):
        for query_set in ("original", "misspell", "swap_words"):
            path = folders[1] / f"measures/toy/{system}/seed1/all.parquet"
            frame = read_measures(path)  # two values more with the mean of the others: the table's numbers stay
            rows = frame[frame["query_set"] == f"dev.{query_set}"].iloc[:2]
            mean = frame.loc[frame["query_set"] == f"dev.{query_set}", "value"].mean()
            pd.concat([frame, rows.assign(qid=["more1", "more2"], value=mean)]).to_parquet(path)
    message = r"compare: toy_table1: original, .*: 40 queries in A and 42 in B; .* do not compare; allowed: .* --claims"
    with pytest.raises(UserError, match=message):
        write_comparison(*folders, tmp_path / "pages")
    assert not (tmp_path / "pages").exists()
    page = write_comparison(*folders, tmp_path / "pages", claims_alone=True)
    assert "<h3>1 of 3 verdicts changed</h3>" in page.read_text(encoding="utf-8")
    assert [path.name for path in (tmp_path / "pages").glob("*.html")] == ["index.html"]


def test_each_paper_has_its_claims_and_its_tables(folders, tmp_path):
    for folder in folders:
        shutil.copy(folder / "tables/toy_table2.json", folder / "tables/other_table2.json")
        shutil.copy(folder / "claims/toy.json", folder / "claims/toy_of_mine.json")
        shutil.copy(folder / "tables/toy_table2.json", folder / "tables/toy_of_mine_table1.json")
    page = lxml.html.fromstring(write_comparison(*folders, tmp_path / "pages").read_text(encoding="utf-8"))
    links_by_paper: dict[str, list[str]] = {}
    for element in page.iter("h2", "a"):
        if element.tag == "h2":
            links_by_paper[element.get("id")] = links = []
        elif "_table" in (element.get("href") or ""):
            links.append(element.get("href"))
    assert links_by_paper == {
        "toy": ["toy_table1.html", "toy_table2.html"],
        "toy_of_mine": ["toy_of_mine_table1.html"],
        "other": ["other_table2.html"],
        "made": [],
    }


def test_other_queries_are_independent():
    generator = np.random.default_rng(0)
    first, second = (
        pd.DataFrame({1: generator.normal(size=400)}, index=[f"{side}{n}" for n in range(400)]) for side in "ab"
    )
    *ends, paired = interval(first, second)
    welch = scipy.stats.ttest_ind(second[1], first[1], equal_var=False).confidence_interval(0.95)
    assert ends == pytest.approx([welch.low, welch.high], abs=1e-3) and not paired


def test_at_another_scale_the_same_cells_have_other_queries(folders, tmp_path):
    """B measures another collection: no pairs, and the half widths 12.15 and 4.05 of A and B make √(12.15² + 4.05²)."""
    for system in ("dr_oq", "rodr"):
        path = folders[1] / f"measures/toy/{system}/seed1/all.parquet"
        frame = read_measures(path)
        (folders[1] / f"measures/other/{system}/seed1").mkdir(parents=True)
        frame.assign(qid="of B " + frame["qid"]).to_parquet(folders[1] / f"measures/other/{system}/seed1/all.parquet")
    for path in (folders[1] / "tables").glob("*.json"):
        path.write_text(path.read_text().replace('"collection": "toy"', '"collection": "other"'))
    write_comparison(*folders, tmp_path / "pages")
    change_text = cells(tmp_path / "pages/toy_table1.html")["RoDR w/o L_p|q", "misspell"][2]
    assert change_text == "-25.00 [-37.80, -12.20] °"


def test_unequal_seeds_are_compared_over_queries():
    one_seed = pd.DataFrame({1: [0.0, 1.0, 0.5, 0.25] * 10})
    three_seeds = pd.DataFrame({1: one_seed[1] + 0.1, 2: one_seed[1] + 0.3, 3: one_seed[1] + 0.2})
    low, high, paired = interval(one_seed, three_seeds)
    assert low == pytest.approx(0.2) and high == pytest.approx(0.2) and paired


def test_claims_that_changed_come_first_then_those_of_one_alone():
    unchanged, changed, gone = (
        {"claim": name, "source": "§1", "verdict": "holds"} for name in ("same", "changed", "gone")
    )
    comparisons = compared_claims([unchanged, gone, changed], [unchanged, {**changed, "verdict": "fails"}])
    assert [pair.claim for pair in comparisons] == ["changed", "gone", "same"]
    assert comparisons[1].sides == (gone, None) and not comparisons[2].changed


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (None, "missing"),
        ('{"title": "T", "cells": [', "cut off"),
        ('{"title": "T"}', "other version"),
        ("[]", "other version"),
        ('{"title": "T", "layout": {}, "means": {}, "cells": [{}], "claims": [{}]}', "other version"),
    ],
)
def test_what_cannot_be_compared_has_one_word(folders, tmp_path, content, word):
    for name in ("tables/toy_table2", "claims/toy"):
        path = folders[1] / f"{name}.json"
        path.unlink() if content is None else path.write_text(content)
    write_comparison(*folders, tmp_path / "pages")
    text = (tmp_path / "pages/index.html").read_text(encoding="utf-8")
    assert f"<td>here</td><td>{word}</td>" in text and f"b/claims/toy.json</code>: {word}." in text
    assert not (tmp_path / "pages/toy_table2.html").exists() and (tmp_path / "pages/toy_table1.html").exists()


def test_a_cell_that_only_one_has_says_so(folders, tmp_path):
    path = folders[1] / "tables/toy_table2.json"
    table = json.loads(path.read_text())
    table["layout"]["rows"].pop(), table["layout"]["fields"].pop()
    path.write_text(json.dumps(table))
    write_comparison(*folders, tmp_path / "pages")
    cell_by_key = cells(tmp_path / "pages/toy_table2.html")
    assert [cell[3] for key, cell in cell_by_key.items() if key[0] != "DR_OQ"] == ["not in B"] * 2
    assert 'data-count="toy_table2/not in B">2<' in (tmp_path / "pages/index.html").read_text(encoding="utf-8")


def test_a_folder_without_results_is_named(tmp_path, folders):
    with pytest.raises(
        UserError, match=r"nothing: no results: it has no tables; allowed: a folder such as results/mini"
    ):
        write_comparison(folders[0], tmp_path / "nothing", tmp_path / "pages")
    assert not (tmp_path / "pages").exists()


def test_no_text_is_markup_and_every_link_leads_somewhere(folders, tmp_path):
    write_comparison(*folders, tmp_path / "pages")
    for path in (tmp_path / "pages").glob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert NASTY not in text and "<img" not in text
        for part in text.split('href="')[1:] + text.split('src="')[1:]:
            target = part.split('"')[0].split("#")[0]
            assert target in ("", "data:,") or (tmp_path / "pages" / target).is_file(), target


def test_origins_are_what_differs(tmp_path):
    """Seeds, packages, hardware and recipes, from the files that stages write."""
    for side, version, rate, seeds in (("a", "2.4.6", 0.1, (1,)), ("b", "2.5.0", 0.2, (1, 2))):
        for seed in seeds:
            path = tmp_path / side / f"measures/toy/rodr/seed{seed}/all.parquet"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        path.with_name("all.parquet.sha256").write_text(
            f"# computed on CPU\n# installed: numpy {version}, six 1.17.0\n"
        )
        card = tmp_path / side / "models/toy/rodr/seed1/README.md"
        card.parent.mkdir(parents=True)
        card.write_text(f"Recipe:\n\n```yaml\nlearning_rate: {rate}\nloss:\n  name: rodr\n```\n\nKey: {side}\n")
        steps = [{"name": "corpus", "what": "passages", "key": "k"}, {"name": "train", "what": "rodr", "key": side}]
        data = tmp_path / side / "report/data/toy/systems/rodr.js"
        data.parent.mkdir(parents=True)
        write_data(data, "toy/rodr", {"steps": steps})
        (tmp_path / side / "claims").mkdir()
        (tmp_path / side / "claims/toy.json").write_text(json.dumps({"scale": side, "miniature": "toys", "claims": []}))
        (tmp_path / side / "claims/cut.json").write_text('{"scale": "no')
    (data.parent / "cut.js").write_text('robustdr.take("toy/cut",{"steps":[')
    differences = origins(tmp_path / "a", tmp_path / "b")
    assert differences["scale"] == [("scale", "a", "b")]
    assert differences["settings"] == [("learning_rate of toy/rodr", "0.1", "0.2")]
    assert differences["seeds"] == [("rodr", "1", "1, 2")]
    assert differences["packages and hardware"] == [("numpy", "2.4.6", "2.5.0")]
    assert [(step.subject, step.first) for step in differences["steps"]] == [
        ("train: 1 of 1 with another key", "1 made, 0 of them here alone")
    ]
    assert not any(origins(tmp_path / "a", tmp_path / "a").values())


def test_the_measures_are_those_of_the_stage(folders):
    """The fixture's own premise: B's measures of rodr differ from A's in half the misspelt queries."""
    first, second = (read_measures(folder / "measures/toy/rodr/seed1/all.parquet") for folder in folders)
    assert (first["value"] != second["value"]).sum() == 20
