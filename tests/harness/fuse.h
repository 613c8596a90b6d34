#pragma once

/**
 * A FUSE file system with one file, served by a thread of the test, which stops to answer when it is told to: every
 * call that reaches the file system then blocks until the connection is aborted.
 */

struct fuse;

/** Before any thread is started: gives the process mounts of its own. NULL, or why there can be no FUSE here. */
const char *fuse_prepare(void);
/** Mounts the file system on a new directory below /tmp. Fails the test if that is impossible. */
struct fuse *fuse_create(void);
/** A new descriptor of the file, which has 64 KiB and may be read and written. */
int fuse_open(struct fuse *fuse);
/** From now on no request is answered. */
void fuse_hang(struct fuse *fuse);
/** Requests that came since fuse_hang(). */
int fuse_n_unanswered(struct fuse *fuse);
/** Aborts the connection: calls that are blocked fail. */
void fuse_destroy(struct fuse *fuse);
