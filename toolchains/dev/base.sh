# What every script of this folder begins with; it is read by them, from wherever they are called.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
here=$PWD
jobs=${PLUMB_JOBS:-$(nproc)}

say() { if [ -t 2 ]; then printf "\033[1m%s\033[0m\n" "$*" >&2; else printf "%s\n" "$*" >&2; fi; }
fail() { printf '%s\n' "$*" >&2; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# files_since COMMIT [PATTERN...]: the files that differ from it, new ones too.
files_since() {
  local commit=$1
  shift
  { git diff --name-only --diff-filter=d "$commit" -- "$@" 2>/dev/null
    git ls-files -o --exclude-standard -- "$@"; } | LC_ALL=C sort -u
}

# at_a_time COUNT COMMAND...: for each line of the input the command, with the line in place of {}, so many at once. What
# each says comes in one piece when it has ended; one that does not end fails instead of holding its suite up (each takes
# a few minutes).
at_a_time() {
  local lines count=$1 code=0
  shift
  lines=$(mktemp)
  xargs -I '{}' -P "$count" bash -c '
    code=0
    said=$(timeout --foreground --kill-after=10 1800 "${@:2}" 2>&1) || code=1
    flock "$1" cat <<<"$said"   # not as an argument: those of a program end at 128 KB
    exit "$code"' one_of_two "$lines" "$@" || code=1
  rm -f "$lines"
  return "$code"
}

# Tests that compute run one a processor. Those of hosts, stores and the command wait for timers, disks and each other
# for more than half of their time, so that twice as many run.
waiting=$((2 * jobs))
