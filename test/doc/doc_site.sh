#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The site of the documents (make html): every document and manual page is on
# it, every link leads somewhere, two runs write the same bytes. The check of
# links is tested with broken pages first. Commands of the pages are run by the
# other tests of this folder.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
command -v python3 > /dev/null || { echo "SKIPPED: no python3"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
site() { python3 "$top_srcdir/doc/site/site.py" "$@"; }
check() { python3 "$top_srcdir/test/doc/doc_site.py" "$1" > "$dir/out"; }

# broken MESSAGE HTML: checks that a page with this body is refused with this
# message
mkdir "$dir/broken" "$dir/right"
broken() {
	echo "<title>t</title><h1 id=\"a\">a</h1>$2" > "$dir/broken/index.html"
	! check "$dir/broken" && grep -q "$1" "$dir/out" ||
		complain "the check accepts: $2"
}
broken 'none.html, which does not exist' '<a href="none.html">x</a>'
broken '#b: no such heading' '<a href="#b">x</a>'
broken 'from the network' '<img alt="x" src="https://weft.invalid/x.png">'
broken 'a mark is left' '<p>**strong**</p>'
broken '</p> in p em' '<p><em>x</p>'
broken 'id a twice' '<p id="a">x</p>'
broken 'no page links to it' "$(touch "$dir/broken/alone.html")"
rm "$dir/broken/alone.html"
echo '<title>t</title><h1 id="a">a</h1><a href="#a">x</a>' \
	> "$dir/right/index.html"
check "$dir/right" || complain "the check refuses a right page"

site "$top_srcdir" "$dir/one" 1.0 || complain "site.py"
site "$top_srcdir" "$dir/two" 1.0 || complain "site.py, second run"
diff -r "$dir/one" "$dir/two" || complain "two runs differ"
check "$dir/one" || complain "$(cat "$dir/out")"
tail -n 3 "$dir/out"
for f in "$top_srcdir"/doc/*.md "$top_srcdir"/doc/*.[1-9]; do
	grep -q '^\.so ' "$f" && continue
	grep -q "^doc/${f##*/} | " "$top_srcdir/doc/site/contents" ||
		complain "doc/site/contents does not have doc/${f##*/}"
done

# names of documents that other documents mention
for f in $(cd "$top_srcdir" && grep -ohE '\bdoc/[a-z-]+\.(md|png)' README.md \
	CONTRIBUTING.md SECURITY.md doc/*.md doc/*.[1-9] | sort -u); do
	[ -e "$top_srcdir/$f" ] || complain "a document names $f"
done
end
