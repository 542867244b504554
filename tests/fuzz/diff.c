// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Any bytes as what gpudiff reads besides recordings, by the first line of the input:
 * "budgets", "noise", else runs of a baseline, divided by lines "--". Runs are written
 * again, which must read as the same, then compared (the last one is side B), and every view
 * is made.
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "diff_file.h"
#include "log.h"
#include "model.h"

#define MORE 4		/* runs of an input */

static char folder[] = "/tmp/fuzzdiff.XXXXXX";

/* Instead of user/log.c: damage is no news here. */
int fail(int err, const char *fmt, ...) { return err ? err : -1; }
int fail_usage(const char *fmt, ...) { return -1; }
void warn(const char *fmt, ...) {}
void note(const char *fmt, ...) {}

static char *put_file(const char *name, const void *data, size_t size)
{
	char *path;
	FILE *f;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		abort();
	f = fopen(path, "w");
	assert(f && fwrite(data, 1, size, f) == size && !fclose(f));
	return path;
}

static void clean(void)
{
	char *path;

	for (int i = 0; i <= MORE; i++) {
		if (asprintf(&path, "%s/00000%d-x.run", folder, i) < 0)
			abort();
		unlink(path);
		free(path);
	}
	if (asprintf(&path, "%s/noise", folder) < 0)
		abort();
	unlink(path);
	free(path);
}

static void at_end(void)
{
	clean();
	rmdir(folder);
}

/* What is written of a run reads as the same. */
static void again(const struct diff_run *r)
{
	char *first = NULL, *second = NULL, *path;
	struct diff *d = diff_new();
	size_t n, m;
	FILE *f = open_memstream(&first, &n);

	diff_file_write(r, f);
	fclose(f);
	path = put_file("000000-x.run", first, n);
	assert(!diff_file_read(d, path));
	f = open_memstream(&second, &m);
	diff_file_write(d->runs[DIFF_A], f);
	fclose(f);
	assert(n == m && !memcmp(first, second, n));
	diff_free(d);
	free(path);
	free(first);
	free(second);
}

static void views(struct diff *d)
{
	FILE *f = fopen("/dev/null", "w");

	diff_print(d, f, 20, 100);
	diff_json(d, f);
	diff_junit(d, f);
	diff_markdown(d, f, 20);
	diff_github(d, f);
	if (diff_verdict(d) != DIFF_NOT_COMPARABLE)
		diff_folded(d, f);
	fclose(f);
}

/* The last run of side A goes to side B. */
static void last_to_b(struct diff *d)
{
	struct diff_run **at = &d->runs[DIFF_A], *r;

	while ((*at)->next)
		at = &(*at)->next;
	r = *at;
	*at = NULL;
	d->last[DIFF_A] = at;
	d->run_n[DIFF_A]--;
	r->side = DIFF_B;
	d->runs[DIFF_B] = r;
	d->last[DIFF_B] = &r->next;
	d->run_n[DIFF_B] = 1;
}

static void one_input(struct diff *d, const u8 *data, size_t size)
{
	const u8 *end = memchr(data, '\n', size);
	size_t head = end ? end - data + 1 : 0;
	char *path;

	if (head == 8 && !memcmp(data, "budgets", 7)) {
		path = put_file("budgets", data + head, size - head);
		diff_budgets_read(d, path);
		unlink(path);
		free(path);
		return;
	}
	if (head == 6 && !memcmp(data, "noise", 5)) {
		free(put_file("noise", data + head, size - head));
		return;
	}
	path = put_file("000000-x.run", data, size);
	if (!diff_file_read(d, path)) {
		const struct diff_run *r = d->runs[DIFF_A];

		while (r->next)
			r = r->next;
		again(r);
	}
	unlink(path);
	free(path);
}

static const u8 *divider(const u8 *data, size_t size)
{
	return size < 4 ? NULL : memmem(data, size, "\n--\n", 4);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct diff *d = diff_new();
	bool some = false;

	if (!strcmp(folder + sizeof(folder) - 7, "XXXXXX")) {
		assert(mkdtemp(folder));
		atexit(at_end);
	}
	for (int i = 0; i < MORE; i++) {
		const u8 *end = divider(data, size);

		one_input(d, data, end ? (size_t)(end - data + 1) : size);
		if (!end)
			break;
		size -= end + 4 - data;
		data = end + 4;
	}
	diff_baseline_read(d, folder, true);	/* the noise; there are no runs */
	if (d->run_n[DIFF_A] > 1) {
		last_to_b(d);
		diff_any_machine(d);
		assert(!diff_compare(d));
		views(d);
		some = diff_verdict(d) != DIFF_NOT_COMPARABLE;
	}
	if (some && !diff_baseline_update(d, folder, 20))
		assert(!diff_baseline_read(d, folder, false));
	diff_free(d);
	clean();
	return 0;
}
