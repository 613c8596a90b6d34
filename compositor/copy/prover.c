/* SPDX-License-Identifier: MIT */
/* Provers: empty submissions that show whether a GPU can map memory. */

#include "copy/prover.h"
#include "copy/gpu_engines.h"
#include "gpu/gpu.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Rows of the linear image that stands for the memory: a page of 4 bytes per pixel. */
#define ROW 4096
#define ROW_PIXELS (ROW / 4)

struct entry {
	struct wl_list link; /* copy_prover.entries */
	const struct gpu *gpu; /* compared only */
	struct engine_context context;
	struct copy_engine *engine; /* NULL: lost, or the GPU has none */
	bool refused; /* the GPU has none */
};

struct copy_prover {
	struct wl_list entries;
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

struct copy_prover *copy_prover_create(void)
{
	struct copy_prover *prover = xcalloc(1, sizeof(*prover));
	wl_list_init(&prover->entries);
	return prover;
}

static void close_entry(struct entry *entry)
{
	copy_engine_destroy(entry->engine);
	entry->engine = NULL;
}

void copy_prover_destroy(struct copy_prover *prover)
{
	struct entry *entry, *next;
	if (!prover) {
		return;
	}
	wl_list_for_each_safe (entry, next, &prover->entries, link) {
		close_entry(entry);
		gpu_copy_destroy(entry->context.gpu);
		wl_list_remove(&entry->link);
		free(entry);
	}
	free(prover);
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
	entry->gpu = gpu;
	entry->context.gpu = gpu_copy(gpu);
	wl_list_insert(&prover->entries, &entry->link);
	return entry;
}

/* Returns 0 or -errno. */
static int open_entry(struct entry *entry)
{
	const struct engine_type *type = find_type();
	if (entry->engine) {
		return 0;
	}
	if (!type || entry->refused || entry->gpu->gone) {
		return -ENOTSUP;
	}
	int error = type->create(&entry->context, &entry->engine);
	if (error < 0) {
		entry->engine = NULL;
	}
	entry->refused = error == -ENOTSUP || error == -ENODEV;
	return error;
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

static int test_memory(struct copy_engine *engine, int fd)
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

int copy_prover_test(struct copy_prover *prover, const struct gpu *gpu, const struct dmabuf *dmabuf)
{
	struct entry *entry = find_entry(prover, gpu);
	int error = open_entry(entry);
	for (int i = 0; i < dmabuf->n_planes && error == 0; i++) {
		error = test_memory(entry->engine, dmabuf->fd[i]);
	}
	if (error == -EBUSY || error == -ENODEV || error == -EIO) {
		/* Submissions wait for fences that clients control: continue on a new device. */
		close_entry(entry);
		error = open_entry(entry);
		for (int i = 0; i < dmabuf->n_planes && error == 0; i++) {
			error = test_memory(entry->engine, dmabuf->fd[i]);
		}
	}
	return error;
}
