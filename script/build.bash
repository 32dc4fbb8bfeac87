# SPDX-License-Identifier: MIT
# Copyright (c) 2026 The Regatta authors
#
# Shared by the scripts, to be sourced with root set to the checkout.

# build_preset PRESET TARGET...: configures and builds, quietly unless it fails; one script at a time.
build_preset() {
    local preset=$1 log=$root/build/logs/$1.log lock
    shift
    exec {lock}<"$root/CMakePresets.json"
    flock "$lock"
    mkdir -p "$root/build/logs"
    [[ -e $root/build/$preset/build.ninja ]] || echo "Building; the first time takes some minutes." >&2
    if ! { cmake -S "$root" --preset "$preset" &&
        cmake --build "$root/build/$preset" --target "$@"; } >"$log" 2>&1 </dev/null {lock}<&-; then
        tail -n 60 "$log" >&2
        echo "The build failed; the whole log is in $log" >&2
        return 1
    fi
    exec {lock}<&-
}
