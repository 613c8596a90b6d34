/* SPDX-License-Identifier: MIT */
#pragma once

/** Failures of system calls, for emulated GPUs and for descriptors: a hook of the emulator. */

#include "fake.h"

struct fault {
	unsigned calls; /* bits of enum fake_call */
	int error; /* errno */
	struct fake_gpu *reset; /* GPU that is reset at these calls, instead of an error; or NULL */
	unsigned skip, n; /* calls that succeed first; calls that fail then */
};

/** Makes calls fail from now on. NULL: none. */
void faults_set(const struct fault *fault);
/** Returns the number of calls that failed, or met a reset, since faults_set(). */
unsigned faults_count(void);
/** The same of one kind of call. */
unsigned faults_count_call(enum fake_call call);
const char *faults_call_name(enum fake_call call);
