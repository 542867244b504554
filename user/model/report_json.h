/* Shared by the two files that print the report as JSON. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "report_parts.h"

struct json;

void put_uvm_side(struct json *j, struct report *r);
void put_ranks(struct json *j, struct report *r);	/* and communication */
void put_delay(struct json *j, const char *key, struct histogram *h);

#endif
