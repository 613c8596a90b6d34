/* SPDX-License-Identifier: MIT */
/* Tables of results. */

#include "table.h"
#include <math.h>
#include <stdlib.h>

#define NAME_WIDTH 32
#define VALUE_WIDTH 12 /* wider than any column's name */

void table_begin(struct table *table, FILE *json, const char *name, const char *title,
	const char *const *columns)
{
	*table = (struct table){.name = name, .title = title, .json = json};
	while (columns[table->n_columns]) {
		table->columns[table->n_columns] = columns[table->n_columns];
		table->n_columns++;
	}
	printf("\n%s\n", title);
	printf("%-*s", NAME_WIDTH, columns[0]);
	for (int i = 1; i < table->n_columns; i++) {
		printf("%*s", VALUE_WIDTH, columns[i]);
	}
	printf("\n");
	if (json) {
		/* Another member always precedes the table. */
		fprintf(json, ",\n\t\"%s\": {\n\t\t\"title\": \"%s\",\n\t\t\"columns\": [", name,
			title);
		for (int i = 0; i < table->n_columns; i++) {
			fprintf(json, "%s\"%s\"", i ? ", " : "", columns[i]);
		}
		fprintf(json, "],\n\t\t\"rows\": [");
	}
}

void table_row(struct table *table, const char *name, const double *values)
{
	printf("%-*s", NAME_WIDTH, name);
	for (int i = 0; i < table->n_columns - 1; i++) {
		if (isnan(values[i])) {
			printf("%*s", VALUE_WIDTH, "-");
		} else {
			printf("%*.*f", VALUE_WIDTH, values[i] < 100 ? 2 : 0, values[i]);
		}
	}
	printf("\n");
	fflush(stdout);
	if (table->json) {
		fprintf(table->json, "%s\n\t\t\t[\"%s\"", table->n_rows ? "," : "", name);
		for (int i = 0; i < table->n_columns - 1; i++) {
			if (isnan(values[i])) {
				fprintf(table->json, ", null");
			} else {
				fprintf(table->json, ", %.3f", values[i]);
			}
		}
		fprintf(table->json, "]");
	}
	table->n_rows++;
}

void table_end(struct table *table)
{
	if (table->json) {
		fprintf(table->json, "\n\t\t]\n\t}");
		fflush(table->json);
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double table_quantile(double *values, size_t n, double quantile)
{
	size_t at = (size_t)(quantile * (double)(n - 1) + 0.5);

	qsort(values, n, sizeof(*values), compare);
	return values[at];
}

double table_median(double *values, size_t n)
{
	return table_quantile(values, n, 0.5);
}
