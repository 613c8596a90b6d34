/* SPDX-License-Identifier: MIT */
/* Candidate allocations for staging buffers, and the results of earlier trials. */

#include "staging/allocation.h"
#include "util/xalloc.h"
#include <string.h>

/* A failed search is repeated after this time (ns). */
#define RETRY_NS INT64_C(5000000000)

/*
 * Rows are tried at 256 bytes first: AMD's linear images need it, and it is a multiple of the
 * alignment of other drivers (64 on Intel's). Then 64, for drivers that refuse padding, and a page.
 */
static const struct allocation sampled[] = {
	{ALLOCATION_READER, 0},
	{ALLOCATION_READER, 256},
	{ALLOCATION_READER, 4096},
	{ALLOCATION_SOURCE, 256},
	{ALLOCATION_SYSTEM, 256},
	{ALLOCATION_SOURCE, 64},
	{ALLOCATION_SYSTEM, 64},
	{ALLOCATION_SOURCE, 4096},
	{ALLOCATION_SYSTEM, 4096},
};

/*
 * An engine is fastest in its own device's memory, which all drivers import: Mesa's PRIME copies
 * are made so. Pages of no device need /dev/udmabuf. Linear memory of a discrete reader is left
 * out, except for copies that cross: nvidia-drm's cannot be mapped by other GPUs (ENOMEM at
 * submission), and amdgpu's is pinned in system memory for good, and refused by planes at the
 * commit after a successful test.
 */
static const struct allocation across_bus[] = {
	{ALLOCATION_SOURCE, 256},
	{ALLOCATION_SYSTEM, 256},
	{ALLOCATION_SOURCE, 64},
	{ALLOCATION_SYSTEM, 64},
	{ALLOCATION_SOURCE, 4096},
	{ALLOCATION_SYSTEM, 4096},
#define N_ACROSS_BUS 6
	/* Copies that cross, for NVIDIA's GPUs without /dev/udmabuf: memory of the other side. */
	{ALLOCATION_LOCAL, 256},
	{ALLOCATION_LOCAL, 4096},
};

static const struct {
	const struct allocation *list;
	unsigned n;
} lists[ALLOCATION_USES] = {
	[ALLOCATION_SAMPLED] = {sampled, sizeof(sampled) / sizeof(sampled[0])},
	[ALLOCATION_SAMPLED_BUS] = {across_bus, N_ACROSS_BUS},
	[ALLOCATION_CPU] = {across_bus, N_ACROSS_BUS},
	[ALLOCATION_CROSSED] = {across_bus, sizeof(across_bus) / sizeof(across_bus[0])},
};

bool allocation_nth(enum allocation_use use, unsigned n, struct allocation *out)
{
	if (n >= lists[use].n) {
		return false;
	}
	*out = lists[use].list[n];
	return true;
}

char *allocation_describe(const struct allocation *allocation)
{
	static const char *const phrases[] = {
		[ALLOCATION_READER] = "the reader's memory",
		[ALLOCATION_SOURCE] = "memory of the source's GPU",
		[ALLOCATION_SYSTEM] = "system memory",
		[ALLOCATION_LOCAL] = "system memory of the reader's engine",
		[ALLOCATION_NONE] = "no memory",
	};
	const char *phrase = phrases[allocation->from];
	return allocation->alignment
		       ? xasprintf("%s, rows aligned to %u", phrase, allocation->alignment)
		       : xstrdup(phrase);
}

/* Compares all but the sizes. */
static bool is_alike(const struct allocation_key *a, const struct allocation_key *b)
{
	return a->source == b->source && a->reader == b->reader && a->use == b->use &&
	       a->first == b->first && a->format == b->format && a->modifier == b->modifier &&
	       strcmp(a->engine, b->engine) == 0;
}

static bool has_size_of(const struct allocation_key *a, const struct allocation_key *b)
{
	return a->width == b->width && a->height == b->height;
}

/* Returns the index of the result for exactly this key, or table->n. */
static size_t find(const struct allocation_table *table, const struct allocation_key *key)
{
	size_t i = 0;
	while (i < table->n && !(is_alike(&table->entries[i].key, key) &&
				       has_size_of(&table->entries[i].key, key))) {
		i++;
	}
	return i;
}

bool allocation_table_get(const struct allocation_table *table, const struct allocation_key *key,
	int64_t now, struct allocation *out)
{
	size_t i = find(table, key);
	if (i < table->n && (table->entries[i].allocation.from != ALLOCATION_NONE ||
				    now - table->entries[i].when < RETRY_NS)) {
		*out = table->entries[i].allocation;
		return true;
	}
	for (i = 0; i < table->n; i++) {
		if (is_alike(&table->entries[i].key, key) &&
			table->entries[i].allocation.from != ALLOCATION_NONE) {
			*out = table->entries[i].allocation;
			return true;
		}
	}
	return false;
}

static bool equals(const struct allocation *a, const struct allocation *b)
{
	return a->from == b->from && a->alignment == b->alignment;
}

/* Returns whether the allocation is the result for any size. */
static bool is_known(const struct allocation_table *table, const struct allocation_key *key,
	const struct allocation *allocation)
{
	for (size_t i = 0; i < table->n; i++) {
		if (is_alike(&table->entries[i].key, key) &&
			equals(&table->entries[i].allocation, allocation)) {
			return true;
		}
	}
	return false;
}

/* Returns the index for a new result: of a failure in preference, if the table is full. */
static size_t make_room(struct allocation_table *table)
{
	if (table->n < ALLOCATIONS_MAX) {
		return table->n++;
	}
	for (size_t i = 0; i < ALLOCATIONS_MAX; i++) {
		size_t at = (table->next + i) % ALLOCATIONS_MAX;
		if (table->entries[at].allocation.from == ALLOCATION_NONE) {
			table->next = (at + 1) % ALLOCATIONS_MAX;
			return at;
		}
	}
	size_t oldest = table->next;
	table->next = (table->next + 1) % ALLOCATIONS_MAX;
	return oldest;
}

bool allocation_table_set(struct allocation_table *table, const struct allocation_key *key,
	int64_t now, const struct allocation *allocation)
{
	bool changes = !is_known(table, key, allocation);
	size_t i = find(table, key);
	if (i == table->n && !changes && allocation->from != ALLOCATION_NONE) {
		return false; /* stored for another size */
	}
	if (i == table->n) {
		i = make_room(table);
	}
	table->entries[i].key = *key;
	table->entries[i].allocation = *allocation;
	table->entries[i].when = now;
	return changes;
}

void allocation_table_retry(struct allocation_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		if (table->entries[i].allocation.from == ALLOCATION_NONE) {
			table->entries[i].when = INT64_MIN / 2;
		}
	}
}
