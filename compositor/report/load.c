/* SPDX-License-Identifier: MIT */
/* A thread that keeps the graphics queue of a GPU busy, while other queues are measured. */

#include "load.h"
#include "copy/pattern.h"
#include "device.h"
#include "util/xalloc.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

struct load {
	pthread_t thread;
	struct gpu *gpu; /* a copy */
	atomic_bool stop;
	bool runs; /* set before `ready` is posted */
	sem_t ready;
};

static const struct engine_type *find_type(void)
{
	size_t n;
	const struct engine_type *types = engine_types(&n);
	for (size_t i = 0; i < n; i++) {
		if (types[i].kind == COST_GRAPHICS) {
			return &types[i];
		}
	}
	return NULL;
}

/* Two images, so that copies of one wait for no other. */
static bool import(struct report_engine *engine, struct gpu *gpu, struct dmabuf *memory,
	struct copy_image **images)
{
	for (int i = 0; i < 2; i++) {
		if (pattern_allocate(PATTERN_GBM, engine->engine, gpu, &memory[i]) < 0 ||
			copy_engine_import(engine->engine, &memory[i],
				COPY_SOURCE | COPY_DESTINATION, &images[i]) < 0) {
			return false;
		}
	}
	return true;
}

static void copy_until_stopped(struct load *load, struct report_engine *engine)
{
	struct dmabuf memory[2];
	struct copy_image *images[2] = {0};
	dmabuf_init(&memory[0]);
	dmabuf_init(&memory[1]);
	load->runs = import(engine, load->gpu, memory, images);
	sem_post(&load->ready);
	while (load->runs && !atomic_load(&load->stop) &&
		pattern_copy(engine->engine, images[0], images[1], NULL, NULL) == 0) {
	}
	for (int i = 0; i < 2; i++) {
		copy_image_drop(images[i]);
		dmabuf_finish(&memory[i]);
	}
}

static void *run(void *data)
{
	struct load *load = data;
	struct report_engine engine = {
		.type = find_type(), .context = {.gpu = load->gpu, .queue = VULKAN_QUEUE_TRANSFER}};
	if (gpu_open(load->gpu) < 0) {
		sem_post(&load->ready);
		return NULL;
	}
	if (engine.type && engine.type->create(&engine.context, &engine.engine) == 0) {
		copy_until_stopped(load, &engine);
		copy_engine_destroy(engine.engine);
	} else {
		sem_post(&load->ready);
	}
	gpu_close(load->gpu);
	return NULL;
}

struct load *load_start(const struct gpu *gpu)
{
	struct load *load = xcalloc(1, sizeof(*load));
	load->gpu = gpu_copy(gpu);
	atomic_init(&load->stop, false);
	sem_init(&load->ready, 0, 0);
	if (pthread_create(&load->thread, NULL, run, load) != 0) {
		gpu_copy_destroy(load->gpu);
		free(load);
		return NULL;
	}
	sem_wait(&load->ready);
	if (!load->runs) {
		load_stop(load);
		return NULL;
	}
	return load;
}

void load_stop(struct load *load)
{
	if (!load) {
		return;
	}
	atomic_store(&load->stop, true);
	pthread_join(load->thread, NULL);
	sem_destroy(&load->ready);
	gpu_copy_destroy(load->gpu);
	free(load);
}
