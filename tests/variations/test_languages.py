"""Rules for queries of many languages; what does not apply to a language is refused by name."""

from unicodedata import category, is_normalized, name

import pytest

from robustdr import variations
from robustdr.cli import main
from robustdr.core.errors import UserError
from robustdr.core.files import read_queries
from robustdr.own import REALISTIC
from robustdr.variations import edits
from robustdr.variations.base import build
from robustdr.variations.languages import keyboard, lower, spoken

QUESTIONS = {
    "ar": "ما هي عاصمة المغرب وأكبر مدنه؟",
    "bg": "Коя е най-високата планина в България?",
    "bn": "বাংলাদেশের রাজধানী কোথায় অবস্থিত?",
    "ca": "On és l'origen de l'aigua del riu Ebre?",
    "cs": "Jak vysoká je Sněžka a kde leží?",
    "da": "Hvor høj er Rundetårn i København?",
    "de": "Wie hoch ist die Zugspitze über dem Meer?",
    "el": "Ποια είναι η πρωτεύουσα της Ελλάδας;",
    "es": "¿Cuál es la capital de Perú y cuántos habitantes tiene?",
    "fa": "پایتخت ایران کجا می\u200cباشد و چند نفر جمعیت دارد؟",
    "fi": "Mikä on Suomen pääkaupunki?",
    "fr": "Où est le siège de l'ONU à Genève?",
    "he": "מהי בירת ישראל ומהו גודלה?",
    "hi": "भारत की राजधानी क्या है और कहाँ स्थित है?",
    "hu": "Mi Magyarország fővárosa?",
    "id": "Apa ibu kota Indonesia sekarang?",
    "it": "Qual è l'altezza dell'Etna in Sicilia?",
    "ja": "日本の首都はどこですか？",
    "ko": "대한민국의 수도는 어디입니까?",
    "nl": "Wat is de hoofdstad van Nederland?",
    "no": "Hvor høyt er Galdhøpiggen i meter?",
    "pl": "Jaka jest najdłuższa rzeka w Polsce?",
    "pt": "Qual é a população de São Paulo?",
    "ro": "Care este capitala României și cât de mare e?",
    "ru": "Какая самая длинная река в России?",
    "sv": "Vad är Sveriges huvudstad och hur stor är den?",
    "sw": "Mji mkuu wa Kenya ni upi?",
    "te": "భారతదేశ రాజధాని ఏది మరియు ఎక్కడ ఉంది?",
    "th": "เมืองหลวงของประเทศไทยคืออะไร",
    "tr": "İstanbul hangi ILIK denizin kıyısında?",
    "uk": "Яка столиця України і де її річка?",
    "ur": "پاکستان کا دارالحکومت کیا ہے؟",
    "vi": "Thủ đô của Việt Nam là gì?",
    "yo": "Kí ni orúkọ olú ìlú Nàìjíríà, ṣé ẹ́ mọ̀?",
    "zh": "中国的首都是哪里？iPhone 15 多少钱？",
}
# A wordnet as Open Multilingual Wordnet publishes them; its lemmas are from the Italian question.
WORDNET = """# A wordnet\tit\thttps://example.org\tCC BY 4.0
05124057-n\tita:lemma\taltezza
05124057-n\tita:lemma\tstatura
05124057-n\tita:lemma\televatezza_massima
05124057-n\tita:def\t0\tquanto una cosa è alta
00001740-n\tlemma\tentità
"""


def scripts(text):
    return {name(letter).split()[0] for letter in text if letter.isalpha()}


def of(name, language):
    return variations.create(name, spoken(name, language))


