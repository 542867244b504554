#!/usr/bin/env bats
# Traces of PyTorch's profiler: every number as an independent program finds it.

setup() {
	load helpers
	requires python3
	cd "$BATS_TEST_TMPDIR" || exit
}

# imported FILE [OPTION...]: its records are in ./records, the summary in $said
imported() {
	run --separate-stderr -0 "$BIN/gpuimport" "$@" -o out.gst -j
	said="$output"
	"$O/test/cattrace" -r out.gst > records
}

# field KIND FIELD: of each record, a line each
field() { sed -nE "s/^$1 .* $2=(\"([^\"]*)\"|[^ ]*).*/\1/p" records; }

check() { run -0 python3 "$ROOT/tests/kineto_check.py" "$O" "$@"; }

@test "real files of every age: counts, times, names, links and facts are those of expected.json" {
	requires data
	cd "$DATA/traces"
	files=0
	while read -r f; do
		check "$f" expected.json "$f"
		[[ "$output" == *" figures equal" ]]
		files=$((files + 1))
	done < <(find kineto -name '*.json*' | sort)
	[ "$files" -ge 30 ]
}

@test "made up traces of every age and maker: as Python reads them" {
	for variant in 2021 2022 2023 2024 2025 amd xpu mtia cpu gpu; do
		python3 "$ROOT/tests/kineto_make.py" "$variant" 12 > "$variant.json"
		check "$variant.json"
		[[ "$output" == *" figures equal" ]]
	done
	gzip -k 2025.json
	check 2025.json.gz
}

@test "of the metadata only what is known to be harmless is taken" {
	python3 "$ROOT/tests/kineto_make.py" 2025 2 > a.json
	grep -q hunter2 a.json
	imported a.json
	! grep -q hunter2 <<< "$said$stderr" || false
	! grep -q hunter2 records || false
	[ "$(jq -c '.inputs[0] | [.rank, .world, .facts.gpu, .facts["process group"]]' <<< "$said")" = '[3,8,{"Made Up 9000":1},{"0":8}]' ]
	[ "$(field device name),$(field device mem_bytes),$(field device cc_major),$(field device cc_minor),$(field device sm_count)" = '"Made Up 9000",85018279936,9,1,132' ]
	grep -q '^source .* rank=3 world=8 format=1 ' records
	grep -q '^clock .* realtime_ns=17000[0-9]* ' records
}

@test "a collective's group, size, type and sequence, and who its peer is" {
	cat > a.json <<-'END'
		{"schemaVersion": 1, "traceEvents": [
		 {"ph":"X","cat":"kernel","name":"ncclDevKernel_Generic","pid":0,"tid":7,"ts":1,"dur":2,"args":{"stream":7,"correlation":1,
		  "Collective name":"_allgather_base","In msg nelems":1000,"Out msg nelems":8000,"Group size":8,"dtype":"BFloat16","Seq":41,
		  "Process Group Name":"3","Process Group Description":"tensor parallel","Process Group Ranks":"[0, 8, ...]"}},
		 {"ph":"X","cat":"kernel","name":"ncclDevKernel_SendRecv","pid":0,"tid":7,"ts":4,"dur":2,"args":{"stream":7,
		  "Collective name":"send","In msg nelems":5,"Out msg nelems":5,"Group size":2,"dtype":"Float","Src Rank":0,"Dst Rank":6}},
		 {"ph":"X","cat":"kernel","name":"ncclDevKernel_SendRecv","pid":0,"tid":7,"ts":7,"dur":2,"args":{"stream":7,
		  "Collective name":"recv","In msg nelems":5,"Out msg nelems":5,"Group size":2,"dtype":"Float","Src Rank":4,"Dst Rank":0}},
		 {"ph":"X","cat":"kernel","name":"plain","pid":0,"tid":7,"ts":10,"dur":2,"args":{"stream":7}}]}
	END
	imported a.json
	[ "$(field kernel collective | tr '\n' ' ')" = "1 2 3 0 " ]
	[ "$(field collective bytes | tr '\n' ' ')" = "16000 20 20 " ]
	[ "$(field collective peer | tr '\n' ' ')" = "-1 6 4 " ]
	grep -q '^collective .* in_elements=1000 out_elements=8000 .* sequence=41 .* group_size=8 ' records
	for name in _allgather_base BFloat16 "tensor parallel" '\[0, 8, \.\.\.\]'; do
		grep -q "^name .* what=7 text=\"$name\"" records
	done
}

