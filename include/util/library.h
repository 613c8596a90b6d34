/* SPDX-License-Identifier: MIT */
#pragma once

/** Libraries that are loaded when they are needed. */

#include <dlfcn.h>
#include <stdbool.h>

/**
 * Stores the address of a function of the library in *function, a pointer to a pointer to functions
 * of its type. Returns false, with NULL stored, if the library lacks it.
 */
static inline bool library_find(void *library, const char *name, void *function)
{
	void *symbol = dlsym(library, name);
	*(void **)function = symbol;
	return symbol;
}
