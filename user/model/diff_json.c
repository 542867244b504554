// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The comparison as one JSON object. Keys keep their meaning for ever. */
#include "diff_view.h"
#include "out.h"

static const char *unit_name(char unit)
{
	return unit == 'n' ? "ns" : unit == 'b' ? "bytes" : unit == 'c' ? "count" :
	       unit == 'm' ? "ppm" : "factor";
}

static const char *text_or_null(const char *s)
{
	return s && *s ? s : NULL;
}

static void put_runs(struct json *j, const struct diff *d)
{
	json_array(j, "runs");
	for (int side = 0; side < DIFF_SIDES; side++)
		for (const struct diff_run *r = d->runs[side]; r; r = r->next) {
			json_object(j, NULL);
			json_str(j, "side", side == DIFF_A ? "before" : "after");
			json_str(j, "name", r->name);
			json_bool(j, "baseline", !r->path);
			json_str(j, "gpus", text_or_null(r->gpus));
			json_str(j, "driver", text_or_null(r->driver));
			json_str(j, "host", text_or_null(r->host));
			json_bool(j, "simulated", r->simulated);
			json_str(j, "step_method", steps_method_name(r->method));
			json_str(j, "step_name", text_or_null(r->step_name));
			json_u64(j, "steps", r->steps);
			json_u64(j, "kernels", r->kernels);
			json_u64(j, "kernel_ns", r->kernel_ns);
			json_u64(j, "lost", r->lost);
			json_bool(j, "damaged", r->damaged);
			json_real(j, "time_factor", d->speed_taken ? exp(r->speed) : NAN);
			json_close(j);
		}
	json_close(j);
}

static void put_values(struct json *j, const struct diff *d, const struct diff_gate *g)
{
	json_object(j, "values");
	for (int side = 0; side < DIFF_SIDES; side++) {
		json_array(j, side == DIFF_A ? "before" : "after");
		for (u32 i = 0; i < d->run_n[side]; i++)
			json_real(j, NULL, g->value[side][i]);
		json_close(j);
	}
	json_close(j);
}

static void put_subject(struct json *j, const struct diff_gate *g)
{
	json_str(j, "id", g->id);
	json_str(j, "dimension", diff_dim_name(g->key->dim));
	json_str(j, "name", text_or_null(g->key->name));
	json_str(j, "launch", text_or_null(g->key->config));
	json_str(j, "path", text_or_null(g->key->path));
	json_str(j, "what", g->what);
	json_str(j, "unit", unit_name(g->unit));
	json_bool(j, "per_step", g->per_step);
	json_real(j, "share", g->share);
	json_str(j, "matched", g->note);
}

static void put_gate(struct json *j, struct diff *d, const struct diff_gate *g)
{
	json_object(j, NULL);
	put_subject(j, g);
	json_str(j, "verdict", diff_verdict_name(g->verdict));
	json_str(j, "reason", text_or_null(diff_reason(d, g)));
	json_str(j, "test", g->timed ? "runs" : "exact");
	json_real(j, "before", g->center[DIFF_A]);
	json_real(j, "after", g->center[DIFF_B]);
	json_real(j, "change", g->delta);
	json_real(j, "low", g->low);
	json_real(j, "high", g->high);
	json_real(j, "p", g->p);
	json_real(j, "p_adjusted", g->p_adjusted);
	json_real(j, "noise", g->sd);
	json_real(j, "floor", g->timed ? g->floor : NAN);
	json_u64(j, "more_runs", g->verdict == DIFF_INCONCLUSIVE ? g->more : 0);
	json_bool(j, "ignored", g->ignored);
	put_values(j, d, g);
	json_close(j);
}

static void put_one_sided(struct json *j, const struct diff *d, const char *key,
			  const struct pointers *list)
{
	json_array(j, key);
	for (size_t i = 0; i < list->n; i++) {
		const struct diff_gate *g = list->list[i];

		json_object(j, NULL);
		put_subject(j, g);
		put_values(j, d, g);
		json_close(j);
	}
	json_close(j);
}

static void put_tally(struct json *j, const struct diff *d)
{
	json_object(j, "gates_by_verdict");
	for (int v = DIFF_NONE; v < DIFF_NOT_COMPARABLE; v++)
		json_u64(j, diff_verdict_name(v), d->tally[v]);
	json_close(j);
}

void diff_json(struct diff *d, FILE *f)
{
	struct json j = { .f = f, .indent = 1 };
	const struct diff_gate **list;
	size_t n = diff_sorted(d, &list);

	json_object(&j, NULL);
	json_str(&j, "schema", "gpuscope.diff.0");
	json_str(&j, "verdict", diff_verdict_name(d->verdict));
	json_str(&j, "why", d->why);
	json_str(&j, "counts_verdict", diff_verdict_name(d->counts_verdict));
	json_str(&j, "time_verdict", diff_verdict_name(d->time_verdict));
	put_tally(&j, d);
	put_runs(&j, d);
	json_bool(&j, "per_step", d->per_step);
	json_bool(&j, "same_windows", d->same_windows);
	json_str(&j, "counts_void", d->counts_void);
	json_str(&j, "selection", d->selection);
	json_object(&j, "machine");
	json_bool(&j, "taken_out", d->speed_taken);
	json_real(&j, "time_change", d->speed_taken ? d->speed_change : NAN);
	json_real(&j, "speed_factor", d->speed_taken ? 1 / (1 + d->speed_change) : NAN);
	json_close(&j);
	json_object(&j, "matched");
	json_real(&j, "before", d->matched[DIFF_A]);
	json_real(&j, "after", d->matched[DIFF_B]);
	json_close(&j);
	json_object(&j, "settings");
	json_real(&j, "alpha", d->defaults.alpha);
	json_real(&j, "min_share", d->defaults.min_share);
	json_u64(&j, "min_runs", d->defaults.min_runs);
	json_close(&j);
	json_array(&j, "gates");
	for (size_t i = 0; i < n; i++)
		put_gate(&j, d, list[i]);
	json_close(&j);
	put_one_sided(&j, d, "new", &d->fresh);
	put_one_sided(&j, d, "vanished", &d->vanished);
	json_close(&j);
}
