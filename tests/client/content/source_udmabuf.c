/* SPDX-License-Identifier: MIT */
/*
 * wl_shm pools sampled in place through udmabuf. The driver is emulated at its system calls, with
 * the checks of the kernel; its dma-buf is the memfd itself, which software GL maps.
 */

#include "buffer/udmabuf.h"
#include "content/internal.h"
#include "content/route.h"
#include "frame/frame.h"
#include "gpu/gpu.h"
#include "harness/client/capturer.h"
#include "harness/peer.h"
#include "shell/window.h"
#include "util/clock.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIDE 128
#define MANY 512 /* more descriptors than the process ever uses */
#define STRIDE (SIDE * 4)
#define BYTES (SIDE * STRIDE)

/* The emulated driver: its faults, and counts of the calls to it. */
static struct {
	bool missing; /* the device does not exist */
	bool broken; /* creates dma-bufs that cannot be imported */
	int n_opened, n_made, n_begun, n_ended;
	int device;
} driver;

int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
int __real_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, void *argument);

int __wrap_open64(const char *path, int flags, ...)
{
	va_list list;
	va_start(list, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
	va_end(list);
	if (strcmp(path, "/dev/udmabuf") != 0) {
		return __real_open64(path, flags, mode);
	}
	driver.n_opened++;
	if (driver.missing) {
		errno = ENOENT;
		return -1;
	}
	driver.device = __real_open64("/dev/null", flags);
	return driver.device;
}

/* The checks of drivers/dma-buf/udmabuf.c. */
static int make_dmabuf(const struct udmabuf_create *create)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	int seals = fcntl((int)create->memfd, F_GET_SEALS);
	struct stat status;
	driver.n_made++;
	if (create->offset % page || create->size % page || create->size == 0 || seals < 0 ||
		!(seals & F_SEAL_SHRINK) || (seals & F_SEAL_WRITE) ||
		fstat((int)create->memfd, &status) < 0 ||
		(uint64_t)status.st_size < create->offset + create->size || create->offset != 0) {
		errno = EINVAL;
		return -1;
	}
	if (driver.broken) {
		return open("/dev/zero", O_RDWR | O_CLOEXEC);
	}
	return fcntl((int)create->memfd, F_DUPFD_CLOEXEC, 0);
}

int __wrap_ioctl(int fd, unsigned long request, void *argument)
{
	if (request == UDMABUF_CREATE) {
		assert_int_equal(fd, driver.device);
		return make_dmabuf(argument);
	}
	if (request == DMA_BUF_IOCTL_SYNC) {
		const struct dma_buf_sync *sync = argument;
		assert_true(sync->flags & DMA_BUF_SYNC_WRITE);
		driver.n_begun += !(sync->flags & DMA_BUF_SYNC_END);
		driver.n_ended += (sync->flags & DMA_BUF_SYNC_END) != 0;
		return 0;
	}
	return __real_ioctl(fd, request, argument);
}

struct pooled {
	struct wl_shm_pool *pool;
	struct wl_buffer *buffer;
	int fd, n_released;
	uint32_t *pixels;
};

struct udmabuf_world {
	struct fixture *fixture;
	struct peer *peer;
	struct peer_window *window;
	struct pooled buffers[2];
};

static void handle_release(void *data, struct wl_buffer *buffer)
{
	struct pooled *pooled = data;
	pooled->n_released++;
}

static const struct wl_buffer_listener buffer_listener = {.release = handle_release};

static void create_pooled(struct udmabuf_world *world, struct pooled *pooled, int seals)
{
	*pooled = (struct pooled){.n_released = 1};
	pooled->fd = memfd_create("test-pool", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_int_equal(ftruncate(pooled->fd, BYTES), 0);
	pooled->pixels = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, pooled->fd, 0);
	assert_true(pooled->pixels != MAP_FAILED);
	assert_int_equal(fcntl(pooled->fd, F_ADD_SEALS, seals), 0);
	pooled->pool = wl_shm_create_pool(world->peer->shm, pooled->fd, BYTES);
	pooled->buffer = wl_shm_pool_create_buffer(
		pooled->pool, 0, SIDE, SIDE, STRIDE, WL_SHM_FORMAT_XRGB8888);
	wl_buffer_add_listener(pooled->buffer, &buffer_listener, pooled);
}

