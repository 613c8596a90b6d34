/* SPDX-License-Identifier: MIT */
/* Pixel memory of contents, charged to the client: textures, shadow copies, staging rings. */

#include "buffer/shm.h"
#include "content/device.h"
#include "internal.h"
#include "util/account.h"

/* A client's pixels are not copied for its only buffer beyond 1/STORE_ROOM of its limit. */
#define STORE_ROOM 2

/* Bytes of a pixel of YUV, which renderers convert to RGB while they upload it. */
#define CONVERTED_BYTES 4

int64_t content_upload_bytes(uint32_t format, int64_t pixels)
{
	const struct pixel_format *info = pixel_format_get(format);
	return pixels * (info->yuv ? CONVERTED_BYTES : pixel_format_pixel_bytes(info));
}

static int64_t image_bytes(int32_t width, int32_t height, uint32_t format)
{
	return content_upload_bytes(format, (int64_t)width * height);
}

/* Returns the bytes of the copies that the content holds of the surface's pixels. */
static int64_t held_bytes(const struct content *content)
{
	const struct texture *texture = content->texture;
	const struct buffer *shadow = content->shadow;
	int64_t bytes = 0;
	if (texture && content->uploaded) {
		bytes += image_bytes(texture->width, texture->height, content->uploaded);
	}
	if (shadow) {
		bytes += image_bytes(shadow->width, shadow->height, shadow->format);
	}
	if (content->source && content->source->bytes) {
		bytes += content->source->bytes(content);
	}
	return bytes + content->next.bytes;
}

int64_t content_image_bytes(const struct buffer *buffer)
{
	return (int64_t)buffer->width * buffer->height *
	       pixel_format_pixel_bytes(pixel_format_get(buffer->format));
}

bool content_may_store(const struct account *account, int64_t bytes)
{
	return !account || account->used[ACCOUNT_PIXELS] + bytes <
				   account->ledger->account_limit[ACCOUNT_PIXELS] / STORE_ROOM;
}

void content_charge(struct content *content)
{
	int64_t bytes = held_bytes(content);
	account_uncharge(content->account, ACCOUNT_PIXELS, content->charged);
	account_charge(content->account, ACCOUNT_PIXELS, bytes);
	content->charged = bytes;
}

bool content_has_room(const struct content *content, const struct buffer *buffer)
{
	if (!buffer_is_shm(buffer) || content->device->renderer->cpu) {
		return true; /* read in place */
	}
	int64_t bytes = image_bytes(buffer->width, buffer->height, buffer->format);
	bool room = account_charge(content->account, ACCOUNT_PIXELS, bytes);
	account_uncharge(content->account, ACCOUNT_PIXELS, bytes);
	return room;
}
