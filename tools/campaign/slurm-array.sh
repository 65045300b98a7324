#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A run in shards as an array of Slurm, one job a shard:
#   sbatch --array=1-8 slurm-array.sh 8 --implementation onnxruntime
# The number of shards is given, since that of the array is another where only some are run again (--array=3,7).
#SBATCH --job-name=gathercheck
#SBATCH --output=shard-%a.log
set -u

shard=$SLURM_ARRAY_TASK_ID
count=$1
shift
output=shard-$shard-of-$count.jsonl
if gathercheck run "$@" --shard "$shard/$count" --output "$output.unfinished"; then code=0; else code=$?; fi
# 1 and 2 are verdicts on the engine, and no failures of the job.
((code <= 2)) || exit "$code"
mv "$output.unfinished" "$output"
