/* Placements: which are tried in what order, and those that were found to work. */

#include "copy/placement.h"
#include "util/file.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

/** Larger files are not this cache. */
#define MAX_BYTES (1024 * 1024)

#define WORD_MAX 191
/* So long nothing is tried where nothing worked. */
#define RETRY_NS INT64_C(5000000000)

/*
 * Rows are tried at 256 bytes first, which is what AMD's linear pictures want and a multiple of what others do
 * (64 on Intel's); then at 64, for what takes no row longer than need be, and at a page.
 */
static const struct placement sampled[] = {
	{PLACEMENT_READER, 0},
	{PLACEMENT_READER, 256},
	{PLACEMENT_READER, 4096},
	{PLACEMENT_SYSTEM, 256},
	{PLACEMENT_SYSTEM, 64},
	{PLACEMENT_SYSTEM, 4096},
	{PLACEMENT_SOURCE, 256},
	{PLACEMENT_SOURCE, 64},
	{PLACEMENT_SOURCE, 4096},
};

/* The CPU takes whatever can be mapped: memory of the engine's own is what that is fastest in. */
static const struct placement read_by_cpu[] = {
	{PLACEMENT_SOURCE, 256},
	{PLACEMENT_SYSTEM, 256},
	{PLACEMENT_SOURCE, 64},
	{PLACEMENT_SYSTEM, 64},
	{PLACEMENT_SOURCE, 4096},
	{PLACEMENT_SYSTEM, 4096},
};

static const struct {
	const struct placement *list;
	unsigned n;
} lists[PLACEMENT_USES] = {
	[PLACEMENT_SAMPLED] = {sampled, sizeof(sampled) / sizeof(sampled[0])},
	[PLACEMENT_READ] = {read_by_cpu, sizeof(read_by_cpu) / sizeof(read_by_cpu[0])},
	[PLACEMENT_CROSSED] = {read_by_cpu, sizeof(read_by_cpu) / sizeof(read_by_cpu[0])},
};

static const char *const froms[] = {
	[PLACEMENT_READER] = "reader",
	[PLACEMENT_SOURCE] = "source",
	[PLACEMENT_SYSTEM] = "system",
};
static const char *const uses[PLACEMENT_USES] = {"sampled", "read", "crossed"};

struct placement_entry {
	struct wl_list link; /* placement_table.entries */
	char pair[WORD_MAX + 1];
	uint32_t format;
	unsigned size_class;
	enum placement_use use;
	bool of_layout;
	uint64_t modifier;
	struct placement placement;
	struct placement_time when;
};

bool placement_nth(enum placement_use use, unsigned n, struct placement *out)
{
	if (n >= lists[use].n) {
		return false;
	}
	*out = lists[use].list[n];
	return true;
}

bool placement_equal(const struct placement *a, const struct placement *b)
{
	return a->from == b->from && a->alignment == b->alignment;
}

char *placement_describe(const struct placement *placement)
{
	static const char *const phrases[] = {
		[PLACEMENT_READER] = "memory of the reader's",
		[PLACEMENT_SOURCE] = "memory of the engine's",
		[PLACEMENT_SYSTEM] = "memory of no GPU's",
		[PLACEMENT_NONE] = "no memory",
	};

	return placement->alignment ? xasprintf("%s, rows aligned to %u", phrases[placement->from],
					      placement->alignment)
				    : xstrdup(phrases[placement->from]);
}

unsigned placement_class(int32_t width, int32_t height)
{
	int32_t side = width > height ? width : height;
	unsigned size_class = 0;

	while (size_class < 31 && INT64_C(1) << size_class < side) {
		size_class++;
	}
	return size_class;
}

/* The table */

void placement_table_init(struct placement_table *table, char *heading)
{
	*table = (struct placement_table){.heading = heading};
	wl_list_init(&table->entries);
}

static void drop(struct placement_entry *entry)
{
	wl_list_remove(&entry->link);
	free(entry);
}

void placement_table_finish(struct placement_table *table)
{
	struct placement_entry *entry, *next;

	wl_list_for_each_safe (entry, next, &table->entries, link) {
		drop(entry);
	}
	free(table->heading);
}

