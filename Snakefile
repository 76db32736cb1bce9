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
    stage,


# Two targets, at the scale and for the papers of config.yaml.
ROOT = root_of(SETTINGS.scale)


rule all:
    default_target: True
    input:
        f"{ROOT}/report/index.html",
        f"{ROOT}/report/headline.json",


rule stage:
    input:
        lambda w: records_of_stage(ROOT, SETTINGS.stage),
