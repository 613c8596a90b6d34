/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * A FUSE file system with one file, served by a thread of the test. It can stop answering: every
 * call that reaches the file system then blocks until the connection is aborted.
 */

struct fuse;

/** Gives the process its own mount namespace; call it before any thread is started. Returns NULL,
 * or the reason why FUSE is not available. */
const char *fuse_prepare(void);
/** Mounts the file system on a new directory below /tmp. Fails the test if that is impossible. */
struct fuse *fuse_create(void);
/** Opens the file, which has 64 KiB and can be read and written. Returns a new descriptor. */
int fuse_open(struct fuse *fuse);
/** Stops answering requests. */
void fuse_hang(struct fuse *fuse);
/** Returns the number of requests received since fuse_hang(). */
int fuse_n_unanswered(struct fuse *fuse);
/** Aborts the connection, so that blocked calls fail. */
void fuse_destroy(struct fuse *fuse);
