#!/usr/bin/env bash
# packages.sh GROUP...: installs those of the groups' apt packages that are missing. Groups are the arrays below.
. "$(dirname "$(readlink -f "$0")")/base.sh"

# With the compiler's cache a second checkout, and a build after a change that touched much, take a fraction.
build=(g++ cmake ninja-build ccache pkg-config libcli11-dev libyaml-cpp-dev libspdlog-dev libcpp-httplib-dev libssl-dev
  libboost1.81-dev libsqlitecpp-dev libsqlite3-dev zlib1g-dev libnats-dev libmimalloc-dev doctest-dev nlohmann-json3-dev python3)
modules=(emscripten node npm)
# The page is tested in Chromium without its own window (the shell), which takes less than half of the processor's time.
browser=(chromium chromium-headless-shell)
bench=(rapidjson-dev libsimdjson-dev libbenchmark-dev valgrind zsh xz-utils)
# Shells that the command completes in, what sets its manual page, and an editor that it serves.
shells=(zsh fish groff-base neovim)
# What questions are asked of: pages that the tests may read, and what reads PDF.
documents=(debian-policy debian-reference-en maint-guide poppler-utils)
bench_proxy=(nginx-light procps python3)
sanitize=(clang libclang-rt-14-dev)
# The store of several hosts is tested with a server of its own.
servers=(nats-server openssl)
# What the proxy is operated with: tests/native/operated_test.py skips what is not there.
operated=(nginx-light caddy prometheus)
# The command for small machines, here and for 64-bit ARM; the libraries of the latter come from toolchains/arm64_sysroot.sh.
edge=(lld binutils g++-aarch64-linux-gnu qemu-user-static)
fuzz=(clang libclang-rt-14-dev libre2-dev)
format=(clang-format git)
lint=(clang clang-tidy)
deb=(dpkg-dev)
# A clean system to install the package in.
system=(debootstrap)
tests=(git curl jq)

# What the build links with, for other machines.
if [ "${1:-}" = --libraries ]; then
  printf '%s\n' "${build[@]}" | grep '^lib'
  exit 0
fi

wanted=()
for group in "$@"; do
  declare -n names=$group
  wanted+=("${names[@]}")
  unset -n names
done
# Node, npm and Python may come from elsewhere, so for these the command counts, not the package.
missing=()
for name in "${wanted[@]}"; do
  case $name in
    node) have node || missing+=(nodejs) ;;
    npm | python3) have "$name" || missing+=("$name") ;;
    chromium-headless-shell)   # a mirror without it: the page is tested in chromium
      if ! have "$name"; then
        if have apt-cache && apt-cache show "$name" >/dev/null 2>&1; then missing+=("$name"); else
          say "apt does not list $name: the page's tests take longer, in chromium"
        fi
      fi ;;
    *) [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || missing+=("$name") ;;
  esac
done
[ ${#missing[@]} -gt 0 ] || exit 0
have apt-get || fail "These are missing and there is no apt-get to install them with: ${missing[*]}"
as_root=()
if [ "$(id -u)" != 0 ]; then
  have sudo || fail "Run this as root, then again: apt-get install -y --no-install-recommends ${missing[*]}"
  as_root=(sudo)
fi
say "installing ${missing[*]}"
apt=(env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 -q)
"${as_root[@]}" "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2 || {
  "${as_root[@]}" "${apt[@]}" update >&2
  "${as_root[@]}" "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >&2
}
