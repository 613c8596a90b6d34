/* SPDX-License-Identifier: MIT */
/* Provers: empty submissions, on threads, that show whether a GPU can map memory. */

#include "copy/prover.h"
#include "copy/gpu_engines.h"
#include "gpu/gpu.h"
#include "util/error.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* Rows of the linear image that stands for the memory: a page of 4 bytes per pixel. */
#define ROW 4096
#define ROW_PIXELS (ROW / 4)
/* Longest duration (ns) of a proof, including the wake-up of a sleeping GPU. */
#define TIMEOUT (INT64_C(5) * 1000000000)

/* A device is closed after this time (ns) without proofs: it keeps the last memory mapped. */
#define LINGER (INT64_C(2) * 1000000000)
/* A proof that fails for a reason that may pass is repeated so often, with pauses (ms). */
#define REPEATS 3
#define REPEAT_PAUSE 100

/* An open engine. */
struct device {
	struct engine_context context;
	struct copy_engine *engine;
};

/* A GPU, whose proofs run one after the other. */
struct entry {
	struct wl_list link; /* copy_prover.entries */
	struct copy_prover *prover;
	const struct gpu *gpu; /* compared only */
	struct device *device; /* between proofs; NULL: none */
	bool refused; /* the GPU has no SDMA, for certain */
	struct wl_list waiting; /* copy_proof.link */
	struct task *task; /* in progress; NULL: none */
	struct test *test; /* data of the task */
	struct copy_proof *running; /* its proof; NULL after it was cancelled */
	struct timer linger; /* armed while `device` is unused */
};

struct copy_prover {
	struct tasks *tasks;
	struct task_quota *quota;
	struct wl_list entries;
};

struct copy_proof {
	struct wl_list link; /* entry.waiting, until it runs */
	struct entry *entry;
	const struct dmabuf *dmabuf;
	void (*done)(void *data, int result);
	void *data;
};

/* The thread's side of a proof. */
struct test {
	struct dmabuf memory;
	struct gpu *gpu; /* to open a device of; NULL once it has one */
	struct device *device, *full; /* in use; replaced because of its full queue */
	int result;
	/*
	 * Set by the thread at its end, and by the loop when it gives up: the second one owns the
	 * devices.
	 */
	atomic_bool left;
};

static const struct engine_type *find_type(void)
{
	size_t n;
	const struct engine_type *types = engine_types(&n);
	for (size_t i = 0; i < n; i++) {
		if (types[i].kind == COST_SDMA) {
			return &types[i];
		}
	}
	return NULL;
}

/* On the thread */

static void close_device(void *data)
{
	struct device *device = data;
	if (device) {
		copy_engine_destroy(device->engine);
		gpu_copy_destroy(device->context.gpu);
		free(device);
	}
}

static int open_device(const struct gpu *gpu, struct device **out)
{
	const struct engine_type *type = find_type();
	struct device *device = xcalloc(1, sizeof(*device));
	device->context.gpu = gpu_copy(gpu);
	int error = type->create(&device->context, &device->engine);
	if (error < 0) {
		device->engine = NULL;
		close_device(device);
		return error;
	}
	*out = device;
	return 0;
}

/* Describes the whole memory as a linear image, whatever it contains. */
static int describe(struct dmabuf *out, int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	if (size < ROW) {
		return -EINVAL;
	}
	/* An import maps all of the memory, so the image may be smaller. */
	int32_t height = size / ROW < ROW ? (int32_t)(size / ROW) : ROW;
	dmabuf_init_linear(out, ROW_PIXELS, height, DRM_FORMAT_XRGB8888, fd, ROW);
	return 0;
}

static int test_file(struct copy_engine *engine, int fd)
{
	struct copy_image *image;
	struct dmabuf memory;
	int error = describe(&memory, fd);
	if (error == 0) {
		error = copy_engine_import(engine, &memory, COPY_SOURCE, &image);
	}
	if (error < 0) {
		return error == -ENOMEM ? -EAGAIN : error;
	}
	error = copy_engine_prove(engine, image, 0);
	if (error == -ENOMEM) {
		/* Memory may have been short for a moment. */
		error = copy_engine_prove(engine, image, 0);
	}
	copy_image_drop(image);
	return error;
}

