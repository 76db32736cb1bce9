"""Rules for German, French and Spanish queries; what is for English alone is refused by name."""

import pytest

from robustdr import variations
from robustdr.cli import main
from robustdr.core.errors import UserError
from robustdr.core.files import read_queries
from robustdr.variations import edits
from robustdr.variations.base import build
from robustdr.variations.languages import LANGUAGES, spoken


def of(name, language):
    return variations.create(name, spoken(name, language))


@pytest.mark.parametrize(
    ("code", "key", "near"),
    [("de", "z", "ghtu"), ("de", "ä", "öü"), ("fr", "a", "qzé"), ("fr", "m", "lù"), ("es", "ñ", "lp")],
)
def test_letters_touch_as_on_the_keyboard_of_the_language(code, key, near):
    """By hand from the layouts: QWERTZ, AZERTY, and the Spanish QWERTY."""
    assert set(near) <= set(edits.touching_letters(LANGUAGES[code].keyboard)[key])
    assert "y" not in edits.touching_letters(LANGUAGES["de"].keyboard)["t"]  # z lies between t and u


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("de", "Wie hoch ist die Zugspitze", "hoch Zugspitze"),
        ("fr", "Où est le siège de l'ONU", "Où siège ONU"),
        ("fr", "qu'est une éclipse", "éclipse"),
        ("fr", "aujourd'hui", "aujourd'hui"),
        ("es", "cuál es la capital de Perú", "cuál capital Perú"),
        ("en", "what is the height of it", "height"),
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


def test_chinese_and_arabic_keep_what_needs_no_language():
    of_papers = [kind for kind in map(variations.kind, variations.names()) if kind.papers]
    speaks = {code: {kind.name for kind in of_papers if kind.speaks(code)} for code in ("zh", "ar")}
    assert speaks["zh"] == {"original", "extra_punctuation"}
    assert speaks["ar"] == {*speaks["zh"], "swap_words", "random_order_swap", "reorder_words"}


def test_vary_finds_the_language(tmp_path, capsys):
    (tmp_path / "queries.tsv").write_text("1\tWie hoch ist die Zugspitze\n2\tWelche Pflanzen blühen im Schatten\n")
    asked = ["vary", str(tmp_path / "queries.tsv"), "-o", str(tmp_path / "out.tsv"), "--variation"]
    assert main([*asked, "no_stopwords"]) == 0
    assert read_queries(tmp_path / "out.tsv") == {"1": "hoch Zugspitze", "2": "Pflanzen blühen Schatten"}
    assert "German (de), Latin script" in capsys.readouterr().err
    assert main([*asked, "determiner"]) == 2 and "not for German queries" in capsys.readouterr().err
    assert main([*asked, "determiner", "--language", "en"]) == 0
