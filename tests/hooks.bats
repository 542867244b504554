#!/usr/bin/env bats
# Rows about functions of the kernel: every type, hooks of alternatives, modules that come and go, whose calls
# count. tests/vm/probetarget is the module, its `run` what happens in the guest; the module's calls are the truth.

setup_file() {
	load helpers
	able vm modules jq || return 0
	export DIR="$O/vm-hooks/${CELL//\//-}"
	rm -rf "$DIR"
	mkdir -p "$DIR"
	VM_TIMEOUT=1500 vm "$CELL" "tests/vm/probetarget/run $O/test/hooks $DIR" > "$DIR/console" 2>&1 ||
		{ tail -n 40 "$DIR/console"; echo "all of it: $DIR/console"; false; }
}

setup() {
	load helpers
	requires vm modules jq
}

# count NAME WHAT: how often a run saw it; says NAME TEXT: its talk has this line
count() { jq -c "select(.what == \"$2\")" "$DIR/$1.out" | wc -l; }
says() { grep -qxF "hooks: $2" "$DIR/$1.err" || { cat "$DIR/$1.err"; false; }; }
# saw NAME WHAT=COUNT...: that and nothing else, exit 0, nothing lost
saw() {
	local name="$1" want got
	shift
	want="$(printf '%s\n' "$@" | sort | paste -sd' ')"
	got="$(jq -r 'select(.what) | .what' "$DIR/$name.out" | sort | uniq -c | awk '{ print $2 "=" $1 }' | sort | paste -sd' ')"
	[ "$got" = "$want" ] || { echo "$name: $got"; cat "$DIR/$name.err"; false; }
	[ "$(cat "$DIR/$name.code")" -eq 0 ]
	[ "$(tail -n 1 "$DIR/$name.out" | jq .lost)" -eq 0 ]
}
# refused NAME TEXT: exit 1, that is what it says
refused() { [ "$(cat "$DIR/$1.code")" -eq 1 ] && says "$1" "$2"; }
plain() { says "$1" "on_kprobe: kprobe probetarget:probetarget_plain"; }

@test "nothing was waited for in vain, and the kernel does not complain" {
	[ ! -e "$DIR/never" ] || { cat "$DIR/never"; false; }
	[ ! -s "$DIR/kernel.complaints" ] || { cat "$DIR/kernel.complaints"; false; }
}

@test "a row of each type fires once a call, with arguments and results" {
	saw types fentry=23 fexit=23 kprobe=23 kretprobe=23 multi=69 multi_ret=46
	sums="$(jq -s -c 'map(select(.what)) | group_by(.what) | map([.[0].what, (map(.value) | add)])' "$DIR/types.out")"
	[ "$sums" = '[["fentry",253],["fexit",759],["kprobe",253],["kretprobe",759],["multi",759],["multi_ret",1518]]' ] || { echo "$sums"; false; }
	saw kernel fentry=23 kprobe=23 kretprobe=23 multi=23 multi_ret=23
}

@test "of alternatives the first that works is taken, and -v says why not a better one" {
	saw order fentry=23 fexit=23
	says order "the call: fentry probetarget:probetarget_plain (not fentry probetarget:probetarget_nowhere: there is no such function)"
	saw nobtf kprobe=23 kretprobe=23
	says nobtf "the call: kprobe probetarget:probetarget_plain (not fentry probetarget:probetarget_nowhere: there is no such function; fentry probetarget:probetarget_plain: the module has no BTF)"
	saw other kprobe=23
	says other "the call: kprobe probetarget:probetarget_plain (not tracepoint probetarget:nowhere: this kernel has no such tracepoint)"
	says third "the call: kprobe __x64_sys_getpgid (not tracepoint probetarget:nowhere: this kernel has no such tracepoint; probetarget is not loaded)"
}

@test "of a choice that attaches in half nothing stays" {
	saw undo other=23
	says undo "the call: kprobe probetarget:probetarget_other (not kretprobe probetarget:probetarget_hidden: the kernel takes no probe there)"
}

