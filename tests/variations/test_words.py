"""Synonyms, word forms and determiners: the exact rules, with the lexical data that they stand on."""

import hashlib

import pytest

from robustdr import variations
from robustdr.core.errors import UserError
from robustdr.encoding import wordvectors
from robustdr.variations import lexicon, vectors
from robustdr.variations.morphology import other_forms


def vary(name: str, texts: list[str], seed: int = 1, **parameters) -> list[str]:
    queries = [(str(qid), text) for qid, text in enumerate(texts)]
    return [text for _, text in variations.create(name, parameters).vary(queries, seed)]


def test_lemmas_are_those_of_morphy():
    assert lexicon.lemmas("churches") == (("church", "n"), ("church", "v"))
    assert lexicon.lemmas("women") == (("woman", "n"),)
    assert {lemma for lemma, _ in lexicon.lemmas("better")} == {"better", "good", "well"}
    assert ("define", "v") in lexicon.lemmas("defined")
    assert lexicon.lemmas("qwzx") == ()


def test_synonyms_are_ordered_and_exclude_the_words_own_lemmas():
    # lasting and the next two share one synset with durable, long-wearing another, indestructible a third
    assert lexicon.synonyms("durable") == (
        "lasting", "long-lasting", "long-lived", "long-wearing", "indestructible", "perdurable", "undestroyable"
    )  # fmt: skip
    assert lexicon.synonyms("churches") == ("Christian church", "church building", "church service")
    assert "imbibe" in lexicon.synonyms("drinking")
    assert not {"drinking", "drink"} & set(lexicon.synonyms("drinking"))
    assert lexicon.synonyms("photosynthesis") == ()
    assert all(word.lower() != "who" for word in lexicon.synonyms("who"))


def test_one_content_word_becomes_a_wordnet_synonym():
    [text] = set(vary("swap_synonym_wordnet", ["what is the jaw"]))
    assert text.removeprefix("what is the ") in lexicon.synonyms("jaw")
    assert vary("swap_synonym_wordnet", ["what is photosynthesis"]) == ["what is photosynthesis"]
    texts = vary("swap_synonym_wordnet", ["who can do it"] * 30)
    assert set(texts) == {"who can do it"}
    assert len(set(vary("swap_synonym_wordnet", ["who can do it"] * 30, variant="released"))) > 5


def test_qvg_takes_the_first_synonym():
    assert set(vary("wordnet_synonym_swap", ["Durable!"] * 20)) == {"lasting"}
    texts = vary("wordnet_synonym_swap", ["Durable!"] * 80, variant="released")
    assert set(texts) == set(lexicon.synonyms("durable"))


def test_capot_takes_synonyms_of_one_word():
    single = {word for word in lexicon.synonyms("father") if " " not in word}
    assert single < set(lexicon.synonyms("father"))
    assert set(vary("synonym", ["father"] * 200)) == single


def test_vectors_are_sorted_by_cosine_among_words_of_the_same_speech():
    known = vectors.load(40_000)
    near = known.neighbours("brother", 10, 0.6)
    assert {"father", "son", "uncle"} <= set(near) and "brothers" not in near
    assert known.neighbours("brother", 3, 0.6) == near[:3]
    assert known.neighbours("brother", 10, 0.99) == []
    assert known.neighbours("qwzx", 10, 0.0) == []
    words, matrix = wordvectors.read_glove()
    cosines = [_cosine(matrix[words.index("brother")], matrix[words.index(word)]) for word in near]
    assert cosines == sorted(cosines, reverse=True) and cosines[-1] >= 0.6


def _cosine(one, two) -> float:
    return float(one @ two / (one @ one * (two @ two)) ** 0.5)


def test_one_content_word_becomes_its_neighbour():
    near = set(vectors.load(40_000).neighbours("brother", 10, 0.75))
    texts = vary("swap_synonym_embedding", ["who is my brother"] * 40)
    assert {text.removeprefix("who is my ") for text in texts} == near
    assert vary("swap_synonym_embedding", ["who is it"]) == ["who is it"]


VECTORS = "father 1 0 0\nbrother 0.9 0.1 0\nuncle 0.8 0.3 0\ncar 0 1 0\nrun 0.95 0 0\nqwzx 1 0 0\n"


