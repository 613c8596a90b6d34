#pragma once

/** What unit tests share: cmocka with the headers that it wants first, and repeatable randomness.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct surface;

/** surface_commit() as wl_surface.commit has it done: of a pending state that was derived. */
bool derive_and_commit(struct surface *surface);
/** A number in [low, high]. The sequence starts the same in every run of a test. */
int random_between(int low, int high);
/** Another sequence: what failed by a seed that was told can be had again. */
void random_seed(uint64_t seed);
