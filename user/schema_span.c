// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The field tables of what programs and other tools say; see schema.h. */
#include "schema_parts.h"
#include "span.h"

static const struct enum_name source_formats[] = {
	{ SOURCE_UNKNOWN, "unknown" }, { SOURCE_KINETO, "kineto" },
	{ SOURCE_CHROME, "chrome" }, { SOURCE_NSYS, "nsys" }, { SOURCE_ROCPD, "rocpd" },
	{ SOURCE_PERF, "perf" }, { SOURCE_FOLDED, "folded" }, { SOURCE_NVPROF, "nvprof" },
	{ SOURCE_CUPTI_TEXT, "cupti_text" }, {}
};
static const struct enum_name span_whats[] = {
	{ SPAN_OTHER, "other" }, { SPAN_PYTHON, "python" }, { SPAN_OP, "op" },
	{ SPAN_ANNOTATION, "annotation" }, { SPAN_GPU_ANNOTATION, "gpu_annotation" },
	{ SPAN_PROFILER, "profiler" }, { SPAN_MARK, "mark" }, {}
};
const struct field source_fields[] = {
	F(source, bytes, AS_SIZE, "of the file, unpacked"),
	F(source, records, AS_DEC, "events or rows in the file"),
	F(source, shift_ns, AS_SIGNED, "trace time minus the file's own time"),
	F(source, rank, AS_SIGNED, "rank of a distributed job, -1 unknown"),
	F(source, world, AS_DEC, "ranks in the job, 0 unknown"),
	FE(source, format, source_formats, "format of the file"),
	F(source, file, AS_DEC, "number of the file, from 1"),
	F(source, host, AS_STR, "machine it was recorded on"),
	F(source, disorder, AS_DEC, "records that one may come late, 0 unknown"),
	{}
};
const struct field collective_fields[] = {
	F(collective, in_elements, AS_DEC, "elements given"),
	F(collective, out_elements, AS_DEC, "elements got"),
	F(collective, bytes, AS_SIZE, "message size, 0 unknown"),
	F(collective, sequence, AS_DEC, "number within the group, 0 unknown"),
	F(collective, id, AS_DEC, "id that kernels refer to"),
	F(collective, name, AS_NAME, "collective"),
	F(collective, type, AS_NAME, "element type"),
	F(collective, group, AS_NAME, "process group"),
	F(collective, description, AS_NAME, "what the group is for"),
	F(collective, ranks, AS_NAME, "members of the group"),
	F(collective, group_size, AS_DEC, "members of the group, 0 unknown"),
	F(collective, peer, AS_SIGNED, "other rank or root, -1 none"),
	{}
};
const struct field span_fields[] = {
	F(span, dur_ns, AS_NS, "length"),
	F(span, id, AS_DEC, "external id of an operator, 0 none"),
	F(span, name, AS_NAME, "name"),
	F(span, category, AS_NAME, "category in the file it came from"),
	F(span, device, AS_DEC, "CUDA ordinal, 2^32-1 none"),
	F(span, stream, AS_DEC, "CUDA stream, 2^32-1 none"),
	FE(span, what, span_whats, "kind of span"),
	F(span, depth, AS_DEC, "spans of its thread around it"),
	{}
};
const struct field counter_fields[] = {
	F(counter, value, AS_SIGNED, "value, to be multiplied by 10^exponent"),
	F(counter, exponent, AS_SIGNED, "decimal exponent"),
	F(counter, name, AS_NAME, "counter"),
	F(counter, device, AS_DEC, "CUDA ordinal, 2^32-1 none"),
	{}
};
const struct field flow_fields[] = {
	F(flow, id, AS_DEC, "same at both ends"),
	F(flow, name, AS_NAME, "name"),
	F(flow, begin, AS_DEC, "1: leaves here, 0: arrives"),
	{}
};
const struct field sample_fields[] = {
	F(sample, stack, AS_STACK, "CPU stack it was taken in"),
	F(sample, weight, AS_DEC, "in the unit of what was sampled"),
	F(sample, name, AS_NAME, "what was sampled"),
	{}
};
