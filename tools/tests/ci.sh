#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the GitHub action and the GitLab job do: their own shell, taken out of the YAML, with a pip that installs the command
# under test. usage: ci.sh GATHERCHECK
set -u

gathercheck=$1
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/tests/expect.sh"
without_sweeps
action=$root/.github/actions/gathercheck/action.yml
gitlab=$root/tools/ci/gitlab.yml

# block FILE LINE: the text below the first "run: |" or "- |" behind a line that holds LINE.
block() {
  awk -v after="$2" '
    !found { found = index($0, after) > 0; next }
    !inside { if ($0 ~ /^ *(run:|-) \|$/) { inside = 1 }; next }
    { match($0, /^ */) }
    $0 != "" && !depth { depth = RLENGTH }
    $0 != "" && RLENGTH < depth { exit }
    { print substr($0, depth + 1) }' "$1"
}
block "$action" 'name: Install gathercheck' >install.sh
block "$action" 'name: Run gathercheck' >run.sh
block "$gitlab" 'before_script:' >gitlab_install.sh
block "$gitlab" '  script:' >gitlab_run.sh
for script in install.sh run.sh gitlab_install.sh gitlab_run.sh; do
  expect "$script is a script" 0 '^fine$' bash -c "[ \$(wc -l <$script) -gt 2 ] && bash -n $script && echo fine"
done