@pytest.mark.parametrize(
    ("code", "key", "near"),
    [
        ("de", "z", "ghtu"),
        ("de", "ä", "öü"),
        ("fr", "a", "qzé"),
        ("fr", "m", "lù"),
        ("es", "ñ", "lp"),
        ("ru", "а", "впкесм"),
        ("uk", "і", "фвцуяч"),
        ("el", "σ", "αδςες"),
        ("he", "ש", "ד"),
        ("ar", "ب", "يلقفر"),
        ("tr", "ş", "lipoğç"),
        ("hi", "क", "रतगद"),
        ("th", "ก", "หดพไ"),
        ("cs", "z", "tghu"),
        ("sv", "å", "pöä"),
        ("nl", "q", "wa"),
    ],
)
def test_letters_touch_as_on_the_keyboard_of_the_language(code, key, near):
    """By hand from pictures of the layouts."""
    assert set(near) <= set(edits.touching_letters(keyboard(code))[key])
    assert "y" not in edits.touching_letters(keyboard("de"))["t"]  # z lies between t and u


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("de", "Wie hoch ist die Zugspitze", "hoch Zugspitze"),
        ("fr", "Où est le siège de l'ONU", "Où siège ONU"),
        ("fr", "qu'est une éclipse", "éclipse"),
        ("fr", "aujourd'hui", "aujourd'hui"),
        ("es", "cuál es la capital de Perú", "cuál capital Perú"),
        ("en", "what is the height of it", "height"),
        ("it", "Qual è l'altezza dell'Etna", "Qual altezza Etna"),
        ("ca", "On és l'origen de l'aigua", "origen aigua"),
        ("ru", "Какая самая длинная река в России", "самая длинная река России"),
        ("pl", "Jaka jest najdłuższa rzeka w Polsce", "Jaka najdłuższa rzeka Polsce"),
        ("hi", "भारत की राजधानी", "भारत राजधानी"),
        ("tr", "İçin Türkiye ve İstanbul", "Türkiye İstanbul"),
        ("fa", "پایتخت ایران است", "پایتخت ایران"),
    ],
)
def test_stop_words_are_those_of_the_language(script, code, text, expected):
    assert of("no_stopwords", code).rewrite(text, script()) == expected


def test_a_word_that_is_a_stop_word_elsewhere_gets_typos():
    """ "die" is an English verb and a German article; "hoch" is a word in both."""
    queries = [(str(number), "die hoch") for number in range(60)]
    assert {text.split()[0] for _, text in of("typo", "de").vary(queries, 1)} == {"die"}
    assert {text.split()[0] for _, text in of("typo", "en").vary(queries, 1)} > {"die"}


def test_random_letters_are_those_of_the_language():
    queries = [(str(number), "xxxxxx") for number in range(400)]
    for code, own in {"de": "äöüß", "fr": "éèàçù", "es": "ñ", "en": ""}.items():
        drawn = set("".join(text for _, text in of("rand_substitute", code).vary(queries, 1)))
        assert drawn == {*"abcdefghijklmnopqrstuvwxyz", *own}


def test_english_is_implied():
    """The parameters and the texts of English queries are as if there were no other language."""
    english = variations.create("typo", {"language": "en"})
    assert english.parameters == {"words": 1, "share": 0.0} == build(variations.kind("typo"), {}).parameters
    assert of("typo", "de").parameters == {"language": "de", "words": 1, "share": 0.0}
    assert dict(english.vary([("1", "photosynthesis cycle")], 3)) == {"1": "photosynthesis cucle"}


@pytest.mark.parametrize("name", ["determiner", "lemmatise", "synonym", "misspell", "transform_tense", "stem"])
def test_a_rule_for_english_alone_is_refused_by_name(name):
    with pytest.raises(UserError, match=rf"variation {name}: not for German queries \(de\).*allowed: original, .*typo"):
        spoken(name, "de")


@pytest.mark.parametrize("code", QUESTIONS)
def test_a_varied_question_keeps_its_script_its_form_and_its_marks(code):
    """Of each generator that knows the language, over fifty draws."""
    question = QUESTIONS[code]
    changed = set()
    for generator in variations.names():
        kind = variations.kind(generator)
        if not kind.speaks(code) or generator in ("original", "logged", "released", "swap_synonym_omw"):
            continue
        for _, text in of(generator, code).vary([(str(number), question) for number in range(50)], 1):
            changed |= {generator} if text != question else set()
            assert scripts(text) <= scripts(question), (generator, text)
            assert is_normalized("NFC", text), (generator, text)
            marked = zip(" " + text, text, strict=False)
            torn = [second for first, second in marked if category(second)[0] == "M" and first.isspace()]
            assert not torn, (generator, text)
            removed = [mark for mark in question if category(mark)[0] == "M"]
            if generator in ("swap_adjacent_key", "swap_words", "swap_neighbour_chars"):
                assert sorted(removed) == sorted(mark for mark in text if category(mark)[0] == "M"), (generator, text)
    assert "case_punctuation" in changed
    assert ("swap_adjacent_key" in changed) == (code not in ("ja", "ko", "zh"))
    assert ("swap_words" in changed) == ("dropped_blank" in changed) == (code not in ("ja", "th", "zh"))


