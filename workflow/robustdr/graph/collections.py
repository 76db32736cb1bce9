"""Nodes of collections: passages, splits and the cards that check them."""

import json
from functools import cache
from typing import Any

from robustdr.collections import deciding_keys, files_of, kind_of, local_files
from robustdr.collections.downloads import has_downloads
from robustdr.collections.located import remote_files
from robustdr.collections.settings import DESCRIBING
from robustdr.experiments.kinds import Split
from robustdr.graph.part import Part
from robustdr.keys.node import Input, Need, Node, reads
from robustdr.keys.provenance import Code

TRAINING = "train"
JUDGEMENTS = {"qrels": "qrels.txt", "answers": "answers.jsonl"}  # files that judge a split


class Collections(Part):
    """Nodes of collections: passages, splits and the cards that check them."""

    def _source(self, collection: str, split: str | None) -> dict[str, Any]:
        """Return how a corpus (None) or split is read: code, option, and what decides bytes."""
        source = self.lineage.config.collections[collection]
        entry, files = deciding_keys(source, split), files_of(source, split)
        stage = "split" if split else "corpus"
        return {
            "stage": stage,
            "code": Code([stage, f"robustdr.collections.{kind_of(source, split)}"]),
            "inputs": {
                "files": Input(
                    files=files,
                    is_option=False,
                    place=f"collections.yaml: {collection}",
                    named_files=local_files(source),
                )
            },
            "options": {"source": json.dumps(entry), **({"split": split} if split else {})},
            "network": not files or any(remote_files(entry)),
            "decides": [{key: value for key, value in entry.items() if key not in DESCRIBING}, split],
        }

    @cache
    def corpus(self, collection: str) -> Node:
        """Return the node of a collection's passages, which collections with the same ones share."""
        if (owner := self.lineage.passages_of(collection)) != collection:
            return self.corpus(owner)
        path, description = f"collections/{collection}/corpus.jsonl", f"passages of {collection}"
        job_fields = self._source(collection, None) | {"network": False}
        if downloaded := self.downloaded_passages(collection):
            job_fields["after"] = [downloaded]
        if cut := self.lineage.scale.cut:
            job_fields["inputs"]["judged"] = reads(*self._qrels(collection))
            job_fields["options"]["more"] = cut.passages
            job_fields["decides"].append(cut.passages)
        return self.node("write_passages", path, description, collection, need=Need(4000, 240), **job_fields)

    @cache
    def downloaded_passages(self, collection: str) -> Node | None:
        """Return the node of the download of the files that a collection's passages are read from; None without any."""
        source = self.lineage.config.collections[collection]
        if not has_downloads(source):
            return None
        source_fields = self._source(collection, None)
        return self.node(
            "download_passages",
            f"fetched/{collection}/passages.json",
            f"files of the passages of {collection}",
            collection,
            code=Code(["download_passages", f"robustdr.collections.{source['kind']}"]),
            options=source_fields["options"],
            decides=source_fields["decides"],
            need=Need(4000, 240),
            network=True,
        )

    def _qrels(self, owner: str) -> list[Node]:
        """Return the nodes of the judgements of all passages that collections share with `owner`."""
        lineage, demand = self.lineage, self.demand
        available_roles = [role for role in lineage.scale.collections if not lineage.unavailable_collection(role)]
        names = dict.fromkeys([owner, *map(lineage.collection_of, available_roles)])
        shared = [name for name in names if lineage.passages_of(name) == owner]
        files = (file for name in shared for split in demand.splits(name) for file in self.split_files((name, split)))
        return [file for file in files if file.path.endswith(JUDGEMENTS["qrels"])]

    @cache
    def split(self, split: Split) -> Node:
        """Return the node of a split's queries and what judges them; see `split_files`."""
        collection, name = split
        folder = f"collections/{collection}/{name}"
        judged = self.lineage.config.judged_by(collection, name)
        files = [f"{self.root}/{folder}/{file}" for file in ("queries.tsv", *(JUDGEMENTS[kind] for kind in judged))]
        path, description = f"{folder}/queries.tsv", f"{name} queries of {collection}"
        job_fields = self._source(collection, name) | {"outputs": {"output": files}, "need": Need(4000, 60)}
        if cut := self.lineage.scale.cut:
            job_fields["options"]["most"] = cut.queries
            job_fields["decides"].append(cut.queries)
        return self.node("download_queries", path, description, f"{collection}/{name}", **job_fields)

    def split_files(self, split: Split) -> list[Node]:
        """Return the nodes of a split's queries and its judgements; those that judge runs come first."""
        whole = self.split(split)
        return [whole.file(path) for path in whole.outputs["output"]]

    @cache
    def card(self, collection: str) -> Node:
        """Return the node of the check of a collection's passages."""
        return self._card(collection, collection)

    @cache
    def split_card(self, split: Split) -> Node:
        """Return the node of the check of a split, and that it fits the collection's passages."""
        return self._card(split[0], "/".join(split), split)

    def card_at(self, place: str) -> Node:
        """Return the node of the card of a collection, or of a split, `<collection>/<split>`."""
        collection, _, split = place.partition("/")
        return self.split_card((collection, split)) if split else self.card(collection)

    def _card(self, collection: str, place: str, *splits: Split) -> Node:
        source, log = self.lineage.config.collections[collection], self.lineage.is_log(collection)
        files = [(name, file) for _, name in splits for file in self.split_files((collection, name))]
        compared_files = [
            (other, file)
            for _, name in splits
            if name == TRAINING
            for other in self.demand.splits(collection)
            if other != TRAINING
            for file in self.split_files((collection, other))
        ]
        return self.node(
            "check",
            f"collections/{place}/card.json",
            f"check of {place}",
            place,
            stage="card",
            inputs={
                **({} if log else {"corpus": reads(self.corpus(collection))}),
                "splits": reads(*(file for _, file in files)),
                **({"compared": reads(*(file for _, file in compared_files))} if compared_files else {}),
            },
            options={
                "source": json.dumps(source),
                "split_of": [name for name, _ in files],
                **({"compared_of": [name for name, _ in compared_files]} if compared_files else {}),
            },
            decides=[source, [name for name, _ in compared_files]] if compared_files else source,
            need=Need(8000, 60),
        )
