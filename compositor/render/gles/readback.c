/* SPDX-License-Identifier: MIT */
/*
 * Readback: EGL devices without dma-bufs draw to textures. The device copies the drawn pixels to a
 * buffer object, and a thread copies them from there to the memory of the target's buffer.
 */

#include "render/gles/gles_renderer.h"
#include "util/log.h"
#include "util/worker.h"
#include "util/xalloc.h"
#include <GLES2/gl2ext.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A pass that takes longer means that its device hangs. */
#define TIMEOUT_NS 1000000000
#define DRAIN_TIMEOUT_MS 2000
/* More rectangles are read as one. */
#define RECTS_MAX 16
#define PIXEL_BYTES 4
#define LEAST_BYTES 65536

/* Memory of a target's buffer, shared by the target and tasks of the thread. */
struct gles_memory {
	atomic_int references;
	uint8_t *data;
	size_t size, stride, offset; /* bytes */
	GLenum layout; /* of its pixels: GL_BGRA_EXT or GL_RGBA */
};

/* A buffer object, mapped for its lifetime. */
struct block {
	struct wl_list link; /* gles_readback.blocks */
	GLuint id;
	size_t size;
	const uint8_t *data;
	atomic_bool busy; /* a task reads it */
};

/*
 * NVIDIA's driver takes 60 us longer to create an EGL fence than a GL one, which only a context can
 * wait for.
 */
struct gles_readback {
	struct worker *worker; /* NULL: the CPU waits for the device */
	EGLContext context; /* of the worker */
	struct wl_list blocks;
	PFNGLBUFFERSTORAGEEXTPROC buffer_storage;
};

struct task {
	struct worker_task base;
	EGLDisplay display;
	EGLContext context; /* of the thread */
	GLsync sync;
	struct gles_memory *memory;
	struct block *block; /* NULL: none, and the region is empty */
	pixman_region32_t region; /* rectangles in the block, without gaps */
};

static const struct {
	uint32_t format;
	GLenum layout;
} formats[] = {
	{DRM_FORMAT_XRGB8888, GL_BGRA_EXT},
	{DRM_FORMAT_ARGB8888, GL_BGRA_EXT},
	{DRM_FORMAT_XBGR8888, GL_RGBA},
	{DRM_FORMAT_ABGR8888, GL_RGBA},
};

#define N_FORMATS (sizeof(formats) / sizeof(formats[0]))

void gles_readback_init(struct gles_renderer *renderer)
{
	struct egl *egl = renderer->egl;
	struct gles_readback *readback = xcalloc(1, sizeof(*readback));
	wl_list_init(&readback->blocks);
	readback->context = EGL_NO_CONTEXT;
	if (egl->has.buffer_storage) {
		readback->context = egl_create_shared_context(egl);
		readback->worker = readback->context != EGL_NO_CONTEXT ? worker_create() : NULL;
		readback->buffer_storage =
			(PFNGLBUFFERSTORAGEEXTPROC)eglGetProcAddress("glBufferStorageEXT");
	}
	for (size_t i = 0; i < N_FORMATS; i++) {
		if (formats[i].layout == GL_RGBA || egl->has.read_bgra) {
			format_set_add(&egl->rendering, formats[i].format, DRM_FORMAT_MOD_LINEAR);
		}
	}
	renderer->readback = readback;
	log_info("gles: no dma-bufs, so frames are copied from the device to memory");
}

static void destroy_block(struct block *block, bool usable)
{
	if (usable) {
		/* Unmaps it, too. */
		glDeleteBuffers(1, &block->id);
	}
	wl_list_remove(&block->link);
	free(block);
}

static bool release_context(struct worker_task *base)
{
	struct task *task = wl_container_of(base, task, base);
	egl_use_on_thread(task->display, EGL_NO_CONTEXT);
	free(task);
	return true;
}

/* Waits for the thread's tasks, which run in order, and takes its context away. */
static bool finish_worker(struct worker *worker, EGLDisplay display)
{
	struct task *task = xcalloc(1, sizeof(*task));
	task->base.run = release_context;
	task->display = display;
	worker_post(worker, &task->base);
	return worker_drain(worker, DRAIN_TIMEOUT_MS);
}

void gles_readback_finish(struct gles_renderer *renderer)
{
	struct gles_readback *readback = renderer->readback;
	struct block *block, *next;
	if (!readback) {
		return;
	}
	EGLDisplay display = renderer->egl->display;
	/* A thread that hangs in the driver keeps its blocks and its context. */
	if (!readback->worker || finish_worker(readback->worker, display)) {
		bool usable = gles_enter(renderer);
		wl_list_for_each_safe (block, next, &readback->blocks, link) {
			destroy_block(block, usable);
		}
		if (readback->context != EGL_NO_CONTEXT) {
			eglDestroyContext(display, readback->context);
		}
	}
	worker_destroy(readback->worker);
	free(readback);
}