@test "what record_param_comms says goes to the kernels of its call, and says the rank" {
	cat > a.json <<-'END'
		{"schemaVersion": 1, "traceEvents": [
		 {"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":5,"tid":5,"ts":1,"dur":9,"args":{"External id":77,"Collective name":"allreduce",
		  "In msg nelems":4,"Out msg nelems":4,"Group size":16,"dtype":"Float","Process Group Description":"default_pg","Rank":11}},
		 {"ph":"X","cat":"kernel","name":"ncclKernel_AllReduce","pid":0,"tid":7,"ts":9,"dur":2,"args":{"External id":77,"stream":7}},
		 {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":12,"dur":2,"args":{"External id":78,"stream":7}}]}
	END
	imported a.json
	[ "$(field kernel collective | tr '\n' ' ')" = "1 0 " ]
	[ "$(jq -c '.inputs[0] | [.rank, .world]' <<< "$said")" = '[11,16]' ]
}

@test "kernels before their calls, and calls of several processes: each kernel is its process's" {
	cat > a.json <<-'END'
		{"schemaVersion": 1, "traceEvents": [
		 {"ph":"X","cat":"kernel","name":"k1","pid":0,"tid":7,"ts":5,"dur":2,"args":{"stream":7,"correlation":1}},
		 {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":100,"tid":100,"ts":1,"dur":2,"args":{"correlation":1}},
		 {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":200,"tid":200,"ts":2,"dur":2,"args":{"correlation":99999999999}},
		 {"ph":"X","cat":"kernel","name":"k2","pid":0,"tid":7,"ts":8,"dur":2,"args":{"stream":7,"correlation":99999999999}}]}
	END
	imported a.json
	[ "$(field kernel producer | tr '\n' ' ')" = "1 2 " ]
	[ "$(field api producer | tr '\n' ' ')" = "1 2 " ]
	[ "$(field kernel correlation | tr '\n' ' ')" = "$(field api correlation | tr '\n' ' ')" ]
	[ "$(field api tid | tr '\n' ' ')" = "100 200 " ]
}

@test "kernels are of the process that calls, not of the first one; arrows and marks under a GPU's number are no process" {
	cat > a.json <<-'END'
		{"schemaVersion": 1, "traceEvents": [
		 {"ph":"X","cat":"user_annotation","name":"step","pid":100,"tid":100,"ts":1,"dur":90},
		 {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":2,"args":{"stream":7,"correlation":1}},
		 {"ph":"f","id":1,"cat":"async_gpu","name":"cudaLaunchKernel","pid":0,"tid":7,"ts":5,"bp":"e"},
		 {"ph":"f","id":1,"cat":"of some tool","name":"arrow","pid":0,"tid":7,"ts":5},
		 {"ph":"i","name":"mark","pid":0,"tid":7,"ts":6},
		 {"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":200,"tid":201,"ts":2,"dur":2,"args":{"correlation":1}}]}
	END
	imported a.json
	[ "$(field kernel producer)" = "$(field api producer)" ]
	[ "$(field kernel pid)" = 200 ]
	[ "$(jq '.inputs[0].processes' <<< "$said")" = 2 ]
}

@test "a first call that is left out by its time: the next process's calls still have their kernels" {
	cat > a.json <<-'END'
		{"schemaVersion": 1, "traceEvents": [
		 {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":100,"tid":100,"dur":2,"args":{"correlation":1}},
		 {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":200,"tid":200,"ts":2,"dur":2,"args":{"correlation":2}},
		 {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":2,"args":{"stream":7,"correlation":2}}]}
	END
	imported a.json
	[ "$(field kernel producer)" = "$(field api producer)" ]
	[ "$(field kernel pid)" = 200 ]
}

@test "copies, sets, waits and overheads by their names, whoever wrote them" {
	{ echo '{"schemaVersion": 1, "traceEvents": ['
	for name in "Memcpy HtoD (Pageable -> Device)" "Memcpy DtoH (Device -> Pinned)" "Memcpy PtoP (Device -> Device)" \
		"Memcpy HtoD (Host -> Device)" "Memcpy DtoA (Device -> Array)" "CopyDeviceToHost" "Memcpy M2D (Memory -> Device)" "Memcpy"; do
		n=$((n + 1))
		printf '{"ph":"X","cat":"gpu_memcpy","name":"%s","pid":0,"tid":7,"ts":%d,"dur":1,"args":{"bytes":%d}},\n' "$name" $((n * 10)) "$n"
	done
	for name in "Stream Sync" "Event Sync" "Stream Wait Event" "Context Sync" "Other Sync"; do
		n=$((n + 1))
		printf '{"ph":"X","cat":"cuda_sync","name":"%s","pid":0,"tid":7,"ts":%d,"dur":1,"args":{"stream":-1,"wait_on_cuda_event_id":3}},\n' "$name" $((n * 10))
	done
	printf '{"ph":"X","cat":"overhead","name":"%s","pid":-1,"tid":0,"ts":%d,"dur":1},\n' "Buffer Flush" 500 "Lazy Function Loading" 510 "New Thing" 520
	printf '{"ph":"X","cat":"gpu_memset","name":"Memset (Device)","pid":0,"tid":7,"ts":600,"dur":1,"args":{"bytes":9}}]}\n'
	} > a.json
	imported a.json
	[ "$(field copy copy_kind | tr '\n' ' ')" = "1 2 10 1 7 2 1 0 " ]
	[ "$(field copy src_kind | tr '\n' ' ')" = "1 3 3 0 3 3 0 0 " ]
	[ "$(field copy dst_kind | tr '\n' ' ')" = "3 2 3 3 4 0 3 0 " ]
	[ "$(field sync type | tr '\n' ' ')" = "3 1 2 4 0 " ]
	[ "$(field sync stream | sort -u)" = 4294967295 ]
	[ "$(field overhead what | tr '\n' ' ')" = "65536 327680 " ]
	[ "$(field set memory_kind),$(field set bytes)" = 3,9 ]
	[ "$(jq -c '.inputs[0].facts["memcpy bytes"]["CopyDeviceToHost"]' <<< "$said")" = 6 ]
}

@test "memory events become counters of their device" {
	cat > a.json <<-'END'
		{"schemaVersion": 1, "traceEvents": [
		 {"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":5,"tid":5,"ts":1,"args":{"Total Reserved":4096,"Total Allocated":1024,"Bytes":-512,"Device Id":2,"Device Type":1}},
		 {"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":5,"tid":5,"ts":2,"args":{"Total Reserved":0,"Total Allocated":64,"Bytes":64,"Device Id":-1,"Device Type":0}},
		 {"ph":"i","s":"t","name":"[memory]","pid":5,"tid":5,"ts":3,"args":{"Device Type":1,"Device Id":0,"Bytes":-8}}]}
	END
	imported a.json
	[ "$(field counter value | tr '\n' ' ')" = "1024 4096 64 0 -8 " ]
	[ "$(field counter device | tr '\n' ' ')" = "2 2 4294967295 4294967295 0 " ]
	for name in "memory allocated" "CPU memory reserved" "memory allocation"; do
		grep -q "^name .* what=6 text=\"$name\"" records
	done
}

@test "a thread is called by its name, without the words and the number that Kineto puts before it" {
	{
		echo '{"schemaVersion": 1, "traceEvents": ['
		tid=70
		for name in 'thread 71 (pt_data_pin)' 'thread 72 (a (b))' 'thread pool' 'thread 74 (' 'thread 75' plain; do
			tid=$((tid + 1))
			printf '{"ph": "M", "name": "thread_name", "pid": 7, "tid": %d, "ts": 0, "args": {"name": "%s"}},\n' $tid "$name"
			printf '{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": %d, "ts": 1, "dur": 1},\n' $tid
		done
		echo '{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7, "ts": 1, "dur": 1}]}'
	} > a.json
	imported a.json
	[ "$(sed -nE 's/^task .* tid=(7[1-6]) .*comm=("[^"]*"|[^ ]*).*/\1 \2/p' records | tr -d '"' | sort | paste -sd,)" = \
		"71 pt_data_pin,72 a (b),73 thread pool,74 thread 74 (,75 thread 75,76 plain" ] || { grep ^task records; false; }
}

@test "any bytes as a trace: the fuzzer finds nothing in ten seconds, however they come in pieces" {
	mkdir corpus
	for variant in 2021 2025 amd mtia; do
		python3 "$ROOT/tests/kineto_make.py" "$variant" 1 > made.json
		head -c 3000 made.json > "corpus/$variant"
		tail -c 2000 made.json > "corpus/$variant.end"
	done
	printf '%s' '[{"ph":"B","name":"a","pid":1,"tid":"t","ts":"1.5"},{"ph":"E","pid":1,"tid":"t","ts":2},{"ph":"b","cat":"c","id":"0x1","ts":3},' \
		'{"ph":"e","cat":"c","id":1,"ts":4},{"ph":"C","name":"n","ts":5,"args":{"v":1e3}},{"ph":"s","id":{"local":2},"ts":6}' > corpus/chrome
	fuzzer "$PWD/fuzz" -DSCAN_WINDOW=16384u tests/fuzz/reader.c user/import/{json_,chrome_,kineto}*.c user/import/api_class.c \
		user/hash.c user/arena.c
	run -0 ./fuzz -max_total_time=10 -rss_limit_mb=1000 -timeout=10 -max_len=6000 -artifact_prefix=./ corpus
}
