#pragma once

/** What unit tests share: cmocka with the headers that it wants first, and repeatable randomness.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/** A number in [low, high]. The sequence starts the same in every run of a test. */
int random_between(int low, int high);