@test "a hook without any choice is an error that names all, or a note when it is optional" {
	refused required "cannot attach the call: fentry probetarget:probetarget_nowhere: there is no such function; kprobe probetarget:probetarget_frozen: there is no such function"
	refused refused "cannot attach the call: kprobe probetarget:probetarget_hidden: the kernel takes no probe there"
	saw optional kprobe=23
	says optional "extra left out: fentry probetarget:probetarget_nowhere: there is no such function; kprobe probetarget:probetarget_hidden: the kernel takes no probe there"
	says optional "later left out: probelater is not loaded"
	[ "$(grep -c "later left out" "$DIR/optional.err")" -eq 1 ]
}

@test "a program that the verifier refuses takes its choice out, not the set" {
	saw verifier kprobe=23
	says verifier "the call: kprobe probetarget:probetarget_plain (not fentry probetarget:probetarget_plain: the verifier refused it (-v))"
}

@test "what the compiler made of a function is found by its name" {
	saw prefix kprobe=23 kretprobe=46 other=23 multi=46
	says prefix "on_kprobe: kprobe probetarget:probetarget_sra.isra.0"
	says prefix "on_kretprobe: kretprobe probetarget:probetarget_const.constprop.0 and 1 more"
	says prefix "on_other: kprobe probetarget:probetarget_parted.part.0"
}

@test "a pattern means all functions of the module that can be probed" {
	saw pattern multi=$((12 * 23))
}

@test "of two modules' functions of one name the right one is probed" {
	saw twin kprobe=23 other=5
	says twin "the call: kprobe probetarget:probetarget_twin (not fentry probetarget:probetarget_twin: another module has a function of that name)"
	[ "$(jq -s 'map(select(.what == "other").value) | min' "$DIR/twin.out")" -eq 1000 ]
}

@test "without the kernel's addresses names serve" {
	saw hidden_kprobes kprobe=23 kretprobe=23 multi=69
	saw hidden kprobe=23 other=5
}

@test "gpucheck foretells what attaches" {
	probe() { jq -r ".probes[] | select(.set == \"$2\" and .hook == \"$3\") | \"\(.status) \(.probe) \(.why)\"" "$DIR/$1.json"; }
	[ "$(probe btf order "the call")" = "ok fentry probetarget:probetarget_plain fentry probetarget:probetarget_nowhere: there is no such function" ]
	[ "$(probe nobtf types on_fentry)" = "missing null fentry probetarget:probetarget_plain: the module has no BTF" ]
	[[ "$(probe nobtf order "the call")" == "ok kprobe probetarget:probetarget_plain fentry "*"has no BTF" ]]
	[ "$(probe btf prefix on_kprobe)" = "ok kprobe probetarget:probetarget_sra.isra.0 null" ]
	[ "$(probe btf optional later)" = "degraded null probelater is not loaded" ]
	[ "$(probe absent kprobes on_kprobe)" = "missing null probetarget is not loaded" ]
	[ "$(probe absent kernel on_fentry)" = "ok fentry __x64_sys_getpgid null" ]
}

@test "without its module a tool fails and says what to do; --wait waits for it, idle" {
	refused missing 'cannot attach the probes "kprobes": probetarget is not loaded (modprobe probetarget, or --wait)'
	says wait "probetarget is not loaded: waiting for it (modprobe probetarget)"
	says wait "probetarget is loaded: its functions are probed"
	saw wait kprobe=23 kretprobe=23 multi=69
	[ "$(cat "$DIR/wait_ended.code")" -eq 0 ]
	[ "$(cat "$DIR/wait_ended.sleep_ns")" -ge 50000000 ]	# a busy machine makes it longer
}

