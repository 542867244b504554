/* Made by structs.py from the table of releases: 570.133.20. Do not edit. */
#ifndef STRUCTS_H
#define STRUCTS_H

#include <linux/types.h>

typedef struct { union {
	struct { union {
		struct { u64 space; };
		struct { u8 p0[8]; u64 block; };
		struct { union {
			struct { u8 p1[16]; u32 val; };
		}; } proc_id;
		struct { union {
			struct { u8 p2[24]; u64 buffer_entry; };
			struct { u8 p3[32]; u32 batch_id; };
			struct { u8 p4[36]; u8 is_duplicate; };
		}; } gpu;
		struct { union {
			struct { u8 p5[24]; u64 fault_va; };
			struct { u8 p6[36]; u8 is_write; };
			struct { u8 p7[40]; u64 pc; };
			struct { u8 p8[32]; u32 cpu_num; };
		}; } cpu;
	}; } fault;
	struct { union {
		struct { u64 push; };
		struct { u8 p9[8]; u64 block; };
		struct { union {
			struct { u8 p10[16]; u32 val; };
		}; } dst;
		struct { union {
			struct { u8 p11[20]; u32 val; };
		}; } src;
		struct { u8 p12[24]; u16 dst_nid; };
		struct { u8 p13[26]; u16 src_nid; };
		struct { u8 p14[32]; u64 address; };
		struct { u8 p15[40]; u64 bytes; };
		struct { u8 p16[48]; u32 transfer_mode; };
		struct { u8 p17[52]; u32 cause; };
	}; } migration;
	struct { union {
		struct { u64 block; };
		struct { union {
			struct { u8 p18[8]; u32 val; };
		}; } proc_id;
		struct { u8 p19[16]; u64 address; };
		struct { u8 p20[24]; u64 bytes; };
	}; } revocation;
}; } uvm_perf_event_data_t;

typedef struct { union {
	struct { u8 p21[184]; u64 va_space; };
}; } uvm_perf_va_space_events_t;

struct uvm_fault_buffer_entry_struct { union {
	struct { u64 fault_address; };
	struct { u8 p22[8]; u64 timestamp; };
	struct { union {
		struct { u8 p23[16]; u64 address; };
	}; } instance_ptr;
	struct { union {
		struct { u8 p25[32]; u32 client_type : 2; };
		struct { u8 p27[32]; u32 : 2; u32 mmu_engine_type : 3; };
		struct { u8 p28[34]; u16 client_id; };
		struct { u8 p29[36]; u16 mmu_engine_id; };
		struct { u8 p30[38]; u16 utlb_id; };
		struct { u8 p31[40]; u8 gpc_id; };
		struct { u8 p32[38]; u16 channel_id; };
	}; } fault_source;
	struct { u8 p34[44]; u32 fault_type : 6; };
	struct { u8 p36[44]; u32 : 6; u32 fault_access_type : 4; };
	struct { u8 p37[48]; u64 va_space; };
	struct { u8 p38[56]; u64 gpu; };
	struct { u8 p40[64]; u32 is_fatal : 1; };
	struct { u8 p42[64]; u32 : 1; u32 is_throttled : 1; };
	struct { u8 p44[64]; u32 : 2; u32 is_invalid_prefetch : 1; };
	struct { u8 p46[64]; u32 : 3; u32 is_replayable : 1; };
	struct { u8 p48[64]; u32 : 4; u32 is_virtual : 1; };
	struct { u8 p50[64]; u32 : 6; u32 filtered : 1; };
	struct { u8 p52[64]; u32 : 7; u32 fatal_reason : 4; };
	struct { union {
		struct { u8 p53[68]; u32 buffer_index; };
	}; } non_replayable;
	struct { u8 p54[88]; u32 access_type_mask; };
	struct { u8 p55[92]; u16 num_instances; };
}; };

struct uvm_fault_service_batch_context_struct { union {
	struct { u64 fault_cache; };
	struct { u8 p56[8]; u64 ordered_fault_cache; };
	struct { u8 p57[28]; u32 num_cached_faults; };
	struct { u8 p58[32]; u32 num_coalesced_faults; };
	struct { u8 p59[60]; u32 num_invalid_prefetch_faults; };
	struct { u8 p60[64]; u32 num_duplicate_faults; };
	struct { u8 p61[68]; u32 num_replays; };
	struct { u8 p62[56]; u8 has_throttled_faults; };
	struct { u8 p63[40]; u64 fatal_va_space; };
	struct { u8 p64[48]; u64 fatal_gpu; };
	struct { u8 p65[4872]; u32 batch_id; };
}; };

struct uvm_va_block_struct { union {
	struct { u8 p66[48]; u64 start; };
	struct { u8 p67[56]; u64 end; };
	struct { u8 p68[40]; u64 managed_range; };
	struct { union {
		struct { u8 p69[2776]; u64 va_space; };
	}; } hmm;
}; };

struct uvm_va_range_struct { union {
	struct { u64 va_space; };
	struct { union {
		struct { u8 p70[8]; u64 start; };
		struct { u8 p71[16]; u64 end; };
	}; } node;
	struct { u8 p72[120]; u32 type; };
}; };

