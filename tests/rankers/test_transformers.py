"""What every ranker over a transformer must do, from a checkpoint of the first form that it starts from."""

import pytest

from rankers.checks import pairs_do_not_see_each_other, saves_and_loads
from robustdr.rankers import RANKERS
from robustdr.rankers.ranker import load

TINY = {"encoder": "tiny_model", "seq2seq": "tiny_seq2seq"}
FORMS = {name: RANKERS.facts(name).initial[0] for name in RANKERS.names()}
every_ranker = pytest.mark.parametrize("name", [name for name, form in FORMS.items() if form in TINY])


@pytest.fixture
def start(name, request):
    return request.getfixturevalue(TINY[FORMS[name]])


@every_ranker
def test_pairs_do_not_see_each_other(name, start):
    pairs_do_not_see_each_other(load(name, start))


@every_ranker
def test_saves_and_loads(name, start, tmp_path):
    saves_and_loads(name, start, tmp_path / "saved")
