/* SPDX-License-Identifier: MIT */
/* Clients of random scenes: buffers and random surface requests. */

#include "harness/scene_client.h"

#include "buffer/color.h"
#include "buffer/dmabuf_buffer.h"
#include "buffer/shm.h"
#include "gpu/format.h"
#include "harness/unit.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

static size_t size_of(uint32_t fourcc, int32_t width, int32_t height)
{
	const struct pixel_format *format = pixel_format_get(fourcc);
	/* Strides that GL can import, with room for the chroma of the last column. */
	size_t stride = (size_t)(width + 15) / 16 * 16 * format->bytes[0];
	return (size_t)pixel_format_size(format, stride, height);
}

/* Places of private copies in the pool: N_BUFFERS copies, the drawing, the applied pixels. */
#define SLOT_DRAWING N_BUFFERS
#define SLOT_APPLIED (N_BUFFERS + 1)
#define N_SLOTS (N_BUFFERS + 2)
#define SLOT_SIZE 65536

/* Creates a private copy, in the memory of the one before. */
static struct buffer *create_copy(
	struct client_surface *self, int slot, uint32_t fourcc, int32_t width, int32_t height)
{
	const struct pixel_format *format = pixel_format_get(fourcc);
	const int32_t stride = (width + 15) / 16 * 16 * format->bytes[0];
	assert_in_range(size_of(fourcc, width, height), 1, SLOT_SIZE);
	return shm_buffer_create(self->pool, slot * SLOT_SIZE, width, height, stride, fourcc);
}

static struct buffer *create_memory(uint32_t fourcc, int32_t width, int32_t height, bool dmabuf)
{
	const struct pixel_format *format = pixel_format_get(fourcc);
	int32_t stride = (width + 15) / 16 * 16 * format->bytes[0];
	int32_t size = (int32_t)size_of(fourcc, width, height);
	int fd = fd_create_memory("client", size, true);
	assert_true(fd >= 0);
	if (!dmabuf) {
		struct shm_pool *pool = shm_pool_create(fd, size);
		assert_null(shm_buffer_check(pool, 0, width, height, stride, fourcc));
		struct buffer *buffer = shm_buffer_create(pool, 0, width, height, stride, fourcc);
		shm_pool_unref(pool);
		return buffer;
	}
	struct dmabuf description;
	dmabuf_init(&description);
	description.width = width;
	description.height = height;
	description.format = fourcc;
	description.modifier = DRM_FORMAT_MOD_LINEAR;
	description.n_planes = 1;
	description.fd[0] = fd;
	description.stride[0] = (uint32_t)stride;
	return dmabuf_buffer_create(&description, NULL);
}

void *pixels_begin(struct buffer *buffer, size_t *stride)
{
	void *data;
	assert_int_equal(buffer_begin_access(buffer, BUFFER_READ | BUFFER_WRITE, &data, stride), 0);
	return data;
}

static void copy_pixels(struct buffer *to, struct buffer *from)
{
	size_t stride;
	void *target = pixels_begin(to, &stride), *source = pixels_begin(from, &stride);
	memcpy(target, source, size_of(to->format, to->width, to->height));
	buffer_end_access(from);
	buffer_end_access(to);
}

/* Overwrites a released buffer at once, so that a later read of it is detected. */
static void handle_release(struct wl_listener *listener, void *data)
{
	struct client_buffer *buffer = wl_container_of(listener, buffer, release);
	size_t stride;
	void *pixels = pixels_begin(buffer->buffer, &stride);
	memset(pixels, random_between(0, 255),
		size_of(buffer->buffer->format, buffer->buffer->width, buffer->buffer->height));
	buffer_end_access(buffer->buffer);
}

static uint32_t random_pixel(uint32_t format)
{
	uint32_t alpha = random_between(0, 2) ? (uint32_t)random_between(0, 255) : 255;
	uint32_t pixel = 0;
	if (format != DRM_FORMAT_ARGB8888) {
		return (uint32_t)random_between(0, INT32_MAX) * 2;
	}
	for (int shift = 0; shift < 24; shift += 8) {
		pixel |= (uint32_t)random_between(0, (int)alpha) << shift;
	}
	return pixel | alpha << 24;
}