/* Opens a device if there is none. */
static int prepare_device(struct test *test)
{
	return test->device ? 0 : open_device(test->gpu, &test->device);
}

static int test_memory(struct test *test)
{
	int error = 0;
	for (int i = 0; i < test->memory.n_planes && error == 0; i++) {
		error = test_file(test->device->engine, test->memory.fd[i]);
	}
	return error;
}

/*
 * Failures while the device opens say nothing about the memory. Later, a lack of memory or a full
 * queue says something about the memory or the device.
 */
static bool repeats(int error, bool open)
{
	return open ? error_may_pass(error) && error != -ENOMEM && error != -EBUSY && error != -EIO
		    : error_may_pass(error) || error == -ENODEV;
}

static int test_repeatedly(struct test *test)
{
	for (int i = 0;; i++) {
		int error = prepare_device(test);
		const bool open = error == 0;
		error = open ? test_memory(test) : error;
		if (i == REPEATS || !repeats(error, open)) {
			return error == -ENOMEM && !open ? -EAGAIN : error;
		}
		poll(NULL, 0, REPEAT_PAUSE);
	}
}

static void run_test(void *data)
{
	struct test *test = data;
	test->result = test_repeatedly(test);
	if (test->device &&
		(test->result == -EBUSY || test->result == -ENODEV || test->result == -EIO)) {
		/* Submissions wait for fences that clients control: continue on a new device. */
		test->full = test->device;
		test->device = NULL;
		test->result = test_repeatedly(test);
	}
	dmabuf_finish(&test->memory);
	if (atomic_exchange(&test->left, true)) {
		close_device(test->device);
		close_device(test->full);
	}
}

/* On the event loop */

static void keep(void *data)
{
}

/* Closes the device on a thread. Accepts NULL. */
static void close_later(struct copy_prover *prover, struct device *device)
{
	static const struct task_impl impl = {.run = close_device, .free = keep};
	if (device) {
		task_abandon(task_start(prover->tasks, prover->quota, &impl, device, NULL, 0));
	}
}

static void free_test(void *data)
{
	struct test *test = data;
	gpu_copy_destroy(test->gpu);
	free(test);
}

static void start_next(struct entry *entry);

static void finish(struct copy_proof *proof, int result)
{
	void (*done)(void *data, int result) = proof->done;
	void *data = proof->data;
	free(proof);
	done(data, result);
}

/* Takes over the test's devices if its thread has ended; otherwise the thread closes them. */
static bool take_devices(struct entry *entry)
{
	struct test *test = entry->test;
	bool ended = atomic_exchange(&test->left, true);
	entry->task = NULL;
	entry->test = NULL;
	if (ended) {
		entry->device = test->device;
		timer_arm(&entry->linger, clock_now(entry->linger.clock) + LINGER);
		close_later(entry->prover, test->full);
	}
	return ended;
}

static void handle_tested(void *owner, void *data, int error)
{
	struct entry *entry = owner;
	struct copy_proof *proof = entry->running;
	const struct test *test = entry->test;
	entry->running = NULL;
	int result = take_devices(entry) ? test->result : error;
	entry->refused = result == -ENOTSUP && !entry->device;
	if (proof) {
		finish(proof, result);
	}
	start_next(entry);
}

