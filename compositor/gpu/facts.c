/* SPDX-License-Identifier: MIT */
/* Capabilities of a GPU, as values. */

#include "gpu/probe.h"
#include <stdio.h>
#include <string.h>

void gpu_facts_finish(struct gpu_facts *facts)
{
	format_set_finish(&facts->sampling);
	for (int i = 0; i < facts->n_readers; i++) {
		format_set_finish(&facts->readers[i].layouts);
	}
	*facts = (struct gpu_facts){0};
}

void gpu_facts_copy(struct gpu_facts *out, const struct gpu_facts *in)
{
	out->incomplete = in->incomplete;
	format_set_copy(&out->sampling, &in->sampling);
	for (int i = 0; i < in->n_readers; i++) {
		format_set_copy(&gpu_facts_add_reader(out, in->readers[i].name)->layouts,
			&in->readers[i].layouts);
	}
}

struct gpu_reader *gpu_facts_add_reader(struct gpu_facts *facts, const char *name)
{
	if (facts->n_readers == GPU_READERS_MAX) {
		return NULL;
	}
	struct gpu_reader *reader = &facts->readers[facts->n_readers++];
	*reader = (struct gpu_reader){0};
	snprintf(reader->name, sizeof(reader->name), "%s", name);
	return reader;
}

const struct gpu_reader *gpu_facts_reader(const struct gpu_facts *facts, const char *name)
{
	for (int i = 0; i < facts->n_readers; i++) {
		if (strcmp(facts->readers[i].name, name) == 0) {
			return &facts->readers[i];
		}
	}
	return NULL;
}
