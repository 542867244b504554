// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A file through unpack to standard output.
 *   unpackcat [-p] [-n BYTES] FILE    -p: looks at its beginning first, whose length goes to
 *                                     stderr; -n: stops after so many bytes
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "import.h"
#include "log.h"

int main(int argc, char **argv)
{
	static char buf[100001], head[5000];
	struct unpack *u;
	long n, most = -1, all = 0;
	bool peek = false;
	int c;

	log_init("unpackcat", false);
	while ((c = getopt(argc, argv, "pn:")) != -1) {
		peek |= c == 'p';
		if (c == 'n')
			most = atol(optarg);
	}
	if (optind + 1 != argc)
		errx(2, "usage: unpackcat [-p] [-n BYTES] FILE");
	if (peek) {
		n = unpack_peek(argv[optind], head, sizeof(head));
		if (n < 0)
			return 3;
		fprintf(stderr, "peek %ld\n", n);
	}
	if (unpack_open(&u, argv[optind]))
		return 1;
	while ((n = unpack_read(u, buf, sizeof(buf))) > 0) {
		fwrite(buf, 1, n, stdout);
		all += n;
		if (most >= 0 && all >= most)
			break;
	}
	fprintf(stderr, "packed %llu\n", unpack_packed(u));
	unpack_close(u);
	return n < 0;
}
