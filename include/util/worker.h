#pragma once

/**
 * A thread that does what may block, in order, beside the event loop. What is done is told by a
 * descriptor that stands for a fence: a pipe that becomes readable when the task has succeeded, and
 * is hung up without a byte when it has failed. fence_status() reads it as such.
 */

#include <stdbool.h>
#include <wayland-util.h>

struct worker;

/** Embedded by its maker. */
struct worker_task {
	/** On the thread; true: it succeeded. The task is its own from then on, and is freed by it. */
	bool (*run)(struct worker_task *task);
	struct wl_list link; /* private */
	int done_fd; /* private */
};

/** NULL if there is no thread to be had. */
struct worker *worker_create(void);
/** Waits for nothing: the thread ends when all that was pushed is done. NULL is legal. */
void worker_destroy(struct worker *worker);
/** The fence, which the caller owns; or negative errno, and the task is still the caller's. */
int worker_push(struct worker *worker, struct worker_task *task);
/** The same without a fence: cannot fail. */
void worker_post(struct worker *worker, struct worker_task *task);
/** For tasks: waits until a fence (or -1) has signalled. False if it failed or takes too long. */
bool worker_wait(int fence, int timeout_ms);
