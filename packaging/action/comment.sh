#!/usr/bin/env bash
# Write the comparison to the pull request, in place of the last one there. Without the right to comment, as in pull requests
# from forks, the summary of the job has it, and this succeeds.
set -euo pipefail

[ -s "$MARKDOWN" ] || exit 0
gh pr comment "$NUMBER" --edit-last --body-file "$MARKDOWN" 2>/dev/null || gh pr comment "$NUMBER" --body-file "$MARKDOWN" ||
    echo "::notice::The comparison is in the summary of the job: this token may not comment"
