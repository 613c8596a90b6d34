/* SPDX-License-Identifier: MIT */
/*
 * Scratch buffers of captures: render targets for captures into memory that cannot be rendered to.
 * A few are kept for the next frame of a recording and freed two seconds after the last use.
 */

#include "buffer/allocator.h"
#include "buffer/buffer.h"
#include "capture.h"
#include "content/device.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <stdlib.h>

/* Maximum number of captures that wait for a device at a time; further ones fail. */
#define BUFFERS_MAX 8
/* Time (ns) after the last use. */
#define KEPT INT64_C(2000000000)

struct capture_scratch {
	struct protocols *protocols;
	/* Most recently used first; NULL after the last. */
	struct slot {
		struct buffer *buffer;
		const struct allocator *allocator; /* compared only; may be gone */
	} slots[BUFFERS_MAX];
	struct timer timer;
	struct wl_listener destroy;
};

static void drop_unused(struct capture_scratch *scratch)
{
	int n = 0;
	for (int i = 0; i < BUFFERS_MAX; i++) {
		struct slot slot = scratch->slots[i];
		scratch->slots[i] = (struct slot){0};
		if (slot.buffer && slot.buffer->n_locks > 0) {
			scratch->slots[n++] = slot;
		} else {
			buffer_drop(slot.buffer);
		}
	}
}

static void handle_timer(struct timer *timer, int64_t now)
{
	struct capture_scratch *scratch = wl_container_of(timer, scratch, timer);
	drop_unused(scratch);
	if (scratch->slots[0].buffer) {
		timer_arm(timer, now + KEPT);
	}
}

static void handle_destroy(struct wl_listener *listener, void *data)
{
	struct capture_scratch *scratch = wl_container_of(listener, scratch, destroy);
	drop_unused(scratch);
	timer_finish(&scratch->timer);
	wl_list_remove(&scratch->destroy.link);
	scratch->protocols->capture_scratch = NULL;
	free(scratch);
}

static struct capture_scratch *get(struct protocols *protocols)
{
	struct capture_scratch *scratch = protocols->capture_scratch;
	if (!scratch) {
		scratch = xcalloc(1, sizeof(*scratch));
		scratch->protocols = protocols;
		timer_init(&scratch->timer, protocols->server->clock, handle_timer);
		signal_add(&protocols->events.destroy, &scratch->destroy, handle_destroy);
		protocols->capture_scratch = scratch;
	}
	return scratch;
}

static bool fits(const struct slot *slot, const struct allocator *allocator, int32_t width,
	int32_t height, uint32_t format)
{
	const struct buffer *buffer = slot->buffer;
	return buffer && slot->allocator == allocator && buffer->width == width &&
	       buffer->height == height && buffer->format == format;
}

static struct buffer *allocate(
	struct allocator *allocator, int32_t width, int32_t height, uint32_t format)
{
	uint64_t linear = DRM_FORMAT_MOD_LINEAR;
	struct format_modifiers layout = {.format = format, .n_modifiers = 1, .modifiers = &linear};
	return allocator->impl->create_buffer(allocator, width, height, &layout);
}

/*
 * Returns the index of a buffer that fits, otherwise of an entry to replace; -1 if all are in use.
 */
static int find(const struct capture_scratch *scratch, const struct allocator *allocator,
	int32_t width, int32_t height, uint32_t format)
{
	int oldest = -1;
	for (int i = 0; i < BUFFERS_MAX; i++) {
		const struct buffer *buffer = scratch->slots[i].buffer;
		if (!buffer) {
			return i;
		}
		if (buffer->n_locks == 0) {
			oldest = i;
			if (fits(&scratch->slots[i], allocator, width, height, format)) {
				return i;
			}
		}
	}
	return oldest;
}

struct buffer *capture_scratch_get(struct protocols *protocols, struct render_device *device,
	int32_t width, int32_t height, uint32_t format)
{
	struct allocator *allocator = device->allocator;
	struct capture_scratch *scratch = get(protocols);
	int slot = find(scratch, allocator, width, height, format);
	if (slot < 0) {
		log_debug(LOG_PROTOCOL, "capture: already %d captures wait for the device",
			BUFFERS_MAX);
		return NULL;
	}
	struct buffer *buffer = scratch->slots[slot].buffer;
	if (!fits(&scratch->slots[slot], allocator, width, height, format)) {
		buffer_drop(buffer);
		buffer = allocate(allocator, width, height, format);
	}
	for (int i = slot; i > 0; i--) {
		scratch->slots[i] = scratch->slots[i - 1];
	}
	scratch->slots[0] = (struct slot){buffer, allocator};
	if (!buffer) {
		log_warn("capture: cannot allocate a buffer of %dx%d pixels", width, height);
		drop_unused(scratch);
		return NULL;
	}
	timer_arm(&scratch->timer, clock_now(protocols->server->clock) + KEPT);
	return buffer_lock(buffer);
}
