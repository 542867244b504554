#!/usr/bin/env bats
# gpuimport on databases: Nsight Systems' exports of every schema, rocprofv3's and RPD's, and what is wrong with them.

setup() {
	load helpers
	cd "$BATS_TEST_TMPDIR" || exit
}

@test "a call has the class by its name that CUPTI's tables give it by its number" {
	run -0 "$O/test/apiclass"
	[[ "$output" =~ ^1[0-9]{3}\ names$ ]] || { head -n 5 <<< "$output"; false; }
}

@test "HIP's calls have the classes of CUDA's" {
	run -0 "$O/test/apiclass" hipLaunchKernel hipExtModuleLaunchKernel hipGraphLaunch hipMemcpyWithStream hipDeviceSynchronize hipHostMalloc hipFree hsa_init
	[ "$output" = "hipLaunchKernel 2 1
hipExtModuleLaunchKernel 2 1
hipGraphLaunch 2 8
hipMemcpyWithStream 2 2
hipDeviceSynchronize 2 4
hipHostMalloc 2 5
hipFree 2 6
hsa_init 0 0" ]
}
