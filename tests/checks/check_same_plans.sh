#!/bin/sh
# The same input gives the same plans in every build: each scenario, in each of its variants, one
# arrival order of openb per policy, and the first 8,500 jobs of Philly, with 655 evictions, print the
# same hashes and figures. The other 5,200 jobs take three times as long.
# The builds run side by side, for none of them needs more than one core.
#
# usage: check_same_plans.sh BUILD_DIR BUILD_DIR...
set -eu
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

mkdir "$scratch/philly"
cp examples/philly/* "$scratch/philly/"
head -n 8501 examples/philly/jobs.csv >"$scratch/philly/jobs.csv"

# Prints all hashes of one build.
hashes() (
    set -e
    "$1/tests/scenarios/scenario_runner" tests/scenarios/*.yaml examples/scenarios/*.yaml
    for policy in best-fit fgd least-fragmentation drf; do
        "$1/lsched" simulate openb --nodes examples/openb/nodes.csv \
            --tasks examples/openb/tasks.csv --policy "$policy" --seeds 1 --json --no-progress
    done
    "$1/lsched" simulate philly "$scratch/philly/jobs.csv" --policy guaranteed-quota --json \
        --no-progress
)

pids=
for build in "$@"; do
    hashes "$build" >"$scratch/$(basename "$build").out" &
    pids="$pids $!"
done
for pid in $pids; do
    wait "$pid" # the shell ends here when a build failed
done

first=
for build in "$@"; do
    name=$(basename "$build")
    grep -v -e decisions_per_s -e library_s "$scratch/$name.out" >"$scratch/$name"
    if [ -z "$first" ]; then
        first=$name
        grep -q 'plans_hash' "$scratch/$name" # the comparison below compares something
    else
        diff "$scratch/$first" "$scratch/$name" || {
            echo "$name and $first do not give the same plans" >&2
            exit 1
        }
    fi
done
echo "$# builds, $(grep -c -e ', plans ' -e plans_hash "$scratch/$first") equal hashes"
