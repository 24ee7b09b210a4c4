#!/usr/bin/env bash
# fuzz.sh [TARGET] [SECONDS]: runs one target, or each, for that long. Called by ./dev fuzz, which builds.
# What libFuzzer learns stays in build/fuzz/TARGET; an input that breaks a property is kept there as crash-*, and the
# command that shows it again is printed. PLUMB_FUZZ_SEED changes the order of things.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
bin=build/cmake/fuzz/bin
targets=(scanner parse contract schema wire client usage guard engine edits budget documents pattern pattern_v8 hosts)
wanted=("${targets[@]}")
seconds=60
seed=${PLUMB_FUZZ_SEED:-1}
for argument in "$@"; do
  case " ${targets[*]} " in
    *" $argument "*) wanted=("$argument") ;;
    *)
      [[ $argument =~ ^[0-9]+$ ]] || {
        printf 'no target %s; there are: %s\n' "$argument" "${targets[*]}" >&2
        exit 1
      }
      seconds=$argument
      ;;
  esac
done

code=0
for target in "${wanted[@]}"; do
  found=build/fuzz/$target
  mkdir -p "$found/corpus"
  printf 'fuzz %s for %s s\n' "$target" "$seconds"
  case $target in
    pattern_v8)
      # As many seeds as fit into the time, at least one.
      until=$((SECONDS + seconds))
      next=$seed
      while node tests/core/pattern_oracle.mjs "$bin/pattern_oracle" "$next" || { code=1; false; }; do
        next=$((next + 1))
        [ "$SECONDS" -lt "$until" ] || break
      done
      ;;
    hosts) node tests/fuzz/hosts.mjs build/bin/plumb build/npm tests/fuzz/corpus/engine "$seconds" "$seed" || code=1 ;;
    *)
      if ! "$bin/fuzz_$target" "$found/corpus" "tests/fuzz/corpus/$target" -seed="$seed" -max_total_time="$seconds" \
        -max_len=4096 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=0 -print_funcs=0 -dict=tests/fuzz/json.dict \
        -artifact_prefix="$found/" >"$found/log" 2>&1; then
        tail -n 60 "$found/log"
        printf 'broken: run %s/fuzz_%s on the file named above\n' "$bin" "$target"
        code=1
      else
        sed -n 's/^stat::number_of_executed_units: */  runs: /p; s/^stat::peak_rss_mb: */  peak MB: /p' "$found/log"
      fi
      ;;
  esac
done
[ "$code" = 0 ] && printf 'fuzz: no property was broken\n'
exit "$code"
