#!/usr/bin/env bash
# Record a command in the base and in the head of a change, and compare them. Variables of the environment are those of
# action.yml. Status: that of the comparison, 3 if a function takes longer by more than FAIL_OVER.
set -euo pipefail

[ -n "$BASE" ] || { echo "::error::There is no commit to compare with: give base"; exit 2; }
head=$PWD
work=$(mktemp -d)
git cat-file -e "$BASE^{commit}" 2>/dev/null || git fetch -q --depth 1 origin "$BASE"
git worktree add -q --detach "$work/base" "$BASE"
trap 'git -C "$head" worktree remove --force "$work/base"' EXIT

for tree in "$work/base" "$head"; do
    [ -z "$BUILD_COMMAND" ] || (cd "$tree" && bash -euo pipefail -c "$BUILD_COMMAND")
done
# In turn, so that what changes on the machine meanwhile is in both.
for run in $(seq "$RUNS"); do
    # The options are words.
    # shellcheck disable=SC2086
    (cd "$work/base" && pdconv record -q $RECORD_OPTIONS -o "$work/base-$run.data" -- bash -c "$COMMAND")
    # shellcheck disable=SC2086
    (cd "$head" && pdconv record -q $RECORD_OPTIONS -o "$work/head-$run.data" -- bash -c "$COMMAND")
done

status=0
pdconv diff "$work"/base-*.data --to "$work"/head-*.data --markdown ${FAIL_OVER:+--fail-over "$FAIL_OVER"} >"$work/diff.md" ||
    status=$?
[ $status -eq 0 ] || [ $status -eq 3 ] || exit $status
cat "$work/diff.md" >>"$GITHUB_STEP_SUMMARY"
# Annotations of the lines that are hot now.
pdconv annotate --github --limit 10 -q "$work"/head-1.data || true
{
    echo "markdown=$work/diff.md"
    echo "status=$status"
} >>"$GITHUB_OUTPUT"
exit $status
