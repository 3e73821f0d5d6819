#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Every page of the site (make html) fits a phone, 390 pixels wide: tables and
# blocks of code may scroll, but the page does not. Every page also fits on
# paper, where nothing scrolls: A4 with margins of 15 mm is 680 pixels wide.
# Chromium measures all pages in one run. The check itself is tested first, with
# a page that is too wide.
. "$top_srcdir/test/run/run_lib.sh" || exit 1
command -v python3 > /dev/null || { echo "SKIPPED: no python3"; exit 77; }
browser=$(command -v chromium || command -v chromium-browser ||
	command -v google-chrome) || { echo "SKIPPED: no chromium"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
flags=(--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage
	--disable-quic --no-first-run --disable-background-networking
	--disable-component-update --disable-sync --hide-scrollbars
	--user-data-dir="$dir/browser" --allow-file-access-from-files)

# too_wide FOLDER WIDTH: prints "N pages:", then the pages that are wider and
# their widths
too_wide() {
	local f
	{
		echo '<!DOCTYPE html><title>t</title><body>'
		for f in "$1"/*.html; do
			echo "<iframe src=\"${f##*/}\" width=\"$2\"
				height=\"800\" style=\"border:0\"></iframe>"
		done
		cat <<-'END'
		<script>addEventListener('load', () => {
			const frames = [...document.querySelectorAll('iframe')];
			const width = (f) => f.contentDocument.documentElement.scrollWidth;
			document.documentElement.dataset.answer = frames.length +
				' pages:' + frames.filter((f) => width(f) > f.clientWidth)
				.map((f) => ' ' + f.getAttribute('src') + ' ' + width(f))
				.join('');
		});</script>
		END
	} > "$dir/frames.html"
	cp "$dir/frames.html" "$1/frames.htm"
	HOME=$dir timeout 100 "$browser" "${flags[@]}" --window-size=1000,900 \
		--virtual-time-budget=20000 --dump-dom "file://$1/frames.htm" \
		2> "$dir/console" | grep -o 'data-answer="[^"]*"' |
		sed 's/.*="//; s/"$//'
}

# fits FOLDER WIDTH: checks that no page is wider than WIDTH pixels
fits() {
	local answer
	answer=$(too_wide "$1" "$2")
	echo "$2 pixels: ${answer:-no answer}"
	[[ $answer =~ ^[1-9][0-9]*\ pages:$ ]] || {
		complain "wider than $2 pixels: $answer"
		tail -n 3 "$dir/console"
	}
}

mkdir "$dir/wide"
echo '<title>w</title><p style="width: 500px">wide' > "$dir/wide/wide.html"
echo '<title>n</title><p>narrow' > "$dir/wide/narrow.html"
answer=$(too_wide "$dir/wide" 390)
[[ $answer == "2 pages: wide.html 50"* ]] ||
	complain "the wide page is not found: $answer"
python3 "$top_srcdir/doc/site/site.py" "$top_srcdir" "$dir/site" 1.0 ||
	complain "site.py"
fits "$dir/site" 390
cp -r "$dir/site" "$dir/paper"
sed -i 's/@media print/@media all/' "$dir/paper/style.css"
cmp -s "$dir/site/style.css" "$dir/paper/style.css" &&
	complain "style.css has no rules for paper"
fits "$dir/paper" 680
end
