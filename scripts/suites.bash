# Functions for scripts that bring packages of other releases of Debian, unpacked: read by scripts/servers and
# scripts/ffmpeg, which set `me`, the name in messages, and `work`, a folder of their own for this run.
#
# Packages come from the machine's own mirror of Debian. The exit status is 69 if it does not have the suite.

say() { printf '%s: %s\n' "$me" "$*" >&2; }
without() { say "$1"; exit 69; }

# The address of the mirror from which this machine has its own release of Debian.
mirror() {
    apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(ORIGIN)' 'Created-By: Packages' 2>/dev/null |
        awk '$2 !~ /-/ && $3 == "Debian" { print $1; exit }'
}

# A configuration for apt of its own, so that the system's lists and sources stay as they are.
configure() {
    local suite key
    mkdir -p "$work/lists/partial" "$work/archives/partial"
    key=/usr/share/keyrings/debian-archive-keyring.gpg
    for suite in "$@"; do
        printf 'deb %s%s %s main\n' "$([ -r $key ] && echo "[signed-by=$key] ")" "$address" "$suite"
    done >"$work/sources.list"
    cat >"$work/apt.conf" <<END
Dir::Etc::SourceList "$work/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State::Lists "$work/lists";
Dir::State::status "$work/status";
Dir::Cache "$work";
APT::Sandbox::User "root";
Acquire::Languages "none";
END
    export APT_CONFIG=$work/apt.conf
    : >"$work/status"
    : >"$work/installed"
    apt-get update -qq 2>"$work/errors" || without "this machine's mirror does not have $*: $(tail -n 1 "$work/errors")"
}

# Adds packages as installed to the status file, which is only used for queries.
pretend_installed() {
    local package
    for package in "$@"; do
        printf '\nPackage: %s\nStatus: install ok installed\nVersion: 9999\nArchitecture: %s\n' \
            "$package" "$(dpkg --print-architecture)"
        printf 'Maintainer: nobody\nDescription: taken for installed\n'
    done >>"$work/status"
}

# Downloads the packages that apt would install, and unpacks them into a folder.
unpack() {
    local into=$1 closure archive
    shift
    mapfile -t closure < <(apt-get -s --no-install-recommends "$@" install "${packages[@]}" 2>"$work/errors" |
        sed -n 's/^Inst \([^ ]*\) (\([^ ]*\) .*/\1=\2/p' | grep -vxFf "$work/installed")
    [ ${#closure[@]} != 0 ] || without "apt does not say where to get ${packages[*]}: $(tail -n 3 "$work/errors")"
    say "downloading ${#closure[@]} packages, to unpack (not install) them"
    (cd "$work/archives" && apt-get download -qq "$@" "${closure[@]}")
    mkdir -p "$into"
    for archive in "$work"/archives/*.deb; do dpkg -x "$archive" "$into"; done
}
