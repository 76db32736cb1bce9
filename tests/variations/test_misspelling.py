"""Misspellings: every rule on hand-worked queries, with chance written down, and the distributions of the choices.

A scripted choice among words is the Fisher-Yates shuffle of the eligible words: for n words, n choices, of which the
first is the word's place.
"""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustdr import variations
from robustdr.variations import edits, lexicon, misspelling

QUERY = "What is the Photosynthesis cycle"  # eligible for a typo: Photosynthesis, cycle


@pytest.mark.parametrize(
    ("edit", "word", "choices", "expected"),
    [
        (edits.insert, "cat", (0, 25), "zcat"),
        (edits.insert, "cat", (2, 1), "cabt"),
        (edits.delete, "cat", (2,), "ca"),
        (edits.substitute, "cat", (0, 2), "dat"),  # a, b, d …: c itself is left out
        (edits.substitute, "Cat", (0, 0), "aat"),
        (edits.swap_neighbours, "cat", (1,), "cta"),
        (edits.swap_neighbours, "aab", (0,), "aba"),  # only one pair differs
        (edits.on_keyboard(edits.QWERTY)["touch_letter"], "qqq", (2, 1), "qqs"),  # q touches a, s, w
        (
            edits.on_keyboard(edits.QWERTY)["touch_letter"],
            "Q1",
            (0, 0),
            "A1",
        ),  # a digit is no letter's neighbour; case stays
        (edits.touch_key, "q", (0, 0), "1"),  # 1, 2, a, s, w
        (edits.confuse, "x0x", (0, 2), "xqx"),  # 0: d, o, q; x is never confused
    ],
)
def test_an_edit(script, edit, word, choices, expected):
    assert edit(word, script(*choices)) == expected


@pytest.mark.parametrize(
    ("edit", "word", "choices"),
    [
        (edits.delete, "a", (0,)),
        (edits.swap_neighbours, "aAa", ()),
        (edits.on_keyboard(edits.QWERTY)["touch_letter"], "42", ()),
        (edits.confuse, "xx", ()),
    ],
)
def test_an_edit_that_does_not_apply(script, edit, word, choices):
    assert edit(word, script(*choices)) is None


def test_keys_touch_in_both_directions():
    touching = edits.touching_letters(edits.QWERTY)
    assert touching["q"] == "asw"
    assert touching["h"] == "bgjntuy"
    assert touching["p"] == "lo"
    assert edits.TOUCHING["p"] == "0lo"
    assert all(key in edits.TOUCHING[other] for key, others in edits.TOUCHING.items() for other in others)
    assert all(
        key in edits.CONFUSED[other] and key != other for key, others in edits.CONFUSED.items() for other in others
    )


@pytest.mark.parametrize(
    ("name", "choices", "expected"),
    [
        # the word's place and the rest of the shuffle, then the shuffle of one kind, then the edit
        ("rand_insert", (1, 0, 0, 0, 1), "What is the Photosynthesis bcycle"),
        ("rand_delete", (0, 0, 0, 0), "What is the hotosynthesis cycle"),
        ("rand_substitute", (1, 0, 0, 4, 0), "What is the Photosynthesis cycla"),
        ("swap_neighbour_chars", (1, 0, 0, 3), "What is the Photosynthesis cycel"),
        ("swap_adjacent_key", (1, 0, 0, 1, 0), "What is the Photosynthesis cgcle"),
        ("typo", (1, 0, 1, 0, 0, 0, 0, 4), "What is the Photosynthesis cycl"),  # kind 1 of five: delete
    ],
)
def test_a_typo_goes_into_one_eligible_word(script, name, choices, expected):
    assert variations.create(name).rewrite(QUERY, script(*choices)) == expected


def test_typos_go_into_so_many_words_or_such_a_share():
    query = "photosynthesis cycle of the tropical plants"  # four of six words are eligible

    def changed(**parameters):
        [(_, text)] = variations.create("typo", parameters).vary([("1", query)], 3)
        return sum(one != two for one, two in zip(query.split(), text.split(), strict=True))

    assert [changed(words=words) for words in (1, 2, 4, 9)] == [1, 2, 4, 4]
    assert [changed(share=share) for share in (0.1, 0.25, 0.5, 1.0)] == [1, 2, 3, 4]  # 0.6, 1.5, 3 and 6 words


WORDS = st.sampled_from(["the", "of", "is", "ox", "aaa", "tree", "photosynthesis", "Cycle", "not", "x", "plants", "3"])


