/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Run-time switch between the mutants that are compiled into an instrumented copy of the sources.
 * The environment selects one: MUTANT is its number, MUTANT_REACHED a file in which the byte of
 * each mutated place that the program executes is set.
 */

#define MUTANT_MAX 4096

extern unsigned mutant_active;
extern unsigned char *mutant_reached;

/** True if mutant `n` is the selected one; records that its place was reached. */
#define MUTANT(n) (mutant_reached[n] = 1, mutant_active == (n))
