"""A query rewriter before any system, which then ranks passages for the rewritten queries."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from symspellpy import SymSpell, Verbosity

from robustdr.collections.reading import read_corpus
from robustdr.core.plugins import module_named
from robustdr.core.settings import read_settings
from robustdr.retrieval.rank import Files, Ranks
from robustdr.retrieval.runs import Ranking
from robustdr.retrieval.settings import RewriteSettings as Settings
from robustdr.variations.released import paired

WORD = re.compile(r"[a-z]+")


def symspell(settings: Settings, corpus: Path) -> Callable[[str], str]:
    """A function that replaces each word that no passage contains by the nearest word of the passages.

    Of equally near words it takes the most frequent. A word without a near word stays. SymSpell (Garbe, 2012), with a
    dictionary counted from the collection's passages.
    """
    counts = Counter(word for _, text in read_corpus(corpus) for word in WORD.findall(text.lower()))
    dictionary = SymSpell(max_dictionary_edit_distance=settings.edits)
    for word in sorted(counts):  # this order decides between words of equal distance and frequency
        dictionary.create_dictionary_entry(word, counts[word])

    def corrected(match: re.Match[str]) -> str:
        if match[0] in counts:
            return match[0]
        edits = min(settings.edits, (len(match[0]) - 1) // 2)  # more would leave nothing of a short word
        suggestions = dictionary.lookup(match[0], Verbosity.TOP, max_edit_distance=edits)
        return suggestions[0].term if suggestions else match[0]

    return lambda text: WORD.sub(corrected, text.lower())


REWRITERS = {"symspell": symspell}


def rankings(
    settings: Settings, corpus: Path, files: Files, query_sets: list[dict[str, str]]
) -> Iterator[Mapping[str, Ranking]]:
    """Rank the passages for every query set after rewriting it.

    Args:
        files: inputs of the module that ranks; `corrected`: released files of the query sets as rewritten, if any.

    Raises:
        UserError: a released file has not the ids of its query set.
    """
    if corrected := files.get("corrected"):
        rewritten = [paired(path, queries, part=True) for path, queries in zip(corrected, query_sets, strict=True)]
    else:
        rewrite = REWRITERS[settings.rewriter](settings, corpus)
        rewritten = [{qid: rewrite(text) for qid, text in queries.items()} for queries in query_sets]
    module: Ranks = module_named(settings.ranks)
    yield from module.rankings(read_settings(module.Settings, json.dumps(settings.told)), corpus, files, rewritten)