static void fill_rows(uint8_t *data, size_t stride, const struct box *box, size_t bytes)
{
	uint32_t value = (uint32_t)random_between(0, INT32_MAX) * 2;
	for (int32_t y = box->y; y < box->y + box->height; y++) {
		for (size_t i = 0; i < (size_t)box->width * bytes; i++) {
			data[(size_t)y * stride + (size_t)box->x * bytes + i] =
				(uint8_t)(value >> 8 * (i % bytes));
		}
	}
}

/* Makes pixels opaque where the client says so. */
static void make_solid(struct client_surface *self)
{
	const struct box *box = &self->solid;
	size_t stride;
	if (self->format != DRM_FORMAT_ARGB8888 || box_empty(box)) {
		return;
	}
	uint8_t *data = pixels_begin(self->drawing, &stride);
	for (int32_t y = box->y; y < box->y + box->height; y++) {
		for (int32_t x = box->x; x < box->x + box->width; x++) {
			data[(size_t)y * stride + (size_t)x * 4 + 3] = 255;
		}
	}
	buffer_end_access(self->drawing);
}

/* Draws a rectangle of one colour, aligned so that it shares no chroma samples. */
static void paint(struct client_surface *self, const struct box *box)
{
	struct buffer *buffer = self->drawing;
	const struct pixel_format *format = pixel_format_get(buffer->format);
	size_t stride;
	uint8_t *data = pixels_begin(buffer, &stride);
	if (format->yuv) {
		struct box chroma = {box->x / 2, box->y / format->vsub, (box->width + 1) / 2,
			(box->height + format->vsub - 1) / format->vsub};
		if (format->n_planes == 1) {
			fill_rows(data, stride,
				&(struct box){box->x / 2, box->y, chroma.width, box->height}, 4);
		} else {
			fill_rows(data, stride, box, 1);
			fill_rows(data + stride * (size_t)buffer->height, stride, &chroma, 2);
		}
	} else {
		uint32_t bits = random_pixel(buffer->format), pixel[] = {bits, bits};
		for (int32_t y = box->y; y < box->y + box->height; y++) {
			for (int32_t x = box->x; x < box->x + box->width; x++) {
				memcpy(data + (size_t)y * stride + (size_t)x * format->bytes[0],
					pixel, format->bytes[0]);
			}
		}
	}
	buffer_end_access(buffer);
	make_solid(self);
}

static int32_t smaller(int32_t a, int32_t b)
{
	return a < b ? a : b;
}

static struct box random_box(int32_t width, int32_t height)
{
	int32_t x = random_between(0, width - 1) & ~1, y = random_between(0, height - 1) & ~1;
	/* Sizes are even, as those of buffers with chroma samples. */
	return (struct box){x, y, smaller((random_between(1, width - x) + 1) & ~1, width - x),
		smaller((random_between(1, height - y) + 1) & ~1, height - y)};
}

static void drop_buffers(struct client_surface *self)
{
	for (int i = 0; i < N_BUFFERS; i++) {
		struct client_buffer *buffer = &self->buffers[i];
		if (buffer->buffer) {
			wl_list_remove(&buffer->release.link);
			buffer_drop(buffer->buffer);
			buffer_drop(buffer->copy);
			buffer->buffer = buffer->copy = NULL;
		}
	}
	buffer_drop(self->drawing);
	self->drawing = NULL;
}

