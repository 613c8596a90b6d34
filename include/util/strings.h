#pragma once

/** Lists of strings as arguments and environments are: ended by NULL, strings and list allocated. */

#include <stddef.h>

/** The list with one more, which it takes over; `list` NULL: the first. */
char **strings_add(char **list, char *string) __attribute__((warn_unused_result));
/** 0 for NULL. */
size_t strings_count(char *const *list);
/** NULL is legal. */
void strings_destroy(char **list);
