// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A baseline is a folder: NNNNNN-NAME.run, what was summed of each run (diff_file.c), and
 * "noise": what the runs that are no longer there taught of how much each number differs
 * from run to run, "DF SQUARES<TAB>ID" a line.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "diff_file.h"
#include "log.h"
#include "outfile.h"

#define NOISE_HEAD "gpudiff-noise 1"
#define DF_MAX 60		/* what is older counts less and less */

static int is_run(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return n > 11 && strspn(e->d_name, "0123456789") == 6 && e->d_name[6] == '-' &&
	       !strcmp(e->d_name + n - 4, ".run");
}

static char *in_folder(const char *folder, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		abort();
	return path;
}

/* ---- reading ---- */

static bool noise_line(struct diff *d, char *line)
{
	char *tab = strchr(line, '\t');
	double df, squares;
	struct diff_noise *noise;

	if (!tab || sscanf(line, "%lf %lf", &df, &squares) != 2 || !(df > 0) ||
	    !(squares >= 0) || isinf(df) || isinf(squares))
		return false;
	noise = arena_alloc(&d->arena, sizeof(*noise));
	*noise = (struct diff_noise){ diff_text(d, tab + 1), squares, df };
	hash_put(&d->noise, hash_address(noise->id), noise);
	return true;
}

static int noise_read(struct diff *d, const char *folder)
{
	char *path = in_folder(folder, "noise"), *line = NULL;
	FILE *f = fopen(path, "re");
	size_t room = 0;
	unsigned number = 0;
	bool right = true;
	int err = 0;

	if (!f && errno != ENOENT)
		err = fail(-errno, "cannot open %s", path);
	while (f && right && getline(&line, &room, f) >= 0) {
		line[strcspn(line, "\n")] = 0;
		right = number++ ? noise_line(d, line) : !strcmp(line, NOISE_HEAD);
	}
	if (!right)
		err = fail(0, "cannot read %s: damaged at line %u (remove it)", path, number);
	if (f)
		fclose(f);
	free(line);
	free(path);
	return err;
}

int diff_baseline_read(struct diff *d, const char *folder, bool make)
{
	struct dirent **list;
	int n = scandir(folder, &list, is_run, alphasort), err = 0;

	d->baseline = true;
	if (n < 0 && errno == ENOENT && make)
		return 0;
	if (n < 0)
		return fail(-errno, "cannot read baseline %s%s", folder,
			    errno == ENOENT ? " (--update makes it)" : "");
	for (int i = 0; i < n; i++) {
		char *path = in_folder(folder, list[i]->d_name);

		if (!err)
			err = diff_file_read(d, path);
		free(path);
		free(list[i]);
	}
	free(list);
	if (!err)
		err = noise_read(d, folder);
	if (!err && !n && !make)
		err = fail(0, "cannot compare with %s: it holds no runs (--update adds some)",
			   folder);
	return err;
}

/* ---- what runs that leave have taught ---- */

static void learn(struct diff *d, const char *id, double squares, double df)
{
	struct diff_noise *noise = hash_get(&d->noise, hash_address(id));

	if (!noise) {
		noise = arena_alloc(&d->arena, sizeof(*noise));
		noise->id = id;
		hash_put(&d->noise, hash_address(id), noise);
	}
	noise->squares += squares;
	noise->df += df;
	if (noise->df > DF_MAX) {
		noise->squares *= DF_MAX / noise->df;
		noise->df = DF_MAX;
	}
}

/* The first `gone` of side A leave: each is compared with the mean of all that come after it,
 * of both sides where they are of one level, so that nothing is learned twice. */