static void choose_kind(struct client_surface *self)
{
	static const struct {
		uint32_t format;
		bool dmabuf;
	} kinds[] = {
		{DRM_FORMAT_ARGB8888, false},
		{DRM_FORMAT_XRGB8888, false},
		{DRM_FORMAT_XBGR8888, false},
		{DRM_FORMAT_RGB565, false},
		{DRM_FORMAT_XRGB2101010, false},
		{DRM_FORMAT_XBGR16161616, false},
		{DRM_FORMAT_NV12, false},
		{DRM_FORMAT_YUYV, false},
		{DRM_FORMAT_ARGB8888, true},
		{DRM_FORMAT_XRGB8888, true},
		{0, false},
	};
	int kind = random_between(0, sizeof(kinds) / sizeof(kinds[0]) - 1);
	drop_buffers(self);
	self->solid = (struct box){0};
	self->format = kinds[kind].format;
	self->dmabuf = kinds[kind].dmabuf;
	self->width = self->format ? random_between(4, 25) * 2 : 1;
	self->height = self->format ? random_between(4, 20) * 2 : 1;
	if (self->format) {
		self->drawing =
			create_copy(self, SLOT_DRAWING, self->format, self->width, self->height);
		paint(self, &(struct box){0, 0, self->width, self->height});
	}
}

static struct client_buffer *find_free(struct client_surface *self)
{
	for (int i = 0; i < N_BUFFERS; i++) {
		struct client_buffer *buffer = &self->buffers[i];
		if (!buffer->buffer) {
			buffer->buffer = create_memory(
				self->format, self->width, self->height, self->dmabuf);
			buffer->copy =
				create_copy(self, i, self->format, self->width, self->height);
			assert_non_null(buffer->buffer);
			buffer->release.notify = handle_release;
			wl_signal_add(&buffer->buffer->events.release, &buffer->release);
		}
		if (buffer->buffer->n_locks == 0) {
			return buffer;
		}
	}
	return NULL;
}

static void attach(struct client_surface *self, struct buffer *buffer, const struct box *damage)
{
	struct surface_state *pending = &self->surface->pending;
	buffer_replace(&pending->buffer, buffer);
	pending->fields |= SURFACE_BUFFER | SURFACE_BUFFER_DAMAGE;
	pixman_region32_union_rect(&pending->buffer_damage, &pending->buffer_damage, damage->x,
		damage->y, (unsigned)damage->width, (unsigned)damage->height);
}

/* Attaches a new single-colour buffer, which has no memory to overwrite on release. */
static void draw_color(struct client_surface *self)
{
	struct buffer *buffer = color_buffer_create(0, (uint32_t)random_between(0, 1) * 0x40000000,
		0x20000000, random_between(0, 1) ? UINT32_MAX : 0x40000000);
	struct box box = {0, 0, 1, 1};
	attach(self, buffer, &box);
	buffer_drop(buffer);
}

/* Attaches a buffer with the current drawing. Returns false if all buffers are in use. */
static bool attach_drawing(struct client_surface *self, const struct box *damage)
{
	struct client_buffer *buffer = find_free(self);
	if (!buffer) {
		return false;
	}
	copy_pixels(buffer->buffer, self->drawing);
	copy_pixels(buffer->copy, self->drawing);
	attach(self, buffer->buffer, damage);
	return true;
}

bool client_surface_draw(struct client_surface *self, bool all)
{
	if (!self->format) {
		draw_color(self);
		return true;
	}
	if (!find_free(self)) {
		return false;
	}
	struct box whole = {0, 0, self->width, self->height};
	struct box box = all ? whole : random_box(self->width, self->height);
	paint(self, &box);
	return attach_drawing(self, &box);
}

void client_surface_clear(struct client_surface *self)
{
	buffer_replace(&self->surface->pending.buffer, NULL);
	self->surface->pending.fields |= SURFACE_BUFFER;
}

