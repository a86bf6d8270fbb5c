#!/bin/sh
# Gather the inputs of the fuzz targets in a directory: seeds, and what earlier runs found.
#
# usage: tests/fuzz/gather.sh SEEDS-PROGRAM DIRECTORY
set -eu
program=$(realpath "$1")
mkdir -p "$2"
directory=$(realpath "$2")
cd "$(dirname "$0")/../.."
"$program" "$directory"
for found in tests/fuzz/corpus/*.tar.xz; do
    [ ! -f "$found" ] || tar -C "$directory" --no-overwrite-dir -xJf "$found"
done
