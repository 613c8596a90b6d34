#pragma once

/** Tables of results, as text for people and as JSON for programs. */

#include <stddef.h>
#include <stdio.h>

#define TABLE_MAX_COLUMNS 14

struct table {
	const char *name; /* for programs */
	const char *title;
	const char *columns[TABLE_MAX_COLUMNS]; /* the first one names the rows */
	int n_columns;
	int n_rows;
	FILE *json; /* NULL: none */
};

/** `columns` ends with NULL. Prints the head. */
void table_begin(struct table *table, FILE *json, const char *name, const char *title,
	const char *const *columns);
/** One value for each further column; NAN for what does not exist. */
void table_row(struct table *table, const char *name, const double *values);
void table_end(struct table *table);

/** Sorts. */
double table_quantile(double *values, size_t n, double quantile);
double table_median(double *values, size_t n);
