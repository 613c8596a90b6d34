/* SPDX-License-Identifier: MIT */
/* The copier: state shared by the copy engines of all GPUs. */

#include "copy/gpu_engines.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

static void save_costs(struct copier *copier)
{
	if (!copier->cache_path || !copier->costs.changed) {
		return;
	}
	int error = cost_table_save(&copier->costs, copier->cache_path);
	if (error < 0) {
		log_debug(LOG_COPY, "%s: %s", copier->cache_path, strerror(-error));
	}
}

struct copier *copier_create(
	struct wl_event_loop *loop, struct clock *clock, const char *cache_path)
{
	struct copier *copier = xcalloc(1, sizeof(*copier));
	copier->loop = loop;
	copier->clock = clock;
	copier->cache_path = xstrdup(cache_path);
	cost_table_init(&copier->costs);
	wl_list_init(&copier->gpus);
	wl_list_init(&copier->threads);
	wl_signal_init(&copier->events.engines);
	if (cache_path) {
		cost_table_load(&copier->costs, cache_path);
	}
	return copier;
}

void copier_destroy(struct copier *copier)
{
	if (!copier) {
		return;
	}
	copier_close_gpus(copier);
	copier_close_threads(copier);
	/* Last, because the disk may block. */
	save_costs(copier);
	cost_table_finish(&copier->costs);
	free(copier->cache_path);
	free(copier);
}
