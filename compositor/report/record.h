/* SPDX-License-Identifier: MIT */
#pragma once

/** Records: a tree of named values, printed as text or as JSON. */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct record;

/** Creates an object without a parent. */
struct record *record_create(void);
/** Destroys the record and all below it. Accepts NULL. */
void record_destroy(struct record *record);

/** Adds an object. `key` is NULL in a list. Keys and texts are copied, everywhere. */
struct record *record_add(struct record *parent, const char *key);
/** Adds a list. */
struct record *record_add_list(struct record *parent, const char *key);
/** Omits the record from the text, which says how many entries it has instead. */
void record_shorten(struct record *record);

void record_text(struct record *parent, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void record_number(struct record *parent, const char *key, int64_t value);
void record_flag(struct record *parent, const char *key, bool value);
/** Adds the description of an error: -errno. */
void record_error(struct record *parent, const char *key, int error);

/** Prints indented lines, for people. */
void record_print(const struct record *record, FILE *file);
/** Prints one JSON value and a line break. */
void record_print_json(const struct record *record, FILE *file);
