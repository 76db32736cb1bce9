# One job graph for every table and figure, at every scale. Targets are files:
#   snakemake results/mini/tables/rodr_table2.md                   a miniature, on this machine
#   snakemake --profile slurm results/tables/rodr_table2.md        full scale, on a cluster
from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


include: "rules/common.smk"
include: "rules/inputs.smk"
include: "rules/collections.smk"
include: "rules/variations.smk"
include: "rules/pretraining.smk"
include: "rules/models.smk"
include: "rules/retrieval.smk"
include: "rules/evaluation.smk"
include: "rules/reporting.smk"
include: "rules/audit.smk"
include: "rules/validation.smk"


localrules:
    all,
    collections,
    variations,
    models,
    measures,


# The stages of dvc.yaml, at the scale and for the papers of config.yaml.
ROOT = root_of(config["scale"])


rule all:
    default_target: True
    input:
        f"{ROOT}/report/index.html",
        f"{ROOT}/report/headline.json",


rule collections:
    input:
        [PLANS[ROOT].card(collection) for collection in PLANS[ROOT].collections(PAPERS)],


rule variations:
    input:
        [PLANS[ROOT].query_set(*at, kind) for at, kinds in PLANS[ROOT].varied(PAPERS).items() for kind in kinds],


rule models:
    input:
        PLANS[ROOT].all_models(PAPERS),


rule measures:
    input:
        lambda w: reports.all_measures(PLANS[ROOT], PAPERS),  # when it is asked for: keys take a while
