/* Shared by the two files that print the report as JSON. */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "report_parts.h"

struct json;

void put_uvm_side(struct json *j, struct report *r);

#endif
