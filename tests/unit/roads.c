/*
 * Random scenes by all roads: trees of subsurfaces with viewports, transforms, factors of alpha, single
 * colours, video and several formats of shared memory and dma-bufs, shown on one screen by the CPU and on
 * another one by GL, each by damage and buffer age. Whatever happens, both show what a plain composition of
 * everything shows, drawn anew from copies that the test keeps. Clients scribble over what was released.
 */

#include "unit.h"

#include "buffer/allocator.h"
#include "buffer/color.h"
#include "buffer/dmabuf_buffer.h"
#include "buffer/shm.h"
#include "frame/frame.h"
#include "scene/scene.h"
#include "surface/subsurface.h"
#include "surface/surface.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

#define WIDTH 96
#define HEIGHT 72
#define PERIOD INT64_C(16666667)
#define WORLDS 10
#define STEPS 60

#define N_WINDOWS 4
#define N_SURFACES 9
#define N_BUFFERS 4

/* In 1/255. Each layer that is scaled or blended may be off by two. */
#define TOLERANCE 10

/* --- Screens. --- */

struct screen {
	struct output base;
	struct plane plane;
	struct scene_output *scene_output;
	struct frame_device device;
	struct frame_output *frame;
	struct buffer *shown, *flying;
	uint32_t flight; /* 0: none */
};

static void destroy_output(struct output *output)
{
}

static bool test_state(struct output *output, const struct output_state *state)
{
	return true;
}

static bool commit_state(struct output *output, const struct output_state *state, uint32_t number)
{
	struct screen *screen = wl_container_of(output, screen, base);
	assert_int_equal(screen->flight, 0);
	assert_int_equal(state->n_planes, 1);
	screen->flight = number;
	buffer_replace(&screen->flying, state->planes[0].state.buffer);
	return true;
}

static const struct output_impl output_impl = {
	.destroy = destroy_output,
	.test = test_state,
	.commit = commit_state,
};

static void flip(struct screen *screen, int64_t now)
{
	struct output_present present = {
		.commit = screen->flight,
		.presented = true,
		.when = now,
		.refresh = (uint32_t)PERIOD,
		.flags = PRESENT_VSYNC,
	};
	screen->flight = 0;
	buffer_replace(&screen->shown, screen->flying);
	buffer_replace(&screen->flying, NULL);
	wl_signal_emit_mutable(&screen->base.events.present, &present);
}

/* --- Clients. --- */

struct client_buffer {
	struct buffer *buffer; /* NULL: not made yet */
	struct buffer *copy; /* what the client drew; nobody else has it */
	struct wl_listener release;
};

struct client_surface {
	struct surface *surface;
	struct subsurface *subsurface; /* NULL: a window */
	struct scene_tree *tree; /* of a window */
	uint32_t format; /* 0: single colours */
	bool dmabuf;
	int32_t width, height; /* of its buffers */
	struct client_buffer buffers[N_BUFFERS];
	struct buffer *drawing; /* what its next buffer has */
	struct buffer *applied; /* what its current one has */
	struct wl_listener listener;
};

struct world {
	struct wl_event_loop *loop;
	struct clock *clock;
	struct scene *scene;
	struct screen screens[2]; /* the CPU's, GL's */
	int first; /* 1: GL's alone, so that what was uploaded is released early */
	struct renderer *reference;
	struct client_surface surfaces[N_SURFACES]; /* windows first */
};

