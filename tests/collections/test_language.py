"""The language and the script of queries."""

import pytest

from robustdr.collections.language import given_or_found, script
from robustdr.core.errors import UserError

QUERIES = {
    "en": ["what is the capital of france", "laminar boundary layer flow", "how do plants make sugar"],
    "de": ["Wie hoch ist die Zugspitze", "Welche Pflanzen blühen im Schatten", "Hauptstadt von Bayern"],
    "fr": ["quel est le plus grand lac", "comment les plantes font-elles du sucre"],
    "es": ["cuál es la capital de Perú", "cómo hacen azúcar las plantas"],
    "zh": ["北京有多少人口", "植物如何制造糖"],
    "ar": ["ما هي عاصمة مصر", "كيف تصنع النباتات السكر"],
}
SCRIPTS = {"zh": "Cjk", "ar": "Arabic"}


@pytest.mark.parametrize(("code", "texts"), QUERIES.items())
def test_it_is_found_from_a_few_queries_together(code, texts):
    found, said = given_or_found(None, texts)
    assert found == code and f"({code}), {SCRIPTS.get(code, 'Latin')} script" in said


def test_what_has_no_language_is_taken_for_english_and_said():
    found, said = given_or_found(None, ["q1", "42 %"])
    assert found == "en" and "not recognised (Latin script), taken for English" in said
    assert script(["42 %"]) == "" and "no letters" in given_or_found(None, ["42"])[1]


def test_the_user_decides():
    assert given_or_found("fr", QUERIES["de"])[0] == "fr"
    with pytest.raises(UserError, match="--language: 'german' is unknown"):
        given_or_found("german", QUERIES["de"])
