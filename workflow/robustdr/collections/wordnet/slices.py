"""The words that a slice of WordNet asks for, by split, and the passages that it holds."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from robustdr.collections.records import Query
from robustdr.collections.settings import WordNet
from robustdr.collections.wordnet.database import Database, Synset, usage
from robustdr.collections.wordnet.passages import Writer
from robustdr.collections.wordnet.questions import Asker
from robustdr.core.checks import check_known
from robustdr.core.errors import UserError, unknown
from robustdr.core.seeds import digest

_ASKABLE = re.compile(r"(?=.{3})[a-z]+([ -][a-z]+)?")
_RUDE = re.compile(r"\b(obscen|slur|vulgar|offensive|disparag|derogat|insulting)")
_PLURAL = re.compile(r"[^suica]s$")  # roughly; `what is trousers` is no question


class Word(NamedTuple):
    """A lemma to ask for, in one part of speech, with the grades of its synsets, the primary one first."""

    qid: str
    lemma: str
    grades: dict[str, int]


class Slice(NamedTuple):
    """The ids of the passages in order, and for each split every question with the grades of its passages."""

    docids: list[str]
    splits: dict[str, list[tuple[Query, dict[str, int]]]]


class Neighbours:
    """Passages with meanings near that of a synset: plausible candidates that do not answer the question."""

    def __init__(self, docids: Sequence[str], database: Database, seed: int):
        self._docids, self._synsets, self._seed = docids, database.synsets, seed

    @cached_property
    def _passages_below(self) -> dict[str, list[str]]:
        """Ids of the passages below each place; most slices ask for none."""
        passages_below: dict[str, list[str]] = {}
        for id in self._docids:
            for place in self._line(id):
                passages_below.setdefault(place, []).append(id)
        return passages_below

    def distractors_of(self, grades: Mapping[str, int], count: int) -> dict[str, int]:
        """Return `count` passages with grade 0 for a question, those below the primary one's closest ancestor first.

        The order of passages below one ancestor depends only on the seed and the primary passage.
        """
        primary, distractors = next(iter(grades)), list[str]()
        for place in self._line(primary):
            candidates = {*self._passages_below.get(place, ())} - grades.keys() - set(distractors)
            distractors += sorted(candidates, key=lambda docid: digest(self._seed, primary, docid))
            if len(distractors) >= count:
                break
        return dict.fromkeys(distractors[:count], 0)

    def _line(self, id: str) -> Iterator[str]:
        """Yield a synset, its ancestors (what it is a kind or an instance of, or like) within its lexicographer file,
        that file, and '', which stands for everything."""
        visited: set[str] = set()
        lexfile, ancestors = self._synsets[id].lexfile, [id]
        while ancestors and ancestors[0] not in visited and self._synsets[ancestors[0]].lexfile == lexfile:
            visited.add(ancestors[0])
            yield ancestors[0]
            ancestors = [
                ancestor for symbol in ("@", "@i", "&") for ancestor in self._synsets[ancestors[0]].related(symbol)
            ]
        yield lexfile
        yield ""


def select(source: WordNet, database: Database) -> Slice:
    """Draw words in random order for each split; words that share a synset with another split are skipped.

    A split that `leaks` others has their questions too.
    Evaluation splits are drawn first, so that their words are a fair sample; training words come from what fits into
    the passages. If training runs out of words, it asks for them a second time in another way. Distractors come last,
    from the passages of the whole slice.

    Raises:
        UserError: fewer synsets than passages wanted, fewer words than questions, or an unknown split that leaks.
    """
    seed, size = source["seed"], source["passages"]
    allowed = _allowed(source, database)
    if size > len(allowed):
        raise UserError(f"collections.yaml: passages: {size} wanted, but the slice has {len(allowed)} synsets")
    words = sorted(_words(source, database, allowed), key=lambda word: digest(seed, word.qid))
    writer, asker = Writer(database), Asker(database, seed)
    owners: dict[str, str] = {}
    splits = {}
    for name in sorted(source["splits"], key=lambda name: (name == "train", name)):
        question_count = source["splits"][name]["queries"]
        drawn = list(islice(_draw(words, name, owners, size, writer), question_count))
        again = drawn[: question_count - len(drawn)] if name == "train" else []
        if (available := len(drawn) + len(again)) < question_count:
            raise UserError(
                f"collections.yaml: splits: {name}: queries: {question_count} questions do not fit, {available} do; "
                f"ask for fewer, raise passages ({size}) or max_senses ({source['max_senses']}), or lower familiarity"
            )
        splits[name] = [(Query(word.qid, asker.ask(*word)), word.grades) for word in drawn]
        splits[name] += [(Query(f"{word.qid}.2", asker.ask(*word, again=True)), word.grades) for word in again]
    for name, questions in splits.items():
        for leaked in source["splits"][name].get("leaks", ()):
            check_known(f"collections.yaml: splits: {name}: leaks", leaked, splits.keys() - {name})
            questions += splits[leaked]
    rest = sorted(allowed - owners.keys(), key=lambda id: digest(seed, id))
    docids = sorted([*owners, *rest[: size - len(owners)]])
    neighbours = Neighbours(docids, database, seed)
    for name, questions in splits.items():
        if distractor_count := source["splits"][name].get("distractors"):
            splits[name] = [
                (query, grades | neighbours.distractors_of(grades, distractor_count)) for query, grades in questions
            ]
    return Slice(docids, splits)


def _draw(words: list[Word], split: str, owners: dict[str, str], size: int, writer: Writer) -> Iterator[Word]:
    """Yield words whose synsets are free or the split's own and fit into `size` passages; enter them in `owners`."""
    for word in words:
        new = [id for id in word.grades if id not in owners]
        if (
            all(owners.get(id, split) == split for id in word.grades)
            and len(owners) + len(new) <= size
            and writer.explains(next(iter(word.grades)))
        ):
            owners.update(dict.fromkeys(new, split))
            yield word