/* Returns -EINPROGRESS, or an error without a test. */
static int start_test(struct entry *entry, const struct dmabuf *dmabuf)
{
	static const struct task_impl impl = {run_test, handle_tested, free_test};
	struct copy_prover *prover = entry->prover;
	if (entry->refused || entry->gpu->gone || !find_type()) {
		return -ENOTSUP;
	}
	if (!task_quota_has_room(prover->quota)) {
		return -EBUSY;
	}
	struct test *test = xcalloc(1, sizeof(*test));
	int error = dmabuf_copy(&test->memory, dmabuf);
	for (int i = 0; i < REPEATS && error_may_pass(error); i++) {
		error = dmabuf_copy(&test->memory, dmabuf);
	}
	if (error < 0) {
		free(test);
		return error;
	}
	test->gpu = gpu_copy(entry->gpu);
	test->device = entry->device;
	timer_disarm(&entry->linger);
	atomic_init(&test->left, false);
	entry->device = NULL;
	entry->test = test;
	entry->task = task_start(prover->tasks, prover->quota, &impl, test, entry, TIMEOUT);
	return -EINPROGRESS;
}

static void start_next(struct entry *entry)
{
	while (!entry->task && !wl_list_empty(&entry->waiting)) {
		struct copy_proof *proof = wl_container_of(entry->waiting.next, proof, link);
		wl_list_remove(&proof->link);
		wl_list_init(&proof->link);
		int result = start_test(entry, proof->dmabuf);
		if (result == -EINPROGRESS) {
			entry->running = proof;
		} else {
			finish(proof, result);
		}
	}
}

static void handle_linger(struct timer *timer, int64_t now)
{
	struct entry *entry = wl_container_of(timer, entry, linger);
	close_later(entry->prover, entry->device);
	entry->device = NULL;
}

static struct entry *find_entry(struct copy_prover *prover, const struct gpu *gpu)
{
	struct entry *entry;
	wl_list_for_each (entry, &prover->entries, link) {
		if (entry->gpu == gpu) {
			return entry;
		}
	}
	entry = xcalloc(1, sizeof(*entry));
	entry->prover = prover;
	entry->gpu = gpu;
	wl_list_init(&entry->waiting);
	timer_init(&entry->linger, tasks_clock(prover->tasks), handle_linger);
	wl_list_insert(&prover->entries, &entry->link);
	return entry;
}

struct copy_prover *copy_prover_create(struct tasks *tasks)
{
	struct copy_prover *prover = xcalloc(1, sizeof(*prover));
	prover->tasks = tasks;
	prover->quota = task_quota_create();
	wl_list_init(&prover->entries);
	return prover;
}

static void destroy_entry(struct entry *entry)
{
	struct copy_proof *proof, *next;
	wl_list_for_each_safe (proof, next, &entry->waiting, link) {
		free(proof);
	}
	free(entry->running);
	if (entry->task) {
		task_abandon(entry->task);
		take_devices(entry);
	}
	timer_finish(&entry->linger);
	close_later(entry->prover, entry->device);
	wl_list_remove(&entry->link);
	free(entry);
}

void copy_prover_destroy(struct copy_prover *prover)
{
	struct entry *entry, *next;
	if (!prover) {
		return;
	}
	wl_list_for_each_safe (entry, next, &prover->entries, link) {
		destroy_entry(entry);
	}
	task_quota_release(prover->quota);
	free(prover);
}

int copy_prover_start(struct copy_prover *prover, const struct gpu *gpu,
	const struct dmabuf *dmabuf, void (*done)(void *data, int result), void *data,
	struct copy_proof **out)
{
	struct entry *entry = find_entry(prover, gpu);
	bool queued = entry->task;
	int result = queued ? -EINPROGRESS : start_test(entry, dmabuf);
	if (result != -EINPROGRESS) {
		return result;
	}
	struct copy_proof *proof = xcalloc(1, sizeof(*proof));
	*proof = (struct copy_proof){.entry = entry, .dmabuf = dmabuf, .done = done, .data = data};
	wl_list_init(&proof->link);
	if (queued) {
		wl_list_insert(entry->waiting.prev, &proof->link);
	} else {
		entry->running = proof;
	}
	*out = proof;
	return result;
}

void copy_proof_cancel(struct copy_proof *proof)
{
	if (!proof) {
		return;
	}
	if (proof->entry->running == proof) {
		proof->entry->running = NULL;
	}
	wl_list_remove(&proof->link);
	free(proof);
}
