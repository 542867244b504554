# What gpuflame writes for other programs and for other questions: pprof, speedscope, pages, values, names, libraries.
# Readers are other people's: protoc with a description of our own, go tool pprof, speedscope's schema.

setup() {
	load helpers
	load flamelines
	cd "$BATS_TEST_TMPDIR" || exit
}

gpuflame() { "$BIN/gpuflame" "$@"; }
sum() { awk '{ n += $NF } END { printf "%.0f\n", n }'; }
pprof() { python3 "$ROOT/tests/pprof/read.py" "$1" "$ROOT/tests/pprof/profile.proto"; }

# npm_modules: other people's readers, in $NPM; fetched once
npm_modules() {
	requires node npm
	NPM="$O/npm"
	[ -e "$NPM/done" ] || { npm install --ignore-scripts --no-audit --no-fund --prefix "$NPM" speedscope@1 ajv@8 pprof-format@2 > npm.log 2>&1 && touch "$NPM/done"; } ||
		skip "npm cannot fetch speedscope, ajv and pprof-format"
}

@test "pprof: types, default, stacks leaf first, labels, mangled names, times" {
	requires protoc python3
	train | gst t.gst
	gpuflame t.gst --pprof -o t.pb.gz
	pprof t.pb.gz > said
	diff <(grep -vE '^(sample|function|comment)' said) - <<-'END'
		types gpu_kernel_time/nanoseconds launches/count launch_cpu_time/nanoseconds memcpy_bytes/bytes
		default gpu_kernel_time
		period gpu_kernel_time/nanoseconds 1
		time 1700000000000000000 17000
	END
	sort > want <<-'END'
		sample [no launch];[gpu] relu(float*, int) | 3 1 0 0 | device=0 pid=100 process=trainer stream=0
		sample main;net::forward(int);cudaLaunchKernel;[gpu] gemm(float*, int) | 12000 2 0 0 | device=0 pid=100 process=trainer stream=0 thread=trainer tid=100
		sample [no stack];cudaLaunchKernel;[gpu] relu(float*, int) | 2001 1 0 0 | device=0 pid=100 process=trainer stream=0 thread=worker tid=101
		sample main;net::forward(int);cudaLaunchKernel | 0 0 1000 0 | pid=100 process=trainer thread=trainer tid=100
		sample main;net::forward(int);cudaGraphLaunch | 0 0 10 0 | pid=100 process=trainer thread=trainer tid=100
		sample [no stack];cudaLaunchKernel | 0 0 900 0 | pid=100 process=trainer thread=worker tid=101
		sample main;load_batch();do_syscall_64_[k];cudaMemcpyAsync;[gpu] memcpy HtoD | 0 0 0 4096 | device=0 pid=100 process=trainer stream=0 thread=trainer tid=100
	END
	diff <(grep '^sample' said | sort) want
	grep -qxF 'function [gpu] gemm(float*, int) | _Z4gemmPfi | ' said
	grep -qxF 'function net::forward(int) | _ZN3net7forwardEi | train' said
	grep -q '^comment box: ' said
	gpuflame t.gst --pprof --view=bytes -o b.pb.gz
	pprof b.pb.gz | grep -qx 'types memcpy_bytes/bytes'
	gpuflame t.gst --pprof -o again.pb.gz
	cmp t.pb.gz again.pb.gz
}

@test "go tool pprof reads it: top, tags, the default value" {
	requires go
	random 3000 4> truth | gst r.gst
	gpuflame r.gst --pprof -o r.pb.gz
	export HOME="$PWD" GOFLAGS=-mod=mod
	go tool pprof -top -nodecount=1000 r.pb.gz > top 2> err
	grep -q '^Type: gpu_kernel_time' top
	total="$(awk '$1 == "total" { print $2 }' truth)"
	# -raw has the numbers as they stand
	go tool pprof -raw r.pb.gz > raw 2> err
	[ "$(awk '/^Samples:/ { on = 1; next } /^Locations/ { on = 0 } on && $1 ~ /^[0-9]+$/ { n += $1 } END { printf "%.0f", n }' raw)" = "$total" ]
	go tool pprof -sample_index=launches -top r.pb.gz 2> err | grep -q '^Showing nodes accounting for 3000, 100% of 3000 total'
	go tool pprof -tags r.pb.gz > tags 2> err
	grep -qE '^ *thread: ' tags
	grep -qE '^ *device: ' tags
}

