#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Workers that get the rules on indices wrong only where the axis comes at run time: that route asks these rules, too.
# usage: tools/tests/runtime_axis.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"
export PYTHONPATH=$root/conformance/adapters PYTHONDONTWRITEBYTECODE=1

grep -v '^worker.serve' "$root/tools/tests/policy_worker.py" >axis_worker.py
cat >>axis_worker.py <<'PY'


def from_first_dimension(index, size, width):
    return (index + planted.shape[0]) % size if -size <= index < 0 else None


MISTAKES = {"clamp": clamp, "wrap": TREATMENTS["wrap"], "first-dimension": from_first_dimension, "none": TREATMENTS["legal-or-zero"]}


class WithAxis(Planted):
    def __init__(self, mistake):
        super().__init__("legal-or-zero")
        self.mistake = MISTAKES[mistake]
        self.claims = [{"operators": ["openvino.Gather-8"], "data": list(FORMATS), "indices": ["i32", "i64"], "axis": ["constant", "runtime"]}]

    def run(self, call):
        self.treatment = self.mistake if call.axis == "runtime" else TREATMENTS["legal-or-zero"]
        self.batch_dims = call.attributes.get("batch_dims", 0)
        return super().run(call)

    def Gather(self, shape, values, axis):
        axis, b = axis % len(self.shape), self.batch_dims % len(shape) if self.batch_dims else 0
        before, size, after = self.shape[:axis], self.shape[axis], self.shape[axis + 1 :]
        index = dict(zip(self.every(shape), values))
        places = ([*p, self.coordinate(index[(*p[:b], *q)], size), *r] for p in self.every(before) for q in self.every(shape[b:]) for r in self.every(after))
        return [*before, *shape[b:], *after], map(self.element, places)


planted = WithAxis(sys.argv[1])
worker.serve(channel, planted)
PY

run() {
  "$gathercheck" run --sweeps none --implementation "exec:python3 axis_worker.py $1" --filter operator=openvino.Gather-8 \
    --filter rule=ov.gather-8.indices.zero-fill --filter rule=ov.gather-8.indices.negative --failures 0
}
expect 'without a mistake it conforms' 0 'conforms \(exit 0\)' run none
for mistake in clamp wrap first-dimension; do
  expect "$mistake, with a run-time axis only" 1 '^FAIL .* runtime/static/axis-runtime ' run "$mistake"
  mv output said
  expect "nothing else fails" 1 "^0$" grep -cE '^FAIL .* (runtime|constant|folded)/(static|dynamic)  ' said
done
finish
