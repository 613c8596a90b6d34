/* SPDX-License-Identifier: MIT */
/* Answers of processes that look at a GPU. */

#include "gpu/probe_answer.h"
#include "gpu/format_cache.h"
#include <string.h>

#define COMPLETE "complete\n"
#define PARTIAL "partial\n"

void probe_answer_write(FILE *stream, const char *key, const struct gpu_facts *facts, bool complete)
{
	fputs(complete ? COMPLETE : PARTIAL, stream);
	format_cache_write(stream, key, facts);
}

bool probe_answer_read(
	const char *text, size_t length, const char *key, struct gpu_facts *facts, bool *complete)
{
	const size_t n_complete = strlen(COMPLETE), n_partial = strlen(PARTIAL);
	const bool begins_complete = length > n_complete && memcmp(text, COMPLETE, n_complete) == 0;
	const bool begins_partial = length > n_partial && memcmp(text, PARTIAL, n_partial) == 0;
	const size_t start = begins_complete ? n_complete : n_partial;
	*facts = (struct gpu_facts){0};
	*complete = false;
	if (!begins_complete && !begins_partial) {
		return false;
	}
	FILE *stream = fmemopen((char *)text + start, length - start, "r");
	if (!stream) {
		return false;
	}
	bool good = format_cache_read(stream, key, facts);
	if (good && fgetc(stream) != EOF) {
		gpu_facts_finish(facts);
		good = false;
	}
	fclose(stream);
	*complete = good && begins_complete;
	return good;
}
