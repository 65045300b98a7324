#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The recipe for Slurm, on a Slurm of one node that is started here (Debian: slurmctld slurmd slurm-client munge; as root).
# usage: tools/tests/slurm.sh GATHERCHECK
set -u

gathercheck=$(realpath "$1")
recipe=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../campaign/slurm-array.sh")
for program in munged slurmctld slurmd sbatch squeue; do
  [ "$(id -u)" = 0 ] && command -v $program >/dev/null || { echo "skipped: not root, or no $program here"; exit 77; }
done
source "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
without_sweeps
started=()
stop() {
  for ((k = ${#started[@]} - 1; k >= 0; --k)); do kill "${started[k]}" 2>/dev/null && wait "${started[k]}" 2>/dev/null; done
  rm -rf "$folder"
}
trap stop EXIT

# --- a Slurm of our own
mkdir -p slurm/{state,spool} bin
chmod 755 "$folder" slurm
head -c 128 /dev/urandom >slurm/munge.key
chmod 400 slurm/munge.key
munge=(--key-file="$PWD/slurm/munge.key" --socket="$PWD/slurm/munge.socket" --pid-file="$PWD/slurm/munge.pid"
  --seed-file="$PWD/slurm/munge.seed" --log-file="$PWD/slurm/munge.log")
munged --foreground --force "${munge[@]}" >slurm/munged.log 2>&1 &
started+=($!)
host=$(hostname -s)
cat >slurm/slurm.conf <<CONF
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$PWD/slurm/munge.socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
StateSaveLocation=$PWD/slurm/state
SlurmdSpoolDir=$PWD/slurm/spool
SlurmctldPidFile=$PWD/slurm/slurmctld.pid
SlurmdPidFile=$PWD/slurm/slurmd.pid
SlurmctldLogFile=$PWD/slurm/slurmctld.log
SlurmdLogFile=$PWD/slurm/slurmd.log
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$PWD/slurm/slurm.conf
slurmctld -D -c >slurm/slurmctld.out 2>&1 &
started+=($!)
slurmd -D >slurm/slurmd.out 2>&1 &
started+=($!)
ready() { sinfo -h -o %t 2>/dev/null | grep -q idle; }
for ((k = 0; k < 120; ++k)); do
  ready && break
  sleep 0.5
done
ready || { cat slurm/*.log; echo 'the Slurm that was started here is not ready'; exit 1; }

# --- an array of jobs
ln -s "$gathercheck" bin/gathercheck
export PATH="$PWD/bin:$PATH"
words=(--implementation reference --filter 'operator=onnx.Gather-13')
wait_for_jobs() {
  for ((k = 0; k < 600; ++k)); do
    [ -n "$(squeue -h)" ] || return 0
    sleep 0.5
  done
  squeue
}
expect 'an array of four' 0 'Submitted batch job' sbatch --array=1-4 "$recipe" 4 "${words[@]}"
wait_for_jobs
expect 'each job leaves its shard' 0 '^4$' sh -c 'ls shard-*-of-4.jsonl | wc -l'
expect 'which are one run' 0 '^4 of 4 shards, [0-9]+ executions: conforms \(exit 0\)$' gathercheck merge shard-*-of-4.jsonl --output run.jsonl
"$gathercheck" run "${words[@]}" --output whole.jsonl >/dev/null
judged() { whole "$1" | grep '"record":"execution"' | sed 's/,"us":[0-9]*//' | sort | sha256sum; }
expect 'that of one machine' 0 "$(judged whole.jsonl)" judged run.jsonl
rm shard-3-of-4.jsonl
expect 'one that is lost is named' 3 '^# shard 3/4 is not here$' gathercheck merge shard-*-of-4.jsonl
sed -n 's/.* run \(.*\) --shard 3\/4 .*/\1/p' output >lost
expect 'and is one job of the array again' 0 'Submitted batch job' sh -c "sbatch --array=3 '$recipe' 4 $(cat lost)"
wait_for_jobs
expect 'so that nothing lacks' 0 '^4 of 4 shards, [0-9]+ executions: conforms' gathercheck merge shard-*-of-4.jsonl
expect 'an engine that does not start' 0 'Submitted batch job' sbatch --array=1 "$recipe" 1 --implementation exec:false
wait_for_jobs
expect 'leaves no shard' 2 'No such file' ls shard-1-of-1.jsonl

finish
