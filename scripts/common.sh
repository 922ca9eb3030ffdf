# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What scripts/quickstart and scripts/test share: packages, build, installation.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# What gr-fringe is built from and runs with (names are the same on Debian 12 and 13 and on
# Ubuntu 24.04).
build_packages=(
    build-essential cmake ninja-build pkg-config
    gnuradio gnuradio-dev pybind11-dev
    libfftw3-dev libopenblas-pthread-dev libopenblas0 casacore-dev liberfa-dev libhdf5-dev
    libcfitsio-dev libyaml-cpp-dev nlohmann-json3-dev libboost-dev libboost-test-dev
    python3-numpy python3-scipy python3-h5py python3-yaml python3-matplotlib python3-tqdm
    python3-casacore python3-zmq python3-tornado
)
# What only the tests need: other people's tools to check against, and a screen for GRC.
test_packages=(wsclean aoflagger casacore-data python3-astropy python3-distributed python3-xarray
               python3-argcomplete python3-prometheus-client python3-qrcode python3-zbar
               gir1.2-gtk-3.0 xvfb xauth)
# What one test wants and is large (370 MB): without it that test is skipped, and scripts/test says so.
optional_packages=(chromium)
# What continuous integration needs beside that: the other compiler, and what lays code out.
ci_packages=(clang clang-format)

say() { printf '\n== %s\n' "$*"; }
fail() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; exit 1; }

missing_packages() { # PACKAGE...
    local package
    for package in "$@"; do
        dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed' ||
            printf '%s\n' "$package"
    done
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# Installs what is missing, or says how (no_install=yes).
install_packages() { # PACKAGE...
    command -v dpkg-query >/dev/null || fail "this needs Debian 12, Debian 13 or Ubuntu 24.04 (no dpkg-query here)"
    local missing
    mapfile -t missing < <(missing_packages "$@")
    if [ ${#missing[@]} = 0 ]; then
        say "all distribution packages are there"
        return
    fi
    say "missing distribution packages: ${missing[*]}"
    local line="apt-get install --no-install-recommends ${missing[*]}"
    if [ "$no_install" = yes ]; then
        printf 'install them with\n    sudo %s\n' "$line"
        exit 1
    fi
    [ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
        fail "no sudo here; as root: $line"
    local options=(-o DPkg::Lock::Timeout=500 -q)
    as_root apt-get "${options[@]}" update ||
        fail "apt-get update failed: is the network there?"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" install -y \
        --no-install-recommends "${missing[@]}" ||
        fail "the packages could not be installed; by hand: sudo $line"
}

# Configures and builds in $build for $prefix: all, or ${targets[@]} where these are named. Everything goes to a log; what is shown is how far
# it is.
build_module() { # CMAKE_OPTION...
    say "building (some minutes the first time; log: $build/log)"
    mkdir -p "$build"
    local started=$SECONDS
    cmake -G Ninja -S "$repository" -B "$build" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_INSTALL_PREFIX="$prefix" "$@" >"$build/log" 2>&1 || build_failed
    if grep -q '^FRINGE_CUDA:BOOL=ON' "$build/CMakeCache.txt"; then
        echo "the part for the CPU first"
        build_targets gnuradio-fringe fringe_python
        echo "and the kernels for GPUs, where each file takes long:"
        grep -m 1 -o 'CUDA: .*' "$build/log" || true
    fi
    build_targets "${targets[@]:-all}"
    local took=$((SECONDS - started))
    printf 'built in %d min %d s\n' $((took / 60)) $((took % 60))
}

# Configures and builds with clang and its sanitizers, warnings as errors; CMAKE_OPTIONs go last.
build_sanitized() { # CMAKE_OPTION...
    build_module -DFRINGE_WERROR=ON -DFRINGE_SANITIZE=ON -DFRINGE_CUDA=OFF \
        -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_CXX_FLAGS_RELEASE=-O1 \
        "$@"
}

build_targets() { # TARGET...
    NINJA_STATUS="[%f/%t] " cmake --build "$build" --target "$@" 2>&1 |
        show_steps "$build/log" || build_failed
}

build_failed() {
    tail -n 40 "$build/log" >&2
    fail "the build failed; the whole log is $build/log"
}

# Appends what comes in to LOG and shows "[n/m]" of ninja's lines: in place on a terminal, else a
# line every 20 steps. The shell reads line by line: some versions of awk wait for a whole block.
show_steps() { # LOG
    local line shown=0
    while IFS= read -r line; do
        printf '%s\n' "$line" >>"$1"
        [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
        if [ -t 1 ]; then
            printf '\r  step %d of %d ' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
            shown=1
        elif [ $((BASH_REMATCH[1] % 20)) = 0 ] || [ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ]; then
            printf '  step %d of %d\n' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
        fi
    done
    [ $shown = 0 ] || echo
}

install_module() {
    say "installing under $prefix"
    local writable=$prefix
    while [ ! -e "$writable" ]; do writable=$(dirname "$writable"); done
    local root=()
    [ -w "$writable" ] || root=(as_root)
    "${root[@]}" cmake --install "$build" >"$build/install.log" 2>&1 || {
        tail -n 20 "$build/install.log" >&2
        fail "the installation under $prefix failed"
    }
    [ "$prefix" != /usr/local ] || as_root ldconfig
}

# What another prefix than /usr/local needs in the environment.
prefix_environment() {
    [ "$prefix" = /usr/local ] && return
    local library python
    library=$(dirname "$(find "$prefix" -name 'libgnuradio-fringe.so' | head -n 1)")
    python=$(dirname "$(dirname "$(find "$prefix" -path '*/gnuradio/fringe' -not -path '*/include/*' | head -n 1)")")
    cat <<END
export PATH=$prefix/bin:\$PATH
export LD_LIBRARY_PATH=$library\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}
export PYTHONPATH=$python\${PYTHONPATH:+:\$PYTHONPATH}
export GRC_BLOCKS_PATH=$prefix/share/gnuradio/grc/blocks
END
}
