# One job graph for every table and figure, at every scale. Targets are files:
#   snakemake results/mini/tables/rodr_table2.md                   a miniature, on this machine
#   snakemake --profile slurm results/tables/rodr_table2.md        full scale, on a cluster
from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


include: "rules/common.smk"
include: "rules/collections.smk"
include: "rules/variations.smk"
include: "rules/models.smk"
include: "rules/retrieval.smk"
include: "rules/evaluation.smk"
include: "rules/audit.smk"
include: "rules/reporting.smk"
include: "rules/validation.smk"
include: "rules/machines.smk"


localrules:
    all,
    collections,
    variations,
    models,
    measures,


# The stages of dvc.yaml, at the scale and for the papers of config.yaml.
ROOT = root_of(SETTINGS.scale)
DEMAND = GRAPHS[ROOT].demand


rule all:
    default_target: True
    input:
        f"{ROOT}/report/index.html",
        f"{ROOT}/report/headline.json",


rule collections:
    input:
        [GRAPHS[ROOT].card(name).declared for name in DEMAND.collections(PAPERS) if not DEMAND.lineage.is_log(name)],
        [GRAPHS[ROOT].split_card(split).declared for split in DEMAND.splits_behind(PAPERS)],


rule variations:
    input:
        [
            GRAPHS[ROOT].query_set(split, name).declared
            for split, names in DEMAND.varied(PAPERS).items()
            for name in names
        ],


rule models:
    input:
        [GRAPHS[ROOT].model(system, seed).declared for system, seed in DEMAND.models(PAPERS)],
        [GRAPHS[ROOT].pretrained(name, seed).declared for name, seed in DEMAND.pretrained(PAPERS)],


rule measures:
    input:
        # A function: measures are found when they are asked for.
        lambda w: [
            node.declared
            for paper, names in ASKED.items()
            for node in GRAPHS[ROOT].all_measures(paper, DEMAND.together(names))
        ],
