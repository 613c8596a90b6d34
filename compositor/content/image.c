/* SPDX-License-Identifier: MIT */
/* Textures of the compositor's own images, such as title bars and wallpapers. */

#include "content/device.h"
#include "internal.h"
#include "util/xalloc.h"
#include <stdlib.h>

struct content_image {
	struct addon addon; /* on the buffer, owner: the device */
	struct wl_list link; /* content_device.images */
	struct texture *texture;
};

static void image_destroy(struct content_image *image)
{
	addon_finish(&image->addon);
	wl_list_remove(&image->link);
	texture_destroy(image->texture);
	free(image);
}

static void destroy_image_addon(struct addon *addon)
{
	struct content_image *image = wl_container_of(addon, image, addon);
	image_destroy(image);
}

static const struct addon_impl image_impl = {.name = "image", .destroy = destroy_image_addon};

struct texture *content_image(struct render_device *device, struct buffer *buffer)
{
	struct addon *addon = addon_find(&buffer->addons, device, &image_impl);
	if (addon) {
		struct content_image *found = wl_container_of(addon, found, addon);
		return found->texture;
	}
	struct texture *texture = NULL;
	bool holds;
	if (!renderer_texture_update(device->renderer, &texture, buffer, NULL, &holds)) {
		return NULL;
	}
	struct content_image *image = xcalloc(1, sizeof(*image));
	image->texture = texture;
	addon_init(&image->addon, &buffer->addons, device, &image_impl);
	wl_list_insert(&content_device_from(device)->images, &image->link);
	content_retry_end(&content_device_from(device)->images_retry);
	return texture;
}

void content_images_finish(struct render_device *device)
{
	struct content_device *self = content_device_from(device);
	struct content_image *image, *next;
	wl_list_for_each_safe (image, next, &self->images, link) {
		image_destroy(image);
	}
	content_retry_end(&self->images_retry);
}

static bool has_image(const struct render_device *device, const struct buffer *buffer)
{
	return addon_find(&buffer->addons, device, &image_impl);
}

/* Images without texture that are seen are drawn again, and with that imported. */
static void damage_images(struct render_device *device, const struct scene_output *output)
{
	for (int i = 0; i < output->n_entries; i++) {
		struct scene_node *node = output->entries[i].node;
		if (node && node->type == SCENE_IMAGE) {
			struct scene_image *image = wl_container_of(node, image, node);
			if (!has_image(device, image->buffer)) {
				scene_image_set_drawn(image, image->buffer, image->width,
					image->height, image->scale);
			}
		}
	}
}

static void handle_images(struct timer *timer, int64_t now)
{
	struct content_device *device = wl_container_of(timer, device, images_retry.timer);
	const struct scene *scene = device->images_scene;
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		if (device->base.outputs & 1u << i && scene->outputs[i]) {
			damage_images(&device->base, scene->outputs[i]);
		}
	}
}

void content_retry_images(struct render_device *device, const struct scene *scene)
{
	struct content_device *self = content_device_from(device);
	self->images_scene = scene;
	content_retry_arm(&self->images_retry, device->clock, handle_images);
}
