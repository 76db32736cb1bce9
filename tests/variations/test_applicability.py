"""Applicability on MS MARCO's 6,980 dev queries beside rodr's Table 2, as a report (`pytest -s` shows it)."""

import pytest

from robustdr import variations
from robustdr.variations.statistics import neutral

# generator: (released set, #Ori. of rodr's Table 2, how far ours may differ; above 5 %: docs/reference/variations.md)
TABLE_2 = {
    "misspell": ("MisSpell", 0, 0),
    "extra_punctuation": ("ExtraPunc", 0, 0),
    "back_translation": ("BackTrans", 486, 349),
    "swap_synonym_embedding": ("SwapSyn_Glove", 665, 349),
    "swap_synonym_wordnet": ("SwapSyn_WNet", 434, 349),
    "transform_tense": ("TransTense", 4199, 500),
    "no_stopwords": ("NoStopword", 859, 349),
    "swap_words": ("SwapWords", 0, 0),
}


@pytest.fixture(scope="module")
def report():
    head = f"{'generator':24} {'#Ori. rodr':>10} {'released':>9} {'ours':>6} {'difference':>10}"
    lines = [f"{head}  ignoring case and punctuation: released, ours"]
    yield lines
    print("\n" + "\n".join(lines))


def _unchanged(originals: dict[str, str], varied: dict[str, str], key=str.strip) -> int:
    return sum(key(text) == key(varied[qid]) for qid, text in originals.items())


@pytest.mark.parametrize("name", TABLE_2)
def test_unchanged_queries_beside_table_2(name, released, report):
    kind, printed, tolerance = TABLE_2[name]
    originals, theirs = released(), released(kind)
    ours = dict(variations.create(name).vary(originals.items(), 1))
    assert list(ours) == list(originals) and len(ours) == 6980
    unchanged = _unchanged(originals, ours)
    same = [_unchanged(originals, varied, neutral) for varied in (theirs, ours)]
    report.append(
        f"{name:24} {printed:10,} {_unchanged(originals, theirs):9,} {unchanged:6,} "
        f"{(unchanged - printed) / 6980:+10.1%}  {same[0]:,}, {same[1]:,}"
    )
    assert abs(unchanged - printed) <= tolerance


def test_typos_leave_the_five_queries_that_the_released_files_leave(released):
    originals = released()
    for name in ("typo", "rand_insert", "rand_delete", "rand_substitute"):
        varied = dict(variations.create(name).vary(originals.items(), 1))
        assert _unchanged(originals, varied) == 5