@test "speedscope's own schema and npm's pprof-format take what we write" {
	npm_modules
	train | gst t.gst
	gpuflame t.gst --speedscope -o t.json
	gpuflame t.gst --pprof -o t.pb.gz
	cat > check.js <<-'END'
		const fs = require('fs'), zlib = require('zlib'), Ajv = require('ajv').default || require('ajv');
		const schema = JSON.parse(fs.readFileSync(process.argv[2] + '/node_modules/speedscope/dist/release/file-format-schema.json'));
		const check = new Ajv({ strict: false }).compile(schema), file = JSON.parse(fs.readFileSync('t.json'));
		if (!check(file))
			throw new Error(JSON.stringify(check.errors.slice(0, 3)));
		for (const p of file.profiles) {
			let lines = p.samples.map((s, i) => s.map(f => file.shared.frames[f].name).join(';') + ' ' + p.weights[i]);
			console.log(p.name, p.unit, p.endValue, p.weights.reduce((a, b) => a + b, 0));
			lines.sort().forEach(l => console.log(l));
		}
		const { Profile } = require('pprof-format'), prof = Profile.decode(zlib.gunzipSync(fs.readFileSync('t.pb.gz')));
		console.log('pprof', prof.sample.length, prof.sample.reduce((a, s) => a + Number(s.value[0]), 0), prof.stringTable.strings[Number(prof.defaultSampleType)]);
	END
	NODE_PATH="$NPM/node_modules" node check.js "$NPM" > said
	diff said - <<-'END'
		gpu_kernel_time nanoseconds 14004 14004
		trainer-100;[no launch];[gpu] relu(float*, int) 3
		trainer-100;trainer/100;main;net::forward(int);cudaLaunchKernel;[gpu] gemm(float*, int) 12000
		trainer-100;worker/101;[no stack];cudaLaunchKernel;[gpu] relu(float*, int) 2001
		launches none 4 4
		trainer-100;[no launch];[gpu] relu(float*, int) 1
		trainer-100;trainer/100;main;net::forward(int);cudaLaunchKernel;[gpu] gemm(float*, int) 2
		trainer-100;worker/101;[no stack];cudaLaunchKernel;[gpu] relu(float*, int) 1
		launch_cpu_time nanoseconds 1910 1910
		trainer-100;trainer/100;main;net::forward(int);cudaGraphLaunch 10
		trainer-100;trainer/100;main;net::forward(int);cudaLaunchKernel 1000
		trainer-100;worker/101;[no stack];cudaLaunchKernel 900
		memcpy_bytes bytes 4096 4096
		trainer-100;trainer/100;main;load_batch();do_syscall_64_[k];cudaMemcpyAsync;[gpu] memcpy HtoD 4096
		pprof 7 14004 gpu_kernel_time
	END
}

@test "--view: launches, CPU time of launches and bytes are what gpureport counts" {
	requires jq
	random 2000 4> truth | gst r.gst
	"$BIN/gpureport" -j r.gst > r.json
	[ "$(gpuflame r.gst --folded --view=launches | sum)" = "$(value r.json .kernels.count)" ]
	[ "$(gpuflame r.gst --folded --view=kernel-time | sum)" = "$(value r.json .kernels.total_ns)" ]
	[ "$(gpuflame r.gst --folded --view=launch-cpu | sum)" = 10000 ]
	train | gst t.gst
	"$BIN/gpureport" -j t.gst > t.json
	[ "$(gpuflame t.gst --folded --view=bytes | sum)" = "$(value t.json .memcpy.bytes)" ]
	gpuflame t.gst --view=launches | grep -q '<title>Kernel launches by CPU stack</title>'
	gpuflame t.gst --view=bytes | grep -q '4 KiB (4,096 bytes)'
	run -1 gpuflame r.gst --view=bytes
	[[ "$output" == *"holds no bytes copied"* ]]
	run -2 gpuflame t.gst --view=launches --ops=all
}

@test "--view=uvm: service of unified memory by call, or by who allocated it" {
	requires jq
	{ train; uvm; } | gst u.gst
	"$BIN/gpureport" -j u.gst > u.json
	diff <(gpuflame u.gst --view=uvm --folded) - <<-'END'
		trainer-100;[no call];[uvm] [for a GPU] 700
		trainer-100;trainer/100;main;net::forward(int);cudaLaunchKernel;[uvm] [for the CPU] 300
	END
	gpuflame u.gst --pprof -o u.pb.gz
	pprof u.pb.gz | grep -q '^types .* uvm_service_time/nanoseconds$'
}

