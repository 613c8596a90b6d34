/* SPDX-License-Identifier: MIT */
/* Buffers: lifetime by locks and the producer's reference, and calls of their methods. */

#include "buffer/buffer.h"
#include "gpu/format.h"
#include "util/account.h"
#include <assert.h>
#include <errno.h>

/** Charged for a buffer of any kind: itself, its addons, its object. */
#define BUFFER_BYTES 512

void buffer_init(struct buffer *buffer, const struct buffer_impl *impl, int32_t width,
	int32_t height, uint32_t format)
{
	assert(impl->destroy);
	assert((!impl->begin_access) == (!impl->end_access));
	*buffer = (struct buffer){
		.impl = impl,
		.width = width,
		.height = height,
		.format = format,
	};
	addon_set_init(&buffer->addons);
	signals_init(&buffer->events, sizeof(buffer->events));
}

void buffer_finish(struct buffer *buffer)
{
	assert(buffer->n_locks == 0 && buffer->dropped);
	addon_set_finish(&buffer->addons);
	signal_emit(&buffer->events.destroy, buffer);
	assert(signals_are_unused(&buffer->events, sizeof(buffer->events)));
	account_uncharge(buffer->account, ACCOUNT_DESCRIPTORS, buffer->n_descriptors);
	account_uncharge(buffer->account, ACCOUNT_BYTES, BUFFER_BYTES);
	account_unref(buffer->account);
}

void buffer_charge(struct buffer *buffer, struct account *account)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(buffer);
	assert(!buffer->account);
	buffer->account = account_ref(account);
	buffer->n_descriptors = dmabuf ? dmabuf->n_planes : 0;
	account_charge(account, ACCOUNT_BYTES, BUFFER_BYTES);
	account_charge(account, ACCOUNT_DESCRIPTORS, buffer->n_descriptors);
}

static void destroy_unused(struct buffer *buffer)
{
	if (buffer->dropped && buffer->n_locks == 0 && !buffer->releasing) {
		buffer->impl->destroy(buffer);
	}
}

void buffer_drop(struct buffer *buffer)
{
	if (!buffer) {
		return;
	}
	assert(!buffer->dropped);
	buffer->dropped = true;
	destroy_unused(buffer);
}

struct buffer *buffer_lock(struct buffer *buffer)
{
	if (buffer) {
		buffer->n_locks++;
	}
	return buffer;
}

void buffer_unlock(struct buffer *buffer)
{
	if (!buffer) {
		return;
	}
	assert(buffer->n_locks > 0);
	buffer->n_locks--;
	if (buffer->n_locks > 0) {
		return;
	}
	if (!buffer->dropped && !buffer->releasing) {
		/* A listener may drop the buffer, which then must outlive the signal. */
		buffer->releasing = true;
		signal_emit(&buffer->events.release, buffer);
		buffer->releasing = false;
	}
	buffer->unhurried = false;
	destroy_unused(buffer);
}

void buffer_unlock_unhurried(struct buffer *buffer)
{
	if (buffer) {
		/* Other lock holders decide how urgent the release is. */
		buffer->unhurried = buffer->n_locks == 1;
		buffer_unlock(buffer);
	}
}

void buffer_replace(struct buffer **slot, struct buffer *buffer)
{
	struct buffer *old = *slot;
	*slot = buffer_lock(buffer);
	buffer_unlock(old);
}

const struct dmabuf *buffer_dmabuf(struct buffer *buffer)
{
	return buffer->impl->dmabuf ? buffer->impl->dmabuf(buffer) : NULL;
}

int buffer_begin_access(struct buffer *buffer, unsigned access, void **data, size_t *stride)
{
	if (!buffer->impl->begin_access) {
		return -ENOTSUP;
	}
	return buffer->impl->begin_access(buffer, access, data, stride);
}

void buffer_will_write(struct buffer *buffer, const pixman_region32_t *region)
{
	if (buffer->impl->will_write) {
		buffer->impl->will_write(buffer, region);
	}
}

bool buffer_end_access(struct buffer *buffer)
{
	return buffer->impl->end_access(buffer);
}

bool buffer_color(struct buffer *buffer, float rgba[static 4])
{
	return buffer->impl->color && buffer->impl->color(buffer, rgba);
}

bool buffer_is_opaque(struct buffer *buffer)
{
	const struct pixel_format *format;
	float rgba[4];
	if (buffer_color(buffer, rgba)) {
		return rgba[3] >= 1.0f;
	}
	format = pixel_format_get(buffer->format);
	return format && !format->has_alpha;
}

bool buffer_planes(struct buffer *buffer, const void *data, size_t stride,
	struct buffer_plane planes[static BUFFER_PLANES_MAX])
{
	const struct pixel_format *format = pixel_format_get(buffer->format);
	const struct dmabuf *dmabuf = buffer_dmabuf(buffer);
	const uint8_t *start = data;
	size_t offset = 0;
	if (!format || (dmabuf && dmabuf->n_planes != format->n_planes)) {
		return false;
	}
	for (int i = 0; i < format->n_planes; i++) {
		/*
		 * Descriptions have offsets within the file; CPU access starts at the first plane.
		 */
		if (dmabuf && dmabuf->offset[i] < dmabuf->offset[0]) {
			return false;
		}
		planes[i].stride =
			dmabuf ? dmabuf->stride[i] : pixel_format_plane_stride(format, i, stride);
		planes[i].data = start + (dmabuf ? dmabuf->offset[i] - dmabuf->offset[0] : offset);
		offset += planes[i].stride *
			  (size_t)pixel_format_plane_height(format, i, buffer->height);
	}
	return true;
}
