"""Rankings that authors released, in place of a search."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from robustdr.experiments.kinds import Graph, Inputs, Kind, Split, memory
from robustdr.experiments.models import ReleasedRuns
from robustdr.keys.node import Input, Need
from robustdr.retrieval.settings import ReleasedRunSettings


@dataclass(frozen=True)
class Released(Kind):
    """Reads the released runs of a system on some query sets of a split.

    Attributes:
        runs: what the scale says of them. place: where it says so, for messages. variations: of the query sets.
    """

    runs: ReleasedRuns
    place: str
    variations: Sequence[str]

    ranks = "robustdr.retrieval.released"

    def ranking(self, graph: Graph, system: str, collection: str, depth: int) -> ReleasedRunSettings:
        files = {name: self.runs.files[name] for name in self.variations}
        sha256, origin = self.runs.sha256 or "", self.runs.origin
        return ReleasedRunSettings(files=files, order=self.runs.order, sha256=sha256, origin=origin, depth=depth)

    def reads(self, graph: Graph, system: str, seed: int, split: Split, variations: Sequence[str]) -> Inputs:
        return {"candidates": Input(files=[Path(self.runs.path)], place=self.place)}

    def need(self, graph: Graph, system: str, split: str) -> Need:
        return Need(memory(graph), 120)
