/* SPDX-License-Identifier: MIT */
/* Textures of the GLES renderer: an import, an upload, or a colour. */

#include "buffer/dmabuf_buffer.h"
#include "render/gles/gles_renderer.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

static struct gles_texture *from_base(struct texture *base)
{
	struct gles_texture *texture = wl_container_of(base, texture, base);
	return texture;
}

static void set_import(struct gles_texture *texture, struct gles_import *import)
{
	if (texture->import == import) {
		return;
	}
	if (texture->import) {
		wl_list_remove(&texture->import_link);
	}
	if (import) {
		wl_list_insert(&import->textures, &texture->import_link);
	}
	texture->import = import;
}

void gles_texture_destroy(struct texture *base)
{
	struct gles_texture *texture = from_base(base);
	struct gles_renderer *renderer = wl_container_of(base->renderer, renderer, base);
	if (gles_enter(renderer)) {
		gles_flush_passes(renderer);
		gles_image_finish(renderer, &texture->upload);
	}
	set_import(texture, NULL);
	free(texture);
}

static void become(struct gles_texture *texture, int kind, const struct buffer *buffer)
{
	texture->kind = kind;
	texture->format = buffer->format;
	texture->base.width = buffer->width;
	texture->base.height = buffer->height;
}

static bool update(struct gles_renderer *renderer, struct gles_texture *texture,
	struct buffer *buffer, const pixman_region32_t *damage, bool *holds)
{
	float color[4];
	struct gles_import *import = NULL;
	if (buffer_color(buffer, color)) {
		memcpy(texture->color, color, sizeof(color));
		become(texture, GLES_TEXTURE_COLOR, buffer);
	} else if ((import = gles_import_get(renderer, buffer))) {
		become(texture, GLES_TEXTURE_IMPORT, buffer);
		*holds = true;
	} else {
		/* A client's dma-buf that cannot be imported is not read by the CPU. */
		return !buffer_is_client_dmabuf(buffer) &&
		       renderer_takes_shm(&renderer->base, buffer->format) &&
		       gles_texture_upload(renderer, texture, buffer, damage);
	}
	gles_image_finish(renderer, &texture->upload);
	set_import(texture, import);
	return true;
}

struct gles_texture *gles_texture_from_slot(struct renderer *base, struct texture **slot)
{
	if (*slot) {
		return from_base(*slot);
	}
	struct gles_texture *texture = xcalloc(1, sizeof(*texture));
	texture->base.renderer = base;
	return texture;
}

void gles_texture_store(struct gles_texture *texture, struct texture **slot, bool updated)
{
	if (!updated && !*slot) {
		free(texture);
		return;
	}
	if (updated && texture->kind == GLES_TEXTURE_UPLOAD) {
		set_import(texture, NULL);
	}
	*slot = &texture->base;
}

bool gles_texture_update(struct renderer *base, struct texture **slot, struct buffer *buffer,
	const pixman_region32_t *damage, bool *holds)
{
	struct gles_renderer *renderer = wl_container_of(base, renderer, base);
	*holds = false;
	if (!gles_enter(renderer)) {
		return false;
	}
	if (*slot) {
		gles_flush_passes(renderer);
	}
	struct gles_texture *texture = gles_texture_from_slot(base, slot);
	bool updated = update(renderer, texture, buffer, damage, holds);
	gles_texture_store(texture, slot, updated);
	if (!updated) {
		gles_check_lost(renderer);
	}
	return updated;
}
