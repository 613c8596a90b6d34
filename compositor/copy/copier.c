/* The copier: what all GPUs' copy engines share. */

#include "copy/device.h"
#include "copy/placement.h"
#include "copy/staging.h"
#include "gpu/version.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

/* Of all memory, rings should have no more than this part. */
#define MEMORY_PART 8

static uint64_t all_memory(void)
{
	struct sysinfo info;

	return sysinfo(&info) == 0 ? (uint64_t)info.totalram * info.mem_unit : UINT64_C(1) << 32;
}

bool copier_allows(const struct copier *copier, const struct copy_maker *maker)
{
	return !copier->only || strcmp(maker->name, copier->only) == 0;
}

static struct placement_table *create_placements(void)
{
	struct placement_table *table = xcalloc(1, sizeof(*table));
	char *machine = gpu_software_version();

	placement_table_init(table, xasprintf("causeway copy placements 1 %s", machine));
	free(machine);
	return table;
}

static char *path_beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return xasprintf("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, name);
}

static void report(const char *path, int error)
{
	if (error < 0) {
		log_debug(LOG_COPY, "%s: %s", path, strerror(-error));
	}
}

static void save(struct copier *copier)
{
	if (!copier->cache_path) {
		return;
	}
	if (copier->costs.changed) {
		report(copier->cache_path, cost_table_save(&copier->costs, copier->cache_path));
	}
	if (copier->placements->changed) {
		report(copier->placements_path,
			placement_table_save(copier->placements, copier->placements_path));
	}
}

struct copier *copier_create(
	struct wl_event_loop *loop, struct clock *clock, const char *cache_path)
{
	struct copier *copier = xcalloc(1, sizeof(*copier));

	copier->loop = loop;
	copier->clock = clock;
	copier->cache_path = xstrdup(cache_path);
	copier->placements = create_placements();
	copier->memory_most = all_memory() / MEMORY_PART;
	cost_table_init(&copier->costs);
	wl_list_init(&copier->devices);
	wl_list_init(&copier->helpers);
	wl_list_init(&copier->rings);
	wl_signal_init(&copier->events.engines);
	staging_init_cleaner(copier);
	if (cache_path) {
		copier->placements_path = path_beside(cache_path, "copy-placements");
		cost_table_load(&copier->costs, cache_path);
		placement_table_load(copier->placements, copier->placements_path);
	}
	return copier;
}

void copier_destroy(struct copier *copier)
{
	if (!copier) {
		return;
	}
	assert(wl_list_empty(&copier->rings));
	copier_close_devices(copier);
	copier_close_helpers(copier);
	timer_finish(&copier->cleaner);
	/* Only now: nobody waits for the disk. */
	save(copier);
	cost_table_finish(&copier->costs);
	placement_table_finish(copier->placements);
	free(copier->placements);
	free(copier->placements_path);
	free(copier->cache_path);
	free(copier);
}
