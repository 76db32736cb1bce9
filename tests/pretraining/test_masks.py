"""Typos and masks: nothing that a side must recover can be read there, and the shares are those that are asked for."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from robustdr.core.errors import UserError
from robustdr.core.seeds import Draw
from robustdr.pretraining.feed import Passages
from robustdr.pretraining.masks import Masks
from robustdr.pretraining.tokens import write_tokens
from robustdr.pretraining.vocabulary import Vocabulary
from robustdr.training import distributed

SETTINGS = [
    {},
    {"typo": 0.0},
    {"typos": "effective"},
    {"variant": "released"},
    {"recover": True, "typos": "effective", "typo": 1.0},
    {"recover": True, "bottleneck": False},
    {"length": 12},
]


def passages(feed, epoch=0):
    """(the pieces of a passage, how it is shown) of a whole corpus."""
    return [(feed.examples[at], feed.show(at, epoch)) for at in range(len(feed.examples))]


@pytest.mark.parametrize("changes", SETTINGS)
def test_what_the_decoder_must_recover_is_masked_there_and_the_rest_is_the_passage(feed, changes):
    feed = feed(**changes)
    mask = feed.examples.vocabulary.mask
    for pieces, shown in passages(feed):
        if not feed.settings.bottleneck:
            assert not shown.decoder.tokens and not shown.decoder.targets
            continue
        original = feed.examples.vocabulary.framed(pieces)
        assert len(shown.decoder.tokens) == len(original) <= feed.settings.length
        for at, (seen, right) in enumerate(zip(shown.decoder.tokens, original, strict=True)):
            assert seen == (mask if at in shown.decoder.targets else right)
        assert all(piece == original[at] for at, piece in shown.decoder.targets.items())


def rebuilt(feed, pieces, shown):
    """The words of the passage that the encoder sees changed or must recover, found by walking both word by word."""
    vocabulary = feed.examples.vocabulary
    seen, at, changed = shown.encoder.tokens[1:-1], 0, set()
    for number, word in enumerate(vocabulary.words(pieces)):
        here = range(at + 1, at + 1 + len(word))
        if set(here) & shown.encoder.targets.keys() or seen[at : at + len(word)] != word:
            changed.add(number)
        at += len(word)
    return changed


def test_the_decoder_recovers_all_that_the_encoder_saw_changed(feed):
    """Without typos both sides have the passage's positions."""
    feed = feed(typo=0.0)
    for pieces, shown in passages(feed):
        words, at, recovered = feed.examples.vocabulary.words(pieces), 1, set()
        for number, word in enumerate(words):
            if at in shown.decoder.targets:
                assert shown.decoder.targets.keys() >= set(range(at, at + len(word)))  # whole words
                recovered.add(number)
            at += len(word)
        assert rebuilt(feed, pieces, shown) <= recovered


def test_misspelled_words_are_masked_for_the_decoder_and_are_what_the_generator_makes(feed, words):
    """Without masks the encoder sees the passage but for its typos, whose other number of pieces moves what follows."""
    feed = feed(mask=0.0, decoder_mask=0.0)
    vocabulary, several, found = feed.examples.vocabulary, 0, 0
    for pieces, shown in passages(feed):
        right, wrong = vocabulary.words(pieces), vocabulary.words(shown.encoder.tokens[1:-1])
        if len(shown.encoder.tokens) == feed.settings.length:
            continue  # cut: a typo makes a text longer
        assert len(right) == len(wrong) and not shown.encoder.targets
        at, misspelled = 1, 0
        for one, other in zip(right, wrong, strict=True):
            assert ({*range(at, at + len(one))} <= shown.decoder.targets.keys()) == (one != other)
            at, misspelled, several = at + len(one), misspelled + (one != other), several + (len(one) != len(other))
        assert misspelled == shown.misspelled
        found += misspelled
    assert found > 100 < several


