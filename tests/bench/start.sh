#!/bin/bash
# How long a command waits for its recording: from the start of gpurec to the command's first word,
# and what gpurec adds to a command that does nothing.
cd "$(dirname "$0")/../.." || exit 1
O="$(realpath "${O:-build}")"
tmp="$(mktemp -d)"
trap 'rm -rf "$tmp"' EXIT
[ "$(id -u)" -eq 0 ] || { echo "bench start: skipped: needs root"; exit 0; }
for ((i = 0; i < 9; i++)); do
	begin="$(date +%s%N)"
	word="$("$O/bin/gpurec" -o "$tmp/x.gst" date +%s%N 2> /dev/null)"
	end="$(date +%s%N)"
	alone="$(date +%s%N)"
	echo "$((word - begin)) $((end - begin - (alone - end)))" >> "$tmp/times"
done
median() { awk -v c="$1" '{ print $c / 1e6 }' "$tmp/times" | sort -n | sed -n 5p; }
echo "the command begins $(median 1) ms after gpurec (limit 300); recording it takes $(median 2) ms in all"
