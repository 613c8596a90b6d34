/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * In a process of its own: this program, which makes the kernel report its accept() calls, then
 * becomes the X server. See acceptor.h.
 */

/** First argument of the process: then "CONTROL,LISTEN", two descriptors, and the program. */
#define X_START_ARGUMENT "--x-server="

/**
 * Installs the filter for accept() on LISTEN, sends its notification descriptor to CONTROL, and
 * executes argv[2] with its arguments. Without argv[2], accepts one connection itself, and returns
 * 0 if that works: a test of the kernel and of the acceptor. Returns an exit code, which is the
 * errno of the failure.
 */
int x_start(int argc, char **argv);
