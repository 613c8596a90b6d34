/* SPDX-License-Identifier: MIT */
#pragma once

/** Failures of system calls, for emulated GPUs and for descriptors: a hook of the emulator. */

#include "fake.h"

struct fault {
	unsigned calls; /* bits of enum fake_call */
	int error; /* errno */
	unsigned skip, n; /* calls that succeed first; calls that fail then */
};

/** Makes calls fail from now on. NULL: none. */
void faults_set(const struct fault *fault);
/** Returns the number of calls that failed since faults_set(). */
unsigned faults_count(void);
const char *faults_call_name(enum fake_call call);
