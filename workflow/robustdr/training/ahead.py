"""Steps prepared ahead: while one is computed, a thread reads and tokenises the next ones."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Seen = TypeVar("Seen")
Ready = TypeVar("Ready")

AHEAD = 4  # steps


def ahead(steps: Iterator[Seen], prepare: Callable[[Seen], Ready]) -> Iterator[tuple[Seen, Ready]]:
    """Yield each step with what `prepare` makes of it, in order; both are taken from one other thread.

    What a step raises there is raised here, at its turn.
    """
    prepared = ((step_data, prepare(step_data)) for step_data in steps)
    with ThreadPoolExecutor(1) as thread:
        waiting = deque(thread.submit(next, prepared, None) for _ in range(AHEAD))
        while step := waiting.popleft().result():
            waiting.append(thread.submit(next, prepared, None))
            yield step