@given(st.lists(WORDS, min_size=1, max_size=12), st.floats(0.01, 1.0), st.integers(0, 5))
def test_a_share_is_that_of_all_words_as_far_as_words_are_eligible(words, share, seed):
    """One typo a word, never in a stopword or a word below three characters, and no more than the share says."""
    [(_, text)] = variations.create("typo", {"share": share}).vary([("1", " ".join(words))], seed)
    changed = [old for old, new in zip(words, text.split(" "), strict=True) if old != new]
    eligible = [word for word in words if word not in ("the", "of", "is", "ox", "not", "x", "3")]
    assert len(changed) == min(len(eligible), int(share * len(words) + 0.5))
    assert set(changed) <= set(eligible)


@given(st.lists(WORDS, min_size=1, max_size=12))
def test_the_whole_share_leaves_no_eligible_word_as_it_is(words):
    text = " ".join(words)
    one, all_of_them = (
        dict(variations.create("typo", {"share": share}).vary([("1", text)], 1))["1"] for share in (0.01, 1.0)
    )
    eligible = sum(word not in ("the", "of", "is", "ox", "not", "x", "3") for word in words)
    assert sum(a != b for a, b in zip(words, all_of_them.split(" "), strict=True)) == eligible
    assert one == text  # 1 % of a dozen words is none


def test_short_words_and_stopwords_have_no_typos():
    for text in ("what is it", "is 3/5 of 60", "…", "who were you"):
        assert dict(variations.create("typo").vary([("1", text)], 1)) == {"1": text}


def test_typo_kinds_are_drawn_evenly():
    queries = [(str(qid), "metamorphosis") for qid in range(5000)]
    lengths = Counter(len(text) - len("metamorphosis") for _, text in variations.create("typo").vary(queries, 1))
    expected = {1: 1000, -1: 1000, 0: 3000}
    assert sum((lengths[key] - count) ** 2 / count for key, count in expected.items()) < 13.8  # 2 degrees, p = 0.001


def test_qvg_prepares_the_query_first(script):
    variation = variations.create("neighbour_char_swap")
    assert variation.rewrite("What's THE (Big) idea?", script(1, 0, 0, 0)) == "what s the big diea"
    assert variations.create("neighbour_char_swap").rewrite("What's THE?", script()) == "What's THE?"
    assert variations.create("random_char_substitution").rewrite("The CAT", script(0, 0, 0, 49)) == "the Zat"
    assert variations.create("qwerty_char_substitution").rewrite("The CAT", script(0, 0, 2, 4)) == "the cay"


@pytest.mark.parametrize(
    ("name", "choices", "expected"),
    [
        # the place among the letters m, y, c, a, t; the new character; left, right or in its place
        ("random_char", (2, 0, 0), "my acat"),
        ("random_char", (3, 0, 1), "my cabt"),  # b: a itself is left out
        ("random_char", (0, 24, 2), "zy cat"),
        ("keyboard_char", (4, 0, 2), "my ca5"),  # t touches 5, 6, f, g, h, r, y
        ("delete_char", (0,), "y cat"),
    ],
)
def test_capot_characters(script, name, choices, expected):
    assert variations.create(name).rewrite("my cat", script(*choices)) == expected


def test_capot_places_noise_left_right_and_at_the_character_evenly():
    queries = [(str(qid), "aaaa") for qid in range(3000)]
    lengths = Counter(len(text) for _, text in variations.create("random_char").vary(queries, 1))
    assert abs(lengths[4] - 1000) < 110 and abs(lengths[5] - 2000) < 110
    assert dict(variations.create("delete_char").vary([("1", "a?")], 1)) == {"1": "a?"}


def test_misspell_draws_one_of_four_kinds(script):
    misspell = variations.create("misspell")
    # two words shuffled, four kinds shuffled, then the edit of the first kind
    assert misspell.rewrite("cod soup", script(0, 0, 0, 0, 0, 0, 1, 0)) == "c0d soup"  # OCR: o
    assert misspell.rewrite("cod soup", script(1, 0, 1, 0, 0, 0, 3, 0)) == "cod sou0"  # keyboard: p touches 0
    known = lexicon.misspellings()["beautiful"]
    assert "beatiful" in known
    at = known.index("beatiful")
    assert misspell.rewrite("Beautiful", script(0, 2, 0, 0, 0, at)) == "Beatiful"
    assert misspell.rewrite("cod", script(0, 3, 0, 0, 0, 1, 0, 0, 0, 2)) == "co"  # typo: deletion of place 2


