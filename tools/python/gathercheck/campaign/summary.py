# SPDX-License-Identifier: Apache-2.0
"""What a campaign has found, each failure once, however many tasks show it."""

import json

_FAILURES = ("fail", "crash", "timeout", "known_failure", "difference")


class Summary:
    def __init__(self):
        self._versions = {}  # (implementation, version) -> executions by identity: verdict
        self._failures = {}  # identity and outcome -> what is told of it

    def add(self, task_id: str, version: str, lines) -> None:
        """`version` is the one that the plan asked for, which the records may tell in more words."""
        for line in lines:
            if line["record"] == "implementation":
                self._versions.setdefault((line["implementation"], version), {"ran": line.get("version", ""), "executions": {}})
            if line["record"] != "execution":
                continue
            key = (line["operator"], json.dumps(line["route"], sort_keys=True), line["case"])
            of = self._versions[line["implementation"], version]
            of["executions"][key] = line["verdict"]
            if line["verdict"].replace(" ", "_") not in _FAILURES:
                continue
            outcome = line.get("failure") or line.get("outcome") or line["verdict"]
            failure = self._failures.setdefault(
                (line["implementation"], version, *key, outcome),
                {
                    "implementation": line["implementation"],
                    "version": version,
                    "operator": line["operator"],
                    "route": line["route"],
                    "case": line["case"],
                    "outcome": outcome,
                    **({"finding": line["finding"]} if line.get("finding") else {}),
                    "tasks": [],
                },
            )
            if task_id not in failure["tasks"]:
                failure["tasks"].append(task_id)

    def to_json(self) -> dict:
        implementations = []
        for (name, version), of in sorted(self._versions.items()):
            verdicts = {}
            for verdict in of["executions"].values():
                verdicts[verdict] = verdicts.get(verdict, 0) + 1
            implementations.append({"implementation": name, "version": version, "ran": of["ran"], "verdicts": verdicts})
        return {"implementations": implementations, "failures": [self._failures[key] for key in sorted(self._failures)]}