static void learn_gate(struct diff *d, const struct diff_gate *g, u32 gone, bool with_after)
{
	u32 n = d->run_n[DIFF_A], after = with_after ? d->run_n[DIFF_B] : 0, i = 0;
	double *v = must_alloc((n + after + 1) * sizeof(*v)), mean;
	size_t left;

	for (const struct diff_run *r = d->runs[DIFF_A]; r; r = r->next, i++)
		v[i] = log(g->value[DIFF_A][i]) - (g->slow ? r->speed : 0);
	i = 0;
	for (const struct diff_run *r = d->runs[DIFF_B]; r && after; r = r->next, i++)
		v[n + i] = log(g->value[DIFF_B][i]) - (g->slow ? r->speed : 0);
	for (i = 0; i < gone; i++) {
		left = n + after - i - 1;
		mean = stats_mean(v + i + 1, left);
		if (left && isfinite(v[i]) && isfinite(mean))
			learn(d, g->id, (v[i] - mean) * (v[i] - mean) * left / (left + 1), 1);
	}
	free(v);
}

static int noise_write(const struct diff *d, const char *folder)
{
	char *path = in_folder(folder, "noise");
	struct outfile out;
	struct hash_slot *slot;
	int err = outfile_open(&out, path);

	if (!err) {
		fputs(NOISE_HEAD "\n", out.f);
		for (size_t at = 0; (slot = hash_next(&d->noise, &at));) {
			const struct diff_noise *noise = slot->value;

			if (!strpbrk(noise->id, "\t\n"))
				fprintf(out.f, "%.17g %.17g\t%s\n", noise->df, noise->squares,
					noise->id);
		}
		err = outfile_close(&out, true);
	}
	free(path);
	return err;
}

/* ---- updating ---- */

static int add_run(const struct diff_run *r, const char *folder, unsigned number)
{
	char *name, *path;
	struct outfile out;
	int err;

	if (asprintf(&name, "%06u-%.200s.run", number, r->name) < 0)
		abort();
	path = in_folder(folder, name);
	err = outfile_open(&out, path);
	if (!err) {
		diff_file_write(r, out.f);
		err = outfile_close(&out, true);
	}
	free(name);
	free(path);
	return err;
}

static bool new_level(const struct diff *d)
{
	return d->counts_verdict == DIFF_REGRESSED || d->counts_verdict == DIFF_IMPROVED ||
	       d->time_verdict == DIFF_REGRESSED || d->time_verdict == DIFF_IMPROVED ||
	       d->tally[DIFF_IMPROVED] || d->tally[DIFF_REGRESSED];
}

static int write_runs(struct diff *d, const char *folder, u32 gone)
{
	struct dirent **list;
	int n = scandir(folder, &list, is_run, alphasort), err = 0;
	unsigned number = 0;

	if (n < 0)
		return fail(-errno, "cannot read baseline %s", folder);
	if (n)
		number = atoi(list[n - 1]->d_name) + 1;
	for (const struct diff_run *r = d->runs[DIFF_B]; r && !err; r = r->next)
		err = add_run(r, folder, number++);
	if (!err)
		err = noise_write(d, folder);
	for (int i = 0; i < n; i++) {
		char *path = in_folder(folder, list[i]->d_name);

		if (!err && (u32)i < gone && unlink(path))
			err = fail(-errno, "cannot remove %s", path);
		free(path);
		free(list[i]);
	}
	free(list);
	return err;
}

int diff_baseline_update(struct diff *d, const char *folder, u32 keep)
{
	u32 have = d->run_n[DIFF_A], more = d->run_n[DIFF_B], gone;
	bool shifted = new_level(d);
	int fd, err;

	if (mkdir(folder, 0777) && errno != EEXIST)
		return fail(-errno, "cannot make baseline %s", folder);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX))
		return fail(-errno, "cannot lock baseline %s", folder);
	gone = shifted ? have : have + more > keep ? have + more - keep : 0;
	gone = gone > have ? have : gone;
	for (size_t i = 0; i < d->gates.n && gone; i++) {
		const struct diff_gate *g = d->gates.list[i];

		if (g->timed)
			learn_gate(d, g, gone, !shifted);
	}
	err = write_runs(d, folder, gone);
	close(fd);
	if (!err && shifted && have)
		warn("%s: these runs are of another level; the %u before went", folder, have);
	return err;
}