static void destroy_pooled(struct pooled *pooled)
{
	if (pooled->buffer) {
		wl_buffer_destroy(pooled->buffer);
		wl_shm_pool_destroy(pooled->pool);
		munmap(pooled->pixels, BYTES);
		close(pooled->fd);
	}
	*pooled = (struct pooled){0};
}

static void set_up_buffers(struct udmabuf_world *world, int seals)
{
	for (int i = 0; i < 2; i++) {
		destroy_pooled(&world->buffers[i]);
		create_pooled(world, &world->buffers[i], seals);
	}
}

static int set_up(void **state)
{
	struct udmabuf_world *world = xcalloc(1, sizeof(*world));
	memset(&driver, 0, sizeof(driver));
	world->fixture = fixture_create(&(struct fixture_options){.renderer = RENDERER_GLES});
	world->peer = peer_create(world->fixture);
	world->window = peer_window_create(world->peer, 0, 0, SIDE, SIDE, 0xff102030);
	set_up_buffers(world, F_SEAL_SHRINK);
	/* Long enough for the first content to count as quiet. */
	fixture_frames(world->fixture, 40);
	*state = world;
	return 0;
}

static int tear_down(void **state)
{
	struct udmabuf_world *world = *state;
	destroy_pooled(&world->buffers[0]);
	destroy_pooled(&world->buffers[1]);
	fixture_destroy(world->fixture);
	free(world);
	return 0;
}

static uint64_t bytes_uploaded(const struct udmabuf_world *world)
{
	return world->fixture->server->device->renderer->stats.bytes_uploaded;
}

/* Every pixel of a frame differs, to detect displaced rows. */
static uint32_t pixel_of(int frame, int x, int y)
{
	uint32_t red = (uint32_t)(frame * 37) & 0xff;
	return red << 16 | (uint32_t)(y * 2) << 8 | (uint32_t)x;
}

static void draw(struct pooled *pooled, int frame)
{
	for (int y = 0; y < SIDE; y++) {
		for (int x = 0; x < SIDE; x++) {
			pooled->pixels[y * SIDE + x] = pixel_of(frame, x, y);
		}
	}
}

static void show(struct udmabuf_world *world, struct pooled *pooled, int frame)
{
	draw(pooled, frame);
	pooled->n_released = 0;
	wl_surface_attach(world->window->surface, pooled->buffer, 0, 0);
	wl_surface_damage_buffer(world->window->surface, 0, 0, SIDE, SIDE);
	wl_surface_commit(world->window->surface);
	fixture_frames(world->fixture, 1);
}

static void assert_shown(struct udmabuf_world *world, int frame)
{
	struct image *shot = fixture_shot(world->fixture, 0);
	for (int y = 0; y < SIDE; y++) {
		for (int x = 0; x < SIDE; x++) {
			uint32_t pixel = shot->pixels[y * shot->width + x];
			if (pixel != pixel_of(frame, x, y)) {
				fail_msg("frame %d: %d, %d is %06x, not %06x", frame, x, y, pixel,
					pixel_of(frame, x, y));
			}
		}
	}
	image_destroy(shot);
}

static enum route_source source(struct udmabuf_world *world)
{
	struct surface *surface = peer_surface_find(world->peer, world->window->surface);
	return frame_route(world->fixture->server->scene->outputs[0], surface).source;
}

/* As a client with two buffers draws: into a released one. */
static struct pooled *free_buffer(struct udmabuf_world *world)
{
	for (int i = 0; i < 2; i++) {
		if (world->buffers[i].n_released > 0) {
			return &world->buffers[i];
		}
	}
	fail_msg("its client has no buffer to draw to");
	return NULL;
}

static void play(struct udmabuf_world *world, int first, int n)
{
	for (int i = first; i < first + n; i++) {
		show(world, free_buffer(world), i);
		fixture_frames(world->fixture, 1);
		assert_shown(world, i);
	}
}

/* After the first frames no bytes are uploaded, and each frame is exact. */
static void steady_updates_are_sampled_without_uploads(void **state)
{
	struct udmabuf_world *world = *state;
	uint64_t before = bytes_uploaded(world);
	play(world, 0, 2);
	assert_int_equal(source(world), SOURCE_UPLOAD);
	assert_int_equal(bytes_uploaded(world) - before, 2 * BYTES);
	play(world, 2, 20);
	assert_int_equal(source(world), SOURCE_UDMABUF);
	assert_int_equal(bytes_uploaded(world) - before, 2 * BYTES);
	/* One dma-buf for each buffer, and one sync bracket for each update by the client. */
	assert_int_equal(driver.n_made, 2);
	assert_int_equal(driver.n_begun, 20);
	assert_int_equal(driver.n_ended, 20);
}

