#!/bin/sh
# keep_map.sh MAP COMMAND...: runs a link whose map goes to standard output (--print-map), and keeps that map.
# emcc 3.1.6 passes no other way of writing a map on to its linker.
map=$1
shift
exec "$@" >"$map"
