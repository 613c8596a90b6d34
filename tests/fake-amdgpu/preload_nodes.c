/* SPDX-License-Identifier: MIT */
/*
 * Nodes of emulated GPUs in an unmodified program that loads Mesa's drivers, as a preloaded
 * library.
 */

#include "emulated.h"
#include <stdlib.h>

static void __attribute__((constructor)) start(void)
{
	/* Programs started by this one do not preload the library. */
	unsetenv("LD_PRELOAD");
	emulated_start();
}