static size_t size_of(uint32_t fourcc, int32_t width, int32_t height)
{
	const struct pixel_format *format = pixel_format_get(fourcc);
	/* Rows of the shape that GL imports, and chroma for the last column. */
	size_t stride = (size_t)(width + 15) / 16 * 16 * format->bytes[0];
	return (size_t)pixel_format_size(format, stride, height);
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

static void *begin(struct buffer *buffer, size_t *stride)
{
	void *data;
	assert_int_equal(buffer_begin_access(buffer, BUFFER_READ | BUFFER_WRITE, &data, stride), 0);
	return data;
}

static void copy_pixels(struct buffer *to, struct buffer *from)
{
	size_t stride;
	void *target = begin(to, &stride), *source = begin(from, &stride);
	memcpy(target, source, size_of(to->format, to->width, to->height));
	buffer_end_access(from);
	buffer_end_access(to);
}

/* The client draws something else at once: whoever still reads it is found out. */
static void handle_release(struct wl_listener *listener, void *data)
{
	struct client_buffer *buffer = wl_container_of(listener, buffer, release);
	size_t stride;
	void *pixels = begin(buffer->buffer, &stride);
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

/* A rectangle of one colour; even, so that samples of chroma belong to it alone. */
static void paint(struct buffer *buffer, const struct box *box)
{
	const struct pixel_format *format = pixel_format_get(buffer->format);
	size_t stride;
	uint8_t *data = begin(buffer, &stride);
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
}

static struct box random_box(int32_t width, int32_t height)
{
	int32_t x = random_between(0, width - 1) & ~1, y = random_between(0, height - 1) & ~1;
	/* Even, as the sizes of all buffers are. */
	return (struct box){x, y, (random_between(1, width - x) + 1) & ~1,
		(random_between(1, height - y) + 1) & ~1};
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
	self->format = kinds[kind].format;
	self->dmabuf = kinds[kind].dmabuf;
	self->width = self->format ? random_between(4, 25) * 2 : 1;
	self->height = self->format ? random_between(4, 20) * 2 : 1;
	if (self->format) {
		self->drawing = create_memory(self->format, self->width, self->height, false);
		paint(self->drawing, &(struct box){0, 0, self->width, self->height});
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
				create_memory(self->format, self->width, self->height, false);
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

/* Two colours in a row do not share a buffer; a colour is no memory to be released. */
static void draw_color(struct client_surface *self)
{
	struct buffer *buffer = color_buffer_create(0, (uint32_t)random_between(0, 1) * 0x40000000,
		0x20000000, random_between(0, 1) ? UINT32_MAX : 0x40000000);
	struct box box = {0, 0, 1, 1};
	attach(self, buffer, &box);
	buffer_drop(buffer);
}

/* False: all buffers are in use. */
static bool draw(struct client_surface *self, bool all)
{
	if (!self->format) {
		draw_color(self);
		return true;
	}
	struct client_buffer *buffer = find_free(self);
	if (!buffer) {
		return false;
	}
	struct box whole = {0, 0, self->width, self->height};
	struct box box = all ? whole : random_box(self->width, self->height);
	paint(self->drawing, &box);
	copy_pixels(buffer->buffer, self->drawing);
	copy_pixels(buffer->copy, self->drawing);
	attach(self, buffer->buffer, &box);
	return true;
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
	self->applied = NULL;
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
			self->applied = create_memory(buffer->buffer->format, state->buffer_width,
				state->buffer_height, false);
			copy_pixels(self->applied, buffer->copy);
		}
	}
}

static void set_viewport(struct client_surface *self)
{
	struct surface_state *pending = &self->surface->pending;
	struct viewport *viewport = &pending->viewport;
	int32_t least = self->width < self->height ? self->width : self->height;
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

static void set_opaque(struct client_surface *self)
{
	struct surface_state *pending = &self->surface->pending;
	pixman_region32_clear(&pending->opaque);
	if (self->format != DRM_FORMAT_ARGB8888 && self->format && random_between(0, 1)) {
		struct box box = random_box(self->width, self->height);
		pixman_region32_union_rect(&pending->opaque, &pending->opaque, box.x, box.y,
			(unsigned)box.width, (unsigned)box.height);
	}
	pending->fields |= SURFACE_OPAQUE;
}

static void set_transform(struct client_surface *self)
{
	struct surface_state *pending = &self->surface->pending;
	pending->transform = (enum wl_output_transform)random_between(0, 7);
	pending->fields |= SURFACE_TRANSFORM;
}

static void set_alpha(struct client_surface *self)
{
	struct surface_state *pending = &self->surface->pending;
	pending->alpha = random_between(0, 2) ? 1 : (float)random_between(0, 4) / 4;
	pending->fields |= SURFACE_ALPHA;
}

/* Another size, and often another format: a viewport that was right may not be so any more. */
static void change_kind(struct client_surface *self)
{
	choose_kind(self);
	set_viewport(self);
	set_opaque(self);
	draw(self, true);
}

static void commit(struct client_surface *self)
{
	assert_int_equal(surface_state_derive(&self->surface->pending), SURFACE_STATE_OK);
	assert_true(surface_commit(self->surface));
}

static void open_surface(struct world *world, int i)
{
	struct client_surface *self = &world->surfaces[i];
	self->surface = surface_create(world->loop, NULL);
	self->listener.notify = handle_applied;
	wl_signal_add(&self->surface->events.applied, &self->listener);
	if (i >= N_WINDOWS) {
		struct client_surface *parent = &world->surfaces[random_between(0, i - 1)];
		self->subsurface = subsurface_create(self->surface, parent->surface);
		assert_non_null(self->subsurface);
		subsurface_set_position(
			self->subsurface, random_between(-10, 30), random_between(-10, 20));
		subsurface_set_sync(self->subsurface, random_between(0, 1));
		commit(parent);
	}
	change_kind(self);
	commit(self);
	if (i < N_WINDOWS) {
		surface_map(self->surface);
		self->tree = scene_surface_tree_create(&world->scene->root, self->surface);
		scene_node_set_position(&self->tree->node, random_between(-10, WIDTH - 20),
			random_between(-10, HEIGHT - 20));
	}
}

static void close_surface(struct client_surface *self)
{
	if (self->subsurface) {
		subsurface_destroy(self->subsurface);
	}
	wl_list_remove(&self->listener.link);
	drop_buffers(self);
	surface_destroy(self->surface);
	buffer_drop(self->applied);
}

/* --- The reference. --- */

struct reference {
	struct world *world;
	const struct scene_view *view;
	struct render_pass *pass;
	const pixman_region32_t *all;
	struct texture *textures[N_SURFACES];
	int n_textures;
};

static struct client_surface *find(struct world *world, const struct surface *surface)
{
	for (int i = 0; i < N_SURFACES; i++) {
		if (world->surfaces[i].surface == surface) {
			return &world->surfaces[i];
		}
	}
	return NULL;
}

static void add_surface(struct reference *reference, struct client_surface *self, int x, int y)
{
	const struct surface_state *state = &self->surface->current;
	bool holds;
	if (!self->applied || !self->surface->mapped) {
		return;
	}
	struct texture **texture = &reference->textures[reference->n_textures++];
	struct box global = {x, y, state->width, state->height};
	struct render_texture_options options = {
		.dst = scene_view_to_pixels(reference->view, &global),
		.transform = transform_compose(
			transform_invert(state->transform), reference->view->transform),
		.alpha = state->alpha,
		.clip = reference->all,
		.filter = RENDER_FILTER_BILINEAR,
	};
	surface_state_source(state, &options.src);
	assert_true(renderer_texture_update(
		reference->world->reference, texture, self->applied, NULL, &holds));
	options.texture = *texture;
	render_pass_add_texture(reference->pass, &options);
}

static void add_tree(struct reference *reference, struct client_surface *self, int x, int y)
{
	const struct surface_state *state = &self->surface->current;
	if (state->n_children == 0) {
		add_surface(reference, self, x, y);
	}
	for (int i = 0; i < state->n_children; i++) {
		const struct child *child = &state->children[i];
		if (!child->subsurface) {
			add_surface(reference, self, x, y);
		} else {
			add_tree(reference, find(reference->world, child->subsurface->surface),
				x + child->x, y + child->y);
		}
	}
}

static struct buffer *draw_reference(struct world *world, const struct scene_output *output)
{
	struct buffer *target = memory_buffer_create(WIDTH, HEIGHT, DRM_FORMAT_XRGB8888);
	const struct scene_view view = {
		output->x, output->y, output->scale, output->transform, WIDTH, HEIGHT};
	pixman_region32_t all;
	pixman_region32_init_rect(&all, 0, 0, WIDTH, HEIGHT);
	struct reference reference = {.world = world, .view = &view, .all = &all};
	reference.pass = renderer_begin(world->reference, target, -1);
	struct render_rect_options background = {
		.box = {0, 0, WIDTH, HEIGHT}, .clip = &all, .overwrite = true};
	memcpy(background.color, world->scene->background, sizeof(background.color));
	render_pass_add_rect(reference.pass, &background);
	struct scene_node *node;
	wl_list_for_each (node, &world->scene->root.children, link) {
		for (int i = 0; i < N_WINDOWS; i++) {
			struct client_surface *window = &world->surfaces[i];
			if (&window->tree->node == node && node->enabled) {
				add_tree(&reference, window, node->x, node->y);
			}
		}
	}
	int fence;
	assert_true(render_pass_submit(reference.pass, &fence));
	for (int i = 0; i < reference.n_textures; i++) {
		texture_destroy(reference.textures[i]);
	}
	pixman_region32_fini(&all);
	return target;
}

/* --- The world. --- */

static void make_screen(struct world *world, int i, struct renderer *renderer, double scale,
	enum wl_output_transform transform)
{
	struct screen *screen = &world->screens[i];
	output_init(&screen->base, &output_impl, i ? "GL-1" : "CPU-1");
	screen->base.enabled = true;
	screen->base.mode = (struct output_mode){WIDTH, HEIGHT, 60000, true};
	screen->plane = (struct plane){.type = PLANE_PRIMARY};
	format_set_add(&screen->plane.formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
	screen->base.planes[0] = &screen->plane;
	screen->base.n_planes = 1;
	frame_device_init(&screen->device, NULL, renderer, memory_allocator_create());
	if (i > world->first) {
		frame_device_join(&screen->device, &world->screens[0].device);
	}
	screen->scene_output = scene_output_create(world->scene, &screen->base);
	scene_output_set_scale(screen->scene_output, scale);
	scene_output_set_transform(screen->scene_output, transform);
	screen->frame = frame_output_create(screen->scene_output, &screen->device, world->clock);
}

static void set_up(struct world *world, int first)
{
	static const double scales[] = {1, 1, 1.5};
	double scale = scales[random_between(0, 2)];
	enum wl_output_transform transform =
		random_between(0, 1) ? 0 : (enum wl_output_transform)random_between(0, 7);
	*world = (struct world){
		.loop = wl_event_loop_create(), .clock = clock_create_test(PERIOD), .first = first};
	world->scene = scene_create();
	world->reference = pixman_renderer_create();
	if (first == 0) {
		make_screen(world, 0, pixman_renderer_create(), scale, transform);
	}
	make_screen(world, 1, gles_renderer_create(NULL, world->loop), scale, transform);
	for (int i = 0; i < N_SURFACES; i++) {
		open_surface(world, i);
	}
}

static void tear_down(struct world *world)
{
	for (int i = N_SURFACES - 1; i >= 0; i--) {
		close_surface(&world->surfaces[i]);
	}
	for (int i = world->first; i < 2; i++) {
		scene_output_destroy(world->screens[i].scene_output);
	}
	scene_destroy(world->scene);
	for (int i = world->first; i < 2; i++) {
		struct screen *screen = &world->screens[i];
		buffer_replace(&screen->shown, NULL);
		buffer_replace(&screen->flying, NULL);
		frame_device_finish(&screen->device);
		renderer_destroy(screen->device.renderer);
		allocator_destroy(screen->device.allocator);
		format_set_finish(&screen->plane.formats);
		output_finish(&screen->base);
	}
	renderer_destroy(world->reference);
	clock_destroy(world->clock);
	wl_event_loop_destroy(world->loop);
}

static void pass(struct world *world, int periods)
{
	for (int i = 0; i < periods; i++) {
		clock_advance(world->clock, PERIOD);
		for (int s = world->first; s < 2; s++) {
			if (world->screens[s].flight) {
				flip(&world->screens[s], clock_now(world->clock));
			}
		}
		wl_event_loop_dispatch(world->loop, 0);
	}
}

static int distance(uint32_t a, uint32_t b)
{
	int most = 0;
	for (int shift = 0; shift < 24; shift += 8) {
		int difference = abs((int)(a >> shift & 255) - (int)(b >> shift & 255));
		most = difference > most ? difference : most;
	}
	return most;
}

static void expect_same(struct world *world, int number, int step, const char *what)
{
	for (int s = world->first; s < 2; s++) {
		struct screen *screen = &world->screens[s];
		struct buffer *expected = draw_reference(world, screen->scene_output);
		size_t stride, other;
		assert_non_null(screen->shown);
		const char *a = begin(expected, &stride), *b = begin(screen->shown, &other);
		for (int y = 0; y < HEIGHT; y++) {
			for (int x = 0; x < WIDTH; x++) {
				uint32_t one, two;
				memcpy(&one, a + (size_t)y * stride + (size_t)x * 4, 4);
				memcpy(&two, b + (size_t)y * other + (size_t)x * 4, 4);
				if (distance(one, two) > TOLERANCE) {
					fail_msg("world %d, step %d, %s: %s shows %06x at %d,%d in "
						 "place of %06x",
						number, step, what, screen->base.name,
						two & 0xffffff, x, y, one & 0xffffff);
				}
			}
		}
		buffer_end_access(screen->shown);
		buffer_end_access(expected);
		buffer_drop(expected);
	}
}

static const char *change(struct world *world)
{
	int i = random_between(0, N_SURFACES - 1);
	struct client_surface *self = &world->surfaces[i];
	struct client_surface *window = &world->surfaces[random_between(0, N_WINDOWS - 1)];
	const char *what = "nothing";
	switch (random_between(0, 15)) {
	case 0:
		scene_node_set_position(&window->tree->node, random_between(-10, WIDTH - 20),
			random_between(-10, HEIGHT - 20));
		return "a window moved";
	case 1: scene_node_raise_to_top(&window->tree->node); return "a window was raised";
	case 2:
		scene_node_set_enabled(&window->tree->node, !window->tree->node.enabled);
		return "a window came or went";
	case 3:
		set_alpha(self);
		what = "another alpha";
		break;
	case 4:
		set_viewport(self);
		what = "another viewport";
		break;
	case 5:
		set_transform(self);
		set_viewport(self);
		what = "another transform";
		break;
	case 6:
		set_opaque(self);
		what = "another opaque region";
		break;
	case 7:
		if (self->surface->n_queued > 0) {
			return "nothing: buffers that wait for a parent's commit are kept";
		}
		change_kind(self);
		what = "another size or format";
		break;
	case 8:
		if (self->subsurface) {
			subsurface_set_position(
				self->subsurface, random_between(-10, 30), random_between(-10, 20));
			commit(find(world, self->subsurface->parent));
		}
		return "a subsurface moved";
	case 9:
		if (self->subsurface) {
			subsurface_set_sync(self->subsurface, random_between(0, 1));
		}
		return "a subsurface was tied or untied";
	case 10:
		if (self->subsurface) {
			subsurface_place(
				self->subsurface, self->subsurface->parent, random_between(0, 1));
			commit(find(world, self->subsurface->parent));
		}
		return "a subsurface above or below";
	default:
		if (!draw(self, !random_between(0, 4))) {
			return "all buffers in use";
		}
		what = "new pixels";
		break;
	}
	commit(self);
	return what;
}

static uint64_t seed = 1; /* or the program's argument */

static void anything(void **state)
{
	uint64_t uploaded = 0, imports = 0;
	print_message("seed %llu\n", (unsigned long long)seed);
	random_seed(seed);
	for (int number = 0; number < WORLDS; number++) {
		struct world world;
		set_up(&world, number % 2);
		pass(&world, 4);
		expect_same(&world, number, -1, "as it began");
		for (int step = 0; step < STEPS; step++) {
			const char *what = change(&world);
			for (int more = random_between(0, 2); more > 0; more--) {
				change(&world);
			}
			pass(&world, 3);
			expect_same(&world, number, step, what);
		}
		uploaded += world.screens[1].device.renderer->stats.bytes_uploaded;
		imports += world.screens[1].device.renderer->stats.imports;
		tear_down(&world);
	}
	/* Roads that were to be taken were. */
	assert_true(uploaded > 0);
	assert_true(imports > 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(anything),
	};
	seed = argc > 1 ? strtoull(argv[1], NULL, 10) : seed;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
