/* SPDX-License-Identifier: MIT */
/*
 * Cache files of formats and layouts: a key line, then one pair per line: first those that the GPU
 * samples, then, after a line with each reader's name, those that the reader supports.
 */

#include "gpu/format_cache.h"
#include "gpu/gpu.h"
#include "gpu/version.h"
#include "util/file.h"
#include "util/xalloc.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/** Larger files are not this cache. */
#define FORMAT_CACHE_BYTES_MAX (1024 * 1024)

#define PAIRS_MAX 65536
#define READER "reader "

char *format_cache_path(const struct gpu *gpu)
{
	char *name = gpu->vendor ? xasprintf("formats-%04x-%04x-%s", gpu->vendor & 0xffff,
					   gpu->device & 0xffff, gpu->driver)
				 : xasprintf("formats-%s-%s", gpu->bus_id, gpu->driver);
	char *path = file_cache_path(name);
	free(name);
	return path;
}

char *format_cache_key(const struct gpu *gpu, const char *variant)
{
	char *driver = gpu_driver_version(gpu), *machine = gpu_software_version();
	char *key = xasprintf("causeway-formats 3 %s %s readers %s", driver, machine, variant);
	free(machine);
	free(driver);
	return key;
}

/** Reads a line without its end. Returns false at the end of the file or for an incomplete line. */
static bool next_line(FILE *stream, char *line, int size)
{
	size_t length;
	if (!fgets(line, size, stream)) {
		return false;
	}
	length = strlen(line);
	if (length == 0 || line[length - 1] != '\n') {
		return false;
	}
	line[length - 1] = '\0';
	return true;
}

static bool read_pair(const char *line, struct format_set *out)
{
	uint32_t format;
	uint64_t modifier;
	int end = 0;
	if (sscanf(line, "%8" SCNx32 " %16" SCNx64 "%n", &format, &modifier, &end) != 2 ||
		line[end] != '\0' || !pixel_format_get(format)) {
		return false;
	}
	format_set_add(out, format, modifier);
	return true;
}

static bool read_facts(FILE *stream, struct gpu_facts *out)
{
	struct format_set *set = &out->sampling;
	char line[64];
	for (int n = 0; n < PAIRS_MAX && next_line(stream, line, sizeof(line)); n++) {
		if (strcmp(line, "end") == 0) {
			return out->sampling.n_formats > 0;
		}
		if (strncmp(line, READER, strlen(READER)) == 0) {
			struct gpu_reader *reader =
				gpu_facts_add_reader(out, line + strlen(READER));
			if (!reader) {
				return false;
			}
			set = &reader->layouts;
		} else if (!read_pair(line, set)) {
			return false;
		}
	}
	return false; /* the line is incomplete */
}

bool format_cache_read(FILE *stream, const char *key, struct gpu_facts *out)
{
	char line[512];
	*out = (struct gpu_facts){0};
	bool good = next_line(stream, line, sizeof(line)) && strcmp(line, key) == 0 &&
		    read_facts(stream, out);
	if (!good) {
		gpu_facts_finish(out);
	}
	return good;
}

bool format_cache_load(const char *path, const char *key, struct gpu_facts *out)
{
	*out = (struct gpu_facts){0};
	FILE *stream = file_open_regular(path, FORMAT_CACHE_BYTES_MAX);
	if (!stream) {
		return false;
	}
	bool good = format_cache_read(stream, key, out);
	fclose(stream);
	return good;
}

static void write_pairs(FILE *stream, const struct format_set *formats)
{
	for (size_t i = 0; i < formats->n_formats; i++) {
		const struct format_modifiers *entry = &formats->formats[i];
		for (size_t m = 0; m < entry->n_modifiers; m++) {
			fprintf(stream, "%08" PRIx32 " %016" PRIx64 "\n", entry->format,
				entry->modifiers[m]);
		}
	}
}

void format_cache_write(FILE *stream, const char *key, const struct gpu_facts *facts)
{
	fprintf(stream, "%s\n", key);
	write_pairs(stream, &facts->sampling);
	for (int i = 0; i < facts->n_readers; i++) {
		fprintf(stream, READER "%s\n", facts->readers[i].name);
		write_pairs(stream, &facts->readers[i].layouts);
	}
	fputs("end\n", stream);
}

struct written {
	const char *key;
	const struct gpu_facts *facts;
};

static void write_all(FILE *stream, const void *data)
{
	const struct written *written = data;
	format_cache_write(stream, written->key, written->facts);
}

int format_cache_save(const char *path, const char *key, const struct gpu_facts *facts)
{
	return file_replace(path, write_all, &(struct written){key, facts});
}
