"""TextAttack's variations of a file of queries, for `bench_variations.py`; runs in TextAttack's own environment.

`python reference_textattack.py queries.tsv wordnet-folder stopwords.json out.json`: writes, for every transformation,
the queries per second and the varied texts.
"""

import json
import os
import random
import string
import sys
import tempfile
import time
from pathlib import Path
from unittest.mock import MagicMock


def lexical_data(folder: Path, wordnet: Path, stopwords: list[str]) -> None:
    """Lay out the same lexical data as ours the way NLTK wants it, instead of its download."""
    (folder / "corpora" / "stopwords").mkdir(parents=True)
    (folder / "corpora" / "stopwords" / "english").write_text("\n".join(stopwords) + "\n")
    (folder / "corpora" / "omw-1.4").mkdir()
    (folder / "corpora" / "wordnet").mkdir()
    for path in wordnet.iterdir():  # NLTK seeks by byte offsets, which are right without CR only
        (folder / "corpora" / "wordnet" / path.name).write_bytes(path.read_bytes().replace(b"\r\n", b"\n"))
    os.environ["NLTK_DATA"] = str(folder)


def main(queries: str, wordnet: str, stopwords: str, out: str) -> None:
    folder = Path(tempfile.mkdtemp())
    lexical_data(folder, Path(wordnet), json.loads(Path(stopwords).read_text()))
    for module in ("flair", "flair.data", "flair.models"):  # a tagger that none of these transformations uses
        sys.modules[module] = MagicMock()
    import nltk
    import numpy

    nltk.download = lambda *arguments, **options: True
    from textattack import transformations as swaps
    from textattack.augmentation import Augmenter
    from textattack.constraints.pre_transformation import MinWordLength, StopwordModification

    letters = {"letters_to_insert": string.ascii_lowercase}
    kinds = {
        "rand_insert": swaps.WordSwapRandomCharacterInsertion(**letters),
        "rand_delete": swaps.WordSwapRandomCharacterDeletion(),
        "rand_substitute": swaps.WordSwapRandomCharacterSubstitution(**letters),
        "swap_neighbour_chars": swaps.WordSwapNeighboringCharacterSwap(),
        "swap_adjacent_key": swaps.WordSwapQWERTY(),
        "swap_synonym_wordnet": swaps.WordSwapWordNet(),
    }
    texts = [line.split("\t", 1)[1] for line in Path(queries).read_text(encoding="utf-8").splitlines()]
    found = {}
    for name, transformation in kinds.items():
        random.seed(1)
        numpy.random.seed(1)
        constraints = [StopwordModification(), MinWordLength(3)]
        augmenter = Augmenter(
            transformation, constraints=constraints, pct_words_to_swap=0, transformations_per_example=1
        )
        augmenter.augment("a warm start")
        count = len(texts) if name != "swap_synonym_wordnet" else 300
        start = time.perf_counter()
        varied = [augmenter.augment(text)[0] for text in texts[:count]]
        found[name] = {"rate": count / (time.perf_counter() - start), "texts": varied}
    Path(out).write_text(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
