#!/usr/bin/env bash
# test.sh [SUITE...|--quick [COMMIT]|--all]: ./dev test. Builds what the suites need, runs them (suite.sh) and adds up
# their results. A suite that exits with an error but reports no failure, or that reports nothing, counts as one failure. A suite
# that exceeds its time budget (the table `suites` beside this file) is listed at the end.
. "$(dirname "$(readlink -f "$0")")/base.sh"
table_file=toolchains/dev/suites

# of_suite NAME COLUMN
of_suite() { awk -v name="$1" -v column="$2" '$1 == name { print $column }' "$table_file"; }
# The suites that have the label long (1) or have not (0).
suites_long() { awk -v long="$1" '!/^#/ && ($4 ~ /long/) == long { print $1 }' "$table_file"; }

# The suites that a difference from a commit affects. The commit is HEAD, or HEAD~1 if nothing differs from HEAD.
quick_suites() {
  local since=${1:-HEAD} files
  git rev-parse --verify --quiet "$since^{commit}" >/dev/null || fail "there is no commit $since to look for differences from"
  files=$(files_since "$since")
  [ -n "$files" ] || [ -n "${1:-}" ] || files=$(files_since HEAD~1)
  python3 toolchains/touched_suites.py <<<"$files"
}

# what_failed LOG: the failures in a suite's log, with the lines below each; at most 60 lines.
what_failed() {
  sed 's/\r$//; s/\x1b\[[0-9;]*m//g' "$1" | awk '
    /^(TEST CASE|TEST SUITE):/ { head = $0 }
    /^ *FAILED|: (FATAL )?ERROR: |error: |^ *FAIL / {
      if (head != "" && /ERROR/) { print head; head = "" }
      follow = 8
    }
    follow > 0 && !/^ *passed / { print; follow-- }' | cut -c1-300 | head -n 60
}

wanted=("$@")
case ${1:-} in
  --all) mapfile -t wanted < <(suites_long 0; suites_long 1) ;;
  --quick)
    wanted=()
    while read -r name line; do
      wanted+=("$name")
      export "PLUMB_ONLY_$name=$line"
    done < <(quick_suites "${2:-}")
    say "touched: ${wanted[*]}"
    ;;
  '') mapfile -t wanted < <(suites_long 0) ;;
esac
builds=()
for name in "${wanted[@]}"; do
  needed=$(of_suite "$name" 3)
  [ -n "$needed" ] || fail "no suite $name; there are: $(toolchains/dev/suite.sh --list | tr '\n' ' ')"
  for one in ${needed//,/ }; do
    case " ${builds[*]} " in *" $one "*) ;; *) builds+=("$one") ;; esac
  done
done

mkdir -p build/logs
table=() reasons=() broken=() slow=()
passed=0 failed=0 skipped=0
# What is not built fails its suites.
for one in command tests native-tests modules npm web sanitize; do
  case " ${builds[*]} " in *" $one "*) ;; *) continue ;; esac
  started=$SECONDS
  toolchains/dev/step.sh "$one" || say "$one is not built"
  table+=("$(printf 'build %-54s %5d s' "$one" $((SECONDS - started)))")
done
for name in "${wanted[@]}"; do
  say "suite $name"
  log=build/logs/$name.log
  started=$SECONDS
  code=0
  toolchains/dev/suite.sh "$name" 2>&1 | tee "$log" || code=1
  p=0 f=0 k=0 reported=0
  while read -r line; do
    if [[ $line =~ ^suite\ [^:]+:\ ([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
      p=$((p + BASH_REMATCH[1]))
      f=$((f + BASH_REMATCH[2]))
      k=$((k + ${BASH_REMATCH[4]:-0}))
      reported=1
    elif [[ $line == skip:\ * ]]; then
      reasons+=("$name: ${line#skip: }")
    fi
  done < <(sed 's/\r$//; s/\x1b\[[0-9;]*m//g' "$log")
  if [ "$code" != 0 ] && [ "$f" = 0 ]; then
    f=1
    say "suite $name ended with an error; see $log"
  elif [ "$reported" = 0 ] || { [ "$p" = 0 ] && [ "$f" = 0 ]; }; then
    f=$((f + 1))
    say "suite $name ran no test; see $log"
  fi
  [ "$f" = 0 ] || broken+=("$name")
  passed=$((passed + p))
  failed=$((failed + f))
  skipped=$((skipped + k))
  took=$((SECONDS - started))
  budget=$(of_suite "$name" 2)
  [ "$took" -le "$budget" ] || slow+=("$name took $took s and may take $budget s")
  table+=("$(printf '%-16s %6d passed %5d failed %5d skipped %5d s of %4d s' "$name" "$p" "$f" "$k" "$took" "$budget")")
done
# Once more, where the end of a long output is all that one sees.
for name in ${broken[@]+"${broken[@]}"}; do
  printf '\nfailed in %s (build/logs/%s.log):\n' "$name" "$name"
  what_failed "build/logs/$name.log"
done
printf '\n'
printf '%s\n' "${table[@]}"
[ ${#reasons[@]} = 0 ] || printf 'skipped: %s\n' "${reasons[@]}"
[ ${#slow[@]} = 0 ] || printf 'over its budget: %s\n' "${slow[@]}"
printf 'in %d s\n' "$SECONDS"
if [ "$skipped" -gt 0 ]; then
  printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
else
  printf '%d passed, %d failed\n' "$passed" "$failed"
fi
[ "$failed" = 0 ]
