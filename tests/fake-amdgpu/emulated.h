/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Emulated GPUs listed in an environment variable, so that a compositor and its clients, each in
 * its own process, have the same GPUs.
 */

#include "fake.h"

/** Environment variable with a list of GPUs, such as "raven navi21". */
#define EMULATED_VARIABLE "CAUSEWAY_EMULATED_GPUS"
#define EMULATED_MAX 2

struct emulated_gpu {
	const char *name; /* in the environment variable */
	const char *chip; /* emulated by its node */
	const char *driver;
	uint32_t vendor, device; /* PCI ids */
	bool integrated;
	uint64_t modifiers[3]; /* modifiers for rendering, best first; ends with 0 */
	char slot[16]; /* PCI slot; derived from the place in the list if empty */
	/* derived from the place in the list */
	unsigned minor;
	char path[32]; /* path of the render node */
};

/** Creates the GPUs of the environment variable, once. Exits if a name is unknown. */
void emulated_start(void);
/** Returns the i-th GPU; NULL after the last. */
const struct emulated_gpu *emulated_at(unsigned i);
/** Returns the GPU with this render node number, or NULL. */
const struct emulated_gpu *emulated_find(unsigned minor);

/** udev.c: adds the GPUs to the device lists of libudev. */
void emulated_udev_start(void);
