/* SPDX-License-Identifier: MIT */
/* Swapchains: buffers of one size and format drawn in turn, each with an age. */

#include "buffer/allocator.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

void allocator_destroy(struct allocator *allocator)
{
	if (allocator) {
		allocator->impl->destroy(allocator);
	}
}

struct swapchain *swapchain_create(struct allocator *allocator, int32_t width, int32_t height,
	const struct format_modifiers *format)
{
	struct swapchain *swapchain = xcalloc(1, sizeof(*swapchain));
	swapchain->allocator = allocator;
	swapchain->width = width;
	swapchain->height = height;
	swapchain->format.format = format->format;
	swapchain->format.n_modifiers = format->n_modifiers;
	swapchain->format.modifiers = xcalloc(format->n_modifiers, sizeof(uint64_t));
	if (format->n_modifiers > 0) {
		memcpy(swapchain->format.modifiers, format->modifiers,
			format->n_modifiers * sizeof(uint64_t));
	}
	return swapchain;
}

void swapchain_destroy(struct swapchain *swapchain)
{
	if (!swapchain) {
		return;
	}
	for (int i = 0; i < SWAPCHAIN_LENGTH; i++) {
		if (swapchain->slots[i].buffer) {
			wl_list_remove(&swapchain->slots[i].release.link);
			buffer_drop(swapchain->slots[i].buffer);
		}
	}
	free(swapchain->format.modifiers);
	free(swapchain);
}

static int find(const struct swapchain *swapchain, const struct buffer *buffer)
{
	for (int i = 0; i < SWAPCHAIN_LENGTH; i++) {
		if (swapchain->slots[i].buffer == buffer) {
			return i;
		}
	}
	return -1;
}

static void handle_release(struct wl_listener *listener, void *data)
{
	struct swapchain_slot *slot = wl_container_of(listener, slot, release);
	slot->acquired = false;
}

/* The youngest is best: it needs the least drawing. Undefined content counts as the oldest. */
static bool is_younger(int age, int than)
{
	return age > 0 && (than == 0 || age < than);
}

static int find_free(const struct swapchain *swapchain)
{
	int best = -1;
	for (int i = 0; i < SWAPCHAIN_LENGTH; i++) {
		if (swapchain->slots[i].buffer && !swapchain->slots[i].acquired &&
			(best < 0 ||
				is_younger(swapchain->slots[i].age, swapchain->slots[best].age))) {
			best = i;
		}
	}
	return best;
}

static int allocate(struct swapchain *swapchain)
{
	int i = find(swapchain, NULL);
	if (i < 0) {
		errno = EBUSY;
		return -1;
	}
	struct buffer *buffer = swapchain->allocator->impl->create_buffer(
		swapchain->allocator, swapchain->width, swapchain->height, &swapchain->format);
	if (!buffer) {
		return -1;
	}
	swapchain->n_made++;
	swapchain->slots[i].buffer = buffer;
	swapchain->slots[i].age = 0;
	signal_add(&buffer->events.release, &swapchain->slots[i].release, handle_release);
	return i;
}

struct buffer *swapchain_acquire(struct swapchain *swapchain, int *age)
{
	int i = find_free(swapchain);
	if (i < 0) {
		i = allocate(swapchain);
	}
	if (i < 0) {
		return NULL;
	}
	*age = swapchain->slots[i].age;
	/* About to be drawn to: undefined until it is submitted. */
	swapchain->slots[i].age = 0;
	swapchain->slots[i].acquired = true;
	return buffer_lock(swapchain->slots[i].buffer);
}

void swapchain_submitted(struct swapchain *swapchain, struct buffer *buffer)
{
	int submitted = buffer ? find(swapchain, buffer) : -1;
	assert(!buffer || submitted >= 0);
	for (int i = 0; i < SWAPCHAIN_LENGTH; i++) {
		/* A slot may stay unused: frames of 170 days do not overflow its age. */
		if (swapchain->slots[i].age > 0 && swapchain->slots[i].age < INT_MAX) {
			swapchain->slots[i].age++;
		}
	}
	if (submitted >= 0) {
		swapchain->slots[submitted].age = 1;
	}
}
