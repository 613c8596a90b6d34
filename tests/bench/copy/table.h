/* SPDX-License-Identifier: MIT */
#pragma once

/** Tables of results, as text and as JSON. */

#include <stddef.h>
#include <stdio.h>

#define TABLE_COLUMNS_MAX 14

struct table {
	const char *name; /* key in the JSON */
	const char *title;
	const char *columns[TABLE_COLUMNS_MAX]; /* the first one is that of the row names */
	int n_columns;
	int n_rows;
	FILE *json; /* NULL: none */
};

/** `columns` ends with NULL. Prints the heading. */
void table_begin(struct table *table, FILE *json, const char *name, const char *title,
	const char *const *columns);
/** Prints one value for each further column; NAN marks missing ones. */
void table_row(struct table *table, const char *name, const double *values);
void table_end(struct table *table);

/** Returns a quantile and sorts the values. */
double table_quantile(double *values, size_t n, double quantile);
double table_median(double *values, size_t n);
