/* SPDX-License-Identifier: MIT */
/*
 * Copies of dma-bufs by a device that reads them in place, their own GPU's if possible: such a
 * buffer stays locked as long as it is shown. If its client waits for it, a copy becomes the
 * surface's buffer, which devices and planes take like the client's, and the client gets its own
 * back.
 */

#include "buffer/allocator.h"
#include "content/device.h"
#include "internal.h"
#include "util/account.h"
#include "util/fd.h"
#include "util/region.h"

/* The formats of copies of buffers whose format cannot be drawn to, such as YUV. */
static const uint32_t drawable[] = {DRM_FORMAT_XRGB2101010, DRM_FORMAT_ARGB8888};

static bool can_draw(const struct render_device *device)
{
	return device->renderer && device->allocator && device->clock;
}

static bool is_home(const struct render_device *device, const struct buffer *buffer)
{
	return can_draw(device) && (!buffer->home || device->gpu == buffer->home);
}

/* Returns whether the device reads the buffer, of another GPU, in place. */
static bool reads(const struct backing_store *store, const struct render_device *device,
	const struct buffer *buffer)
{
	const struct content *content = content_find(store->surface, device);
	return content && content->held == buffer && can_draw(device);
}

/* Returns the device that can copy the buffer, preferably on its own GPU; NULL: none. */
static struct render_device *find_device(
	const struct backing_store *store, const struct buffer *buffer)
{
	if (!store->device || is_home(store->device, buffer)) {
		return store->device;
	}
	struct render_device *reader = reads(store, store->device, buffer) ? store->device : NULL;
	struct content_device *peer;
	wl_list_for_each (peer, &content_device_from(store->device)->peers, peers) {
		if (is_home(&peer->base, buffer)) {
			return &peer->base;
		}
		if (!reader && reads(store, &peer->base, buffer)) {
			reader = &peer->base;
		}
	}
	return reader;
}

bool gpu_copy_is_possible(const struct backing_store *store, struct buffer *buffer)
{
	return buffer_dmabuf(buffer) && store->surface->loop && find_device(store, buffer);
}

bool gpu_copy_is_shown(const struct backing_store *store)
{
	const struct buffer *buffer = store->surface->current.buffer;
	return buffer && buffer == store->gpu.shown;
}

void gpu_copy_end(struct gpu_copy *copy)
{
	fd_watch_stop(&copy->watch);
	fd_close(&copy->fence);
	buffer_replace(&copy->of, NULL);
	buffer_replace(&copy->buffer, NULL);
}

void gpu_copy_drop(struct backing_store *store)
{
	struct gpu_copy *copy = &store->gpu;
	if (!copy->chain) {
		return;
	}
	gpu_copy_end(copy);
	swapchain_destroy(copy->chain);
	copy->chain = NULL;
	copy->device = NULL;
	account_uncharge(store->account, ACCOUNT_PIXELS, copy->charged);
	copy->charged = 0;
}

void gpu_copy_init(struct backing_store *store)
{
	store->gpu.fence = -1;
}

static bool is_alone(const struct render_device *device)
{
	return wl_list_empty(&content_device_from(device)->peers);
}

/* Linear copies can be read by each other GPU. */
static void choose_modifiers(bool alone, const struct format_modifiers *from,
	struct format_modifiers *out, uint64_t *linear)
{
	*out = *from;
	if (!alone && format_has_modifier(from, DRM_FORMAT_MOD_LINEAR)) {
		*linear = DRM_FORMAT_MOD_LINEAR;
		out->n_modifiers = 1;
		out->modifiers = linear;
	}
}

/* Returns the format of copies, with its modifiers, in `both`; NULL: none. */
static const struct format_modifiers *choose_format(
	const struct format_set *both, const struct buffer *buffer)
{
	const struct pixel_format *format = pixel_format_get(buffer->format);
	const struct format_modifiers *found = format_set_get(both, buffer->format);
	size_t n = sizeof(drawable) / sizeof(drawable[0]);
	for (size_t i = format->depth > 8 && !format->has_alpha ? 0 : 1; !found && i < n; i++) {
		found = format_set_get(both, drawable[i]);
	}
	return found;
}