static void handle_applied(struct wl_listener *listener, void *data)
{
	struct client_surface *self = wl_container_of(listener, self, listener);
	const struct surface_state *state = &self->surface->current;
	float color[4];
	if (!(state->fields & SURFACE_BUFFER)) {
		return;
	}
	buffer_drop(self->applied);
	buffer_drop(self->converted);
	self->applied = self->converted = NULL;
	if (state->buffer && buffer_color(state->buffer, color)) {
		self->applied = color_buffer_create((uint32_t)((double)color[0] * UINT32_MAX),
			(uint32_t)((double)color[1] * UINT32_MAX),
			(uint32_t)((double)color[2] * UINT32_MAX),
			(uint32_t)((double)color[3] * UINT32_MAX));
		return;
	}
	for (int i = 0; i < N_BUFFERS; i++) {
		struct client_buffer *buffer = &self->buffers[i];
		if (buffer->buffer && buffer->buffer == state->buffer) {
			self->applied = create_copy(self, SLOT_APPLIED, buffer->buffer->format,
				state->buffer_width, state->buffer_height);
			copy_pixels(self->applied, buffer->copy);
		}
	}
}

static void clear_opaque(struct client_surface *self)
{
	struct surface_state *pending = &self->surface->pending;
	pixman_region32_clear(&pending->opaque);
	pending->fields |= SURFACE_OPAQUE;
}

void client_surface_set_viewport(struct client_surface *self)
{
	struct surface_state *pending = &self->surface->pending;
	struct viewport *viewport = &pending->viewport;
	int32_t least = self->width < self->height ? self->width : self->height;
	clear_opaque(self);
	*viewport = (struct viewport){0};
	pending->fields |= SURFACE_VIEWPORT;
	if (!self->format || random_between(0, 2)) {
		viewport->has_dst = true;
		viewport->dst_width = random_between(1, 50);
		viewport->dst_height = random_between(1, 40);
	}
	if (self->format && viewport->has_dst && random_between(0, 1)) {
		viewport->has_src = true;
		viewport->src = (struct fbox){random_between(0, 2 * least - 4) / 4.0,
			random_between(0, 2 * least - 4) / 4.0, random_between(1, least) / 2.0,
			random_between(1, least) / 2.0};
	}
}

/* Draws and announces a random opaque part, at `h` and `v` buffer pixels per coordinate. */
static void announce_part(
	struct client_surface *self, double h, double v, double width, double height)
{
	struct surface_state *pending = &self->surface->pending;
	const int x1 = random_between(0, (int)width / 2), y1 = random_between(0, (int)height / 2);
	const int x2 = random_between(x1 + 1, (int)width);
	const int y2 = random_between(y1 + 1, (int)height);
	const struct fbox part = {x1 * h, y1 * v, (x2 - x1) * h, (y2 - y1) * v};
	const struct box before = self->solid;
	self->solid = fbox_outset(&part);
	self->solid.width = smaller(self->solid.width, self->width - self->solid.x);
	self->solid.height = smaller(self->solid.height, self->height - self->solid.y);
	if (find_free(self)) {
		make_solid(self);
		attach_drawing(self, &(struct box){0, 0, self->width, self->height});
		pixman_region32_union_rect(&pending->opaque, &pending->opaque, x1, y1,
			(unsigned)(x2 - x1), (unsigned)(y2 - y1));
	} else {
		self->solid = before;
	}
}

void client_surface_set_opaque(struct client_surface *self)
{
	struct surface_state *pending = &self->surface->pending;
	const struct viewport *viewport = &pending->viewport;
	clear_opaque(self);
	if (!self->format || !random_between(0, 3)) {
		return;
	}
	if (self->format != DRM_FORMAT_ARGB8888) {
		struct box box = random_box(self->width, self->height);
		pixman_region32_union_rect(&pending->opaque, &pending->opaque, box.x, box.y,
			(unsigned)box.width, (unsigned)box.height);
	} else if (!viewport->has_src && pending->transform == WL_OUTPUT_TRANSFORM_NORMAL) {
		const double width = viewport->has_dst ? viewport->dst_width : self->width;
		const double height = viewport->has_dst ? viewport->dst_height : self->height;
		announce_part(self, self->width / width, self->height / height, width, height);
	}
}

