"""Nodes of query sets: original and varied, and how alike they are."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from robustdr import variations
from robustdr.core.errors import UserError
from robustdr.core.settings import as_json
from robustdr.experiments.kinds import Split
from robustdr.experiments.models import ORIGINAL, ScaleVariation
from robustdr.graph.part import Part
from robustdr.keys.node import Input, Need, Node, reads
from robustdr.keys.provenance import Code, digests, distributions
from robustdr.variations.base import build, find
from robustdr.variations.settings import Release, VariationSettings


class QuerySets(Part):
    """Nodes of query sets: original and varied, and how alike they are."""

    def variation_settings(self, split: Split, variation: str) -> VariationSettings:
        """Return the settings of a variation of a split, or of a further draw of it."""
        scale = self.lineage.scale
        name, parameters, draw = variations.drawn(variation)
        entry = scale.variations.get(name, ScaleVariation())
        generator, own, seed = entry.generator or name, entry.parameters, scale.variation_seed + draw - 1
        if release := self.lineage.release(split, variation):
            labels = name if release.form == "labels" else ""
            own = {"sha256": release.sha256, "labels": labels, "origin": release.origin, "part": bool(scale.cut)}
            generator, seed = "released", 0
        module, cls = variations.GENERATORS.place(generator)
        return VariationSettings(f"{module.rpartition('.')[2]}:{cls}", {**own, **parameters}, seed)

    @cache
    def releases(self) -> dict[str, Release]:
        """Return the released files of the scale by their names."""
        scale = self.lineage.scale
        varied = (one for entry in scale.variations.values() for of in entry.released.values() for one in of)
        corrected = (one for of in scale.corrected.values() for one in of.values())
        return {one.name: one for one in (*varied, *corrected)}

    @cache
    def released(self, name: str) -> Node:
        """Return the node of a released file."""
        release = self.releases()[name]
        own = [Path(release.path)] if release.path else []
        files = Input(
            files=own, decides=False, told=False, named=f"scale {self.lineage.scale_name}: variations: released"
        )
        return self.node(
            "download_release",
            f"releases/{name}",
            f"released queries, {release.origin}",
            name,
            stage="release",
            settings=release,
            inputs={"files": files},
            need=Need(1000, 10),
            network=not own,
        )

    def corrected(self, split: Split, names: Sequence[str]) -> list[Node]:
        """Return the nodes of query sets as a released spell checker corrected them; none if the split has none.

        Raises:
            UserError: the split has such query sets, but not all of `names`.
        """
        at, lineage = "/".join(split), self.lineage
        of = lineage.scale.corrected.get(at, {})
        if of and (missing := [name for name in names if name not in of]):
            where = f"{lineage.config.scale_files[lineage.scale_name]}: corrected.{at}"
            raise UserError(f"{where}: no {missing[0]!r}, which a spell checker's system ranks; allowed: all or none")
        return [self.released(of[name].name) for name in names] if of else []

    def generator(self, split: Split, variation: str) -> variations.Variation:
        """Return the generator of a variation of a split, made without looking for its resources."""
        settings = self.variation_settings(split, variation)
        return build(find(settings.generator), settings.parameters)

    @cache
    def versions(self) -> dict[str, int]:
        """Return the variations whose generator makes several versions of a query at once, with their number."""
        entries = self.lineage.scale.variations
        named = dict.fromkeys((*variations.names(), *entries))
        generators = {name: (entries[name].generator if name in entries else None) or name for name in named}
        counts = {name: variations.kind(generator).versions for name, generator in generators.items()}
        return {name: count for name, count in counts.items() if count > 1}

    @cache
    def query_set(self, split: Split, variation: str) -> Node:
        """Return the node of a split's queries, original or varied."""
        return self.split_files(split)[0] if variation == ORIGINAL else self._varied(split, variation)

    def counts(self, split: Split, variation: str) -> Node:
        """Return the node of the statistics of a variation's changes, beside its queries."""
        made = self.query_set(split, variation)
        return made.file(f"{made.path.removesuffix('.tsv')}.json")

    def _vary(self, split: Split, variation: str) -> dict[str, Any]:
        """Return what the job of a variation and those of its shards share."""
        made = self.generator(split, variation)
        settings = self.variation_settings(split, variation)
        entry = self.lineage.scale.variations.get(variations.drawn(variation).generator)
        released = self.lineage.release(split, variation)
        fetch = entry.fetch if entry and not released else {}
        named = {str(value) for value in settings.parameters.values()}
        outside = {path: command for path, command in fetch.items() if path in named}
        where = f"put it there: `variations` of the scale {self.lineage.scale_name} names it"
        return {
            "outside": {**{str(path): where for path in made.files}, **outside},
            "code": Code(["vary", "vary_shard", type(made).__module__], distributions(made.packages)),
            "options": {"settings": as_json(settings)},
            "decides": [made.name, made.effective, settings.seed, digests(made.files)],
            "after": [self.split_card(split), *([self.fetched(split, variation)] if made.fetches else [])],
            "need": Need(self.sized(6000, 12000), 240, entry.devices if entry and not released else 0),
            "query_set": f"{split[1]}.{variation}",
        }

    @cache
    def fetched(self, split: Split, variation: str) -> Node:
        """Return the node of what a variation of a split needs from the network, which its other jobs do without."""
        collection, name = split
        job, made = variation.partition(".version")[0], self.generator(split, variation)
        settings = self.variation_settings(split, job)
        return self.node(
            "fetch",
            f"fetched/{collection}/{name}/{job}.json",
            f"models or answers for {job} of {collection}, {name}",
            f"{collection}.{name}.{job}",
            code=Code(["fetch", type(made).__module__], distributions(made.packages)),
            options={"settings": as_json(settings)},
            decides=[made.name, made.effective, settings.seed],
            inputs={"queries": reads(self.split_files(split)[0])},
            after=[self.split_card(split)],
            need=Need(4000, 1440),
            network=True,
        )

    def _varied(self, split: Split, variation: str) -> Node:
        """Return the node of a varied query set, gathered from shards if its split has millions of queries."""
        collection, name = split
        shards, how = self.shards(split, variation), self._vary(split, variation)
        if shards:
            how["need"] = how["need"]._replace(gpus=0)
        inputs = {"queries": reads(self.split_files(split)[0]), "shards": reads(*shards, decides=False)}
        if release := self.lineage.release(split, variation):
            inputs["released"] = reads(self.released(release.name))
        if "base" in self.lineage.scale.checkpoints:
            base = self.checkpoint("base")
            inputs["tokenizer"] = reads(base.file(f"{base.path}/tokenizer.json"), decides=False)
        job = variation.partition(".version")[0]
        others = range(1, self.versions().get(variation.partition(".")[0], 1))
        made = [job, *(f"{job}.version{number}" for number in others)]
        folder, what = f"variations/{collection}/{name}", f"{variation} of {collection}, {name}"
        places = [f"{self.root}/{folder}/{one}" for one in made]
        how["first"] = f"{places[0]}.tsv"
        how["outputs"] = {"output": [f"{at}.tsv" for at in places], "statistics": [f"{at}.json" for at in places]}
        if others:  # queries, statistics, and which version of a query attacks
            how["makes"] = lambda: [self.query_set(split, one) for one in (*made, *made, job)]
            how["outputs"] |= {"split": [f"{places[0]}.split.json"]}
        return self.node("vary", f"{folder}/{variation}.tsv", what, f"{collection}.{name}.{job}", inputs=inputs, **how)

    @cache
    def shards(self, split: Split, variation: str) -> list[Node]:
        """Return the nodes of shards that a query set is gathered from; none if one job varies all queries.

        One job does so unless scale and split ask for shards, and always if the generator keeps what it made.
        """
        collection, name = split
        count = self.lineage.config.collections[collection]["splits"][name].get("count", 1)
        number = -(-count // (self.lineage.scale.variation_shard or count))
        if number == 1 or self.lineage.release(split, variation) or not self.generator(split, variation).processes:
            return []
        return [self._shard(split, variation, shard, number) for shard in range(number)]

    def _shard(self, split: Split, variation: str, shard: int, shards: int) -> Node:
        collection, name = split
        how = self._vary(split, variation)
        how["options"] |= {"shard": shard, "shards": shards}
        how["need"] = how["need"]._replace(memory=6000)
        path = f"variations/{collection}/{name}/{variation}/{shard}-of-{shards}.tsv"
        what = f"{variation} of {collection}, {name}, shard {shard} of {shards}"
        job = f"{collection}.{name}.{variation}.{shard}-of-{shards}"
        inputs = {"queries": reads(self.split_files(split)[0])}
        return self.node("vary_shard", path, what, job, inputs=inputs, **how)

    def similarity(self, checkpoint: str, split: Split, compared: Sequence[str]) -> Node:
        """Return the node of a sentence encoder's similarities of queries and their variations."""
        collection, name = split
        varied = [self.query_set(split, variation) for variation in compared]
        model, queries = self.checkpoint(checkpoint), self.split_files(split)[0]
        return self.node(
            "similarity",
            f"similarity/{collection}/{name}/{checkpoint}.json",
            f"similarity of queries of {collection}, {name}, by {checkpoint}",
            f"{collection}.{name}.{checkpoint}",
            inputs={"model": reads(model), "queries": reads(queries), "varied": reads(*varied)},
            options={"threads": self.threads},
            decides=[*compared, self.threads],
            need=Need(self.sized(3000, 12000), 60, gpus=1, cores=self.threads),
        )