@test "--names: parameters and template arguments go, operators and what is no C++ stay" {
	train | sed 's/_Z4gemmPfi/_ZN2ns4gemmIfLi4EEEvPT_i/; s/_Z4reluPfi/plain_c_kernel/' | gst t.gst
	diff <(gpuflame t.gst --folded --by=none --names=short) - <<-'END'
		[no launch];[gpu] plain_c_kernel 3
		[no stack];cudaLaunchKernel;[gpu] plain_c_kernel 2001
		main;net::forward;cudaLaunchKernel;[gpu] void ns::gemm<...> 12000
	END
	diff <(gpuflame t.gst --folded --by=none --names=base) - <<-'END'
		[no launch];[gpu] plain_c_kernel 3
		[no stack];cudaLaunchKernel;[gpu] plain_c_kernel 2001
		main;forward;cudaLaunchKernel;[gpu] gemm 12000
	END
	while IFS='|' read -r full short base; do
		[ "$("$O/test/shortname" short "$full")" = "$short" ] || { "$O/test/shortname" short "$full"; false; }
		[ "$("$O/test/shortname" base "$full")" = "$base" ] || { "$O/test/shortname" base "$full"; false; }
	done <<-'END'
		void f<int>(int)|void f<...>|f
		a::b<c<d>, e>::f(int) const|a::b<...>::f const|f
		std::ostream& std::operator<< <char>(std::ostream&, char const*)|std::ostream& std::operator<< <...>|std::ostream& std::operator<< 
		x::operator()(int)|x::operator()|x::operator()
		foo(std::vector<int>)::{lambda(int)#1}::operator()(int) const|foo::{lambda#1}::operator() const|foo::{lambda#1}::operator() const
		bool operator<(a, b)|bool operator<|bool operator<
		cudaLaunchKernel|cudaLaunchKernel|cudaLaunchKernel
		void (anonymous namespace)::g<int>(int*)|void (anonymous namespace)::g<...>|g
		unbalanced<<<((|unbalanced<<<((|unbalanced<<<((
	END
	# each of a thousand lists becomes longer
	lists="$(printf 'a<>%.0s' $(seq 1000))"
	[ "$("$O/test/shortname" short "$lists")" = "$(printf 'a<...>%.0s' $(seq 1000))" ]
	train | sed "s/_Z4gemmPfi/$lists/" | gst t.gst
	[ "$(gpuflame t.gst --folded --names=short | awk '{ n += $NF } END { print n }')" -eq 14004 ]
}

@test "pprof: kernels of one short name keep their mangled names" {
	requires protoc python3
	train | sed 's/_Z4gemmPfi/_ZN2ns1kIiEEvT_/; s/_Z4reluPfi/_ZN2ns1kIfEEvT_/' | gst t.gst
	gpuflame t.gst --pprof --names=base -o t.pb.gz
	pprof t.pb.gz | grep '^function \[gpu\] k ' | sort | diff - <(printf 'function [gpu] k | %s | \n' _ZN2ns1kIfEEvT_ _ZN2ns1kIiEEvT_)
}

@test "NVSHMEM's kernels are communication, as NCCL's: purple" {
	printf '%s\n' '[gpu] ncclDevKernel 1' '[gpu] nvshmem_put 1' '[gpu] gemm 1' | "$BIN/flamegraph" > t.svg
	for want in ncclDevKernel/purple nvshmem_put/purple gemm/green; do
		read -r r g b < <(sed -nE "/<title>\[gpu\] ${want%/*}\$/ { n; s/.*fill=\"#(..)(..)(..)\".*/0x\1 0x\2 0x\3/p }" t.svg)
		[ "$want" = "${want%/*}/$( ((b > r && r > g)) && echo purple || { ((g > r && g > b)) && echo green; })" ]
	done
}

@test "--fold-recursion and --trim: fewer frames, the same sum" {
	deep | gst d.gst
	diff <(gpuflame d.gst --folded --by=none) - <<-'END'
		main;walk;walk;walk;at::launch();c10::call();step;cudaLaunchKernel;[gpu] k 40
	END
	diff <(gpuflame d.gst --folded --by=none --fold-recursion) - <<-'END'
		main;walk;at::launch();c10::call();step;cudaLaunchKernel;[gpu] k 40
	END
	diff <(gpuflame d.gst --folded --by=none --trim --fold-recursion) - <<-'END'
		main;walk;[libtorch_cpu.so];[libc10.so];step;cudaLaunchKernel;[gpu] k 40
	END
	diff <(gpuflame d.gst --folded --by=none --trim-libraries='^libt') - <<-'END'
		main;walk;walk;walk;[libtorch_cpu.so];c10::call();step;cudaLaunchKernel;[gpu] k 40
	END
	run -2 gpuflame d.gst --trim-libraries='('
	[[ "$output" == *"no regular expression"* ]]
}

@test "--from, --to, --last: the parts add up to the whole" {
	random 3000 4> truth | gst r.gst
	total="$(gpuflame r.gst --folded | sum)"
	a="$(gpuflame r.gst --folded --to=12ms | sum)" b="$(gpuflame r.gst --folded --from=12ms | sum)"
	[ "$a" -gt 0 ] && [ "$b" -gt 0 ] && [ $((a + b)) -eq "$total" ]
	run -2 gpuflame r.gst --from=1ms --per=step
}

@test "all values stand in the page, each exact" {
	requires chromium
	{ train; uvm; } | gst u.gst
	gpuflame u.gst --html -o u.html
	python3 - > said <<-'END'
		import json, re
		d = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', open("u.html").read(), re.S).group(1))
		for v in d["views"]:
		    print(v["name"], v["unit"], sum(int(x) for x in v["self"]))
	END
	diff said - <<-'END'
		gpu_kernel_time nanoseconds 14004
		launches count 4
		launch_cpu_time nanoseconds 1910
		memcpy_bytes bytes 4096
		uvm_service_time nanoseconds 1000
	END
	timeout 60 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/chromium" --dump-dom "file://$PWD/u.html#view=3" 2> /dev/null > dom
	grep -q '>all: 4.000 KiB (4,096 bytes)' dom
}
