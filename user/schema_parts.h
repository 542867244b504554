/* How the field tables of schema.h are written; for user/schema*.c alone. */
#ifndef SCHEMA_PARTS_H
#define SCHEMA_PARTS_H

#include "schema.h"

#define F(type, member, as, help)						\
	{ #member, offsetof(struct type, member),				\
	  sizeof(((struct type *)0)->member), as, NULL, help }
#define FE(type, member, names, help)						\
	{ #member, offsetof(struct type, member),				\
	  sizeof(((struct type *)0)->member), AS_ENUM, names, help }
extern const struct field switch_fields[];
extern const struct field wake_fields[];
extern const struct field fault_fields[];
extern const struct field driver_fields[];
extern const struct field driver_sum_fields[];
extern const struct field block_fields[];
extern const struct field uvm_gpu_fields[];
extern const struct field uvm_fault_fields[];
extern const struct field uvm_service_fields[];
extern const struct field uvm_batch_fields[];
extern const struct field uvm_migration_fields[];
extern const struct field uvm_evict_fields[];
extern const struct field uvm_mark_fields[];
extern const struct field source_fields[];
extern const struct field collective_fields[];
extern const struct field span_fields[];
extern const struct field counter_fields[];
extern const struct field flow_fields[];
extern const struct field sample_fields[];
extern const struct field xid_fields[];
extern const struct field xid_call_fields[];

#endif