struct gles_memory *gles_memory_create(const struct dmabuf *dmabuf)
{
	GLenum layout = 0;
	for (size_t i = 0; i < N_FORMATS; i++) {
		layout = formats[i].format == dmabuf->format ? formats[i].layout : layout;
	}
	int64_t end = dmabuf->offset[0] + (int64_t)dmabuf->stride[0] * dmabuf->height;
	if (layout == 0 || dmabuf->modifier != DRM_FORMAT_MOD_LINEAR ||
		(int64_t)dmabuf->stride[0] < (int64_t)dmabuf->width * PIXEL_BYTES ||
		(dmabuf->stride[0] | dmabuf->offset[0]) % PIXEL_BYTES != 0 ||
		!dmabuf_memory_stays(dmabuf->fd[0], end)) {
		return NULL;
	}
	void *data = mmap(NULL, (size_t)end, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf->fd[0], 0);
	if (data == MAP_FAILED) {
		return NULL;
	}
	struct gles_memory *memory = xcalloc(1, sizeof(*memory));
	atomic_init(&memory->references, 1);
	memory->data = data;
	memory->size = (size_t)end;
	memory->stride = dmabuf->stride[0];
	memory->offset = dmabuf->offset[0];
	memory->layout = layout;
	return memory;
}

void gles_memory_unref(struct gles_memory *memory)
{
	if (memory && atomic_fetch_sub(&memory->references, 1) == 1) {
		munmap(memory->data, memory->size);
		free(memory);
	}
}

static uint8_t *pixel_at(const struct gles_memory *memory, int32_t x, int32_t y)
{
	return memory->data + memory->offset + (size_t)y * memory->stride + (size_t)x * PIXEL_BYTES;
}

void gles_memory_load(struct gles_renderer *renderer, const struct gles_memory *memory,
	int32_t width, int32_t height)
{
	gles_set_row_length(renderer, 0);
	for (int32_t y = 0; y < height; y++) {
		const uint32_t *row = (const uint32_t *)(const void *)pixel_at(memory, 0, y);
		for (int32_t x = 0; x < width && memory->layout == GL_BGRA_EXT; x++) {
			uint32_t pixel = row[x];
			renderer->scratch[x] =
				(pixel & 0xff00ff00) | (pixel & 0xff) << 16 | (pixel >> 16 & 0xff);
		}
		glTexSubImage2D(GL_TEXTURE_2D, 0, 0, y, width, 1, GL_RGBA, GL_UNSIGNED_BYTE,
			memory->layout == GL_BGRA_EXT ? renderer->scratch : row);
	}
}

static void copy(const struct task *task)
{
	const uint8_t *from = task->block ? task->block->data : NULL;
	int n;
	const pixman_box32_t *rects = pixman_region32_rectangles(&task->region, &n);
	for (int i = 0; i < n; i++) {
		size_t bytes = (size_t)(rects[i].x2 - rects[i].x1) * PIXEL_BYTES;
		for (int32_t y = rects[i].y1; y < rects[i].y2; y++) {
			memcpy(pixel_at(task->memory, rects[i].x1, y), from, bytes);
			from += bytes;
		}
	}
}

static void free_task(struct task *task)
{
	glDeleteSync(task->sync);
	if (task->block) {
		atomic_store(&task->block->busy, false);
	}
	gles_memory_unref(task->memory);
	pixman_region32_fini(&task->region);
	free(task);
}

static bool run(struct worker_task *base)
{
	struct task *task = wl_container_of(base, task, base);
	egl_use_on_thread(task->display, task->context);
	GLenum status = glClientWaitSync(task->sync, 0, TIMEOUT_NS);
	bool done = status == GL_ALREADY_SIGNALED || status == GL_CONDITION_SATISFIED;
	if (done) {
		copy(task);
	}
	free_task(task);
	return done;
}

