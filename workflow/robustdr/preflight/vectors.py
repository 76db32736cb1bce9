"""How much room passage vectors take, which are most of what full scale writes."""

import json
from collections.abc import Iterable

from robustdr.keys.node import Node
from robustdr.retrieval.settings import EmbedSettings

DIMENSIONS = 768  # of BERT-base, which full scale starts from


def vectors(jobs: Iterable[Node]) -> int:
    """Return the bytes of passage vectors that jobs write, of collections whose size ir_datasets knows."""
    return sum(_vector_bytes(node.settings, node) for node in jobs if isinstance(node.settings, EmbedSettings))


def _vector_bytes(settings: EmbedSettings, node: Node) -> int:
    import ir_datasets

    (corpus,) = (input_node for input_node in node.input_nodes if input_node.rule == "download_passages")
    source = json.loads(corpus.options["source"])
    if source["kind"] != "irds":
        return 0
    count = ir_datasets.load(source["corpus"]).metadata().get("docs", {}).get("count", 0)
    bytes_each = 2 if settings.stored == "float16" else 4
    return count * DIMENSIONS * bytes_each // node.options["shards"]
