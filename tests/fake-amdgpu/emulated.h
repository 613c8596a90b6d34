#pragma once

/**
 * Emulated GPUs as parts of this machine: which there are is said by the environment, so that a compositor
 * and its clients, each in its own process, have the same ones.
 */

#include "fake.h"

/** Names of chips in a list: "raven navi21". */
#define EMULATED_VARIABLE "CAUSEWAY_EMULATED_GPUS"
#define EMULATED_MAX 2
#define EMULATED_VENDOR 0x1002

struct emulated_gpu {
	const char *chip;
	uint32_t device; /* PCI id */
	bool integrated;
	uint64_t modifiers[3]; /* of what it renders to, best first; 0 ends the list */
	/* By its place in the list. */
	unsigned minor;
	char path[32]; /* of its render node */
	char slot[16]; /* "0000:f0:00.0" */
};

/** Makes those that the environment names; once. Unknown names end the program. */
void emulated_start(void);
/** In order; NULL after the last. */
const struct emulated_gpu *emulated_at(unsigned i);
/** The one whose render node has this number, or NULL. */
const struct emulated_gpu *emulated_find(unsigned minor);

/** udev.c: has libudev tell of them, too. */
void emulated_udev_start(void);