static struct block *create_block(struct gles_readback *readback, size_t least)
{
	size_t size = LEAST_BYTES;
	while (size < least) {
		size *= 2;
	}
	struct block *block = xcalloc(1, sizeof(*block));
	block->size = size;
	gles_clear_errors();
	glGenBuffers(1, &block->id);
	glBindBuffer(GL_PIXEL_PACK_BUFFER, block->id);
	const GLbitfield access =
		GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT_EXT | GL_MAP_COHERENT_BIT_EXT;
	readback->buffer_storage(GL_PIXEL_PACK_BUFFER, (GLsizeiptr)size, NULL, access);
	block->data = glGetError() == GL_NO_ERROR
			      ? glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, (GLsizeiptr)size, access)
			      : NULL;
	wl_list_insert(&readback->blocks, &block->link);
	if (!block->data) {
		glGetError();
		destroy_block(block, true);
		return NULL;
	}
	return block;
}

/* Returns an unused block of at least that many bytes, bound; NULL without memory. */
static struct block *take_block(struct gles_readback *readback, size_t bytes)
{
	struct block *block, *next;
	wl_list_for_each_safe (block, next, &readback->blocks, link) {
		if (atomic_load(&block->busy)) {
			continue;
		}
		if (block->size >= bytes) {
			glBindBuffer(GL_PIXEL_PACK_BUFFER, block->id);
			return block;
		}
		destroy_block(block, true);
	}
	return create_block(readback, bytes);
}

static size_t region_bytes(pixman_region32_t *region)
{
	int n;
	const pixman_box32_t *rects = pixman_region32_rectangles(region, &n);
	size_t pixels = 0;
	for (int i = 0; i < n; i++) {
		pixels += (size_t)(rects[i].x2 - rects[i].x1) * (size_t)(rects[i].y2 - rects[i].y1);
	}
	return pixels * PIXEL_BYTES;
}

/*
 * Reads the rectangles to the bound block, without gaps; or to memory, which waits for the device.
 */
static void read_pixels(
	const struct gles_memory *memory, pixman_region32_t *region, bool block_bound)
{
	int n;
	const pixman_box32_t *rects = pixman_region32_rectangles(region, &n);
	uintptr_t offset = 0;
	glPixelStorei(GL_PACK_ROW_LENGTH, block_bound ? 0 : (GLint)(memory->stride / PIXEL_BYTES));
	for (int i = 0; i < n; i++) {
		const pixman_box32_t *rect = &rects[i];
		GLsizei width = rect->x2 - rect->x1, height = rect->y2 - rect->y1;
		glReadPixels(rect->x1, rect->y1, width, height, memory->layout, GL_UNSIGNED_BYTE,
			block_bound ? (void *)offset : pixel_at(memory, rect->x1, rect->y1));
		offset += (uintptr_t)width * (uintptr_t)height * PIXEL_BYTES;
	}
}

static struct task *create_task(struct gles_renderer *renderer, struct gles_memory *memory,
	struct block *block, pixman_region32_t *region)
{
	struct task *task = xcalloc(1, sizeof(*task));
	task->base.run = run;
	task->display = renderer->egl->display;
	task->context = renderer->readback->context;
	task->sync = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
	/* Other contexts see the fence once it is submitted. */
	glFlush();
	task->memory = memory;
	task->block = block;
	atomic_fetch_add(&memory->references, 1);
	if (block) {
		atomic_store(&block->busy, true);
	}
	pixman_region32_init(&task->region);
	pixman_region32_copy(&task->region, region);
	return task;
}

/*
 * Copies the block, in which the region's pixels arrive, after all copies so far, and stores the
 * fence. Returns false without descriptors: neither the copy nor its end can be waited for.
 */
static bool push_task(struct gles_renderer *renderer, struct gles_memory *memory,
	struct block *block, pixman_region32_t *region, int *fence)
{
	struct task *task = create_task(renderer, memory, block, region);
	*fence = worker_push(renderer->readback->worker, &task->base);
	if (*fence < 0) {
		*fence = -1;
		free_task(task);
		return false;
	}
	return true;
}

bool gles_read_back(struct gles_renderer *renderer, struct gles_memory *memory,
	pixman_region32_t *region, int *fence)
{
	struct gles_readback *readback = renderer->readback;
	pixman_box32_t extents = *pixman_region32_extents(region);
	if (pixman_region32_n_rects(region) > RECTS_MAX) {
		pixman_region32_reset(region, &extents);
	}
	size_t bytes = region_bytes(region);
	if (!readback->worker) {
		read_pixels(memory, region, false);
		return true;
	}
	struct block *block = bytes > 0 ? take_block(readback, bytes) : NULL;
	if (block) {
		read_pixels(memory, region, true);
		glBindBuffer(GL_PIXEL_PACK_BUFFER, 0);
	} else if (bytes > 0) {
		return false;
	} else if (atomic_load(&memory->references) == 1) {
		return true; /* no copies to the memory are due */
	}
	return push_task(renderer, memory, block, region, fence);
}
