/* SPDX-License-Identifier: MIT */
/* Verdicts about copies between two GPUs, and the file that keeps them. */

#include "staging/verdict.h"
#include "gpu/gpu.h"
#include "gpu/version.h"
#include "util/file.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

/* Larger files are not this cache. */
#define BYTES_MAX (64 * 1024)
#define LINE_BYTES_MAX 512
#define HEADING "causeway copy verdicts 2"

static const char *const words[] = {
	[VERDICT_NONE] = "",
	[VERDICT_EXACT] = "exact",
	[VERDICT_WRONG] = "wrong",
	[VERDICT_UNTESTED] = "untested",
	[VERDICT_LATE] = "late",
};

/* Two words: the ids, and the driver with its version. */
static char *describe_gpu(const struct gpu *gpu)
{
	char *driver = gpu_driver_version(gpu);
	char *text = gpu->vendor ? xasprintf("%04x:%04x %s", gpu->vendor & 0xffff,
					   gpu->device & 0xffff, driver)
				 : xasprintf("%s %s", gpu->bus_id, driver);
	free(driver);
	return text;
}

static char *make_key(const struct verdict_path *path)
{
	static const char *const memories[] = {
		[ALLOCATION_READER] = "reader",
		[ALLOCATION_SOURCE] = "source",
		[ALLOCATION_SYSTEM] = "system",
		[ALLOCATION_LOCAL] = "local",
		[ALLOCATION_NONE] = "none",
	};
	char *source = describe_gpu(path->source), *reader = describe_gpu(path->reader);
	const char *queue =
		path->writer->kind == COST_TRANSFER || path->engine->kind == COST_TRANSFER
			? vulkan_queue_kind_name(path->queue)
			: "any";
	char *key = xasprintf("%s %s %s %s %s %s", source, path->writer->name, memories[path->from],
		reader, path->engine->name, queue);
	free(source);
	free(reader);
	return key;
}

static char *make_phrase(const struct verdict_path *path)
{
	const struct allocation allocation = {path->from, 0};
	char *memory = allocation_describe(&allocation);
	char *phrase = xasprintf("%s to %s of %s in %s", path->writer->name, path->engine->name,
		path->reader->bus_id, memory);
	free(memory);
	return phrase;
}

static void clear(struct verdict_entry *entry)
{
	free(entry->key);
	free(entry->phrase);
	*entry = (struct verdict_entry){0};
}

static struct verdict_entry *find(struct verdict_table *table, const char *key)
{
	for (size_t i = 0; i < table->n; i++) {
		if (strcmp(table->entries[i].key, key) == 0) {
			return &table->entries[i];
		}
	}
	return NULL;
}

/* Removes the oldest verdict; wrong ones only if there are no others. */
static void forget_oldest(struct verdict_table *table)
{
	size_t i = 0;
	while (i < table->n && table->entries[i].verdict == VERDICT_WRONG) {
		i++;
	}
	i = i < table->n ? i : 0;
	clear(&table->entries[i]);
	table->n--;
	memmove(&table->entries[i], &table->entries[i + 1],
		(table->n - i) * sizeof(table->entries[0]));
}

/* Takes over the key. */
static struct verdict_entry *add(struct verdict_table *table, char *key)
{
	if (table->n == VERDICTS_MAX) {
		forget_oldest(table);
	}
	struct verdict_entry *entry = &table->entries[table->n++];
	*entry = (struct verdict_entry){.key = key};
	return entry;
}

struct verdict_entry *verdict_table_find(
	struct verdict_table *table, const struct verdict_path *path)
{
	char *key = make_key(path);
	struct verdict_entry *entry = find(table, key);
	if (entry) {
		free(key);
	} else {
		entry = add(table, key);
	}
	/* Identical GPUs share the entry. */
	if (!entry->phrase || entry->source != path->source || entry->reader != path->reader) {
		free(entry->phrase);
		entry->source = path->source;
		entry->reader = path->reader;
		entry->phrase = make_phrase(path);
	}
	return entry;
}

void verdict_table_set(
	struct verdict_table *table, const struct verdict_path *path, enum verdict verdict)
{
	verdict_table_find(table, path)->verdict = verdict;
	table->changed |= verdict == VERDICT_EXACT || verdict == VERDICT_WRONG;
}

bool verdict_table_has_wrong(
	const struct verdict_table *table, const struct gpu *source, const struct gpu *reader)
{
	char *from = describe_gpu(source), *name = describe_gpu(reader);
	char *to = xasprintf(" %s ", name);
	size_t length = strlen(from);
	bool found = false;
	for (size_t i = 0; i < table->n && !found; i++) {
		const struct verdict_entry *entry = &table->entries[i];
		found = entry->verdict == VERDICT_WRONG && strncmp(entry->key, from, length) == 0 &&
			entry->key[length] == ' ' && strstr(entry->key + length, to);
	}
	free(from);
	free(name);
	free(to);
	return found;
}

void verdict_table_finish(struct verdict_table *table)
{
	for (size_t i = 0; i < table->n; i++) {
		clear(&table->entries[i]);
	}
	table->n = 0;
}

static char *make_heading(void)
{
	char *software = gpu_software_version();
	char *heading = xasprintf("%s %s", HEADING, software);
	free(software);
	return heading;
}

static void read_line(struct verdict_table *table, char *line)
{
	char *key = strchr(line, ' ');
	if (!key || table->n == VERDICTS_MAX) {
		return;
	}
	*key++ = '\0';
	for (int i = VERDICT_EXACT; i <= VERDICT_WRONG; i++) {
		if (strcmp(line, words[i]) == 0 && !find(table, key)) {
			add(table, xstrdup(key))->verdict = (enum verdict)i;
		}
	}
}

void verdict_table_read(struct verdict_table *table, FILE *file, const char *heading)
{
	char line[LINE_BYTES_MAX];
	for (bool first = true; fgets(line, sizeof(line), file); first = false) {
		size_t length = strcspn(line, "\n");
		bool complete = line[length] == '\n';
		line[length] = '\0';
		if (!complete || (first && strcmp(line, heading) != 0)) {
			return;
		}
		if (!first) {
			read_line(table, line);
		}
	}
}

void verdict_table_load(struct verdict_table *table, const char *path)
{
	FILE *file = file_open_regular(path, BYTES_MAX);
	if (file) {
		char *heading = make_heading();
		verdict_table_read(table, file, heading);
		free(heading);
		fclose(file);
	}
}

static void write_lines(FILE *file, const void *data)
{
	const struct verdict_table *table = data;
	char *heading = make_heading();
	fprintf(file, "%s\n", heading);
	free(heading);
	for (size_t i = 0; i < table->n; i++) {
		const struct verdict_entry *entry = &table->entries[i];
		if (entry->verdict == VERDICT_EXACT || entry->verdict == VERDICT_WRONG) {
			fprintf(file, "%s %s\n", words[entry->verdict], entry->key);
		}
	}
}

int verdict_table_save(struct verdict_table *table, const char *path)
{
	int error = table->changed ? file_replace(path, write_lines, table) : 0;
	table->changed &= error < 0;
	return error;
}