static struct placement_entry *find(
	const struct placement_table *table, const struct placement_key *key)
{
	struct placement_entry *entry;

	wl_list_for_each (entry, &table->entries, link) {
		if (entry->format == key->format && entry->size_class == key->size_class &&
			entry->use == key->use && entry->of_layout == key->of_layout &&
			(!key->of_layout || entry->modifier == key->modifier) &&
			strcmp(entry->pair, key->pair) == 0) {
			return entry;
		}
	}
	return NULL;
}

bool placement_table_get(struct placement_table *table, const struct placement_key *key,
	const struct placement_time *when, struct placement *out)
{
	const struct placement_entry *entry = find(table, key);

	if (!entry || (entry->placement.from == PLACEMENT_NONE &&
			      (entry->when.generation != when->generation ||
				      when->now - entry->when.now >= RETRY_NS))) {
		return false;
	}
	*out = entry->placement;
	return true;
}

bool placement_table_set(struct placement_table *table, const struct placement_key *key,
	const struct placement_time *when, const struct placement *placement)
{
	struct placement_entry *entry = find(table, key);
	bool news = !entry || !placement_equal(&entry->placement, placement);

	if (strlen(key->pair) > WORD_MAX) {
		return news; /* it is found again each time */
	}
	if (!entry) {
		entry = xcalloc(1, sizeof(*entry));
		strcpy(entry->pair, key->pair);
		entry->format = key->format;
		entry->size_class = key->size_class;
		entry->use = key->use;
		entry->of_layout = key->of_layout;
		entry->modifier = key->modifier;
		wl_list_insert(table->entries.prev, &entry->link);
	}
	entry->placement = *placement;
	entry->when = *when;
	table->changed |= news && placement->from != PLACEMENT_NONE;
	return news;
}

/* The file: its heading, then a line for each */

static int index_of(const char *const *names, int n, const char *name)
{
	for (int i = 0; i < n; i++) {
		if (strcmp(names[i], name) == 0) {
			return i;
		}
	}
	return -1;
}

static bool is_tried(enum placement_use use, const struct placement *placement)
{
	struct placement other;

	for (unsigned n = 0; placement_nth(use, n, &other); n++) {
		if (placement_equal(&other, placement)) {
			return true;
		}
	}
	return false;
}

static void read_line(struct placement_table *table, const char *text)
{
	char pair[WORD_MAX + 1], use_name[16], from_name[16];
	struct placement_key key = {.pair = pair};
	struct placement placement;
	int use, from;

	if (sscanf(text, "%191s %8x %u %15s %15s %u", pair, &key.format, &key.size_class, use_name,
		    from_name, &placement.alignment) != 6) {
		return;
	}
	use = index_of(uses, PLACEMENT_USES, use_name);
	from = index_of(froms, PLACEMENT_NONE, from_name);
	if (use < 0 || from < 0) {
		return;
	}
	key.use = (enum placement_use)use;
	placement.from = (enum placement_from)from;
	if (is_tried(key.use, &placement)) {
		placement_table_set(table, &key, &(struct placement_time){0}, &placement);
	}
}

bool placement_table_read(struct placement_table *table, FILE *file)
{
	char line[512];
	bool good = fgets(line, sizeof(line), file);

	line[good ? strcspn(line, "\n") : 0] = '\0';
	good = good && strcmp(line, table->heading) == 0;
	while (good && fgets(line, sizeof(line), file)) {
		read_line(table, line);
	}
	table->changed = false;
	return good;
}

bool placement_table_load(struct placement_table *table, const char *path)
{
	FILE *file = file_open_regular(path, MAX_BYTES);
	bool good;

	if (!file) {
		return false;
	}
	good = placement_table_read(table, file);
	fclose(file);
	return good;
}

static void write_lines(FILE *file, const void *data)
{
	const struct placement_table *table = data;
	const struct placement_entry *entry;

	fprintf(file, "%s\n", table->heading);
	wl_list_for_each (entry, &table->entries, link) {
		if (entry->placement.from != PLACEMENT_NONE) {
			fprintf(file, "%s %08x %u %s %s %u\n", entry->pair, entry->format,
				entry->size_class, uses[entry->use], froms[entry->placement.from],
				entry->placement.alignment);
		}
	}
}

int placement_table_save(struct placement_table *table, const char *path)
{
	int error = file_replace(path, write_lines, table);

	table->changed &= error < 0;
	return error;
}