struct uvm_va_space_struct { union {
	struct { union {
		struct { u8 p73[367864]; u64 mm; };
	}; } va_space_mm;
	struct { u8 p74[256]; u64 mapping; };
}; };

struct uvm_gpu_va_space_struct { union {
	struct { u64 va_space; };
}; };

typedef struct { union {
	struct { u16 first; };
	struct { u8 p75[2]; u16 outer; };
}; } uvm_va_block_region_t;

typedef struct { union {
	struct { u8 bitmap[64]; };
}; } uvm_page_mask_t;

typedef struct { union {
	struct { u8 bitmap[64]; };
}; } uvm_processor_mask_t;

struct uvm_gpu_struct { union {
	struct { union {
		struct { u8 p76[128]; u32 val; };
	}; } id;
	struct { u64 parent; };
	struct { u8 p77[8]; u8 uuid[16]; };
	struct { u8 p78[24]; u8 name[64]; };
	struct { u8 p79[6664]; u8 pmm[64]; };
	struct { union {
		struct { u8 p80[7472]; u32 swizz_id; };
	}; } smc;
}; };

struct uvm_parent_gpu_struct { union {
	struct { union {
		struct { u8 p81[448]; u32 val; };
	}; } id;
	struct { u8 p82[456]; u64 pci_dev; };
	struct { u8 p83[80]; u8 uuid[16]; };
	struct { u8 p84[96]; u8 name[64]; };
	struct { union {
		struct { u8 p85[216]; u8 name[64]; };
	}; } rm_info;
	struct { u8 p86[8]; u8 gpus[64]; };
}; };

struct uvm_push_struct { union {
	struct { u8 p87[16]; u64 gpu; };
}; };

typedef struct { union {
	struct { union {
		struct { u8 p88[1024]; u32 cause; };
		struct { union {
			struct { u8 p89[880]; u32 val; };
		}; } dest_id;
	}; } make_resident;
}; } uvm_va_block_context_t;

struct uvm_service_block_context_struct { union {
	struct { u32 operation; };
	struct { u8 p90[604]; u32 num_retries; };
	struct { u8 p91[17672]; u64 block_context; };
	struct { union {
		struct { u8 p92[816]; u8 did_migrate; };
	}; } cpu_fault;
}; };

typedef struct { union {
	struct { u8 prefetch_pages_mask[64]; };
	struct { union {
		struct { u8 p93[64]; u32 val; };
	}; } residency;
}; } uvm_perf_prefetch_hint_t;

typedef struct { union {
	struct { u32 type; };
}; } uvm_perf_thrashing_hint_t;

struct uvm_gpu_chunk_struct { union {
	struct { u64 address; };
	struct { u8 p95[8]; u32 : 9; u32 log2_size : 5; };
	struct { u8 p96[32]; u64 va_block; };
	struct { u8 p98[8]; u32 : 16; u32 va_block_page_index : 10; };
}; };

typedef struct { union {
	struct { u8 chunk[64]; };
}; } uvm_gpu_root_chunk_t;

struct uvm_access_counter_buffer_entry_struct { union {
	struct { u64 address; };
	struct { u8 p99[40]; u64 va_space; };
	struct { u8 p100[48]; u64 gpu; };
	struct { u8 p101[56]; u32 counter_value; };
	struct { u8 p102[60]; u32 sub_granularity; };
	struct { u8 p103[64]; u32 bank; };
	struct { u8 p104[68]; u32 tag; };
}; };

struct uvm_access_counter_buffer_struct { union {
	struct { u64 parent_gpu; };
	struct { u8 p105[80]; u32 index; };
}; };

struct uvm_access_counter_service_batch_context_struct { union {
	struct { u8 p106[22728]; u32 batch_id; };
}; };

/* a variable of it has all of them in the module's BTF */
struct all_structs {
	uvm_perf_event_data_t *p0;
	uvm_perf_va_space_events_t *p1;
	struct uvm_fault_buffer_entry_struct *p2;
	struct uvm_fault_service_batch_context_struct *p3;
	struct uvm_va_block_struct *p4;
	struct uvm_va_range_struct *p5;
	struct uvm_va_space_struct *p6;
	struct uvm_gpu_va_space_struct *p7;
	uvm_va_block_region_t *p8;
	uvm_page_mask_t *p9;
	uvm_processor_mask_t *p10;
	struct uvm_gpu_struct *p11;
	struct uvm_parent_gpu_struct *p12;
	struct uvm_push_struct *p13;
	uvm_va_block_context_t *p14;
	struct uvm_service_block_context_struct *p15;
	uvm_perf_prefetch_hint_t *p16;
	uvm_perf_thrashing_hint_t *p17;
	struct uvm_gpu_chunk_struct *p18;
	uvm_gpu_root_chunk_t *p19;
	struct uvm_access_counter_buffer_entry_struct *p20;
	struct uvm_access_counter_buffer_struct *p21;
	struct uvm_access_counter_service_batch_context_struct *p22;
};

#endif
