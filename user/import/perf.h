/* perf's text outputs: perf.c reads perf script, perf_report.c perf report. */
#ifndef PERF_H
#define PERF_H

#include "lines.h"

bool perf_is_report(const char *line, size_t n);	/* by its first line */
/* The rest behind that line. 0 or reported. */
int perf_report_read(struct import *im, struct lines *l, char *line, size_t n);

#endif