def test_at_least_ten_languages_have_a_keyboard_stop_words_order_and_case():
    needed = ("swap_adjacent_key", "no_stopwords", "swap_words", "dropped_blank", "case_punctuation")
    complete = [code for code in QUESTIONS if all(variations.kind(generator).speaks(code) for generator in needed)]
    assert {*QUESTIONS} - {*complete} == {"ja", "ko", "sw", "th", "zh"}
    assert {generator for generator in REALISTIC if variations.kind(generator).speaks("zh")} == {"case_punctuation"}


def test_a_latin_word_gets_slips_of_the_latin_keyboard():
    """A word of a third script gets none."""
    queries = [(str(number), "iPhone") for number in range(40)]
    slips = {text for _, text in of("typo", "ru").vary(queries, 1)}
    assert len(slips) > 20 and all(scripts(text) == {"LATIN"} for text in slips)
    assert {text for _, text in of("typo", "ru").vary([("1", "ελλάδα")], 1)} == {"ελλάδα"}


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("tr", "İstanbul ILIK mı?", "istanbul ılık mı"),
        ("tr", "istanbul nerede", "İstanbul nerede?"),
        ("ar", "ما هي عاصمة المغرب؟", "ما هي عاصمة المغرب"),
        ("ar", "ما هي عاصمة المغرب", "ما هي عاصمة المغرب؟"),
        ("zh", "首都是哪里？", "首都是哪里"),
        ("ja", "首都はどこ", "首都はどこ？"),
        ("el", "ποια είναι", "Ποια είναι;"),
    ],
)
def test_case_and_punctuation_are_those_of_the_language(script, code, text, expected):
    assert of("case_punctuation", code).rewrite(text, script()) == expected


def test_lower_case_has_no_dot_of_its_own():
    assert lower("İIi", "tr") == "iıi" and lower("İ", "en") != "i"


def test_synonyms_come_from_a_wordnet_of_the_language(tmp_path):
    file = tmp_path / "wn-data-ita.tab"
    file.write_text(WORDNET, encoding="utf-8")
    parameters = {"file": str(file), "language": "it"}
    variation = variations.create("swap_synonym_omw", parameters)
    assert variation.resource == "A wordnet · it · https://example.org · CC BY 4.0"
    question = "altezza massima dell'Etna"
    texts = {text for _, text in variation.vary([(str(number), question) for number in range(20)], 1)}
    assert texts == {"statura massima dell'Etna", "elevatezza massima massima dell'Etna"}
    with pytest.raises(UserError, match=r"has the SHA-256 .*; the configuration pins"):
        variations.create("swap_synonym_omw", {**parameters, "sha256": 64 * "0"})
    (no_table := tmp_path / "table").write_text("no table\n")
    with pytest.raises(UserError, match="no lemmas; allowed: a table of Open Multilingual Wordnet"):
        variations.create("swap_synonym_omw", {**parameters, "file": str(no_table)})
    with pytest.raises(UserError, match="`evaluate --wordnet` names one"):
        variations.create("swap_synonym_omw", {"language": "it"})
    with pytest.raises(UserError, match="not for English queries"):
        spoken("swap_synonym_omw", "en")


def test_vary_finds_the_language(tmp_path, capsys):
    (tmp_path / "queries.tsv").write_text("1\tWie hoch ist die Zugspitze\n2\tWelche Pflanzen blühen im Schatten\n")
    asked = ["vary", str(tmp_path / "queries.tsv"), "-o", str(tmp_path / "out.tsv"), "--variation"]
    assert main([*asked, "no_stopwords"]) == 0
    assert read_queries(tmp_path / "out.tsv") == {"1": "hoch Zugspitze", "2": "Pflanzen blühen Schatten"}
    assert "German (de), Latin script" in capsys.readouterr().err
    assert main([*asked, "determiner"]) == 2 and "not for German queries" in capsys.readouterr().err
    assert main([*asked, "determiner", "--language", "en"]) == 0


@pytest.mark.parametrize(
    ("language", "pins", "resource"),
    [
        ("en", ("bm25s==0.3.16",), "NLTK's list of stopwords (bm25s==0.3.16)"),
        ("ca", ("spacy==3.8.18",), "spaCy's list of stopwords (spacy==3.8.18)"),
        ("th", ("bm25s==0.3.16",), "nothing"),
    ],
)
def test_the_list_of_stop_words_that_is_read_is_named_and_in_the_key(language, pins, resource):
    typo = variations.create("typo", spoken("typo", language))
    assert (typo.pins, typo.resource) == (pins, resource)
    assert variations.create("case_punctuation", spoken("case_punctuation", language)).pins == ()