static void show_part(struct udmabuf_world *world, int frame)
{
	struct pooled *pooled = free_buffer(world);
	draw(pooled, frame);
	pooled->n_released = 0;
	wl_surface_attach(world->window->surface, pooled->buffer, 0, 0);
	wl_surface_damage_buffer(world->window->surface, 0, 0, 4, 4);
	wl_surface_commit(world->window->surface);
	fixture_frames(world->fixture, 2);
}

/* Small changes, however frequent, are cheap to upload, and keep the client's buffers free. */
static void small_updates_are_uploaded(void **state)
{
	struct udmabuf_world *world = *state;
	play(world, 0, 1);
	for (int i = 1; i < 12; i++) {
		show_part(world, i);
		assert_int_equal(source(world), SOURCE_UPLOAD);
	}
	assert_int_equal(driver.n_made, 0);
}

/* Large changes count only if no small ones are between them. */
static void large_updates_between_small_ones_are_uploaded(void **state)
{
	struct udmabuf_world *world = *state;
	for (int i = 0; i < 12; i++) {
		if (i % 3 == 2) {
			show_part(world, i);
		} else {
			play(world, i, 1);
		}
		assert_int_equal(source(world), SOURCE_UPLOAD);
	}
	assert_int_equal(driver.n_made, 0);
}

/* A pool in use is compared again after many updates only, such as when its window was hidden. */
static void pool_is_kept_for_many_updates(void **state)
{
	struct udmabuf_world *world = *state;
	play(world, 0, 6);
	assert_int_equal(source(world), SOURCE_UDMABUF);
	window_set_minimized(peer_window_find(world->window), true);
	int n = 0, before = 0;
	for (; driver.n_begun > before; n++) {
		assert_in_range(n, 0, 200);
		before = driver.n_begun;
		show(world, free_buffer(world), n);
	}
	assert_in_range(n, 55, 65);
}

/* Quiet content is uploaded once, and its buffer is released. */
static void quiet_content_is_uploaded_and_released(void **state)
{
	struct udmabuf_world *world = *state;
	play(world, 0, 10);
	assert_int_equal(world->buffers[0].n_released + world->buffers[1].n_released, 1);
	uint64_t before = bytes_uploaded(world);
	fixture_frames(world->fixture, 92);
	assert_int_equal(world->buffers[0].n_released + world->buffers[1].n_released, 2);
	assert_int_equal(bytes_uploaded(world) - before, BYTES);
	assert_int_equal(source(world), SOURCE_UPLOAD);
	assert_shown(world, 9);
	/* The texture is a copy: later drawing by the client is not visible. */
	draw(&world->buffers[0], 77);
	draw(&world->buffers[1], 77);
	assert_shown(world, 9);
	play(world, 10, 10);
	assert_int_equal(source(world), SOURCE_UDMABUF);
}

/* A client with one buffer gets it back after a moment, and its pool is not used again. */
static void client_with_one_buffer_gets_it_back(void **state)
{
	struct udmabuf_world *world = *state;
	struct pooled *only = &world->buffers[0];
	int waits = 0;
	for (int i = 0; i < 20; i++) {
		for (int j = 0; only->n_released == 0; j++) {
			assert_in_range(j, 0, 200);
			fixture_frames(world->fixture, 1);
			waits++;
		}
		show(world, only, i);
		assert_int_equal(source(world), i == 2 ? SOURCE_UDMABUF : SOURCE_UPLOAD);
		fixture_frames(world->fixture, 1);
		assert_shown(world, i);
	}
	assert_int_equal(driver.n_made, 1);
	assert_true(waits > 0);
}

static void expect_uploads(struct udmabuf_world *world, int n_made)
{
	uint64_t before = bytes_uploaded(world);
	play(world, 0, 12);
	assert_int_equal(source(world), SOURCE_UPLOAD);
	assert_int_equal(bytes_uploaded(world) - before, 12 * BYTES);
	assert_int_equal(driver.n_made, n_made);
}

/* A file that could shrink, or that is sealed against writing, is not passed to the driver. */
static void unsuitable_seals_mean_uploads(void **state)
{
	struct udmabuf_world *world = *state;
	set_up_buffers(world, F_SEAL_GROW);
	expect_uploads(world, 0);
}

