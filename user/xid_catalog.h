/* What the numbers mean and what to do: of Xid (GPUs) and SXid (NVSwitches). */
#ifndef XID_CATALOG_H
#define XID_CATALOG_H

#include <stddef.h>
#include "schema.h"

enum xid_action {
	XID_DO_UNKNOWN,		/* the catalogue does not say */
	XID_DO_NOTHING, XID_DO_FOLLOW, XID_DO_APP, XID_DO_RESET, XID_DO_DRAIN, XID_DO_LINK,
	XID_DO_FABRIC, XID_DO_REBOOT, XID_DO_VM, XID_DO_POWER, XID_DO_COOL, XID_DO_UPDATE,
	XID_DO_SUPPORT,
	XID_DO_SAID,		/* the driver's message names it (Xid 154) */
};

enum xid_severity { XID_INFO = 1, XID_WARNING, XID_ERROR, XID_FATAL };

struct xid_meaning {
	u16 code;
	u8 severity, action;
	const char *name;	/* as in the driver's public headers */
	const char *text;
};

/* Never NULL: an unknown number has name NULL and says so. message: the driver's (or NULL). */
struct xid_meaning xid_meaning(u32 code, bool nvswitch, u8 fatal, const char *message);

extern const struct enum_name xid_actions[];	/* "restart_app" */
extern const struct enum_name xid_severities[];
const char *xid_advice(u8 action);		/* "restart the application" */

/* user/sxid_names.c, generated: ascending, ends with name NULL */
struct sxid_name { u16 code; const char *name; };
extern const struct sxid_name sxid_names[];

#endif
