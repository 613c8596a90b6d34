/* SPDX-License-Identifier: MIT */
#pragma once

/** CSV tables of test vectors, in the folder named by CAUSEWAY_VECTORS. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CSV_FIELDS_MAX 24

struct csv {
	FILE *file;
	char *line;
	size_t size;
	int n_fields;
	char *fields[CSV_FIELDS_MAX]; /* of the current row, without quotes */
};

/** Opens a table and skips its header line; exits if it does not exist. */
void csv_open(struct csv *csv, const char *name);
/** Reads the next row. Returns false at the end. */
bool csv_next(struct csv *csv);
/** Parses a decimal or 0x-prefixed field. */
uint64_t csv_number(const struct csv *csv, int field);
void csv_close(struct csv *csv);
/** Returns the number after "key=" in a list such as "a=1;b=2"; exits if the key is missing. */
uint64_t csv_parameter(const char *parameters, const char *key);
