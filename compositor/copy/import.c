/* SPDX-License-Identifier: MIT */
/* Imports of buffers into engines, cached for the lifetime of the buffer. */

#include "copy/gpu_engines.h"
#include "gpu/gbm.h"
#include "util/error.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>

/* An engine's import of a buffer, or its permanent refusal. */
struct import {
	struct addon addon; /* on the buffer; owner: a key of the instance */
	struct wl_list link; /* gpu_engines.imports */
	struct engine_instance *instance;
	struct copy_image *image; /* NULL: refused */
	int error; /* 0 with an image */
};

static void destroy(struct import *import)
{
	copy_image_drop(import->image);
	addon_finish(&import->addon);
	wl_list_remove(&import->link);
	free(import);
}

void engine_instance_drop_imports(
	struct gpu_engines *engines, const struct engine_instance *instance)
{
	struct import *import, *next;
	wl_list_for_each_safe (import, next, &engines->imports, link) {
		if (import->instance == instance) {
			destroy(import);
		}
	}
}

static void destroy_addon(struct addon *addon)
{
	struct import *import = wl_container_of(addon, import, addon);
	destroy(import);
}

static const struct addon_impl import_impl = {.name = "copy import", .destroy = destroy_addon};

int engine_instance_import(struct gpu_engines *engines, struct engine_instance *instance,
	struct buffer *buffer, enum copy_use use, struct copy_image **image)
{
	const char *key = use == COPY_SOURCE ? &instance->source_key : &instance->destination_key;
	struct addon *addon = addon_find(&buffer->addons, key, &import_impl);
	const struct dmabuf *dmabuf = buffer_dmabuf(buffer);
	struct import *import;
	int error;
	if (addon) {
		import = wl_container_of(addon, import, addon);
		*image = import->image;
		return import->error;
	}
	*image = NULL;
	error = dmabuf ? copy_engine_import(instance->engine, dmabuf, use, image) : -ENOTSUP;
	if (error_may_pass(error)) {
		return error;
	}
	import = xcalloc(1, sizeof(*import));
	import->instance = instance;
	import->image = *image;
	import->error = error;
	addon_init(&import->addon, &buffer->addons, key, &import_impl);
	wl_list_insert(&engines->imports, &import->link);
	return error;
}

int gpu_engines_import(
	struct gpu_engines *engines, int engine, struct buffer *buffer, enum copy_use use)
{
	struct engine_instance *instance = &engines->instances[engine];
	struct copy_image *image;
	return instance->engine ? engine_instance_import(engines, instance, buffer, use, &image)
				: -ENODEV;
}

int gpu_engines_allocate(struct gpu_engines *engines, int engine, int32_t width, int32_t height,
	uint32_t format, uint32_t alignment, struct dmabuf *out)
{
	struct copy_engine *open = engines->instances[engine].engine;
	return open && open->impl->allocate
		       ? open->impl->allocate(open, width, height, format, alignment, out)
		       : -ENOTSUP;
}

int gpu_engines_allocate_gbm(struct gpu_engines *engines, int engine, int32_t width, int32_t height,
	uint32_t format, uint32_t alignment, struct dmabuf *out)
{
	struct gpu *gpu = engine_instance_gpu(&engines->instances[engine]);
	return gpu ? gpu_allocate_linear(gpu, width, height, format, alignment, out) : -ENOTSUP;
}
