/* Where the recorder's socket is: a directory of its own below $TMPDIR or /tmp. */
#ifndef HANDOVER_PLACE_H
#define HANDOVER_PLACE_H

struct place {
	char dir[74];
	char path[108];		/* of the socket, absolute: sun_path */
	int lock;		/* the directory: locked while we live; -1 none */
};

int place_open(struct place *p);	/* a listening socket, or -errno */
void place_close(struct place *p);

#endif
