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
from robustdr.graph.collections import Collections
from robustdr.keys.node import Input, Need, Node, reads
from robustdr.keys.provenance import Code, digests, distributions
from robustdr.variations.base import build, find
from robustdr.variations.settings import Release, VariationSettings


class QuerySets(Collections):
    """Nodes of query sets: original and varied, and how alike they are."""

    def variation_settings(self, split: Split, variation: str) -> VariationSettings:
        """Return the settings of a variation of a split, or of a further draw of it."""
        scale = self.lineage.scale
        name, parameters, draw = variations.drawn(variation)
        entry = scale.variations.get(name, ScaleVariation())
        generator, defaults, seed = entry.generator or name, entry.parameters, scale.variation_seed + draw - 1
        if release := self.lineage.release(split, variation):
            labels = name if release.form == "labels" else ""
            defaults = {"sha256": release.digest, "labels": labels, "origin": release.origin, "part": bool(scale.cut)}
            defaults |= {"lacks": True} if release.lacks else {}
            defaults |= {"form": release.form} if release.form == "liveqa" else {}
            generator, seed = "released", 0
        module, cls = variations.GENERATORS.place(generator)
        return VariationSettings(f"{module.rpartition('.')[2]}:{cls}", {**defaults, **parameters}, seed)

    @cache
    def releases(self) -> dict[str, Release]:
        """Return the released files of the scale by their names."""
        scale = self.lineage.scale
        varied = (
            release
            for entry in scale.variations.values()
            for releases_of_entry in entry.released.values()
            for release in releases_of_entry
        )
        corrected = (
            release for releases_of_split in scale.corrected.values() for release in releases_of_split.values()
        )
        return {release.name: release for release in (*varied, *corrected)}

    @cache
    def released(self, name: str) -> Node:
        """Return the node of a released file."""
        release = self.releases()[name]
        local_files = [Path(release.path)] if release.path else []
        files = Input(
            files=local_files,
            decides=False,
            is_option=False,
            place=f"scale {self.lineage.scale_name}: variations: released",
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
            network=not local_files,
        )

    def corrected(self, split: Split, names: Sequence[str]) -> list[Node]:
        """Return the nodes of query sets as a released spell checker corrected them; none if the split has none.

        Raises:
            UserError: the split has such query sets, but not all of `names`.
        """
        split_name, lineage = "/".join(split), self.lineage
        released = lineage.scale.corrected.get(split_name, {})
        if released and (missing := [name for name in names if name not in released]):
            message_place = f"{lineage.config.scale_files[lineage.scale_name]}: corrected.{split_name}"
            raise UserError(
                f"{message_place}: no {missing[0]!r}, which a spell checker's system ranks; allowed: all or none"
            )
        return [self.released(released[name].name) for name in names] if released else []

    def generator(self, split: Split, variation: str) -> variations.Variation:
        """Return the generator of a variation of a split, made without looking for its resources."""
        settings = self.variation_settings(split, variation)
        return build(find(settings.generator), settings.parameters)

    @cache
    def versions(self) -> dict[str, int]:
        """Return the variations whose generator makes several versions of a query at once, with their number."""
        entries = self.lineage.scale.variations
        names = dict.fromkeys((*variations.names(), *entries))
        generators = {name: (entries[name].generator if name in entries else None) or name for name in names}
        counts = {name: variations.kind(generator).versions for name, generator in generators.items()}
        return {name: count for name, count in counts.items() if count > 1}

    @cache
    def query_set(self, split: Split, variation: str) -> Node:
        """Return the node of a split's queries, original or varied."""
        return self.split_files(split)[0] if variation == ORIGINAL else self._varied(split, variation)

    def counts(self, split: Split, variation: str) -> Node:
        """Return the node of the statistics of a variation's changes, beside its queries."""
        query_set = self.query_set(split, variation)
        return query_set.file(f"{query_set.path.removesuffix('.tsv')}.json")

    def _vary(self, split: Split, variation: str) -> dict[str, Any]:
        """Return what the job of a variation and those of its shards share."""
        generator = self.generator(split, variation)
        settings = self.variation_settings(split, variation)
        entry = self.lineage.scale.variations.get(variations.drawn(variation).generator)
        released = self.lineage.release(split, variation)
        fetch = entry.fetch if entry and not released else {}
        values = {str(value) for value in settings.parameters.values()}
        outside = {path: command for path, command in fetch.items() if path in values}
        advice = f"put it there: `variations` of the scale {self.lineage.scale_name} names it"
        return {
            "outside": {**{str(path): advice for path in generator.files}, **outside},
            "code": Code(["vary", "vary_shard", type(generator).__module__], distributions(generator.pins)),
            "options": {"settings": as_json(settings)},
            "decides": [generator.name, generator.effective, settings.seed, digests(generator.files)],
            "after": [self.split_card(split), *([self.fetched(split, variation)] if generator.fetches else [])],
            "need": Need(self.sized(6000, 12000), 240, entry.devices if entry and not released else 0),
            "query_set": f"{split[1]}.{variation}",
        }

    @cache
    def fetched(self, split: Split, variation: str) -> Node:
        """Return the node of what a variation of a split needs from the network, which its other jobs do without."""
        collection, name = split
        job, generator = variation.partition(".version")[0], self.generator(split, variation)
        settings = self.variation_settings(split, job)
        return self.node(
            "fetch",
            f"fetched/{collection}/{name}/{job}.json",
            f"models or answers for {job} of {collection}, {name}",
            f"{collection}.{name}.{job}",
            code=Code(["fetch", type(generator).__module__], distributions(generator.pins)),
            options={"settings": as_json(settings)},
            decides=[generator.name, generator.effective, settings.seed],
            inputs={"queries": reads(self.split_files(split)[0])},
            after=[self.split_card(split)],
            need=Need(4000, 1440),
            network=True,
        )

    def _varied(self, split: Split, variation: str) -> Node:
        """Return the node of a varied query set, gathered from shards if its split has millions of queries."""
        collection, name = split
        shards, job_fields = self.shards(split, variation), self._vary(split, variation)
        if shards:
            job_fields["need"] = job_fields["need"]._replace(gpus=0)
        inputs = {"queries": reads(self.split_files(split)[0]), "shards": reads(*shards, decides=False)}
        if release := self.lineage.release(split, variation):
            inputs["released"] = reads(self.released(release.name))
        if "base" in self.lineage.scale.checkpoints:
            base = self.checkpoint("base")
            inputs["tokenizer"] = reads(base.file(f"{base.path}/tokenizer.json"), decides=False)
        job = variation.partition(".version")[0]
        further_versions = range(1, self.versions().get(variation.partition(".")[0], 1))
        variation_versions = [job, *(f"{job}.version{number}" for number in further_versions)]
        folder, description = f"variations/{collection}/{name}", f"{variation} of {collection}, {name}"
        places = [f"{self.root}/{folder}/{version}" for version in variation_versions]
        job_fields["first"] = f"{places[0]}.tsv"
        job_fields["outputs"] = {
            "output": [f"{place}.tsv" for place in places],
            "statistics": [f"{place}.json" for place in places],
        }
        if further_versions:  # queries, statistics, and which version of a query attacks
            job_fields["makes"] = lambda: [
                self.query_set(split, version) for version in (*variation_versions, *variation_versions, job)
            ]
            job_fields["outputs"] |= {"split": [f"{places[0]}.split.json"]}
        return self.node(
            "vary", f"{folder}/{variation}.tsv", description, f"{collection}.{name}.{job}", inputs=inputs, **job_fields
        )

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
        job_fields = self._vary(split, variation)
        job_fields["options"] |= {"shard": shard, "shards": shards}
        job_fields["need"] = job_fields["need"]._replace(memory=6000)
        path = f"variations/{collection}/{name}/{variation}/{shard}-of-{shards}.tsv"
        description = f"{variation} of {collection}, {name}, shard {shard} of {shards}"
        job = f"{collection}.{name}.{variation}.{shard}-of-{shards}"
        inputs = {"queries": reads(self.split_files(split)[0])}
        return self.node("vary_shard", path, description, job, inputs=inputs, **job_fields)

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
