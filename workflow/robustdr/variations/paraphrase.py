"""Paraphrases by sequence-to-sequence models, or by rules as their stand-ins."""

from robustdr.core.words import folded
from robustdr.variations import lexicon, reformulation
from robustdr.variations.base import WORD, Draw
from robustdr.variations.engines import Engine, Engined

_NEEDS = "a sequence-to-sequence model (stand-in: WordNet 3.0 and inflections)"


class T5QqpParaphrase(Engined):
    """qvg, section 3.2, T5QQP: a T5 model fine-tuned on Quora question pairs rewrites the query.

    The model reads "paraphrase : " and the query. The stand-in replaces the question phrase by another.
    """

    name = "t5_qqp_paraphrase"
    listed = 23
    category = "paraphrasing"
    papers = ("qvg",)
    needs = _NEEDS
    engines = ("t5",)
    stand_in = "rules that replace the question phrase, no model"
    prompt = "paraphrase : {}"

    def start(self) -> Engine:
        generate = self.generator(self.model)
        return lambda texts: generate([self.prompt.format(text) for text in texts])

    def reword(self, text: str, draw: Draw) -> str:
        return reformulation.reword(text, draw, words=False)


class ParaphraseT5Paws(T5QqpParaphrase):
    """capot, section 3.1, Paraphrase: a T5 model fine-tuned on PAWS rewrites the query.

    The stand-in rewords the question phrase and single words.
    """

    name = "paraphrase_t5_paws"
    listed = 34
    category = "semantic"
    papers = ("capot",)
    stand_in = "rules that reword question phrases and words, no model"
    prompt = "paraphrase: {}"

    def reword(self, text: str, draw: Draw) -> str:
        return reformulation.reword(text, draw)


class T5DescriptionToTitle(T5QqpParaphrase):
    """qvg, section 3.2, T5DescToTitle: a T5 model fine-tuned to write a TREC topic's title from its description.

    The model reads "summarize: " and the query, as in the released code; `robustdr train-titles` trains one. The
    stand-in drops stopwords and words that WordNet has only as verbs, so that nouns and adjectives stay.
    """

    name = "t5_description_to_title"
    listed = 20
    category = "naturality"
    stand_in = "rules that keep nouns and adjectives, no model"
    prompt = "summarize: {}"

    def reword(self, text: str, draw: Draw) -> str:
        words = [word[0] for word in WORD.finditer(text)]
        content_words = [word for word in words if folded(word) not in lexicon.stopwords()]
        title_words = [
            word for word in content_words if {letter for _, letter in lexicon.lemmas(word.lower())} != {"v"}
        ]
        return " ".join(title_words) if title_words and len(title_words) < len(words) else text
