#!/usr/bin/env bats
# gpuimport on text: perf script and report, folded stacks, nvprof's and nsys stats' tables, CUPTI's samples.

setup() {
	load helpers
	cd "$BATS_TEST_TMPDIR" || exit
}

# imported FILE JQ: a value of gpuimport -j; the trace is FILE.gst
imported() { "$BIN/gpuimport" -j "$1" -o "$1.gst" 2> err | jq -c "$2"; }
reported() { "$BIN/gpureport" -j "$1.gst" | jq -c "$2"; }
# stacks FILE: each sample as "weight comm frames", outermost first
stacks() { "$BIN/gpuflame" -i "$1.gst" --ops=sample --by="${2:-none}" --folded | sort; }

@test "folded stacks: every line one sample, frames and weights as written" {
	printf '%s\n' '# a comment' 'main;f;g 42' 'main;f 1' '[GPU_Kernel]_Z3mulPf 7' 'a frame with spaces;libcuda.so+0x12 3' 'no number' > a.folded
	[ "$(imported a.folded '.kinds, .inputs[0].odd' | paste -sd' ')" = '{"sample":4} [{"what":"line without a number at its end","which":"","count":1}]' ] ||
		{ cat err; false; }
	[ "$(stacks a.folded)" = "[GPU_Kernel]_Z3mulPf 7
a frame with spaces;libcuda.so+0x12 3
main;f 1
main;f;g 42" ]
	[ "$(imported a.folded .inputs[0].facts.text)" = '{"folded_lines":4,"folded_sum":53,"gpu_kernel_frames":1,"libcuda":1,"lines":6,"max_depth":3}' ]
}

perf_script='# captured on: somewhere
python3 my app 100/201 [003] 12.000001500:     250000 cycles:u:
	    7f8bd9637da5 leaf+0x7f5 (/usr/lib64/lib.so)
	    7f8bd9637000 [unknown] (/usr/lib64/lib.so)
	          4008de main+0x87 (/usr/bin/app)

100/201 12.000002:         50 branch-misses/period=50/u:
	ffffffff9c801100 do_page_fault+0x10 ([kernel.kallsyms])
	          4008de inl (inlined)

swapper     0 [000] 12.5: cycles:  ffffffff81000000 idle+0x1 ([kernel.kallsyms])
app 100 [001] 12.6:  sched:sched_switch: prev_comm=app prev_pid=100
app 100 12.7:     10 branches: 0x4008de/0x4009b7/P/-/-/0'

@test "perf script: commands with spaces or none, periods, several events, a frame on the line, branch lists" {
	echo "$perf_script" > p.txt
	[ "$(imported p.txt '.kinds, .first_ns, .last_ns, .inputs[0].facts.period, .inputs[0].odd' | paste -sd' ')" = \
		'{"sample":5} 12000001500 12700000000 {"branch-misses/period=50/u":50,"branches":10,"cycles":1,"cycles:u":250000,"sched:sched_switch":1} [{"what":"branch list not imported","which":"","count":1}]' ] ||
		{ imported p.txt .; false; }
	stacks p.txt > folded
	grep -qxF "[cycles:u];main;lib.so;leaf 250000" folded
	grep -qxF "[branch-misses/period=50/u];inl;do_page_fault_[k] 50" folded
	grep -qxF "[cycles];idle_[k] 1" folded
	stacks p.txt thread | grep -qF "[cycles:u];python3 my app-100;python3 my app/201;main;lib.so;leaf 250000"
}

@test "perf report: a row's stacks, and what they leave of it, are its share of the event count" {
	printf '%s\n' '# To display the perf.data header info, please use --header/--header-only options.' '#' \
		"# Samples: 1K of event 'cycles'" '# Event count (approx.): 1000000' '#' \
		'    50.00%  app   [kernel.kallsyms]   [k] leaf' '20.00% leaf;mid;root' '10.00% leaf;root' \
		'     1.50%  other  libx.so            [.] f(int, char)      ' > r.txt
	[ "$(imported r.txt '.kinds, .inputs[0].facts.row' | paste -sd' ')" = '{"sample":4} {"1.50%  other  libx.so            [.] f(int, char)":150,"50.00%  app   [kernel.kallsyms]   [k] leaf":5000}' ]
	[ "$(stacks r.txt)" = "[cycles];f(int, char) 15000
[cycles];leaf_[k] 200000
[cycles];root;leaf 100000
[cycles];root;mid;leaf 200000" ] || { stacks r.txt; false; }
}

@test "nvprof: units of their own line, correlation behind the name, both tables in one file" {
	cat > nv.csv << 'END'
==1234== NVPROF is profiling process 1234, command: ./a --token secret
==1234== Profiling result:
"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread","Static SMem","Dynamic SMem","Size","Throughput","SrcMemType","DstMemType","Device","Context","Stream","Name"
s,us,,,,,,,,KB,KB,KB,GB/s,,,,,,
0.252345678,64.321,,,,,,,,,,195.312500,2.895746,"Pageable","Device","Tesla V100-SXM2-16GB (0)","1","7","[CUDA memcpy HtoD]"
0.3523457891,3.2640000,196,1,1,256,1,1,8,0.000000,1.5,,,,,"Tesla V100-SXM2-16GB (0)","1","7","vectorAdd(float const *, ""q"") [112]"
0.36,1.024,,,,,,,,,,4.0,1,"","Device","Tesla V100-SXM2-16GB (0)","1","7","[CUDA memset]"
==1234== API trace:
"Start","Duration","Name"
ms,us,
352.3,10.5,"cudaLaunchKernel (vectorAdd(float const *) [112])"
END
	[ "$(imported nv.csv '.kinds, .first_ns, .inputs[0].odd, .inputs[0].facts.text.rounded' | paste -sd' ')" = '{"api":1,"kernel":1,"copy":1,"set":1} 252345678 [] 1' ]
	[ "$(reported nv.csv '.kernels.by_name[0].name, .kernels.total_ns, .kernels.first_ns, .memcpy.by_kind.HtoD.bytes, .memset.bytes, .launch.delay_count, .api.by_name[0].name, .by_device[0].name' | paste -sd' ')" = \
		'"vectorAdd(float const *, \"q\")" 3264 352345789 200000 4096 1 "cudaLaunchKernel" "Tesla V100-SXM2-16GB"' ]
	run ! grep secret nv.csv.gst
}

@test "nsys stats: the same tables with units in their heads" {
	cat > st.csv << 'END'
Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MBps),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name
1000,500,7,2,1,1,64,1,1,16,0.000,0.000,,,,,NVIDIA A100 (0),1,7,"gemm(float *, int)"
2000,300,8,,,,,,,,,,0.5,9,Pinned,Device,NVIDIA A100 (0),1,7,[CUDA memcpy Host-to-Device]
END
	[ "$(imported st.csv .kinds)" = '{"kernel":1,"copy":1}' ]
	[ "$(reported st.csv '.kernels.total_ns, .memcpy.by_kind.HtoD.bytes' | paste -sd' ')" = "500 524288" ]
}

@test "CUPTI's samples: records over several lines, kernels without their process, kinds that are not imported" {
	cat > c.txt << 'END'
CONCURRENT_KERNEL [ 1000, 1500 ] duration 500, "_Z3mulPf", correlationId 5, cacheConfigRequested 0, cacheConfigExecuted 0
	grid [ 2, 8, 1 ], block [ 256, 1, 1 ], cluster [ 0, 0, 0 ], sharedMemory (static 16, dynamic 32)
	deviceId 1, contextId 1, streamId 15, graphId 0, graphNodeId 0, channelId 3, channelType COMPUTE
RUNTIME [ 900, 950 ] duration 50, "cudaLaunchKernel_v7000", cbid 211, processId 42, threadId 43, correlationId 5
MEMCPY "HtoD" [ 2000, 2100 ] duration 100, size 4096, copyCount 1, srcKind PAGEABLE, dstKind DEVICE, correlationId 6
	deviceId 1, contextId 1, streamId 7, graphId 0, graphNodeId 0, channelId 12, channelType ASYNC_MEMCPY
MEMORY2 [ 3000 ] memoryOperationType ALLOCATE, memoryKind DEVICE, size 4, address 1, pc 0,
  deviceId 0, contextId 1, streamId 4294967295, processId 42, correlationId 7, isAsync 0,
OVERHEAD CUPTI_RESOURCE [ 3100, 3200 ] duration 100, THREAD, id 43, correlation id 5
END
	[ "$(imported c.txt '.kinds, .inputs[0].processes, .inputs[0].odd, .inputs[0].facts.by_kind' | paste -sd' ')" = \
		'{"api":1,"kernel":1,"copy":1,"overhead":1} 1 [{"what":"activity not imported","which":"MEMORY2","count":1}] {"CONCURRENT_KERNEL":1,"MEMCPY":1,"MEMORY2":1,"OVERHEAD":1,"RUNTIME":1}' ]
	[ "$(reported c.txt '.kernels.by_name[0].name, .kernels.total_ns, .launch.delay_count, .memcpy.by_kind.HtoD.by_memory.pageable.bytes' | paste -sd' ')" = \
		'"mul(float*)" 500 1 4096' ]
}

@test "CUPTI's samples through a pipe: read once, whole, kernels of the process whose calls came before" {
	awk 'BEGIN {
		for (i = 1; i <= 2000; i++) {
			printf "RUNTIME [ %d, %d ] duration 5, \"cudaLaunchKernel_v7000\", cbid 211, processId 42, threadId 43, correlationId %d\n", i * 100, i * 100 + 5, i
			printf "CONCURRENT_KERNEL [ %d, %d ] duration 50, \"_Z3mulPf\", correlationId %d\n\tdeviceId 0, contextId 1, streamId 7\n", i * 100 + 10, i * 100 + 60, i
		}
	}' > p.txt
	[ "$("$BIN/gpuimport" -j <(cat p.txt) -o p.txt.gst | jq -c '.kinds, .inputs[0].processes' | paste -sd' ')" = '{"api":2000,"kernel":2000} 1' ]
	[ "$(reported p.txt .launch.delay_count)" = 2000 ]
}

