/* SPDX-License-Identifier: MIT */
/* Icons of windows, charged to their clients. */

#include "shell/icon.h"
#include "buffer/shm.h"
#include "util/account.h"
#include "util/xalloc.h"
#include <drm_fourcc.h>
#include <stdlib.h>

struct icon *icon_create(struct account *account)
{
	struct icon *icon = xcalloc(1, sizeof(*icon));
	icon->n_refs = 1;
	wl_signal_init(&icon->changed);
	icon->account = account_ref(account);
	account_charge(account, ACCOUNT_BYTES, sizeof(*icon));
	return icon;
}

static void finish_image(struct icon_image *image)
{
	wl_list_remove(&image->known.link);
	buffer_unlock(image->buffer);
}

static void handle_known(struct wl_listener *listener, void *data)
{
	struct icon_image *image = wl_container_of(listener, image, known);
	wl_list_remove(&image->known.link);
	wl_list_init(&image->known.link);
	signal_emit(&image->icon->changed, image->icon);
}

struct icon *icon_ref(struct icon *icon)
{
	if (icon) {
		icon->n_refs++;
	}
	return icon;
}

void icon_unref(struct icon *icon)
{
	if (!icon || --icon->n_refs > 0) {
		return;
	}
	for (int i = 0; i < icon->n_images; i++) {
		finish_image(&icon->images[i]);
	}
	icon_set_name(icon, NULL);
	account_uncharge(icon->account, ACCOUNT_BYTES, sizeof(*icon));
	account_unref(icon->account);
	free(icon);
}

bool icon_is_empty(const struct icon *icon)
{
	return !icon || (!icon->name && icon->n_images == 0);
}

void icon_set_name(struct icon *icon, const char *name)
{
	account_free_string(icon->account, icon->name);
	icon->name = account_strdup(icon->account, name);
}

int icon_add_image(struct icon *icon, struct buffer *buffer, int32_t scale)
{
	int i = 0;
	while (i < icon->n_images && (icon->images[i].buffer->width != buffer->width ||
					     icon->images[i].scale != scale)) {
		i++;
	}
	if (i == ICON_IMAGES_MAX || buffer->width > ICON_SIZE_MAX) {
		return -1;
	}
	buffer_lock(buffer);
	struct icon_image *image = &icon->images[i];
	if (i < icon->n_images) {
		finish_image(image);
	} else {
		icon->n_images++;
	}
	*image = (struct icon_image){.icon = icon, .buffer = buffer, .scale = scale};
	wl_list_init(&image->known.link);
	struct wl_signal *known = buffer_known_signal(buffer);
	if (known) {
		signal_add(known, &image->known, handle_known);
	}
	return i;
}

static bool is_readable(struct buffer *buffer)
{
	return (buffer->format == DRM_FORMAT_ARGB8888 || buffer->format == DRM_FORMAT_XRGB8888) &&
	       !buffer_known_signal(buffer);
}

/* Returns the smallest image that is at least this large, else the largest one; NULL: none. */
static struct buffer *best_image(const struct icon *icon, int size)
{
	struct buffer *best = NULL;
	for (int i = 0; icon && i < icon->n_images; i++) {
		struct buffer *buffer = icon->images[i].buffer;
		if (is_readable(buffer) &&
			(!best || (best->width < size ? buffer->width > best->width
						      : buffer->width >= size &&
								buffer->width < best->width))) {
			best = buffer;
		}
	}
	return best;
}

static void scale_image(pixman_image_t *from, pixman_image_t *to, double factor)
{
	pixman_transform_t transform;
	pixman_transform_init_scale(
		&transform, pixman_double_to_fixed(factor), pixman_double_to_fixed(factor));
	pixman_image_set_transform(from, &transform);
	int n = 0;
	pixman_kernel_t kernel = factor > 1 ? PIXMAN_KERNEL_BOX : PIXMAN_KERNEL_IMPULSE;
	pixman_fixed_t *filter = pixman_filter_create_separable_convolution(&n,
		pixman_double_to_fixed(factor), pixman_double_to_fixed(factor),
		PIXMAN_KERNEL_LINEAR, PIXMAN_KERNEL_LINEAR, kernel, kernel, 4, 4);
	if (filter) {
		pixman_image_set_filter(from, PIXMAN_FILTER_SEPARABLE_CONVOLUTION, filter, n);
		free(filter);
	}
	pixman_image_composite32(PIXMAN_OP_SRC, from, NULL, to, 0, 0, 0, 0, 0, 0,
		pixman_image_get_width(to), pixman_image_get_height(to));
}

pixman_image_t *icon_draw(const struct icon *icon, int size)
{
	struct buffer *buffer = best_image(icon, size);
	void *data;
	size_t stride;
	if (!buffer || buffer_begin_access(buffer, BUFFER_READ, &data, &stride) < 0) {
		return NULL;
	}
	pixman_image_t *from = pixman_image_create_bits(
		buffer->format == DRM_FORMAT_ARGB8888 ? PIXMAN_a8r8g8b8 : PIXMAN_x8r8g8b8,
		buffer->width, buffer->height, data, (int)stride);
	pixman_image_t *to = pixman_image_create_bits(PIXMAN_a8r8g8b8, size, size, NULL, 0);
	if (from && to) {
		scale_image(from, to, (double)buffer->width / size);
	}
	if (from) {
		pixman_image_unref(from);
	}
	buffer_end_access(buffer);
	return to;
}