def _allowed(source: WordNet, database: Database) -> set[str]:
    """Return the ids of the synsets from the slice's lexicographer files; all of them if it names none."""
    files = {synset.lexfile for synset in database.synsets.values()}
    for name in source.get("lexicographer_files", ()):
        if name not in files:
            raise unknown("collections.yaml: lexicographer_files", name, files)
    lexfiles = set(source.get("lexicographer_files", files))
    return {id for id, synset in database.synsets.items() if synset.lexfile in lexfiles}


def _words(source: WordNet, database: Database, allowed: set[str]) -> Iterator[Word]:
    for (lemma, letter), senses in database.senses.items():
        if len(senses) > source["max_senses"] or _familiarity(lemma, letter, database) < source["familiarity"]:
            continue
        grades = {id: 2 if count else 1 for id, count in senses if id in allowed}
        if not grades or not _ASKABLE.fullmatch(lemma):
            continue
        primary = max(grades, key=dict(senses).__getitem__)
        if _natural(lemma, database.synsets[primary], database):
            ordered = {primary: 3, **{id: grade for id, grade in grades.items() if id != primary}}
            yield Word(f"{lemma.replace(' ', '_')}.{letter}", lemma, ordered)


def _familiarity(lemma: str, letter: str, database: Database) -> int:
    """Return the occurrences in SemCor and in the glosses; 0 for a lemma that is mostly another part of speech.

    Gloss words carry no part of speech: a lemma that SemCor lacks is counted as a noun.
    """
    tagged = database.tagged.get(lemma, {"n": 0})
    mostly = max(tagged, key=lambda speech_letter: (tagged[speech_letter], speech_letter))
    return tagged[letter] + usage(database.letters)[lemma] if mostly == letter else 0


def _natural(lemma: str, primary: Synset, database: Database) -> bool:
    """Whether people ask for its meaning: a name of one thing; no plural, name of a group, or rude word."""
    if primary.related("@i"):
        return True
    plural = primary.id[0] == "n" and (lemma in database.bases or _PLURAL.search(lemma))
    return lemma in primary.lemmas and not plural and not _RUDE.search(primary.gloss)
