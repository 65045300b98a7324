#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many tasks a second a coordinator can do, with workers on this machine: tasks that compute nothing.

usage: scale.py [--tasks N] [--records N] [--workers 1,2,8]

Each task gives the records of a run of N executions at once; the coordinator hands out, keeps, counts and
writes them as ever. Also shown: what the coordinator alone needs for each, which no number of workers makes less.
"""

import argparse
import gzip
import json
import resource
import tempfile
import time
from pathlib import Path

from distributed import Client, LocalCluster
from gathercheck.campaign import coordinator
from gathercheck.campaign.plan import Limits, Plan, Task
from gathercheck.campaign.store import Store
from gathercheck.campaign.task import RECORDS, Result


def null_records(count: int) -> bytes:
    common = {"implementation": "null", "version": "1"}
    execution = {"operator": "onnx.Gather-13", "route": {"operands": "runtime", "shapes": "static"}, "verdict": "pass"}
    lines = [{"record": "implementation", **common}]
    lines += [{"record": "execution", **common, **execution, "case": f"case-{k}"} for k in range(count)]
    return gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode(), 6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", type=int, default=400)
    parser.add_argument("--records", type=int, default=500)
    parser.add_argument("--workers", default="1,2,8")
    options = parser.parse_args()
    records = null_records(options.records)

    def null(task, limits):
        return Result(task.id, RECORDS, content=records)

    coordinator.execute = null
    print(f"{options.tasks} tasks, {options.records} records each, {len(records)} bytes compressed")
    for workers in map(int, options.workers.split(",")):
        # Each has a version of its own; what puts shards together is a program of its own, and left out.
        tasks = tuple(Task("run", "null", str(k), (), (), "", (), 1, 1, 0, 0, "", "") for k in range(options.tasks))
        with tempfile.TemporaryDirectory() as folder:
            going = coordinator.Campaign(Plan("null", Limits(), tasks), Store(Path(folder)))
            going._merge = lambda shards: ""
            cluster = LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0", memory_limit=0, silence_logs=50)
            with Client(cluster) as client:
                client.wait_for_workers(workers)
                begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF)
                going.run(client)
                seconds, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_SELF)
            cluster.close()
            going.end()
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        rate, cpu = options.tasks / seconds, 1000 * used / options.tasks
        print(f"{workers} workers: {rate:.1f} tasks a second, {cpu:.1f} ms of CPU each for coordinator and scheduler")


if __name__ == "__main__":
    main()
