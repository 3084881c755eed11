# Installs Debian 12 packages for the build and the tests. Sourced by dev.

# The static build also links the dependencies of libarchive and gRPC, so the list contains the -dev packages of these.
# tools/krb5-env needs dpkg-dev, make and libkeyutils-dev.
readonly packages_build="g++ cmake ninja-build pkgconf python3 mold ccache
  libgrpc++-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc libssl-dev libc-ares-dev libabsl-dev libre2-dev
  libboost1.81-dev libpugixml-dev libyaml-dev nlohmann-json3-dev libcli11-dev libsqlite3-dev
  libarchive-dev nettle-dev libacl1-dev liblzma-dev libzstd-dev liblz4-dev libbz2-dev zlib1g-dev libxml2-dev libicu-dev
  dpkg-dev make libkeyutils-dev
  libgtest-dev libgmock-dev libbenchmark-dev"
readonly packages_pages="nodejs npm"  # build the pages of the portal
readonly packages_test="python3-pytest python3-cloudpickle python3-jsonschema python3-yaml procps binutils xz-utils
  busybox-static groff-base advancecomp"
readonly packages_hadoop="openjdk-17-jdk-headless maven python3-protobuf iproute2 krb5-kdc krb5-admin-server
  krb5-user sssd-kcm faketime curl"  # the cluster of tests/yarn
readonly packages_docker="docker.io"  # for tests/yarn/test_docker_containers.py; 65 MB to download, 260 MB installed
readonly packages_format="clang-format"
# For the fuzz targets and the unit tests. clang 14, Debian's default, lacks parts of C++20. With a program of llvm-16,
# the sanitizers name functions.
readonly packages_clang="clang-16 libclang-rt-16-dev llvm-16"

# The pages of the portal can be built with any node and npm in PATH. Debian's are installed where they are missing.
need_pages() {
  if command -v node >/dev/null && command -v npm >/dev/null; then return; fi
  need pages
}

# need PURPOSE: installs the missing packages for a purpose. If none is missing, the network is not used.
need() {
  local list=packages_$1 package missing=()
  command -v dpkg-query >/dev/null || die "not Debian: install the packages listed in tools/dev/setup.sh by hand"
  local installed
  installed=" $(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p' | tr '\n' ' ') "
  for package in ${!list}; do
    [[ $installed == *" $package "* ]] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing ${#missing[@]} packages (purpose: $1)"
  quietly "apt-$1" tools/apt-install "${missing[@]}"
}
