// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A CUPTI that never comes back from a flush, for the limit of the wait at exit. */
#include <unistd.h>

#define FINE(name) int name(void) { return 0; }
FINE(cuptiGetVersion) FINE(cuptiSubscribe) FINE(cuptiUnsubscribe) FINE(cuptiEnableCallback)
FINE(cuptiEnableDomain) FINE(cuptiActivityRegisterCallbacks) FINE(cuptiActivityEnable)
FINE(cuptiActivityDisable) FINE(cuptiActivityGetNumDroppedRecords)

int cuptiActivityFlushAll(void)
{
	for (;;)
		pause();
}

int cuptiActivityGetNextRecord(void)
{
	return 12;
}
