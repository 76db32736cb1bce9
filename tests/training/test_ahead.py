"""Steps that another thread prepares."""

import threading
from itertools import count

import pytest

from robustdr.training.ahead import AHEAD, ahead


def test_steps_come_in_order_each_with_what_was_made_of_it_in_another_thread():
    made_in = set()

    def prepare(step):
        made_in.add(threading.current_thread())
        return step * step

    assert list(ahead(iter(range(1, 20)), prepare)) == [(n, n * n) for n in range(1, 20)]
    assert len(made_in) == 1 and threading.main_thread() not in made_in
    assert list(ahead(iter(()), prepare)) == []


def test_a_few_steps_are_prepared_while_one_is_computed_and_no_more():
    prepared = threading.Semaphore(0)
    steps = count()
    made = ahead(steps, lambda _: prepared.release())
    next(made)
    for _ in range(AHEAD + 1):  # the first and those that wait
        assert prepared.acquire(timeout=60)
    assert not prepared.acquire(timeout=0.1)
    made.close()
    assert next(steps) == AHEAD + 1


def test_an_error_comes_at_the_turn_of_its_step():
    made = ahead(iter([1, 2, 0, 4]), lambda n: 4 // n)
    assert [next(made), next(made)] == [(1, 4), (2, 2)]
    with pytest.raises(ZeroDivisionError):
        next(made)
