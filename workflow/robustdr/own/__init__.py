"""`robustdr evaluate`: the workflow on a user's own data and retriever; it writes the configuration itself."""

from typing import Literal

Coarse = Literal["int8", "binary"]  # precisions of vectors of passages, by the names of sentence-transformers
ROLES = ("query", "passage")  # the texts that a model encodes
SMALL = 2000  # passages up to which starting processes costs more than what they do at the same time
# What people's queries undergo: a slip of the keyboard, one of sound, a blank that is not typed, how one types, words
# that are left out or in another order, another word, another sentence.
REALISTIC = (
    "swap_adjacent_key",
    "phonetic_slip",
    "dropped_blank",
    "case_punctuation",
    "no_stopwords",
    "swap_words",
    "swap_synonym_wordnet",
    "swap_synonym_omw",
    "t5_qqp_paraphrase",
)
