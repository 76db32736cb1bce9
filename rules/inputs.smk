# Inputs and arguments of single rules.


def varied_from(w):
    """What a variation reads; the card, because a collection is checked before it is used."""
    return artifacts(
        card=plan(w).card(w.collection),
        queries=plan(w).query_set(w.collection, w.split, "original"),
        shards=variation_shards(w),
        tokenizer=f"{w.root}/checkpoints/base/tokenizer.json" if "base" in plan(w).bound["checkpoints"] else [],
    )


def tokenizer_argument(w, input):
    """The tokenizer that counts changes; a scale of systems without one has none."""
    return f"--tokenizer {shlex.quote(input.tokenizer)}" if input.tokenizer else ""


def variation_shards(w):
    """The shards that a variation is gathered from; none where one job varies all queries."""
    return plan(w).variation_shards(w.collection, w.split, w.variation)


def variation_devices(w):
    return plan(w).variation(w.collection, w.split, w.variation).get("devices", 0)


def label_files(w):
    """The released labels behind one of qvg's tables."""
    if "qvg_labels" not in config:
        raise WorkflowError(
            f"config/config.yaml: qvg_labels: not set; {w.validated} of qvg is counted from the authors' released labels:"
            " set the key to their folder, or add --config qvg_labels=FOLDER"
        )
    try:
        return labels.files(Path(config["qvg_labels"]), w.validated)
    except UserError as error:
        raise WorkflowError(f"config/config.yaml: qvg_labels: {error}") from None


def judged_places():
    """Splits, as <collection>/<split>, by what judges them."""
    places = {}
    for collection, source in CONFIG.collections.items():
        for split in source["splits"]:
            places.setdefault(tuple(CONFIG.judged_by(collection, split)), []).append(f"{collection}/{split}")
    return places


def collection_at(w):
    return w.place.split("/")[0]


def split_at(w):
    return w.place.split("/")[1]


def own_files(collection, split, made):
    """The files that a corpus or split is read from; they may be gone when something is made of them already."""
    files = part_files(CONFIG.collections[collection], split)
    if not (all(path.is_file() for path in files) or os.path.exists(made)):
        missing = [str(path) for path in local_files(CONFIG.collections[collection]) if not path.is_file()]
        stop(f"collections.yaml: {collection}: no such file: {', '.join(missing)}; paths start where the command runs")
    return ancient(files)  # the key holds their digests


def initial_folder(w):
    return plan(w).initial_folder(w.system, w.seed)


def initial_model(w):
    parent = plan(w).initial_of(w.system)
    if parent:
        return plan(w).model(parent, w.seed)
    if plan(w).pretraining_of(w.system):
        return f"{initial_folder(w)}/model.safetensors"
    return plan(w).checkpoint_mark(plan(w).checkpoint_of(w.system))


def mined(w):
    """What positives and hard negatives are chosen from; nothing for recipes on queries alone."""
    if plan(w).trains_on_queries_alone(w.system):
        return {}
    _, qrels, *answers = plan(w).split_files(w.collection, "train")
    found = {"corpus": plan(w).corpus(w.collection), "qrels": qrels}
    if miner := plan(w).miner_of(w.system):
        found["run"] = plan(w).run(miner, plan(w).seed_of(miner, w.seed), w.collection, "train", "original")
        found |= {"answers": path for path in answers}
    return found


def mined_arguments(w, input):
    return " ".join(f"--{name} {shlex.quote(input[name])}" for name in mined(w))


def launcher(devices):
    return "python" if devices == 1 else f"torchrun --standalone --nproc-per-node {devices}"


def learns_from(w):
    """What training reads beside its file and the initial model, by the kind of the system."""
    return plan(w).kind(w.system).learns_from(plan(w), w.system, int(w.seed))


def pretraining(w):
    """The recipe of a pre-training."""
    return CONFIG.pretraining[w.pretraining]


def pretraining_devices(w):
    return plan(w).pretraining_settings(w.pretraining).devices


def train_kinds():
    """Systems by where and what their training writes: scales, the model's files, after which percentages snapshots."""
    taken, kinds = {}, {}
    for scaled in PLANS.values():
        for system, percents in scaled.snapshots().items():
            taken[system] = sorted({*taken.get(system, []), *percents})
    for system in CONFIG.systems:
        roots = {}
        for root, p in PLANS.items():
            if p.is_trained(system) and not p.unbound(system):
                roots.setdefault(tuple(p.kind(system).model_files(p, system)), []).append(root)
        for files, where in roots.items():
            kinds.setdefault((tuple(where), files, tuple(taken.get(system, []))), []).append(system)
    return kinds


