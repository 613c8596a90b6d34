/* SPDX-License-Identifier: MIT */
/* CSV tables of test vectors. */

#include "csv.h"
#include <err.h>
#include <stdlib.h>
#include <string.h>

void csv_open(struct csv *csv, const char *name)
{
	const char *folder = getenv("CAUSEWAY_VECTORS");
	char path[4096];

	*csv = (struct csv){0};
	snprintf(path, sizeof(path), "%s/%s.csv", folder ? folder : ".", name);
	csv->file = fopen(path, "re");
	if (!csv->file || !csv_next(csv)) {
		err(1, "%s", path);
	}
}

bool csv_next(struct csv *csv)
{
	bool quoted = false;
	char *end;

	if (getline(&csv->line, &csv->size, csv->file) < 0) {
		return false;
	}
	csv->line[strcspn(csv->line, "\r\n")] = '\0';
	csv->n_fields = 0;
	csv->fields[csv->n_fields++] = csv->line;
	for (end = csv->line; *end; end++) {
		if (*end == '"') {
			quoted = !quoted;
			*end = '\0';
			if (quoted) {
				csv->fields[csv->n_fields - 1] = end + 1;
			}
		} else if (*end == ',' && !quoted && csv->n_fields < CSV_FIELDS_MAX) {
			*end = '\0';
			csv->fields[csv->n_fields++] = end + 1;
		}
	}
	return true;
}

uint64_t csv_number(const struct csv *csv, int field)
{
	if (field >= csv->n_fields) {
		errx(1, "a row has too few fields");
	}
	return strtoull(csv->fields[field], NULL, 0);
}

void csv_close(struct csv *csv)
{
	fclose(csv->file);
	free(csv->line);
}

uint64_t csv_parameter(const char *parameters, const char *key)
{
	size_t length = strlen(key);

	for (const char *at = parameters; at; at = strchr(at, ';')) {
		at += *at == ';';
		if (strncmp(at, key, length) == 0 && at[length] == '=') {
			return strtoull(at + length + 1, NULL, 0);
		}
	}
	errx(1, "no parameter %s in %s", key, parameters);
}
