"""Fixtures: a tiny checkpoint of word vectors."""

import pytest

from rankers.word_vectors import write_words


@pytest.fixture(scope="session")
def word_vectors(tmp_path_factory):
    return write_words(tmp_path_factory.mktemp("word_vectors"))