def test_recovered_typos_stand_for_the_right_word_s_first_pieces(feed):
    feed = feed(mask=0.0, recover=True, bottleneck=False, typos="effective")
    vocabulary, found = feed.examples.vocabulary, 0
    for pieces, shown in passages(feed):
        if len(shown.encoder.tokens) == feed.settings.length:
            continue
        expected, at = {}, 1
        for one, other in zip(vocabulary.words(pieces), vocabulary.words(shown.encoder.tokens[1:-1]), strict=True):
            if one != other:
                for number in range(min(len(one), len(other))):
                    expected[at + number] = one[number]
            at += len(other)
        assert shown.encoder.targets == expected
        found += len(expected)
    assert found > 100


@pytest.mark.parametrize("changes", SETTINGS)
def test_no_target_lies_outside_the_text_or_on_a_special_token(feed, changes):
    feed = feed(**changes)
    special = feed.examples.vocabulary.special
    for _, shown in passages(feed):
        for side in (shown.encoder, shown.decoder):
            assert all(0 < at < len(side.tokens) - 1 for at in side.targets)
            assert not special & set(side.targets.values())
        assert len(shown.encoder.tokens) <= feed.settings.length


def long_passage(feed, **changes):
    """How a passage of 3,000 words, half of which can be misspelled, is shown in three draws."""
    feed = feed(length=1 << 16, **changes)
    vocabulary = feed.examples.vocabulary
    pieces = [vocabulary.split(word)[0] for word in ["river", "the"] * 1500]
    masks = Masks(feed.settings, vocabulary, feed.examples.ordinary)
    return pieces, [masks.show(pieces, Draw(bytes([number] * 32))) for number in range(3)]


@pytest.mark.parametrize("typos, expected", [("nominal", 0.15), ("effective", 0.3)])
def test_the_shares_are_those_that_are_asked_for(feed, typos, expected):
    """Within four standard errors of 9,000 words."""
    pieces, shown = long_passage(feed, typos=typos)
    words = len(pieces) * len(shown)
    error = 4 * (0.3 * 0.7 / words) ** 0.5
    assert abs(sum(each.misspelled for each in shown) / words - expected) < error
    for each in shown:
        assert len(each.encoder.targets) == round(0.3 * len(pieces))
        assert len(each.decoder.targets) >= 0.5 * len(pieces)
    tokens = [each.encoder.tokens[at] for each in shown for at in each.encoder.targets]
    error = 4 * (0.8 * 0.2 / len(tokens)) ** 0.5
    assert abs(tokens.count(feed().examples.vocabulary.mask) / len(tokens) - 0.8) < error


@pytest.mark.parametrize(("number", "rounded", "half"), [(4, 1, 2), (5, 2, 3)])
def test_shares_of_few_words(feed, number, rounded, half):
    """1.2 and 1.5 words are rounded half up; the decoder has at least half of the 4 and of the 5, and here no more."""
    several, none = feed(typos="effective", typo=0.3, mask=0.3), feed(typo=0.0, mask=0.0)
    passage = several.examples.vocabulary.split("river") * number
    shown = several.masks.show(passage, Draw(bytes(32)))
    assert (shown.misspelled, len(shown.encoder.targets), len(shown.decoder.targets)) == (rounded, rounded, 2 * rounded)
    assert len(none.masks.show(passage, Draw(bytes(32))).decoder.targets) == half


def test_of_ten_words_eight_are_masked_one_is_replaced_and_one_stays(feed):
    """The seed of a `Draw` is a number: its last digit chooses among ten, and what is left of it among the pieces."""
    masks = feed().masks
    for number in range(100):
        rest, last = divmod(number, 10)
        expected = -1 if last == 9 else masks.random[rest] if last == 8 else masks.vocabulary.mask
        assert masks.replaced([-1], Draw(number.to_bytes(32))) == [expected]


