/* The GPUs that unified memory knows (struct uvm_gpu), and the choice of one by the user. */
#ifndef UVM_GPUS_H
#define UVM_GPUS_H

#include "hash.h"
#include "uvm.h"

enum uvm_which { UVM_EVERY, UVM_THE_ID, UVM_THE_PCI, UVM_THE_UUID };

struct uvm_choice {
	u32 by;			/* enum uvm_which */
	u32 id;			/* UVM's */
	u64 pci;		/* domain << 16 | bus << 8 | device << 3 | function */
	u8 uuid[16];
};

/* "1", "0000:40:00.0", "40:00.0", "GPU-8a2b..."; 0 or a reported error. */
int uvm_choice_parse(struct uvm_choice *c, const char *text);

struct uvm_gpus {		/* all zero: none known, all chosen */
	struct uvm_choice choice;
	struct hash by_id;	/* id -> struct uvm_gpu * */
};

void uvm_gpus_learn(struct uvm_gpus *g, const struct uvm_gpu *gpu);
bool uvm_gpus_chosen(const struct uvm_gpus *g, u32 id);
/* "0000:40:00.0", "cpu" for processor 0, "?" for a GPU never defined; buf >= 16 bytes. */
const char *uvm_gpus_name(const struct uvm_gpus *g, u32 id, char *buf);
void uvm_gpus_free(struct uvm_gpus *g);

#endif
