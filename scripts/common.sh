# Copyright 2026 The gr-fringe authors.
#
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What scripts/quickstart and scripts/test share: packages, build, installation.

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# What gr-fringe is built from and runs with (names are the same on Debian 12 and Ubuntu 24.04).
build_packages=(
    build-essential cmake ninja-build pkg-config
    gnuradio gnuradio-dev pybind11-dev
    libfftw3-dev libopenblas-pthread-dev casacore-dev liberfa-dev libhdf5-dev libcfitsio-dev
    libyaml-cpp-dev libboost-dev libboost-test-dev
    python3-numpy python3-h5py python3-yaml python3-matplotlib python3-tqdm python3-casacore
    python3-zmq
)
# What only the tests need: other people's tools to check against, and a screen for GRC.
test_packages=(wsclean aoflagger python3-astropy python3-scipy clang-format
               gir1.2-gtk-3.0 xvfb xauth)

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
    command -v dpkg-query >/dev/null || fail "this needs Debian 12 or Ubuntu 24.04 (no dpkg-query here)"
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

# Configures and builds in $build for $prefix. Everything goes to a log; what is shown is how far
# it is.
build_module() { # CMAKE_OPTION...
    say "building (some minutes the first time; log: $build/log)"
    mkdir -p "$build"
    cmake -G Ninja -S "$repository" -B "$build" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_INSTALL_PREFIX="$prefix" "$@" >"$build/log" 2>&1 || build_failed
    NINJA_STATUS="[%f/%t] " cmake --build "$build" 2>&1 | tee -a "$build/log" | show_steps ||
        build_failed
}

build_failed() {
    tail -n 40 "$build/log" >&2
    fail "the build failed; the whole log is $build/log"
}

# "[n/m]" of ninja's lines: in place on a terminal, else a line every 20 steps.
show_steps() {
    local terminal=0
    [ ! -t 1 ] || terminal=1
    awk -v terminal=$terminal 'match($0, /^\[[0-9]+\/[0-9]+\]/) {
        split(substr($0, 2, RLENGTH - 2), n, "/")
        if (terminal) printf "\r  step %d of %d ", n[1], n[2]
        else if (n[1] % 20 == 0 || n[1] == n[2]) printf "  step %d of %d\n", n[1], n[2]
        fflush()
    } END { if (terminal) print "" }'
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