def test_the_decoder_has_no_more_to_recover_than_is_asked_for_or_changed(feed):
    pieces, shown = long_passage(feed, typo=0.0)
    assert {len(each.decoder.targets) for each in shown} == {len(pieces) // 2}
    pieces, shown = long_passage(feed, typos="effective", typo=0.4)
    assert {len(each.decoder.targets) for each in shown} == {round(0.7 * len(pieces))}


def test_a_passage_is_shown_by_seed_epoch_and_docid_alone(feed, corpus, tiny_model, settings, tmp_path):
    first = feed()
    turned = tmp_path / "corpus.jsonl"
    turned.write_text("".join(reversed(corpus.read_text().splitlines(keepends=True))))
    write_tokens(turned, tiny_model, settings.length, tmp_path / "tokens")
    other = type(first)(Passages.open(tmp_path / "tokens", Vocabulary(tiny_model), settings), settings, 1)
    last = len(first.examples) - 1
    assert all(first.show(at, 3) == other.show(last - at, 3) for at in range(last + 1))
    assert first.show(5, 3) != first.show(5, 4) and first.show(5, 3) != feed(seed=2).show(5, 3)


def test_the_steps_are_the_same_whatever_the_number_of_workers(feed):
    assert list(feed(workers=2).run(48, 53)) == list(feed().run(48, 53))


def test_an_epoch_shows_every_passage_once(feed):
    feed = feed()
    for epoch in range(2):
        seen = [at for step in range(50) for at in feed.batch(50 * epoch + step)[1]]
        assert sorted(seen) == list(range(200))
    assert feed.batch(0) != feed.batch(50)


def test_two_processes_share_each_batch_of_one(feed, monkeypatch):
    whole = feed(batch_size=8)
    monkeypatch.setattr(distributed, "processes", lambda: 2)
    for rank in (0, 1):
        monkeypatch.setattr(distributed, "rank", lambda rank=rank: rank)
        part = feed(batch_size=4, devices=2)
        for step in (0, 1, 26):
            epoch, batch = whole.batch(step)
            assert part.batch(step) == (epoch, batch[4 * rank : 4 * rank + 4])


def test_the_shares_are_those_of_what_the_first_epoch_shows(feed):
    feed = feed()
    pieces, shown = zip(*passages(feed), strict=True)
    count = sum(map(len, pieces))
    misspelled = sum(each.misspelled for each in shown)
    recovered = [[len(side.targets) for side in (each.encoder, each.decoder)] for each in shown]
    assert list(feed.shares().values()) == [
        misspelled / sum(len(feed.examples.vocabulary.words(each)) for each in pieces),
        *(sum(side) / count for side in zip(*recovered, strict=True)),
    ]


def test_a_head_for_the_corpus_tells_apart_what_occurs_there(feed):
    few, every = feed(vocabulary="corpus").examples, feed().examples
    occurring = {piece for at in range(len(every)) for piece in every[at]}
    assert few.ordinary == sorted(occurring - few.vocabulary.special) and len(few.ordinary) < len(every.ordinary)


def test_a_batch_larger_than_the_corpus(feed):
    with pytest.raises(UserError, match=r"48: 200 passages with a text; a batch needs 201"):
        feed(batch_size=201)


def test_a_tokenizer_without_a_mask_token(tiny_model, tmp_path):
    for name in ("tokenizer.json", "tokenizer_config.json", "config.json"):
        (tmp_path / name).write_text((tiny_model / name).read_text())
    config = json.loads((tmp_path / "tokenizer_config.json").read_text())
    config.pop("mask_token")
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    with pytest.raises(UserError, match="its tokenizer has no mask token"):
        Vocabulary(tmp_path)


@given(st.text(st.sampled_from("aeiotrsnAE7ÄßΩ日 -'"), min_size=1, max_size=12))
def test_a_word_is_split_as_the_tokenizer_splits_it(tiny_model, text):
    vocabulary = Vocabulary(tiny_model)
    whole = vocabulary.tokenizer(text, add_special_tokens=False)["input_ids"]
    assert vocabulary.split(text) == whole