/* GPUs that would show stale or black pixels get uploads; software rendering needs no GPU. */
static void only_gpus_that_snoop_sample_pools(void **state)
{
	static const struct {
		const char *driver;
		bool samples;
	} cases[] = {
		{"i915", false},
		{"nvidia", false},
		{"nvidia-drm", false},
		{"panfrost", false},
		{"amdgpu", true},
		{"xe", true},
		{"vkms", true},
	};
	struct udmabuf_world *world = *state;
	struct render_device *device = world->fixture->server->device;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct gpu gpu = {
			.driver = (char *)cases[i].driver, .bus_id = (char *)"pci", .fd = -1};
		device->gpu = &gpu;
		/* The pools of the case before count as new. */
		set_up_buffers(world, F_SEAL_SHRINK);
		play(world, 0, 12);
		bool samples = source(world) == SOURCE_UDMABUF;
		device->gpu = NULL;
		if (samples != cases[i].samples) {
			fail_msg("%s: %s", cases[i].driver, samples ? "samples" : "uploads");
		}
		fixture_frames(world->fixture, 100);
	}
}

static void missing_driver_is_opened_once(void **state)
{
	struct udmabuf_world *world = *state;
	driver.missing = true;
	expect_uploads(world, 0);
	assert_int_equal(driver.n_opened, 1);
}

static void failed_import_means_uploads(void **state)
{
	struct udmabuf_world *world = *state;
	driver.broken = true;
	expect_uploads(world, 1);
}

static const struct renderer_impl *working;
static int n_failing; /* next imports that fail */

static bool fail_import(struct renderer *renderer, struct texture **texture, struct buffer *buffer,
	const pixman_region32_t *damage, bool *holds)
{
	const bool fails = n_failing > 0 && buffer_dmabuf(buffer);
	n_failing -= fails;
	return !fails && working->texture_update(renderer, texture, buffer, damage, holds);
}

/* Memory was short. */
static void import_that_fails_twice_is_tried_again(void **state)
{
	struct udmabuf_world *world = *state;
	struct renderer *renderer = world->fixture->server->device->renderer;
	struct renderer_impl failing = *renderer->impl;
	working = renderer->impl;
	failing.texture_update = fail_import;
	renderer->impl = &failing;
	n_failing = 2;
	play(world, 0, 16);
	assert_int_equal(n_failing, 0);
	assert_int_equal(source(world), SOURCE_UDMABUF);
	n_failing = 100;
	play(world, 16, 40);
	assert_int_equal(n_failing, 96);
	renderer->impl = working;
}

