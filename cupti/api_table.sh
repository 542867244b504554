#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Makes cupti/api_table.h: every API call CUPTI knows by (domain, cbid), with its names and what it is for.
#   cupti/api_table.sh [DIR] > cupti/api_table.h		DIR: where the CUDA toolkit's cupti_*_cbid.h are
# Only names and numbers are taken. The rules that give a call its class are the awk patterns below, first match wins.
set -eu
dir="${1:-${CUDA:-/usr/local/cuda}/include}"
[ -e "$dir/cupti_driver_cbid.h" ] || dir="${CUDA:-/usr/local/cuda}/extras/CUPTI/include"

cat << 'END'
/*
 * Every API call by (domain, cbid): its names and its class. Made by
 * cupti/api_table.sh from the ids of CUDA 13.0; do not edit. Ids are never
 * renumbered, so the table holds for older and newer CUPTIs; a newer call is
 * missing and its row is NULL. Include it in one file only: it holds the data.
 */
#ifndef API_TABLE_H
#define API_TABLE_H

#include <stddef.h>
#include "cuda.h"

struct api_row {
	const char *name;	/* as cuptiGetCallbackName() says: "cudaLaunchKernel_v7000" */
	const char *function;	/* as its callers know it: "cudaLaunchKernel" */
	u32 class;		/* enum api_class */
};
END
for domain in driver runtime; do
	printf '\nstatic const struct api_row api_%s_rows[] = {\n' "$domain"
	sed -nE 's/^ *CUPTI_(DRIVER|RUNTIME)_TRACE_CBID_([A-Za-z0-9_]+) *= *([0-9]+) *,?.*/\3 \2/p' \
		"$dir/cupti_${domain}_cbid.h" | awk -v domain="$domain" '
	function class(n) {		# n: the name without prefix and version
		if (n ~ /^GraphLaunch/) return "GRAPH_LAUNCH"
		if (n ~ /^LaunchHostFunc/) return "STREAM"
		if (n ~ /^Launch/) return "LAUNCH"
		if (n ~ /^Graphics/) return "OTHER"
		if (n ~ /^(Graph|UserObject)/ || n ~ /Capture/ && n !~ /Cig$/ || n ~ /Capturing/) return "GRAPH"
		if (n ~ /^Memcpy/ || n ~ /Prefetch/ || n ~ /Decompress/) return "COPY"
		if (n ~ /^Memset/) return "SET"
		if (n ~ /Synchronize$/) return "SYNC"
		if (n ~ /^Func|^(Module|Library|Link|Kernel|GetKernel|GetFuncBySymbol|InitModule)/) return "MODULE"
		if (n ~ /^(Unr|R)egister(FatBinary|Function|Var|HostVar|ManagedVar|UnifiedTable)/) return "MODULE"
		if (n ~ /^(Malloc|MemAlloc|HostAlloc|MemHostAlloc)/ ||
		    n ~ /^(Host|MemHost)Register$/ || n ~ /^(Array|Array3D|MipmappedArray)Create$/ ||
		    n ~ /^Mem(Create|AddressReserve|Map|MapArrayAsync|PoolCreate)$/ ||
		    n ~ /^IpcOpenMemHandle$/) return "ALLOC"
		if (n ~ /^(Free|MemFree)/ || n ~ /^(Host|MemHost)Unregister$/ ||
		    n ~ /^(Array|MipmappedArray)Destroy$/ || n ~ /^IpcCloseMemHandle$/ ||
		    n ~ /^Mem(Release|AddressFree|Unmap|PoolDestroy)$/) return "FREE"
		if (n ~ /^Event/ || n ~ /(WaitEvent|RecordEvent)$/) return "EVENT"
		if (n ~ /^(GreenCtx)?Stream/ || n ~ /ExternalSemaphoresAsync$/) return "STREAM"
		return "OTHER"
	}
	$2 == "INVALID" || $2 == "SIZE" || $2 == "FORCE_INT" { next }
	{
		function_name = $2
		if (domain == "runtime")
			sub(/_v[0-9]+$/, "", function_name)
		n = function_name
		sub(/_pt[ds][sz]$/, "", n)
		sub(/_v[0-9]+$/, "", n)
		sub(/^_*(cuda|cu64|cu)/, "", n)
		printf "\t[%d] = { \"%s\", \"%s\", API_%s },\n", $1, $2, function_name, class(n)
	}'
	printf '};\n'
done
cat << 'END'

/* NULL: not a call this table knows. */
static inline const struct api_row *api_row(u32 domain, u32 cbid)
{
	const struct api_row *row = NULL;

	if (domain == API_DRIVER && cbid < sizeof(api_driver_rows) / sizeof(api_driver_rows[0]))
		row = &api_driver_rows[cbid];
	if (domain == API_RUNTIME && cbid < sizeof(api_runtime_rows) / sizeof(api_runtime_rows[0]))
		row = &api_runtime_rows[cbid];
	return row && row->name ? row : NULL;
}

#endif
END