def test_vectors_of_a_file(tmp_path):
    file = tmp_path / "vectors.txt"
    file.write_text(VECTORS)
    digest = hashlib.sha256(VECTORS.encode()).hexdigest()
    known = vectors.load(1000, str(file), digest)
    assert known.neighbours("father", 5, 0.8) == [
        "run",
        "brother",
        "uncle",
    ]  # cosines 1, .994, .936; father is a verb too
    texts = vary("embedding_synonym_swap", ["My father!"] * 30, file=str(file), sha256=digest)
    assert set(texts) == {"my run", "my brother", "my uncle"}
    resource = variations.create("embedding_synonym_swap", {"file": str(file), "sha256": digest}).resource
    assert resource == f"word vectors in vectors.txt (sha256 {digest})"
    unpinned = variations.create("embedding_synonym_swap", {"file": str(file)})
    assert unpinned.resource == "word vectors in vectors.txt" and unpinned.files == [file]  # the key covers its bytes
    assert variations.create("embedding_synonym_swap").resource.startswith("stand-in for counter-fitted vectors: GloVe")


@pytest.mark.parametrize(
    ("text", "message"),
    [("cat 1 x\n", r":1: not a vector"), ("cat 1 2\ndog 1\n", r":2: 1 numbers, but 2"), ("cat\n", r":1: 0 numbers")],
)
def test_a_bad_vector_file_is_named(tmp_path, text, message):
    file = tmp_path / "vectors.txt"
    file.write_text(text)
    with pytest.raises(UserError, match=message):
        vectors.load(1000, str(file), hashlib.sha256(text.encode()).hexdigest())
    with pytest.raises(UserError, match=r"sha256 is \w+, not 00"):
        vectors.load(1000, str(file), "0" * 64)


def test_forms_of_verbs():
    assert other_forms("defined") == ("define", "defines", "defining")
    assert other_forms("was") == ("am", "are", "be", "been", "being", "is", "were")
    assert other_forms("photosynthesis") == ()


def test_one_verb_takes_another_form():
    texts = vary("transform_tense", ["what happens when stop drinking alcohol"] * 60)
    happens = {f"what {form} when stop drinking alcohol" for form in ("happen", "happened", "happening")}
    assert happens <= set(texts)
    assert "what happens when stop drinking alcohol" not in texts
    assert vary("transform_tense", ["what is photosynthesis", "Has it?", ""]) == [
        "what is photosynthesis",
        "Has it?",
        "",
    ]
    assert vary("transform_tense", ["what is photosynthesis"], fixed="are") != ["what is photosynthesis"]
    assert all(text[0].isupper() for text in vary("transform_tense", ["Drinking"] * 5))


def test_determiners_stand_left_or_right_of_noun_phrases():
    texts = set(vary("determiner", ["what is the big dog"] * 80))
    words = ("a", "an", "the", "this", "that")
    assert texts == {f"what is {word} the big dog" for word in words} | {
        f"what is the big dog {word}" for word in words
    }
    assert vary("determiner", ["why not"]) == ["why not"]


def test_up_to_five_words_lose_their_inflection():
    assert vary("lemmatise", ["who plays Women churches"]) == ["who play woman church"]
    query = "dogs cats goats pigs hens ducks"
    [text] = vary("lemmatise", [query])
    assert sum(one != two for one, two in zip(query.split(), text.split(), strict=True)) == 5
    assert vary("lemmatise", [query], words=6) == ["dog cat goat pig hen duck"]
    assert vary("stem", ["recorded ponies café", "x"]) == ["record poni café", "x"]  # Porter: ponies, poni
    assert vary("stem", ["what is known as gas"]) == ["what is known as ga"]  # Porter alone: i, a


HINDI = ["हिन्दी भाषा का इतिहास", "दिल्ली में मौसम कैसा है", "विश्व का सबसे ऊँचा पर्वत कौन सा है"]


@pytest.mark.parametrize("name", ["swap_words", "reorder_words", "random_order_swap"])
def test_word_order_keeps_words_with_marks_whole(name):
    for text, varied in zip(HINDI * 9, vary(name, HINDI * 9), strict=True):
        assert sorted(varied.split()) == sorted(text.split()) and varied != text


@pytest.mark.parametrize("name", ["typo", "rand_delete", "swap_neighbour_chars", "misspell"])
@pytest.mark.parametrize("mark", ["'", "’", "ʼ"])
def test_a_stop_word_is_one_whatever_its_apostrophe(name, mark):
    """Typos leave stop words alone; a misspelling of people may have them, alike for each apostrophe."""
    text = f"why don{mark}t cats swim"
    assert name == "misspell" or all(f"don{mark}t" in varied for varied in vary(name, [text] * 60))


def test_without_stop_words_whatever_the_apostrophe():
    straight, curly = (
        [text.replace("’", "'") for text in vary("no_stopwords", [f"why don{mark}t they swim", f"they{mark}ve a cat"])]
        for mark in "'’"
    )
    assert straight == curly


def test_no_verb_form_before_a_negation():
    for mark in "'’":
        varied = set(vary("transform_tense", [f"why don{mark}t cats swim"] * 30))
        assert all(f"don{mark}t" in text for text in varied)