/* Without free descriptors content is uploaded, and the driver is tried again later. */
static void descriptor_shortage_is_temporary(void **state)
{
	struct udmabuf_world *world = *state;
	struct rlimit before, limit;
	int fds[MANY], n = 0;
	play(world, 0, 2);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = (struct rlimit){MANY, before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	while ((fds[n] = fd_dup(world->buffers[0].fd)) >= 0) {
		n++;
	}
	assert_true(n > 0);
	play(world, 2, 6);
	assert_int_equal(source(world), SOURCE_UPLOAD);
	/* One descriptor is free: enough for a pass, too few for a pool. */
	close(fds[--n]);
	fixture_frames(world->fixture, 40);
	play(world, 8, 6);
	assert_int_equal(source(world), SOURCE_UPLOAD);
	assert_int_equal(driver.n_made, 0);
	while (n > 0) {
		close(fds[--n]);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	fixture_frames(world->fixture, 40);
	play(world, 14, 10);
	assert_int_equal(source(world), SOURCE_UDMABUF);
	assert_int_equal(driver.n_made, 2);
}

/* The pool grows, is destroyed and is unmapped by its client while the buffer is shown. */
static void pool_can_change_while_shown(void **state)
{
	struct udmabuf_world *world = *state;
	play(world, 0, 10);
	assert_int_equal(source(world), SOURCE_UDMABUF);
	struct pooled *shown =
		world->buffers[0].n_released ? &world->buffers[1] : &world->buffers[0];
	assert_int_equal(ftruncate(shown->fd, 4 * BYTES), 0);
	wl_shm_pool_resize(shown->pool, 4 * BYTES);
	struct wl_buffer *other = wl_shm_pool_create_buffer(
		shown->pool, 2 * BYTES, SIDE, SIDE, STRIDE, WL_SHM_FORMAT_XRGB8888);
	fixture_frames(world->fixture, 2);
	assert_shown(world, 9);
	munmap(shown->pixels, BYTES);
	close(shown->fd);
	wl_shm_pool_destroy(shown->pool);
	wl_buffer_destroy(shown->buffer);
	wl_buffer_destroy(other);
	*shown = (struct pooled){0};
	fixture_frames(world->fixture, 2);
	peer_window_place(world->window, 8, 8);
	fixture_frames(world->fixture, 2);
	peer_window_place(world->window, 0, 0);
	fixture_frames(world->fixture, 2);
	assert_shown(world, 9);
	show(world, free_buffer(world), 10);
	fixture_frames(world->fixture, 2);
	assert_shown(world, 10);
	assert_true(peer_alive(world->peer));
}

/* The device is lost while the buffer is shown, and the surface is unmapped. */
static void buffer_is_released_after_device_loss(void **state)
{
	struct udmabuf_world *world = *state;
	play(world, 0, 6);
	struct renderer *renderer = world->fixture->server->device->renderer;
	renderer->impl->lose(renderer);
	fixture_frames(world->fixture, 4);
	assert_shown(world, 5);
	play(world, 6, 6);
	wl_surface_attach(world->window->surface, NULL, 0, 0);
	wl_surface_commit(world->window->surface);
	fixture_frames(world->fixture, 3);
	assert_true(world->buffers[0].n_released && world->buffers[1].n_released);
	assert_true(peer_alive(world->peer));
}

static const struct renderer_impl *real_impl;
static int pass_end = -1; /* descriptor that is readable once the pass has ended */

static bool submit_with_fence(struct render_pass *pass, int *fence)
{
	bool done = real_impl->submit(pass, fence);
	fd_close(fence);
	*fence = fd_dup(pass_end);
	return done;
}

/* The GPU still reads the previous buffer when the next one is attached. */
static void buffer_is_kept_until_its_pass_ends(void **state)
{
	struct udmabuf_world *world = *state;
	struct renderer *renderer = world->fixture->server->device->renderer;
	struct renderer_impl impl = *renderer->impl;
	int ends[2];
	play(world, 0, 6);
	assert_int_equal(source(world), SOURCE_UDMABUF);
	assert_int_equal(pipe(ends), 0);
	pass_end = ends[0];
	real_impl = renderer->impl;
	impl.submit = submit_with_fence;
	renderer->impl = &impl;
	struct pooled *read = free_buffer(world);
	show(world, read, 6);
	show(world, free_buffer(world), 7);
	renderer->impl = real_impl;
	assert_int_equal(read->n_released, 0);
	assert_int_equal(write(ends[1], "", 1), 1);
	fixture_frames(world->fixture, 2);
	assert_int_equal(read->n_released, 1);
	assert_shown(world, 7);
	close(ends[0]);
	close(ends[1]);
}

/*
 * A frame draws a buffer again whenever its window moves or another one uncovers it: the last of
 * these passes is the one to wait for.
 */
static void buffer_is_kept_until_its_last_pass_ends(void **state)
{
	struct udmabuf_world *world = *state;
	struct renderer *renderer = world->fixture->server->device->renderer;
	static struct renderer_impl impl;
	int ends[2];
	real_impl = renderer->impl;
	impl = *real_impl;
	impl.submit = submit_with_fence;
	for (int i = 0; i < 2 * 3; i++) {
		const bool moves = i % 2;
		struct peer_window *other =
			peer_window_create(world->peer, 2 * SIDE, 0, 40, 40, 0xff405060);
		play(world, 8 * i, 6);
		assert_int_equal(source(world), SOURCE_UDMABUF);
		renderer->impl = &impl;
		struct pooled *read = free_buffer(world);
		draw(read, 8 * i + 6);
		for (int pass = 0; pass <= i / 2 + 1; pass++) {
			assert_int_equal(pipe(ends), 0);
			pass_end = ends[0];
			if (pass == 0) {
				show(world, read, 8 * i + 6);
			} else if (moves) {
				peer_window_place(world->window, pass, 0);
			} else {
				peer_window_place(other, 10 * pass, 0);
			}
			fixture_frames(world->fixture, 2);
			if (pass <= i / 2) {
				assert_int_equal(write(ends[1], "", 1), 1);
				fixture_frames(world->fixture, 2);
				close(ends[0]);
				close(ends[1]);
			}
		}
		show(world, free_buffer(world), 8 * i + 7);
		fixture_frames(world->fixture, 2);
		assert_int_equal(read->n_released, 0);
		renderer->impl = real_impl;
		assert_int_equal(write(ends[1], "", 1), 1);
		fixture_frames(world->fixture, 3);
		assert_int_equal(read->n_released, 1);
		close(ends[0]);
		close(ends[1]);
		peer_window_destroy(other);
		peer_window_place(world->window, 0, 0);
		fixture_frames(world->fixture, 3);
		assert_shown(world, 8 * i + 7);
	}
}

/* Of two updates before a frame, no pass reads the first one, whose buffer is free at once. */
static void buffer_that_no_pass_has_read_is_released_at_once(void **state)
{
	struct udmabuf_world *world = *state;
	struct renderer *renderer = world->fixture->server->device->renderer;
	struct renderer_impl impl = *renderer->impl;
	int ends[2];
	play(world, 0, 6);
	assert_int_equal(source(world), SOURCE_UDMABUF);
	assert_int_equal(pipe(ends), 0);
	pass_end = ends[0];
	real_impl = renderer->impl;
	impl.submit = submit_with_fence;
	renderer->impl = &impl;
	struct pooled *read = free_buffer(world), *unread;
	show(world, read, 6);
	renderer->impl = real_impl;
	unread = free_buffer(world);
	unread->n_released = 0;
	wl_surface_attach(world->window->surface, unread->buffer, 0, 0);
	wl_surface_damage_buffer(world->window->surface, 0, 0, SIDE, SIDE);
	wl_surface_commit(world->window->surface);
	wl_surface_attach(world->window->surface, NULL, 0, 0);
	wl_surface_commit(world->window->surface);
	fixture_frames(world->fixture, 2);
	assert_int_equal(unread->n_released, 1);
	assert_int_equal(read->n_released, 0);
	assert_int_equal(write(ends[1], "", 1), 1);
	fixture_frames(world->fixture, 2);
	assert_int_equal(read->n_released, 1);
	close(ends[0]);
	close(ends[1]);
}

/* A plane shows a buffer, also of pixels that an upload has yet to bring to the texture. */
static void upload_delays_no_feedback_of_a_plane(void **state)
{
	struct udmabuf_world *world = *state;
	struct server *server = world->fixture->server;
	struct scene_output *output = server->scene->outputs[0];
	play(world, 0, 6);
	assert_int_equal(source(world), SOURCE_UDMABUF);
	struct surface *surface = peer_surface_find(world->peer, world->window->surface);
	struct content *content = content_find(surface, server->device);
	const struct scene_surface *node = scene_surface_find(surface);
	struct scene_entry *entry = &output->entries[node->node.entry_index[0]];
	fixture_block_uploads(world->fixture);
	content_miss_all(content);
	assert_true(content_defer_all(content));
	for (int place = PLACE_COMPOSED; place <= PLACE_PRIMARY; place++) {
		entry->place = place;
		assert_int_equal(content_shown(server->device, output, node),
			place == PLACE_COMPOSED ? CONTENT_PENDING : CONTENT_READY);
	}
	entry->place = PLACE_COMPOSED;
	fixture_open_uploads(world->fixture);
	fixture_frames(world->fixture, 3);
	assert_shown(world, 5);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(steady_updates_are_sampled_without_uploads),
		TEST(small_updates_are_uploaded),
		TEST(large_updates_between_small_ones_are_uploaded),
		TEST(pool_is_kept_for_many_updates),
		TEST(quiet_content_is_uploaded_and_released),
		TEST(client_with_one_buffer_gets_it_back),
		TEST(unsuitable_seals_mean_uploads),
		TEST(only_gpus_that_snoop_sample_pools),
		TEST(missing_driver_is_opened_once),
		TEST(failed_import_means_uploads),
		TEST(import_that_fails_twice_is_tried_again),
		TEST(descriptor_shortage_is_temporary),
		TEST(pool_can_change_while_shown),
		TEST(buffer_is_kept_until_its_pass_ends),
		TEST(buffer_is_kept_until_its_last_pass_ends),
		TEST(buffer_that_no_pass_has_read_is_released_at_once),
		TEST(upload_delays_no_feedback_of_a_plane),
		TEST(buffer_is_released_after_device_loss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