def checkpoint_forms():
    """Names of the checkpoints that each scale has in each form, by (scale, form)."""
    found = {}
    for p in PLANS.values():
        for name in p.bound["checkpoints"]:
            found.setdefault((p.scale, p.form_of(name)), []).append(name)
    return found


def teacher(w):
    return plan(w).recipe(w.system)["teacher"]


def evaluated(w, file):
    """One file for every query set that is evaluated on a collection, in the order of its settings."""
    query_sets = plan(w).evaluate_settings(w.system, w.collection).measures
    return [file(*name.split(".", 1)) for name in query_sets]


def searched_for_answers(w):
    """The corpus, where answers judge a split that is evaluated."""
    by_answers = evaluated(w, lambda split, kind: CONFIG.judged_by(w.collection, split)[0] == "answers")
    return plan(w).corpus(w.collection) if any(by_answers) else []


def rankings():
    """(plan, collection, split, variations, systems) of every ranking."""
    return [
        (p, *at, kinds, systems)
        for p in PLANS.values()
        for at, systems_by_kinds in p.searches().items()
        for kinds, systems in systems_by_kinds.items()
    ]


def needed(p, w, split=""):
    """What ranking the queries of a split asks of the machine, by the kind of the system."""
    need = p.kind(w.system).need(p, w.system, split)
    return need._replace(cores=need.cores or p.bound["threads"])


def ranking(p, w, at, kinds):
    """What ranking the variations of a split reads."""
    return p.ranking(w.system, int(w.seed), at, kinds)


def options(read):
    """What a stage reads, as its options."""
    return shlex.join(
        [word for name, paths in read.paths.items() if paths for word in (f"--{name}".replace("_", "-"), *paths)]
    )


def there(path):
    """A file as an input; nothing where it is not there."""
    return str(path) if path.is_file() else []


def audited_file(part):
    """A file beside the reported.yaml of a paper, if it has one."""
    return lambda w: there(REPORTED[w.audited].with_name(f"{part}.yaml"))


def paper_file(name):
    """A file of a paper's folder, if it is there: a comparison that no paper prints has no reported.yaml."""
    return lambda w: there(CONFIG.folders[w.paper] / name)


def all_claims(root):
    return [f"{root}/claims/{paper}.json" for paper in PAPERS if CONFIG.claims[paper]]


def reported_argument(w, input):
    return f"--reported {shlex.quote(input.reported)}" if input.reported else ""


def varied_sets(w):
    """(collection, split, variation) of the varied query sets behind a table."""
    shown = reports.evaluation_settings(plan(w), w.paper)
    return [
        (where["collection"], where["split"], kind)
        for role, where in ((role, shown[role]) for role in CONFIG.papers[w.paper]["tables"][w.table]["collections"])
        if not plan(w).absent(role)
        for kind in where["means"]["variations_mean"]
    ]


def compared_sets(w):
    """The variations of a split that tables of similarity show."""
    shown = dict.fromkeys(
        kind
        for paper, experiment in CONFIG.papers.items()
        for spec in experiment["tables"].values()
        if spec["rows"] == "similarity"
        for role, where in reports.evaluation_settings(plan(w), paper).items()
        if role in spec["collections"] and (where["collection"], where["split"]) == (w.collection, w.split)
        for kind in where["means"]["variations_mean"]
    )
    return list(shown)


def varied_statistics(w):
    """What a table reads about query sets: their counts, of one of statistics its collections', or their similarities."""
    spec = CONFIG.papers[w.paper]["tables"][w.table]
    if spec["rows"] not in ("statistics", "similarity", "query_sets", "diversity"):
        return []
    sets = varied_sets(w)
    if spec["rows"] == "statistics":
        found = [f"{w.root}/collections/{collection}/card.json" for collection, *_ in sets]
    elif spec["rows"] == "similarity":
        at_hand = [e for e in spec["encoders"] if "unavailable" not in plan(w).bound["checkpoints"][e]]
        found = [f"{w.root}/similarity/{at}/{split}/{e}.json" for at, split, _ in sets for e in at_hand]
    else:
        found = [f"{w.root}/variations/{collection}/{split}/{kind}.json" for collection, split, kind in sets]
    return list(dict.fromkeys(found))


def compared_queries(w):
    """The queries of a table that reads them, or tells those apart that a variation changes: as they were and became."""
    spec = CONFIG.papers[w.paper]["tables"][w.table]
    if "queries" not in spec and spec["rows"] not in ("statistics", "diversity"):
        return []
    sets = [at for *place, kind in varied_sets(w) for at in ((*place, "original"), (*place, kind))]
    return list(dict.fromkeys(plan(w).query_set(*at) for at in sets))
