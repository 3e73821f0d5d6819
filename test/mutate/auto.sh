#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs test/mutate/auto on a tree of one file and one test, with faults whose
# results are known: found by a failure, found by a hang, survived, equivalent,
# not reached, invalid C, and identical object code.
here=$(cd "${top_srcdir:-.}" && pwd)
for program in python3 gcov git; do
	command -v $program > /dev/null || { echo "no $program"; exit 77; }
done
top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
mkdir -p "$top/src" "$top/test/mutate" "$top/build"
cd "$top" || exit 1

cat > src/clip.c << 'END'
int clip(int v, int least, int most);
int sum(const int *v, int n);
int next(int v);
int twice(int v);

int clip(int v, int least, int most)
{
	if (v < least)
		return least;
	if (v > most)
		return most;
	return v;
}

int sum(const int *v, int n)
{
	int all = 0;

	while (n > 0) {
		all += v[n - 1];
		n--;
	}
	return all;
}

int next(int v)
{
	return v + 1;
}

int twice(int v)
{
	return v * 2;
}
END
# The test never clips at the upper end, and never calls next(); twice() is called
# in another process.
cat > src/clip_test.c << 'END'
#include <sys/wait.h>
#include <unistd.h>
int clip(int v, int least, int most);
int sum(const int *v, int n);
int twice(int v);

int main(void)
{
	const int v[3] = { 1, 2, 4 };
	int status = 1;

	if (!fork())
		_exit(twice(2) != 4);
	wait(&status);
	return status || clip(5, 0, 9) != 5 || clip(-1, 0, 9) || sum(v, 3) != 7;
}
END
printf '%s\t%s\t%s\t%s\n' src/clip.c 'if (v < least)' 'if (v <= least)' \
	'v equals least where the results differ' > test/mutate/equivalent
cat > configure << 'END'
#!/bin/sh
mkdir -p src/.deps .libs test/support
touch src/.deps/clip.Po
ln -sf "$idle_timeout" test/support/idle_timeout
cat > Makefile << MAKE
CC = ${CC:-cc}
CFLAGS = ${2#CFLAGS=}
AM_LDFLAGS = \$(filter -fsanitize%,\$(CFLAGS))
LDADD = libweftclip.la
C_TESTS = src/clip_test
src_clip_test_OBJECTS = src/clip_test.o
Makefile: ;
all-local:
libweftclip.la: src/clip.o ; ar rc .libs/libweftclip.a src/clip.o
src/%.o: ../src/%.c ; \$(CC) \$(CFLAGS) -O1 -fPIC -c \$< -o \$@
test/support/idle_timeout: ;
.PHONY: all-local libweftclip.la test/support/idle_timeout
MAKE
END
chmod +x configure
(cd build && ../configure -q CFLAGS=) || exit 1

# check RESULT FAULT: checks that the output has this line
check() {
	grep -qF -- "$(printf '%-16s src/clip.c:%s' "$1" "$2")" out ||
		{ echo "not $1: $2"; bad=1; }
}
bad=0
"$here/test/mutate/auto" --top "$top" --jobs 2 src > out 2>&1
[ $? = 1 ] || { echo "the exit code does not show survivors"; bad=1; }
check FOUND '8: comparison: if (v < least) -> if (v > least) (src/clip_test)'
check EQUIVALENT '8: boundary: if (v < least) -> if (v <= least) (v equals'
check FOUND '8: error: if (v < least) -> if ((v < least) && 0)'
check FOUND '10: negated: if (v > most) -> if (!(v > most))'
check SURVIVED '10: error: if (v > most) -> if ((v > most) && 0) (1 tests)'
check FOUND '19: comparison: while (n > 0) { -> while (n < 0) {'
check FOUND '21: store: n--; -> ; (src/clip_test: hangs)'
check 'NOT REACHED' '28: constant: return v + 1; -> return v + 0;'
check FOUND '33: constant: return v * 2; -> return v * 3; (src/clip_test)'
grep -q '^src  *1[0-9] ' out || { echo "no table"; bad=1; }

# an out-of-bounds read that is detected reliably only in a build with
# AddressSanitizer
mkdir build-asan
if (cd build-asan && ../configure -q CFLAGS=-fsanitize=address &&
	echo 'int main(void) { return 0; }' > one.c &&
	${CC:-cc} -fsanitize=address one.c -o one 2> /dev/null); then
	"$here/test/mutate/auto" --top "$top" --build build-asan --jobs 2 \
		--match '19: boundary' src > out 2>&1
	check FOUND '19: boundary: while (n > 0) { -> while (n >= 0) {'
	grep -q '^src  *1 ' out || { echo "not one fault"; bad=1; }
fi

# the same seed gives the same sample
for i in 1 2; do
	"$here/test/mutate/auto" --top "$top" --sample 3 --seed 5 \
		--operators comparison,constant src > sample$i 2>&1
done
cmp sample1 sample2 || bad=1
[ "$(grep -c ' src/clip.c:' sample1)" -ge 3 ] || { echo "no sample"; bad=1; }

# faults on lines of the whole tree, with a time limit: results are kept for the
# next run, a survivor is printed as a difference, and no fault is started after
# the limit
for i in 1 2; do
	"$here/test/mutate/auto" --top "$top" --sample 30 --seed 4 --operators constant \
		--time-limit 300 > sample 2>&1
	grep -q '^src  *[1-9]' sample || { echo "no row of src"; bad=1; }
done
grep -A 2 '^src/clip.c:28: ' sample | grep -q '^+	return' ||
	{ echo "no difference"; cat sample; bad=1; }
"$here/test/mutate/auto" --top "$top" --sample 30 --seed 6 \
	--time-limit 1 > sample 2>&1
grep -q '^all  *0 ' sample || { echo "faults after the limit"; bad=1; }
git init -q . && git add src && git -c user.name=t -c user.email=t@localhost \
	commit -qm base && sed -i 's/v + 1/v + 2/' src/clip.c
"$here/test/mutate/auto" --top "$top" --diff HEAD --list > out 2>&1
[ "$(cat out)" = 'src/clip.c:28: constant: return v + 2; -> return v + 3;' ] ||
	{ echo "the diff has other faults"; bad=1; }
[ $bad = 0 ] || cat "$top"/out "$top"/sample1
exit $bad
