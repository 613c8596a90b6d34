/* SPDX-License-Identifier: MIT */
/* KMS framebuffers: created once for each buffer, and cached with the buffer. */

#include "drm.h"
#include "util/addon.h"
#include "util/error.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct drm_framebuffer {
	struct addon addon; /* on the buffer; the card is its owner */
	struct wl_list link; /* drm_card.framebuffers */
	struct drm_card *card;
	/** For the buffer's format, and for that format without alpha; 0: refused. */
	uint32_t ids[2];
	bool asked[2]; /* lasting refusals are cached too: trying again is useless */
};

/*
 * drm_mode_rmfb() takes the locks of all CRTCs if the kernel has further references, such as those
 * of a pending commit. drm_mode_closefb() does not (Linux 6.8); a plane keeps the framebuffer then.
 */
static void remove_framebuffer(struct drm_card *card, uint32_t id)
{
	int error = card->no_closefb ? -EINVAL : drmModeCloseFB(card->fd, id);
	card->no_closefb |= error == -EINVAL;
	if (error == -EINVAL) {
		drmModeRmFB(card->fd, id);
	}
}

static void destroy(struct drm_framebuffer *framebuffer)
{
	for (int i = 0; i < 2; i++) {
		if (framebuffer->ids[i]) {
			remove_framebuffer(framebuffer->card, framebuffer->ids[i]);
		}
	}
	addon_finish(&framebuffer->addon);
	wl_list_remove(&framebuffer->link);
	free(framebuffer);
}

static void handle_buffer_destroy(struct addon *addon)
{
	struct drm_framebuffer *framebuffer = wl_container_of(addon, framebuffer, addon);
	destroy(framebuffer);
}

static const struct addon_impl addon_impl = {
	.name = "drm framebuffer",
	.destroy = handle_buffer_destroy,
};

/* Closes GEM handles: the framebuffer holds the memory. Planes may share a handle. */
static void close_handles(int fd, const uint32_t *handles)
{
	for (int i = 0; i < 4; i++) {
		bool again = false;
		for (int j = 0; j < i; j++) {
			again |= handles[j] == handles[i];
		}
		if (handles[i] && !again) {
			drmCloseBufferHandle(fd, handles[i]);
		}
	}
}

/* Stores the framebuffer's ID. Returns 0 or a positive errno. */
static int add(struct drm_card *card, const struct dmabuf *dmabuf, uint32_t format, uint32_t *out)
{
	uint32_t handles[4] = {0}, strides[4] = {0}, offsets[4] = {0}, id = 0;
	uint64_t modifiers[4] = {0};
	int error = 0;
	for (int i = 0; error == 0 && i < dmabuf->n_planes; i++) {
		error = drmPrimeFDToHandle(card->fd, dmabuf->fd[i], &handles[i]);
		strides[i] = dmabuf->stride[i];
		offsets[i] = dmabuf->offset[i];
		modifiers[i] = dmabuf->modifier;
	}
	uint32_t width = (uint32_t)dmabuf->width, height = (uint32_t)dmabuf->height;
	if (error != 0) {
		error = errno;
	} else if (dmabuf->modifier == DRM_FORMAT_MOD_INVALID &&
		   drm_card_has_quirk(card, DRM_QUIRK_NO_IMPLICIT)) {
		error = EINVAL;
	} else if (card->addfb_modifiers && dmabuf->modifier != DRM_FORMAT_MOD_INVALID) {
		error = -drmModeAddFB2WithModifiers(card->fd, width, height, format, handles,
			strides, offsets, modifiers, &id, DRM_MODE_FB_MODIFIERS);
	} else if (dmabuf->modifier == DRM_FORMAT_MOD_INVALID ||
		   dmabuf->modifier == DRM_FORMAT_MOD_LINEAR) {
		error = -drmModeAddFB2(
			card->fd, width, height, format, handles, strides, offsets, &id, 0);
	} else {
		error = EINVAL;
	}
	close_handles(card->fd, handles);
	if (error != 0) {
		char name[5];
		log_debug(LOG_BACKEND, "drm: cannot create a framebuffer of a %dx%d %s buffer: %s",
			dmabuf->width, dmabuf->height, pixel_format_name(format, name),
			strerror(error));
		return error;
	}
	*out = id;
	return 0;
}

static struct drm_framebuffer *create(struct drm_card *card, struct buffer *buffer)
{
	struct drm_framebuffer *framebuffer = xcalloc(1, sizeof(*framebuffer));
	framebuffer->card = card;
	addon_init(&framebuffer->addon, &buffer->addons, card, &addon_impl);
	wl_list_insert(&card->framebuffers, &framebuffer->link);
	return framebuffer;
}

uint32_t drm_framebuffer_get(struct drm_card *card, struct buffer *buffer, bool opaque)
{
	struct addon *addon = addon_find(&buffer->addons, card, &addon_impl);
	struct drm_framebuffer *framebuffer =
		addon ? wl_container_of(addon, framebuffer, addon) : NULL;
	if (framebuffer && framebuffer->asked[opaque]) {
		return framebuffer->ids[opaque];
	}
	const struct dmabuf *dmabuf = buffer_dmabuf(buffer);
	const struct pixel_format *format = dmabuf ? pixel_format_get(dmabuf->format) : NULL;
	if (!dmabuf || (opaque && !format)) {
		return 0;
	}
	framebuffer = framebuffer ? framebuffer : create(card, buffer);
	int error = add(
		card, dmabuf, opaque ? format->opaque : dmabuf->format, &framebuffer->ids[opaque]);
	framebuffer->asked[opaque] = !error_may_pass(-error);
	return framebuffer->ids[opaque];
}

void drm_framebuffers_drop(struct drm_card *card)
{
	struct drm_framebuffer *framebuffer, *next;
	wl_list_for_each_safe (framebuffer, next, &card->framebuffers, link) {
		destroy(framebuffer);
	}
}

bool drm_blank_init(struct drm_card *card, struct drm_blank *blank, int32_t width, int32_t height)
{
	uint32_t stride;
	uint64_t size;
	*blank = (struct drm_blank){.width = width, .height = height};
	/* The kernel zeroes dumb buffers. */
	int error = drmModeCreateDumbBuffer(
		card->fd, (uint32_t)width, (uint32_t)height, 32, 0, &blank->handle, &stride, &size);
	if (error == 0) {
		uint32_t handles[4] = {blank->handle}, strides[4] = {stride}, offsets[4] = {0};
		error = drmModeAddFB2(card->fd, (uint32_t)width, (uint32_t)height,
			DRM_FORMAT_XRGB8888, handles, strides, offsets, &blank->framebuffer, 0);
	}
	if (error != 0) {
		log_warn("drm: cannot create a black %dx%d framebuffer: %s", width, height,
			strerror(-error));
		drm_blank_finish(card, blank);
		return false;
	}
	return true;
}

void drm_blank_finish(struct drm_card *card, struct drm_blank *blank)
{
	if (blank->framebuffer) {
		remove_framebuffer(card, blank->framebuffer);
	}
	if (blank->handle) {
		drmModeDestroyDumbBuffer(card->fd, blank->handle);
	}
	*blank = (struct drm_blank){0};
}