void client_surface_set_transform(struct client_surface *self)
{
	struct surface_state *pending = &self->surface->pending;
	clear_opaque(self);
	pending->transform = (enum wl_output_transform)random_between(0, 7);
	pending->fields |= SURFACE_TRANSFORM;
}

void client_surface_set_alpha(struct client_surface *self)
{
	struct surface_state *pending = &self->surface->pending;
	pending->alpha = random_between(0, 2) ? 1 : (float)random_between(0, 4) / 4;
	pending->fields |= SURFACE_ALPHA;
}

void client_surface_change_kind(struct client_surface *self)
{
	choose_kind(self);
	client_surface_set_viewport(self);
	client_surface_set_opaque(self);
	client_surface_draw(self, true);
}

/* Rounds half away from zero. */
static int32_t scaled(int32_t length, int steps)
{
	return (length * steps + 60) / 120;
}

void client_surface_fit(struct client_surface *self, int steps)
{
	struct surface_state *pending = &self->surface->pending;
	const int32_t width = random_between(4, 50 * 120 / steps);
	const int32_t height = random_between(4, 40 * 120 / steps);
	if (random_between(0, 1)) {
		client_surface_set_transform(self);
	}
	const bool swaps = transform_swaps(pending->transform);
	drop_buffers(self);
	self->solid = (struct box){0};
	self->format = random_between(0, 2) ? DRM_FORMAT_ARGB8888 : DRM_FORMAT_XRGB8888;
	self->dmabuf = random_between(0, 1);
	/* Some buffers have more pixels than they show, from any part of a pixel on. */
	const int margin = random_between(0, 2) ? 0 : 1;
	const double x = margin && !random_between(0, 2) ? random_between(2, 8) / 4.0 : margin;
	const double y = margin && !random_between(0, 2) ? random_between(2, 8) / 4.0 : margin;
	self->width = scaled(swaps ? height : width, steps) + 2 * margin;
	self->height = scaled(swaps ? width : height, steps) + 2 * margin;
	self->drawing = create_copy(self, SLOT_DRAWING, self->format, self->width, self->height);
	/* Stripes show where pixels are mixed. */
	for (int32_t x = 0; x < self->width; x++) {
		paint(self, &(struct box){x, 0, 1, self->height});
	}
	for (int32_t y = 1; y < self->height; y += 3) {
		paint(self, &(struct box){0, y, self->width, 1});
	}
	pending->viewport = (struct viewport){
		.has_dst = true,
		.dst_width = width,
		.dst_height = height,
		.has_src = margin > 0,
		.src = {x, y, scaled(width, steps), scaled(height, steps)},
	};
	pending->fields |= SURFACE_VIEWPORT;
	attach_drawing(self, &(struct box){0, 0, self->width, self->height});
	client_surface_set_opaque(self);
}

void client_surface_commit(struct client_surface *self)
{
	assert_int_equal(surface_state_derive(&self->surface->pending), SURFACE_STATE_OK);
	assert_true(surface_commit(self->surface));
	if (!self->tree) {
		return;
	}
	if (surface_has_content(self->surface)) {
		surface_map(self->surface);
	} else {
		surface_unmap(self->surface);
	}
}

void client_surface_open(struct client_surface *self, struct wl_event_loop *loop)
{
	const int fd = fd_create_memory("copies", N_SLOTS * SLOT_SIZE, true);
	assert_true(fd >= 0);
	self->pool = shm_pool_create(fd, N_SLOTS * SLOT_SIZE);
	self->surface = surface_create(loop, NULL);
	self->listener.notify = handle_applied;
	wl_signal_add(&self->surface->events.applied, &self->listener);
}

void client_surface_close(struct client_surface *self)
{
	if (self->subsurface) {
		subsurface_destroy(self->subsurface);
	}
	wl_list_remove(&self->listener.link);
	drop_buffers(self);
	surface_destroy(self->surface);
	buffer_drop(self->applied);
	buffer_drop(self->converted);
	shm_pool_unref(self->pool);
}
