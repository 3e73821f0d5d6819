#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the image of packaging/Containerfile by buildah and runs its command.
# No registry is needed: the base image debian:12 is made from a tree of
# debootstrap, and buildah runs in a new Debian. LONG=1 only.
#
#   CFLAGS=FLAGS  CFLAGS of the build
#   SUITE, BASE, MIRROR: packaging/chroot_lib.sh
. "$(dirname "$0")/chroot_lib.sh" || exit 1

buildah_in_root() {
	in_root env HOME=/root BUILDAH_ISOLATION=chroot STORAGE_DRIVER=vfs \
		buildah "$@"
}

# Makes the base image that the Containerfile names in FROM.
base_image() {
	tar -C "$BASE" --one-file-system -cf "$root/src/base.tar" . ||
		fail "archive of $BASE"
	printf 'FROM scratch\nADD base.tar /\n' > "$root/src/Base"
	logged "base image" buildah_in_root bud -q -f /src/Base \
		-t docker.io/library/debian:12 /src
	rm "$root/src/base.tar"
}

image() {
	logged "buildah bud" buildah_in_root bud --pull-never \
		${CFLAGS:+--build-arg "CFLAGS=$CFLAGS"} \
		-f packaging/Containerfile -t weft "/src/weft-$version"
}

# Runs the command of the image, as "podman run" would.
first_job() {
	local container command
	container=$(buildah_in_root from --pull-never weft) || fail "buildah from"
	command=$(buildah_in_root inspect --format \
		'{{range .OCIv1.Config.Cmd}}{{.}}{{"\n"}}{{end}}' "$container" |
		tail -n +3)
	logged "the image's command" buildah_in_root run "$container" \
		-- sh -c "$command"
	[ "$(grep -c '^rank .* of 4' "$work/log")" -ge 8 ] ||
		{ cat "$work/log"; fail "ranks are missing"; }
	grep 'us of virtual time' "$work/log" || fail "no report"
}

make_tarball
new_root buildah ca-certificates
unpack_in_root /src
base_image
image
first_job
echo "the image of packaging/Containerfile runs its first job"
