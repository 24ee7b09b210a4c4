# npm_install DIR: node_modules as the lock file says, again only when the lock file or package.json has changed. Read by
# build.sh.
npm_install() {
  local dir=$1 mark now
  mark=$dir/node_modules/.plumb-installed
  now=$(cat "$dir/package.json" "$dir/package-lock.json" 2>/dev/null | sha256sum)
  [ "$(cat "$mark" 2>/dev/null)" = "$now" ] && return 0
  say "npm: $dir"
  if [ -f "$dir/package-lock.json" ]; then
    # A registry may not offer what `npm ci` insists on (a platform's optional package); `npm install` does without, takes
    # the same versions from the lock file, and --no-save leaves that file as it is.
    (cd "$dir" && { npm ci --no-fund --no-audit || {
      say "npm: $dir: not installed as the lock file says (above); without what the registry does not have"
      npm install --no-save --no-fund --no-audit
    }; }) >&2
  else
    (cd "$dir" && npm install --no-fund --no-audit) >&2
  fi
  # Under a Node that is too old for them (Debian's), npm leaves optional packages out without a word, and a bundler lacks its
  # native part. Where the packages bring a newer Node, npm goes over them once more with that.
  if [ -x "$dir/node_modules/.bin/node" ] && [ "$(node -p 'process.versions.node.split(".")[0]')" -lt 20 ]; then
    (cd "$dir" && node_modules/.bin/node "$(readlink -f "$(command -v npm)")" install --no-save --no-fund --no-audit) >&2
  fi
  now=$(cat "$dir/package.json" "$dir/package-lock.json" 2>/dev/null | sha256sum)
  printf '%s\n' "$now" >"$mark"
}
