# Reads preprocessed C of our ABI headers and says what it declares, a fact a line:
#   const NAME | field TYPE NAME | function NAME
# TYPE is "struct x" or a typedef's name. Only for headers in the house style.
function declarator(text) {		# the name in "const char *name[4]"
	sub(/\[.*/, "", text)
	gsub(/[ \t*]+$/, "", text)
	return match(text, /[A-Za-z_][A-Za-z_0-9]*$/) ? substr(text, RSTART) : ""
}
function fields(line,   parts, n, i) {	# "uint32_t a, b[3];"
	sub(/;.*/, "", line)
	n = split(line, parts, ",")
	for (i = 1; i <= n; i++)
		field[++field_count] = declarator(parts[i])
}
function constants(line,   parts, n, i) {
	gsub(/[{}]/, "", line)
	sub(/;.*/, "", line)
	n = split(line, parts, ",")
	for (i = 1; i <= n; i++) {
		sub(/=.*/, "", parts[i])
		gsub(/[ \t]/, "", parts[i])
		if (parts[i] != "")
			print "const", parts[i]
	}
}
/^(typedef )?enum/ {
	in_enum = 1
	line = $0
	sub(/^[^{]*\{/, "", line)
	constants(line ~ /}/ ? substr(line, 1, index(line, "}") - 1) : line)
	if ($0 ~ /}/)
		in_enum = 0
	next
}
in_enum && /}/ { line = $0; sub(/}.*/, "", line); constants(line); in_enum = 0; next }
in_enum { constants($0); next }
/^(typedef )?struct [A-Za-z_0-9]+ *\{ *.*[a-z]/ || /^(typedef )?struct [A-Za-z_0-9]+ \{/ {
	in_struct = 1
	tag = $0
	sub(/^(typedef )?struct /, "", tag)
	sub(/ *\{.*/, "", tag)
	field_count = 0
	if ($0 ~ /\}/) {	# all on one line
		line = $0
		sub(/^[^{]*\{/, "", line)
		sub(/\}.*/, "", line)
		n = split(line, members, ";")
		for (i = 1; i <= n; i++)
			if (members[i] ~ /[a-z]/)
				fields(members[i])
	} else
		next
}
in_struct && /^\}|\} *[A-Za-z_0-9]*;/ {
	name = $0
	sub(/.*\} */, "", name)
	sub(/;.*/, "", name)
	if (name == "")
		name = "struct " tag
	for (i = 1; i <= field_count; i++)
		print "field", name, field[i]
	in_struct = 0
	next
}
in_struct {
	pending = pending " " $0
	if (pending ~ /;/) {
		n = split(pending, members, ";")
		for (i = 1; i <= n; i++)
			if (members[i] ~ /[a-z]/)
				fields(members[i])
		pending = ""
	}
	next
}
/^(extern |static |typedef |#)/ { next }
{	# entry points: "CUresult cuInit(unsigned int flags);", several a line after a macro
	n = split($0, parts, /\(/)
	for (i = 1; i < n; i++)
		if (match(parts[i], /(__)?(cu|cuda|cupti)[A-Z][A-Za-z_0-9]*$/))
			print "function", substr(parts[i], RSTART)
}