@test "packed by gzip, and from standard input" {
	echo 'main;f;g 42' | gzip > a.gz
	[ "$(imported a.gz .kinds.sample)" = 1 ]
	[ "$(echo 'main;f;g 42' | "$BIN/gpuimport" -j --format=folded - -o b.gst | jq .kinds.sample)" = 1 ]
}

@test "any bytes as each text format: the fuzzer finds nothing in ten seconds" {
	fuzzer "$PWD/fuzz" tests/fuzz/reader.c user/import/{lines,stacks,perf,perf_report,nvprof,cupti_text,api_class}.c \
		user/hash.c user/arena.c
	mkdir corpus
	echo "$perf_script" > corpus/perf
	printf 'main;f;g 42\nmain 1\n' > corpus/folded
	printf 'app 1/2 9300000000.5: 1 cycles:\n\t    1 f (x)\n' > corpus/late	# beyond what a record's time may be
	for name in nv.csv st.csv c.txt; do
		sed -n "/> $name << 'END'/,/^END/p" "$BATS_TEST_FILENAME" | sed '1d;$d' > "corpus/$name"
		[ -s "corpus/$name" ]
	done
	run -0 ./fuzz -max_total_time=10 -rss_limit_mb=1000 -timeout=10 -max_len=4096 -artifact_prefix=./ corpus
}

@test "real text: every number of expected.json" {
	requires data
	cd "$DATA/traces" || exit
	for key in cupti_text/cupti_activity_log.txt.gz stacks/cpu_gpu_merged.folded stacks/perf_device_1000.txt.gz \
		stacks/perf_script_branch_cache_misses.txt.gz stacks/perf_uvm_100.txt.gz stacks/perf_uvm_1000.txt.gz; do
		"$BIN/gpuimport" -j "$key" -o "$BATS_TEST_TMPDIR/x.gst" > "$BATS_TEST_TMPDIR/x.import" 2> "$BATS_TEST_TMPDIR/err"
		"$BIN/gpureport" -j "$BATS_TEST_TMPDIR/x.gst" > "$BATS_TEST_TMPDIR/x.report"
		python3 "$ROOT/tests/expected_text.py" expected.json "$key" "$BATS_TEST_TMPDIR/x.import" "$BATS_TEST_TMPDIR/x.report"
	done
}
