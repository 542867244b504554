/* What user space tells the probes about ioctls of this driver: user/driver_calls.c. */
#ifndef RM_H
#define RM_H

#include "types.h"

#define RM_ROWS 128
#define RM_ROW(nr) ((nr) >= 200 ? (nr) - 200 + 64 : (nr) - 32)	/* of 32..95 and 200..255 */
#define RM_SIZES 2		/* at most so many sizes of one escape's parameters */

struct rm_status {		/* where the status is in parameters of that size */
	u16 size;		/* 0: any */
	u16 at;			/* offset + 1; 0 nowhere */
};

#define UVM_CALLS 128		/* nvidia-uvm's commands are plain numbers */
#define UVM_INITIALIZE 0x30000001	/* but for this one and the one behind it */

#endif
