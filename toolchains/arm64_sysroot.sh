#!/usr/bin/env bash
# The libraries of Debian's arm64 in a folder of their own, for programs that are built here for there:
#
#   toolchains/arm64_sysroot.sh FOLDER PACKAGE...
#
# The packages and all that they depend on, from the archive that this system uses, are unpacked below FOLDER. Nothing is
# installed and no architecture is added to the system; root is not needed. FOLDER/complete is written last and holds the
# names, so that a second call with the same names does nothing.
set -euo pipefail

folder=$1
shift
names="$*"
if [ -f "$folder/complete" ] && [ "$(cat "$folder/complete")" = "$names" ]; then
  exit 0
fi
rm -rf "$folder"
mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial"
folder=$(readlink -f "$folder")
: > "$folder/apt/status"
arm64=(
  -q -y
  -o APT::Architecture=arm64 -o APT::Architectures=arm64
  -o Dir::State="$folder/apt" -o Dir::State::lists="$folder/apt/lists" -o Dir::State::status="$folder/apt/status"
  -o Dir::Cache="$folder/apt" -o Dir::Cache::archives="$folder/apt/archives"
  -o APT::Sandbox::User= -o Debug::NoLocking=1
)
apt-get "${arm64[@]}" update
# shellcheck disable=SC2086  # names of packages
apt-get "${arm64[@]}" --no-install-recommends --download-only install $names
for package in "$folder"/apt/archives/*.deb; do
  dpkg-deb -x "$package" "$folder"
done
# Links that name a place of that system's root.
find "$folder" -type l -lname '/*' | while read -r link; do
  ln -sfnr "$folder$(readlink "$link")" "$link"
done
rm -rf "$folder/apt"
printf '%s' "$names" > "$folder/complete"