/* Makes the swapchain fit. Returns false if the device cannot draw copies of such buffers. */
static bool reserve(
	struct backing_store *store, struct render_device *device, const struct buffer *buffer)
{
	struct gpu_copy *copy = &store->gpu;
	const bool alone = is_alone(device);
	if (copy->chain && copy->device == device && copy->alone == alone &&
		copy->format == buffer->format && copy->chain->width == buffer->width &&
		copy->chain->height == buffer->height) {
		return true;
	}
	gpu_copy_drop(store);
	struct format_set both = {0};
	format_set_intersect(
		&both, &device->renderer->target_formats, &device->renderer->texture_formats);
	const struct format_modifiers *found = choose_format(&both, buffer);
	if (found) {
		struct format_modifiers format;
		uint64_t linear;
		choose_modifiers(alone, found, &format, &linear);
		copy->chain =
			swapchain_create(device->allocator, buffer->width, buffer->height, &format);
		copy->device = device;
		copy->alone = alone;
		copy->format = buffer->format;
	}
	format_set_finish(&both);
	return copy->chain;
}

/* Draws all pixels, alpha included. */
static bool draw(struct gpu_copy *copy, struct texture *texture)
{
	const struct box all = {0, 0, texture->width, texture->height};
	struct render_pass *pass = renderer_begin(copy->device->renderer, copy->buffer, -1);
	if (!pass) {
		return false;
	}
	pixman_region32_t clip;
	pixman_region32_init_rect(&clip, 0, 0, (unsigned)all.width, (unsigned)all.height);
	const struct render_texture_options options = {
		.texture = texture,
		.src = {0, 0, all.width, all.height},
		.dst = all,
		.alpha = 1,
		.clip = &clip,
		.filter = RENDER_FILTER_NEAREST,
		.opaque = true,
	};
	render_pass_add_texture(pass, &options);
	bool done = render_pass_submit(pass, &copy->fence);
	pixman_region32_fini(&clip);
	return done;
}

/* Shows the copy instead of the client's buffer, which is released. */
static void handle_drawn(void *data)
{
	struct backing_store *store = data;
	struct gpu_copy *copy = &store->gpu;
	struct surface *surface = store->surface;
	if (surface->current.buffer == copy->of) {
		copy->shown = copy->buffer;
		surface_replace_buffer(surface, copy->buffer);
		store->replaced(store);
	}
	gpu_copy_end(copy);
}

enum gpu_copy_status gpu_copy_begin(struct backing_store *store)
{
	struct gpu_copy *copy = &store->gpu;
	struct buffer *buffer = store->surface->current.buffer;
	if (copy->of == buffer) {
		return GPU_COPY_PENDING;
	}
	struct render_device *device = find_device(store, buffer);
	struct content *content = store->get_content(store->surface, device);
	store->prepare(content, NULL);
	if (content->held != buffer || !reserve(store, device, buffer)) {
		return GPU_COPY_IMPOSSIBLE;
	}
	gpu_copy_end(copy);
	int age;
	const int n_made = copy->chain->n_made;
	/* The swapchain may hold the copy that is shown, too. */
	if (!content_may_store(store->account, 2 * content_image_bytes(buffer)) ||
		!(copy->buffer = swapchain_acquire(copy->chain, &age))) {
		return GPU_COPY_FAILED;
	}
	if (copy->chain->n_made != n_made) {
		account_charge(store->account, ACCOUNT_PIXELS, content_image_bytes(copy->buffer));
		copy->charged += content_image_bytes(copy->buffer);
	}
	if (!draw(copy, content->texture)) {
		gpu_copy_end(copy);
		return GPU_COPY_FAILED;
	}
	swapchain_submitted(copy->chain, copy->buffer);
	copy->of = buffer_lock(buffer);
	if (copy->fence < 0) {
		handle_drawn(store);
	} else {
		fd_watch_start(&copy->watch, store->surface->loop, device->clock, copy->fence,
			handle_drawn, store);
	}
	return GPU_COPY_PENDING;
}
