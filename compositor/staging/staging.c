/* SPDX-License-Identifier: MIT */
/* The staging rings of a session: their memory budget, and the timer that frees unseen rings. */

#include "staging/staging.h"
#include "gpu/gpu.h"
#include "staging/allocation.h"
#include "staging/ring.h"
#include "staging/verify.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>

/* The budget of rings, as a fraction of RAM. */
#define MEMORY_PART 8
/* A ring is freed after being unseen for this time (ns). */
#define UNSEEN_NS INT64_C(2000000000)

static uint64_t all_memory(void)
{
	struct sysinfo info;
	return sysinfo(&info) == 0 ? (uint64_t)info.totalram * info.mem_unit : UINT64_C(1) << 32;
}

void staging_renew_soon(struct staging *staging)
{
	struct staging_ring *ring;
	wl_list_for_each (ring, &staging->rings, link) {
		ring->n_renewals = 0;
	}
}

void staging_retry_memory(struct staging *staging)
{
	allocation_table_retry(staging->allocations);
	staging_renew_soon(staging);
}

/* Frees the ring's memory, which others may use. */
static void release(struct staging_ring *ring)
{
	struct staging *staging = ring->reader.staging;
	const uint64_t before = staging->memory;
	staging_release_memory(ring);
	if (staging->memory < before) {
		staging_renew_soon(staging);
	}
}

static void handle_cleaner(struct timer *timer, int64_t now)
{
	struct staging *staging = wl_container_of(timer, staging, cleaner);
	struct staging_ring *ring, *next;
	wl_list_for_each_safe (ring, next, &staging->rings, link) {
		if (!ring->seen && ring->unseen_since != INT64_MAX &&
			now - ring->unseen_since >= UNSEEN_NS) {
			/* A ring that cannot be freed now is not tried again before it was seen. */
			ring->unseen_since = INT64_MAX;
			release(ring);
		}
	}
	staging_arm_cleaner(staging);
}

static void handle_engines_changed(struct wl_listener *listener, void *data)
{
	struct staging *staging = wl_container_of(listener, staging, engines_changed);
	staging_retry_memory(staging);
}

struct staging *staging_create(struct copier *copier)
{
	struct staging *staging = xcalloc(1, sizeof(*staging));
	staging->copier = copier;
	staging->memory_most = all_memory() / MEMORY_PART;
	staging->allocations = xcalloc(1, sizeof(*staging->allocations));
	wl_list_init(&staging->rings);
	timer_init(&staging->cleaner, copier->clock, handle_cleaner);
	signal_add(&copier->events.engines, &staging->engines_changed, handle_engines_changed);
	return staging;
}

void staging_destroy(struct staging *staging)
{
	if (!staging) {
		return;
	}
	assert(wl_list_empty(&staging->rings));
	wl_list_remove(&staging->engines_changed.link);
	timer_finish(&staging->cleaner);
	staging_verifier_destroy(staging->verifier);
	free(staging->allocations);
	free(staging);
}

void staging_verify_copies(struct staging *staging, struct tasks *tasks, const char *path)
{
	staging->verifier = staging_verifier_create(staging, tasks, path);
}

void staging_each_verdict(const struct staging *staging, const struct gpu *source,
	void (*each)(void *data, const char *phrase), void *data)
{
	static const char *const words[] = {
		[VERDICT_NONE] = "being tested",
		[VERDICT_EXACT] = "exact",
		[VERDICT_WRONG] = "wrong pixels, not used",
		[VERDICT_UNTESTED] = "cannot be tested",
		[VERDICT_LATE] = "not tested yet, the test is repeated",
	};
	const struct verdict_table *table =
		staging->verifier ? staging_verdicts(staging->verifier) : NULL;
	for (size_t i = 0; table && i < table->n; i++) {
		const struct verdict_entry *entry = &table->entries[i];
		if (entry->phrase && entry->source == source) {
			char *phrase = xasprintf("%s: %s", entry->phrase, words[entry->verdict]);
			each(data, phrase);
			free(phrase);
		}
	}
}

void staging_arm_cleaner(struct staging *staging)
{
	int64_t due = INT64_MAX;
	struct staging_ring *ring;
	/* Unseen rings come first, those unseen for longest at the head. */
	wl_list_for_each (ring, &staging->rings, link) {
		if (!ring->seen && ring->unseen_since != INT64_MAX) {
			due = ring->unseen_since + UNSEEN_NS;
			break;
		}
	}
	if (due == INT64_MAX) {
		timer_disarm(&staging->cleaner);
	} else if (!staging->cleaner.armed || staging->cleaner.when != due) {
		timer_arm(&staging->cleaner, due);
	}
}

void staging_make_room(struct staging_ring *asking)
{
	struct staging *staging = asking->reader.staging;
	struct staging_ring *ring, *next;
	wl_list_for_each_safe (ring, next, &staging->rings, link) {
		if (staging->memory <= staging->memory_most) {
			return;
		}
		if (!ring->seen && ring != asking && staging_ring_memory(ring) > 0) {
			release(ring);
		}
	}
}

void staging_count_unseen(struct staging_ring *ring)
{
	struct staging *staging = ring->reader.staging;
	ring->unseen_since =
		staging_ring_memory(ring) > 0 ? clock_now(staging->copier->clock) : INT64_MAX;
	wl_list_remove(&ring->link);
	wl_list_insert(staging->rings.prev, &ring->link);
	staging_arm_cleaner(staging);
}

/* Returns whether an earlier entry has the same phrase: for another format or layout. */
static bool is_repeated(const struct allocation_table *table, size_t at)
{
	const struct allocation_key *key = &table->entries[at].key;
	const struct allocation *allocation = &table->entries[at].allocation;
	for (size_t i = 0; i < at; i++) {
		const struct allocation_key *other = &table->entries[i].key;
		if (other->source == key->source && other->reader == key->reader &&
			strcmp(other->engine, key->engine) == 0 &&
			table->entries[i].allocation.from == allocation->from &&
			table->entries[i].allocation.alignment == allocation->alignment) {
			return true;
		}
	}
	return false;
}

void staging_each_memory(const struct staging *staging, const struct gpu *source,
	void (*each)(void *data, const char *phrase), void *data)
{
	const struct allocation_table *table = staging->allocations;
	for (size_t i = 0; i < table->n; i++) {
		const struct allocation_key *key = &table->entries[i].key;
		if (key->source != source || is_repeated(table, i)) {
			continue;
		}
		char *memory = allocation_describe(&table->entries[i].allocation);
		char *phrase = xasprintf("%s to %s: %s", key->engine,
			key->reader ? key->reader->bus_id : "the CPU", memory);
		each(data, phrase);
		free(phrase);
		free(memory);
	}
}
