/* Imports: the buffers that the engines of a GPU have, for as long as those live. */

#include "copy/device.h"
#include "copy/memory.h"
#include "util/error.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>

/* An import of a buffer by one engine, or the knowledge that it refuses it and always will. */
struct picture {
	struct addon addon; /* on the buffer; owner: a key of the slot */
	struct wl_list link; /* copy_device.pictures */
	struct copy_slot *slot;
	struct copy_image *image; /* NULL: refused */
	int error; /* 0 with an image */
};

static void destroy(struct picture *picture)
{
	copy_image_drop(picture->image);
	addon_finish(&picture->addon);
	wl_list_remove(&picture->link);
	free(picture);
}

void copy_slot_forget(struct copy_device *device, const struct copy_slot *slot)
{
	struct picture *picture, *next;

	wl_list_for_each_safe (picture, next, &device->pictures, link) {
		if (picture->slot == slot) {
			destroy(picture);
		}
	}
}

static void destroy_addon(struct addon *addon)
{
	struct picture *picture = wl_container_of(addon, picture, addon);

	destroy(picture);
}

static const struct addon_impl picture_impl = {.name = "copy picture", .destroy = destroy_addon};

int copy_slot_import(struct copy_device *device, struct copy_slot *slot, struct buffer *buffer,
	enum copy_use use, struct copy_image **image)
{
	const char *key = use == COPY_SOURCE ? &slot->source_key : &slot->destination_key;
	struct addon *addon = addon_find(&buffer->addons, key, &picture_impl);
	const struct dmabuf *dmabuf = buffer_dmabuf(buffer);
	struct picture *picture;
	int error;

	if (addon) {
		picture = wl_container_of(addon, picture, addon);
		*image = picture->image;
		return picture->error;
	}
	*image = NULL;
	error = dmabuf ? copy_engine_import(slot->engine, dmabuf, use, image) : -ENOTSUP;
	if (error_may_pass(error)) {
		return error;
	}
	picture = xcalloc(1, sizeof(*picture));
	picture->slot = slot;
	picture->image = *image;
	picture->error = error;
	addon_init(&picture->addon, &buffer->addons, key, &picture_impl);
	wl_list_insert(&device->pictures, &picture->link);
	return error;
}

int copy_device_import(
	struct copy_device *device, int engine, struct buffer *buffer, enum copy_use use)
{
	struct copy_slot *slot = &device->slots[engine];
	struct copy_image *image;

	return slot->engine ? copy_slot_import(device, slot, buffer, use, &image) : -ENODEV;
}

struct buffer *copy_device_allocate(struct copy_device *device, int engine, int32_t width,
	int32_t height, uint32_t format, uint32_t alignment)
{
	struct copy_engine *open = device->slots[engine].engine;
	struct dmabuf dmabuf;
	int error = open && open->impl->allocate
			    ? open->impl->allocate(open, width, height, format, alignment, &dmabuf)
			    : -ENOTSUP;

	if (error < 0) {
		errno = -error;
		return NULL;
	}
	return copy_memory_create(&dmabuf);
}
