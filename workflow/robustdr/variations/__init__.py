"""Query variation generators: one registry, `create` to make one, `run` to vary a file.

A generator is named `family:Class`; families are imported when a generator of theirs is made, so that importing this
package loads neither models nor lexical data.
"""

import re
from collections.abc import Sequence
from inspect import getdoc
from pathlib import Path
from typing import Any, NamedTuple

from robustdr.core.errors import UserError, unknown
from robustdr.variations.base import Variation, build, find

REGISTRY = {
    "original": "surface:Original",
    # toroder, after Zhuang & Zuccon
    "rand_insert": "typos:RandInsert",
    "rand_delete": "typos:RandDelete",
    "rand_substitute": "typos:RandSubstitute",
    "swap_neighbour_chars": "typos:SwapNeighbourChars",
    "swap_adjacent_key": "typos:SwapAdjacentKey",
    "typo": "typos:Typo",
    # rodr
    "misspell": "misspelling:Misspell",
    "extra_punctuation": "surface:ExtraPunctuation",
    "back_translation": "translation:BackTranslation",
    "swap_synonym_embedding": "synonyms:SwapSynonymEmbedding",
    "swap_synonym_wordnet": "synonyms:SwapSynonymWordnet",
    "transform_tense": "morphology:TransformTense",
    "no_stopwords": "surface:NoStopwords",
    "swap_words": "surface:SwapWords",
    "released": "released:Released",  # on ANTIQUE
    # qvg
    "neighbour_char_swap": "typos:NeighbourCharSwap",
    "random_char_substitution": "typos:RandomCharSubstitution",
    "qwerty_char_substitution": "typos:QwertyCharSubstitution",
    "remove_stopwords": "surface:RemoveStopwords",
    "t5_description_to_title": "paraphrase:T5DescriptionToTitle",
    "random_order_swap": "surface:RandomOrderSwap",
    "back_translation_m2m": "translation:BackTranslationM2M",
    "t5_qqp_paraphrase": "paraphrase:T5QqpParaphrase",
    "embedding_synonym_swap": "synonyms:EmbeddingSynonymSwap",
    "wordnet_synonym_swap": "synonyms:WordnetSynonymSwap",
    # capot; its back-translation is rodr's
    "determiner": "morphology:Determiner",
    "synonym": "synonyms:Synonym",
    "lemmatise": "morphology:Lemmatise",
    "stem": "morphology:Stem",
    "random_char": "typos:RandomChar",
    "keyboard_char": "typos:KeyboardChar",
    "delete_char": "typos:DeleteChar",
    "reorder_words": "surface:ReorderWords",
    "paraphrase_t5_paws": "paraphrase:ParaphraseT5Paws",
    "llm": "llm:Llm",  # intent
    # people's misspellings: DL-Typo's, and those in place of them
    "typed": "released:Typed",
    "human_misspelling": "misspelling:HumanMisspelling",
    "human_misspelling_learned": "misspelling:LearnedMisspelling",
}


class Drawn(NamedTuple):
    """What the name of a query set says: a generator, parameters in place of its own, and the number of the draw."""

    generator: str
    parameters: dict[str, Any]
    draw: int


QUERY_SET = re.compile(r"(\w+?)(?:\.share(\d+))?(?:\.version(\d+))?(?:\.draw(\d+))?")


def drawn(query_set: str) -> Drawn:
    """Read `<generator>[.share<percent>][.version<n>][.draw<n>]`.

    E.g. `typo.share40` is a typo in 40 % of a query's words, `llm.version1` the first of the versions that train.

    Raises:
        UserError: another name.
    """
    if not (found := QUERY_SET.fullmatch(query_set)):
        raise UserError(f"{query_set!r}; allowed: <variation>[.share<percent>][.version<n>][.draw<n>]")
    name, share, version, draw = found.groups()
    parameters = {"share": share and int(share) / 100, "version": version and int(version)}
    return Drawn(name, {key: value for key, value in parameters.items() if value is not None}, int(draw or 1))


def names() -> list[str]:
    """All generators, in the order of their papers."""
    return list(REGISTRY)


def kind(name: str) -> type[Variation]:
    """The class behind `name`.

    Raises:
        UserError: `name` is not registered (nearest names first).
    """
    if name not in REGISTRY:
        raise unknown("variation", name, REGISTRY)
    return find(REGISTRY[name])


def create(name: str, parameters: dict[str, Any] | None = None) -> Variation:
    """Make the generator `name` with its default parameters, overridden by `parameters`.

    Raises:
        UserError: an unknown name or parameter, a value that is not allowed, or a resource that is not installed.
    """
    variation = build(kind(name), parameters or {})
    variation.check()
    return variation


def run(
    queries: str | Path,
    output: Path,
    statistics: Path | None,
    name: str,
    parameters: dict[str, Any] | None = None,
    seed: int = 0,
    tokenizer: Path | None = None,
    workers: int = 1,
    models: Sequence[Path] = (),
) -> None:
    """Vary a file of queries; see `robustdr.variations.runner.run`.

    Args:
        queries: a TSV or .jsonl file, or `irds:<id>`.
        name: the generator; `parameters` override its defaults.
        models: sentence-transformers folders for the semantic similarity.

    Raises:
        UserError: what `create`, `queries.read` and `runner.run` report.
    """
    from robustdr.variations import runner
    from robustdr.variations.queries import read
    from robustdr.variations.similarity import Similarity

    variation, encoders = create(name, parameters), {model.name: Similarity(model) for model in models}
    variation.fetch(originals := read(queries))
    runner.run(originals, output, statistics, variation, seed, tokenizer, workers, encoders)


def catalogue() -> list[dict[str, Any]]:
    """Every generator: name, category, papers, needs, parameters with their defaults, and the rule."""
    return [
        {
            "name": name,
            "category": found.category,
            "papers": list(found.papers),
            "needs": found.needs,
            "parameters": build(found, {}).parameters,
            "rule": getdoc(found),
        }
        for name, found in ((name, kind(name)) for name in REGISTRY)
    ]
