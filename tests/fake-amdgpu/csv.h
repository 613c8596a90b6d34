#pragma once

/** Tables of test vectors, row by row. The folder comes from CAUSEWAY_VECTORS. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CSV_MAX_FIELDS 24

struct csv {
	FILE *file;
	char *line;
	size_t size;
	int n_fields;
	char *fields[CSV_MAX_FIELDS]; /* of the current row; quotes taken off */
};

/** Opens a table and skips its heading; ends the program if there is none. */
void csv_open(struct csv *csv, const char *name);
/** The next row; false at the end. */
bool csv_next(struct csv *csv);
/** Decimal or 0x-prefixed. */
uint64_t csv_number(const struct csv *csv, int field);
void csv_close(struct csv *csv);
/** The number behind "key=" in "a=1;b=2"; ends the program if it is not there. */
uint64_t csv_parameter(const char *parameters, const char *key);