@test "a module that is unloaded and loaded while it is traced is traced again" {
	saw reload kprobe=35 kretprobe=35
	[ "$(grep -c "was unloaded: waiting for it" "$DIR/reload.err")" -ge 1 ]
	[ "$(jq -s 'map(select(.what == "kprobe").value) | max' "$DIR/reload.out")" -eq 22 ]
	[ "$(cat "$DIR/unloaded.code")" -eq 0 ]
	[ "$(cat "$DIR/reload_file.code")" -eq 0 ]
	# how long it ran before is another test's matter, and depends on the machine
	notes="$("$O/test/cattrace" "$DIR/reload.gst" | grep '^note' | grep -v 'before its functions were probed' | grep -oE 'what=[a-z]+|text=.*' | paste -sd' ')"
	[ "$notes" = 'what=missing text="probetarget was unloaded: waiting for it" what=setting text="probetarget is loaded: its functions are probed"' ] || { echo "$notes"; false; }
}

@test "a module that is loaded anew again and again neither ends nor hangs the tool" {
	[ "$(cat "$DIR/storm.code")" -eq 0 ]
	[ "$(jq -s 'map(select(.what == "kprobe").value) | max' "$DIR/storm.out")" -eq 1000 ]
	[ "$(tail -n 1 "$DIR/storm.out" | jq -r .schema)" = gpuscope.end.0 ]
}

@test "fentry keeps the module from being unloaded, and says nothing when that is tried" {
	grep -q "is in use" "$DIR/pinned.rmmod"
	saw pinned fentry=23 fexit=23 kprobe=23 kretprobe=23 multi=69 multi_ret=46
}

@test "--cgroup takes the processes in it and below, by either path" {
	saw cgroup kprobe=30 kretprobe=30 multi=90
	saw cgroup_below kprobe=7 kretprobe=7 multi=21
	refused cgroup_none "cannot use the cgroup /rows/nowhere: No such file or directory"
	refused cgroup_not "cannot use the cgroup /tmp: it is none of version 2"
}

@test "a probe may be about another task than the one it runs in" {
	saw pid kprobe=23 kretprobe=23 multi=69
	saw owner kprobe=23 kretprobe=23 multi=69
	saw owner_cgroup kprobe=23 kretprobe=23 multi=69
	saw thread kprobe=23 kretprobe=23 multi=69
	saw thread_not
}

@test "--cost counts every hit and what a trap costs beside the program" {
	cost() { jq -r "select(.schema == \"gpuscope.cost.0\") | .programs[] | select(.program == \"$1\") | $2" "$DIR/cost.out"; }
	for p in on_fentry on_fexit on_kprobe on_kretprobe; do [ "$(cost $p .runs)" -eq 1000 ]; done
	[ "$(cost on_multi .runs)" -eq 3000 ]
	[ "$(cost on_kprobe .kind)" = kprobe ]
	for p in on_kprobe on_kretprobe on_multi on_multi_ret; do [ "$(cost $p .trap_ns_per_run)" -gt 0 ]; done
	[ "$(cost on_fentry .trap_ns_per_run)" -eq 0 ]
}

@test "gpurec attaches a set when its module comes, and says what came and went" {
	[ "$(cat "$DIR/recorder.code")" -eq 0 ]
	notes="$(grep -E 'hooks|probetarget' "$DIR/recorder.notes" | grep -oE 'text=.*')"
	diff - <(echo "$notes") <<-'END'
	text="probe set hooks (test): probetarget is not loaded"
	text="hooks: on_kprobe: kprobe probetarget:probetarget_plain"
	text="hooks: extra: kprobe probetarget:probetarget_nowhere: there is no such function"
	text="probes+=hooks"
	text="probetarget was unloaded: the probe set hooks is gone"
	text="hooks: on_kprobe: kprobe probetarget:probetarget_plain"
	text="hooks: extra: kprobe probetarget:probetarget_nowhere: there is no such function"
	text="probes+=hooks"
	END
}

@test "gpurec --cost keeps what a set cost whose module went" {
	awk '$1 == "on_kprobe" { runs = $2; n++ } END { print n, runs }' "$DIR/recorder.err" | diff - <(echo 1 30)
}