def test_misspell_falls_back_to_another_kind(script):
    # spelling first (not listed), then ocr (x is confused with nothing), keyboard applies
    assert "xx" not in lexicon.misspellings()
    assert variations.create("misspell").rewrite("xx", script(0, 2, 1, 0, 0, 0, 0)) == "cx"


def test_the_released_variant_draws_capitals_digits_and_symbols_of_neighbouring_keys(script):
    released = variations.create("misspell", {"variant": "released"})
    # two words shuffled, the one of four characters first; its place; then the character and the key
    assert edits.TOUCHING_SHIFTED["w"] == "23adeqs@#ADEQS"
    assert released.rewrite("cod soup", script(0, 0, 3, 0)) == "cod sou0"  # p touches 0
    assert released.rewrite("cod soup", script(0, 0, 3, 3)) == "cod sou)"  # and 0 with the shift key
    assert released.rewrite("cod soup", script(0, 0, 3, 5)) == "cod souO"


def test_the_released_variant_leaves_short_words_alone_if_a_longer_one_is_there():
    """Of keys inside the keyboard half are shifted, as in the released set; a word below four characters comes last."""
    queries = [(str(qid), "who is a metamorphosis 12") for qid in range(500)]
    pressed = []
    for _, text in variations.create("misspell", {"variant": "released"}).vary(queries, 1):
        assert text.startswith("who is a ") and text.endswith(" 12")
        [(old, new)] = [pair for pair in zip("metamorphosis", text.split()[3], strict=True) if pair[0] != pair[1]]
        assert new in edits.TOUCHING_SHIFTED[old]
        pressed.append(new)
    capitals, letters, digits = (sum(map(of, pressed)) for of in (str.isupper, str.islower, str.isdigit))
    assert 150 < capitals < 300 and 150 < letters < 300 and 10 < digits < 100 and capitals + letters + digits < 490
    short = dict(variations.create("misspell", {"variant": "released"}).vary([("1", "who is")], 1))["1"]
    assert len(short) == 6 and short != "who is"


def test_human_misspellings_come_from_the_list_or_from_its_slips():
    listed = lexicon.misspellings(ambiguous=True)
    assert "definition" in listed and "photon" not in listed
    queries = [(str(qid), "The Definition of it") for qid in range(50)]
    found = {text.split()[1] for _, text in variations.create("human_misspelling").vary(queries, 1)}
    assert found == {wrong.capitalize() for wrong in listed["definition"]}
    assert {"phonton", "phioton"} < {*misspelling.human("photon")}
    for text in ("x-ray 12", "what is it", "of 60 …"):
        assert dict(variations.create("human_misspelling").vary([("1", text)], 1)) == {"1": text}


LISTED = {"field": ("feild",), "chield": ("cheild",), "cotton": ("coton",)}


def test_a_slip_changes_what_stands_between_the_same_letters(monkeypatch):
    monkeypatch.setattr(
        lexicon, "misspellings", lambda ambiguous=False: LISTED if ambiguous else {"shielder": ("sheilder",)}
    )
    for cached in (misspelling.human, misspelling._slips):
        cached.cache_clear()
    try:
        assert misspelling.human("field") == ("feild",)  # listed
        assert misspelling.human("shield") == ("sheild",)  # i and e change places between h or f and l
        assert misspelling.human("piety") == ()  # p has other letters around
        assert misspelling.human("shielder") == ()  # what would come of it is trained on
        assert misspelling.human("button") == ("buton",) and misspelling.human("mutter") == ()
        assert misspelling.human("shielder", learned=True) == ("sheilder",)
        assert misspelling.human("field", learned=True) == ()  # evaluated on
    finally:
        for cached in (misspelling.human, misspelling._slips):
            cached.cache_clear()


def test_no_misspelling_is_both_trained_and_evaluated_on():
    trained, evaluated = lexicon.misspellings(), lexicon.misspellings(ambiguous=True)
    assert len(evaluated) > 7000
    assert not {w for wrong in trained.values() for w in wrong} & {w for wrong in evaluated.values() for w in wrong}
    for word in [*trained][::100]:
        assert not set(misspelling.human(word)) & {word, *trained[word]}
    words = [*trained][::100] + [*evaluated][::100] + ["photon", "counter", "criminal"]
    assert sum(bool(misspelling.human(word, learned=True)) for word in words) > len(words) / 2
    for word in words:
        assert not set(misspelling.human(word)) & set(misspelling.human(word, learned=True))
