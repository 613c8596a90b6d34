/* SPDX-License-Identifier: MIT */
#pragma once

/** Numbers of open descriptors, to find leaks. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <unistd.h>

/** Returns the number of open descriptors of this process, plus a constant. */
static inline int count_descriptors(void)
{
	int n = 0;
	DIR *folder = opendir("/proc/self/fd");
	assert_non_null(folder);
	while (readdir(folder)) {
		n++;
	}
	closedir(folder);
	return n;
}

/** Expects the number `n` of count_descriptors(), once threads have closed theirs. */
static inline void expect_descriptors(int n)
{
	for (int i = 0; i < 10000 && count_descriptors() > n; i++) {
		usleep(1000);
	}
	assert_int_equal(count_descriptors(), n);
}