# A Python whose environments have a pip that writes down what it is asked for, and the command under test.
mkdir fake temp
cat >fake/python3 <<'PYTHON'
#!/usr/bin/env bash
case "$1 $2" in
  '-m venv') mkdir -p "${@: -1}/bin" && cp "$0" "${@: -1}/bin/python" ;;
  '-m pip')
    printf '%s\n' "${@:4}" | grep -v '^--' >"$FAKE_FOLDER/installed"
    ln -sf "$FAKE_COMMAND" "$(dirname "$0")/gathercheck"
    ;;
  *) PATH=${PATH//"$FAKE_FOLDER/fake:"/} exec python3 "$@" ;;
esac
PYTHON
chmod +x fake/python3
export FAKE_FOLDER=$folder FAKE_COMMAND=$gathercheck RUNNER_TEMP=$folder/temp
export GITHUB_OUTPUT=$folder/outputs GITHUB_STEP_SUMMARY=$folder/summary

# step NAME [VARIABLE=VALUE...]: the step as the runner of GitHub starts it, every input with its default but those.
step() {
  local script=$1
  shift
  env PATH="$folder/fake:$PATH" VERSION= EXTRAS= PACKAGES= IMPLEMENTATION= KNOWN_FAILURES= CASES= SWEEPS= FILTER= ARGUMENTS= \
    FOLDER=gathercheck "$@" bash --noprofile --norc -eo pipefail "$script"
}

expect 'the newest version' 0 '^gathercheck$' bash -c "$(declare -f step); folder='$folder'; step install.sh && cat installed"
expect 'a version, an engine and packages' 0 '^gathercheck\[onnxruntime\]==1\.1\.0 my_engine==1 ./a folder $' \
  bash -c "$(declare -f step); folder='$folder'; step install.sh VERSION=1.1.0 EXTRAS=onnxruntime PACKAGES=\$'my_engine==1\n\n./a folder\n' && tr '\n' ' ' <installed"

# An engine that wraps indices out of bounds.
sed 's/^    if any(not -size .*/    if False:/' "$root/tools/examples/my_worker.py" >wraps.py
export PYTHONPATH=$root/conformance/adapters
case=case=gather-index-one-past-the-end
expect 'a run that conforms' 0 'conforms \(exit 0\)$' step run.sh IMPLEMENTATION=$'reference\noptimized' SWEEPS=none FILTER=$case
expect_output() { expect "$1" 0 "$2" cat "$3"; }
expect_output 'tells its exit code' '^exit-code=0$' outputs
expect_output 'and its conclusion' '^conclusion=100 % pass$' outputs
expect_output 'writes the summary of the job' '^## gathercheck: conforms' summary
expect_output 'JUnit' '<testsuites' gathercheck/junit.xml
expect_output 'a page' '<html' gathercheck/report.html
expect_output 'a badge' '"schemaVersion": 1' gathercheck/badge.json
expect_output 'and records' '"record":"end"' gathercheck/run.jsonl

rm -r gathercheck outputs summary
engine='wraps=exec:python3 -B wraps.py'
run_engine=(step run.sh IMPLEMENTATION="$engine" FILTER="$case"$'\noperator=onnx.Gather-13\ntype=f32')
expect 'one that does not has its exit code' 1 'does not conform' "${run_engine[@]}"
expect_output 'also as an output' '^exit-code=1$' outputs
expect_output 'and its reports all the same' 'does not conform' summary
expect_output 'JUnit too' '<failure' gathercheck/junit.xml
expect 'words that follow are handed on' 1 'the known failures are brought up to date' "${run_engine[@]}" KNOWN_FAILURES=known.json \
  ARGUMENTS=$'--update-known-failures\n--reason=it wraps'
expect 'a file of known failures holds' 0 'conforms but for' "${run_engine[@]}" KNOWN_FAILURES=known.json

rm -r gathercheck outputs summary
expect 'bad input' 4 'no-such' step run.sh IMPLEMENTATION=no-such
expect_output 'is an output' '^exit-code=4$' outputs
expect 'and leaves no reports' 2 'No such file' ls summary gathercheck/report.html
# shellcheck disable=SC2016
expect 'an input is no command' 4 '' step run.sh IMPLEMENTATION='$(touch owned)' CASES='`touch owned`'
expect 'which would have run' 2 'No such file' ls owned

# --- GitLab
# shellcheck disable=SC2016
gitlab_step() { env PATH="$folder/fake:$PATH" "${@:2}" bash -eo pipefail "$1"; }
gitlab_step gitlab_install.sh VERSION=1.1.0 EXTRAS=onnxruntime PACKAGES='my_engine==1 other'
expect 'GitLab installs the same' 0 '^gathercheck\[onnxruntime\]==1\.1\.0 my_engine==1 other $' bash -c "tr '\n' ' ' <installed"
expect 'and has the exit code' 1 'does not conform' gitlab_step gitlab_run.sh IMPLEMENTATION="$engine" KNOWN_FAILURES= CASES= SWEEPS=none \
  ARGUMENTS="--filter $case --filter operator=onnx.Gather-13"
expect_output 'and JUnit for the merge request' '<failure' gathercheck/junit.xml
expect 'with known failures' 0 'conforms but for' gitlab_step gitlab_run.sh IMPLEMENTATION="$engine" KNOWN_FAILURES=known.json CASES= \
  SWEEPS= ARGUMENTS="--filter $case --filter operator=onnx.Gather-13"

# --- inputs: all that are declared are used, all that are used are declared, and so are those in the document
cat >inputs.py <<'PYTHON'
import re, sys
action, gitlab, readme = (open(file).read() for file in sys.argv[1:])
declared = re.findall(r"^  ([a-z-]+):$", action.split("\ninputs:\n")[1].split("\noutputs:\n")[0], re.M)
assert set(declared) == set(re.findall(r"inputs\.([a-z-]+)", action)), declared
job = re.findall(r"^    ([a-z-]+):$", gitlab.split("\n---\n")[0], re.M)
assert set(job) == set(re.findall(r"inputs\.([a-z-]+)", gitlab)), job
section = readme.split("## In continuous integration\n")[1].split("\n## ")[0]
for given, known, sign in (("with", declared, "uses: OWNER"), ("inputs", job, "include:")):
    block = section[section.index(sign) :].split("```")[0]
    names = re.findall(rf"^( +){given}:\n((?:\1 +.*\n)+)", block, re.M)
    used = [name for _, lines in names for name in re.findall(r"^ +([a-z-]+):", lines, re.M)]
    assert used and set(used) <= set(known), (used, known)
assert "\non:" in section, "a workflow without on:"
try:
    import yaml
except ImportError:
    pass  # the shell above was found all the same
else:
    steps = yaml.safe_load(action)["runs"]["steps"]
    assert [("run" in step or "uses" in step) for step in steps] == [True] * 3, steps
    _, jobs = yaml.safe_load_all(gitlab)
    assert [list(job) for job in jobs.values()] == [["stage", "image", "variables", "before_script", "script", "artifacts"]], jobs
print(len(declared), "and", len(job), "inputs")
PYTHON
expect 'inputs of YAML and document' 0 '^[0-9]+ and [0-9]+ inputs$' python3 -B inputs.py "$action" "$gitlab" "$root/tools/README.md"
if command -v actionlint >/dev/null; then
  awk '/^## In continuous/ { on = 1 } on && /^```yaml$/ { inside = 1; next } inside && /^```$/ { exit } inside' \
    "$root/tools/README.md" >workflow.yml
  for workflow in workflow.yml "$root/tools/ci/shards.yml" "$root/tools/ci/pages.yml"; do
    expect "actionlint on $workflow" 0 '^fine$' bash -c 'actionlint -shellcheck= "$0" && echo fine' "$workflow"
  done
fi

# --- shards in a matrix
shards=$root/tools/ci/shards.yml
block "$shards" 'name: Run a shard' >shard.sh
block "$shards" 'name: Put the shards together' >merge.sh
mkdir commands
ln -s "$gathercheck" commands/gathercheck
job() { env PATH="$folder/commands:$PATH" IMPLEMENTATION="$1" SHARD="$2" SHARDS=4 bash --noprofile --norc -eo pipefail "$3"; }
for shard in 1 2 3 4; do expect "job $shard of the matrix" 0 'conforms' job reference $shard shard.sh; done
expect 'the last one puts them together' 0 '^4 of 4 shards, [0-9]+ executions: conforms \(exit 0\)$' job reference '' merge.sh
expect 'and tells so in its summary' 0 'reference' cat summary
rm shard-2.jsonl.gz run.jsonl
expect 'where a job was lost it is red' 3 '^# shard 2/4 is not here$' job reference '' merge.sh
rm -f shard-*.gz run.jsonl
expect 'a job whose engine does not start is red' 3 '' job exec:false 1 shard.sh

# --- pages
pages=$root/tools/ci/pages.yml
block "$pages" 'name: Run the suite' >engine.sh
engine_job() { env PATH="$folder/commands:$PATH" ENGINE="$1" bash --noprofile --norc -eo pipefail engine.sh; }
expect 'an engine for the pages' 0 'conforms' engine_job reference
expect 'whose records are made into a site' 0 '^site: [0-9]+ files' env PATH="$folder/commands:$PATH" URL=https://example.org/x \
  bash -eo pipefail -c "$(sed -n 's/^ *run: \(gathercheck site .*\)/\1/p' "$pages")"
expect 'at its address' 0 'https://example.org/x/findings.html' cat site/404.html site/sitemap.xml
expect 'an engine that does not start publishes nothing' 3 '' engine_job exec:false

finish
