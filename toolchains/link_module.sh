#!/bin/sh
# link_module.sh MAP COMMAND...: links a module, keeps the map that goes to standard output (--print-map; emcc 3.1.6 passes
# no other way of writing a map on to its linker), and makes the module as small as binaryen can: emcc's own pass at -O3
# leaves 0.4 % of gzip.
set -e
map=$1
shift
"$@" >"$map"
while [ $# -gt 1 ]; do
  if [ "$1" = -o ]; then
    wasm-opt --enable-simd --enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int \
      --enable-mutable-globals --enable-exception-handling -Oz "$2" -o "$2"
  fi
  shift
done
