/* SPDX-License-Identifier: MIT */
/*
 * Parameters of linux-dmabuf-v1: planes are collected, checked, imported, and become a wl_buffer.
 */

#include "buffer/color.h"
#include "gpu/gpu.h"
#include "linux-dmabuf-v1-protocol.h"
#include "linux_dmabuf.h"
#include "protocol/client/client_fd.h"
#include "util/account.h"
#include "util/fd.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

struct dmabuf_params {
	struct linux_dmabuf *dmabuf;
	struct wl_resource *resource;
	struct account *account; /* charged for each descriptor in `planes` */
	struct dmabuf planes; /* n_planes and size are unknown until create */
	struct gpu *sampling; /* the device named by the client; NULL: none */
	bool unknown_device; /* the client named a device that does not exist */
	bool used;
	bool foreign; /* a descriptor is not a dma-buf: its placeholder is in `planes` */
};

enum verdict {
	VERDICT_GOOD,
	VERDICT_CANNOT, /* reported by the failed event, or an error if a buffer exists already */
	VERDICT_GONE, /* the same by the event only: a GPU was removed, or cannot import it */
	VERDICT_ERROR, /* a protocol error was posted */
};

static bool any_plane(const struct dmabuf *planes)
{
	for (int i = 0; i < DMABUF_PLANES_MAX; i++) {
		if (planes->fd[i] >= 0) {
			return true;
		}
	}
	return false;
}

static void uncharge_planes(const struct dmabuf_params *params)
{
	for (int i = 0; i < DMABUF_PLANES_MAX; i++) {
		account_uncharge(params->account, ACCOUNT_DESCRIPTORS, params->planes.fd[i] >= 0);
	}
}

static bool check_plane(struct dmabuf_params *params, uint32_t plane, uint64_t modifier)
{
	struct wl_resource *resource = params->resource;
	if (params->used) {
		wl_resource_post_error(resource, ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_ALREADY_USED,
			"the parameters were already used to create a wl_buffer");
	} else if (plane >= DMABUF_PLANES_MAX) {
		wl_resource_post_error(resource, ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_PLANE_IDX,
			"invalid plane index %u: there are at most %d planes", plane,
			DMABUF_PLANES_MAX);
	} else if (params->planes.fd[plane] >= 0) {
		wl_resource_post_error(resource, ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_PLANE_SET,
			"plane %u is already set", plane);
	} else if (any_plane(&params->planes) && params->planes.modifier != modifier) {
		wl_resource_post_error(resource, ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_INVALID_FORMAT,
			"the modifier of plane %u differs from that of earlier planes", plane);
	} else {
		return true;
	}
	return false;
}

static void handle_add(struct wl_client *client, struct wl_resource *resource, int32_t fd,
	uint32_t plane, uint32_t offset, uint32_t stride, uint32_t modifier_hi,
	uint32_t modifier_lo)
{
	struct dmabuf_params *params = wl_resource_get_user_data(resource);
	uint64_t modifier = (uint64_t)modifier_hi << 32 | modifier_lo;
	if (!check_plane(params, plane, modifier)) {
		client_fd_close(client, fd);
		return;
	}
	if (!fd_is_dmabuf(fd) && !fd_is_memory(fd)) {
		params->foreign = true;
		client_fd_close(client, fd);
		fd = fd_reserve();
		if (fd < 0) {
			wl_resource_post_no_memory(resource);
			return;
		}
	}
	params->planes.modifier = modifier;
	params->planes.fd[plane] = fd;
	account_charge(params->account, ACCOUNT_DESCRIPTORS, 1);
	params->planes.offset[plane] = offset;
	params->planes.stride[plane] = stride;
}

static enum verdict check_planes(
	struct dmabuf_params *params, struct dmabuf *dmabuf, const struct pixel_format *format)
{
	int n = 0;
	while (n < DMABUF_PLANES_MAX && dmabuf->fd[n] >= 0) {
		n++;
	}
	bool complete = n >= format->n_planes;
	complete &= n == format->n_planes || !dmabuf_has_plain_layout(dmabuf);
	for (int i = n; i < DMABUF_PLANES_MAX; i++) {
		complete &= dmabuf->fd[i] < 0;
	}
	if (!complete) {
		wl_resource_post_error(params->resource,
			ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_INCOMPLETE,
			"wrong number of planes: the format has %d", format->n_planes);
		return VERDICT_ERROR;
	}
	dmabuf->n_planes = n;
	return VERDICT_GOOD;
}

static bool has(struct dmabuf_params *params, struct gpu *gpu, const struct dmabuf *dmabuf)
{
	const struct dmabuf_device *device = dmabuf_device_get(params->dmabuf, gpu);
	return format_set_has(&device->formats, dmabuf->format, dmabuf->modifier) ||
	       format_set_has(&device->announced_ever, dmabuf->format, dmabuf->modifier);
}

/*
 * Returns true if the pair was announced to the client, or would be after it follows a change of
 * the rules.
 */
static bool is_announced(struct dmabuf_params *params, const struct dmabuf *dmabuf)
{
	const struct client *client = client_from_wl(wl_resource_get_client(params->resource));
	if (params->sampling) {
		return has(params, params->sampling, dmabuf);
	}
	return has(params, client->gpu, dmabuf) ||
	       (client->next_gpu != client->gpu && has(params, client->next_gpu, dmabuf));
}

/* Returns true if the client named a GPU other than its own. */
static bool is_other_device(const struct dmabuf_params *params)
{
	const struct client *client = client_from_wl(wl_resource_get_client(params->resource));
	return params->sampling && params->sampling != client->gpu &&
	       params->sampling != client->next_gpu;
}

static enum verdict check_format(struct dmabuf_params *params, const struct dmabuf *dmabuf)
{
	/* Tranches may have changed, so this is no error. */
	if (params->unknown_device) {
		return VERDICT_GONE;
	}
	if (is_other_device(params)) {
		return dmabuf_devices_accept(params->dmabuf, params->sampling, dmabuf)
			       ? VERDICT_GOOD
			       : VERDICT_GONE;
	}
	if (is_announced(params, dmabuf)) {
		return VERDICT_GOOD;
	}
	if (dmabuf_devices_announced_before(params->dmabuf, dmabuf)) {
		return VERDICT_GONE;
	}
	struct wl_client *client = wl_resource_get_client(params->resource);
	const struct format_set *formats =
		&dmabuf_device_get(params->dmabuf, client_from_wl(client)->gpu)->formats;
	/* Older clients got formats without modifiers, or none at all. */
	bool has_feedback = wl_resource_get_version(params->resource) >=
			    ZWP_LINUX_DMABUF_V1_GET_DEFAULT_FEEDBACK_SINCE_VERSION;
	if (!has_feedback && format_set_get(formats, dmabuf->format)) {
		return VERDICT_CANNOT;
	}
	char name[5];
	wl_resource_post_error(params->resource, ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_INVALID_FORMAT,
		"format %s with modifier 0x%016llx was not advertised%s",
		pixel_format_name(dmabuf->format, name), (unsigned long long)dmabuf->modifier,
		modifier_is_compressed(dmabuf->modifier)
			? ": it is compressed, which copies between GPUs cannot read"
			: "");
	return VERDICT_ERROR;
}

static enum verdict check_bounds(struct dmabuf_params *params, const struct dmabuf *dmabuf,
	const struct pixel_format *format)
{
	bool usable = true;
	if (params->foreign) {
		return VERDICT_CANNOT;
	}
	char *wrong = dmabuf_check_bounds(dmabuf, format, &usable);
	if (wrong) {
		wl_resource_post_error(params->resource,
			ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_OUT_OF_BOUNDS, "%s", wrong);
		free(wrong);
		return VERDICT_ERROR;
	}
	return usable ? VERDICT_GOOD : VERDICT_CANNOT;
}

static enum verdict check(struct dmabuf_params *params, struct dmabuf *dmabuf, uint32_t flags)
{
	if (dmabuf->width <= 0 || dmabuf->height <= 0) {
		wl_resource_post_error(params->resource,
			ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_INVALID_DIMENSIONS, "invalid size %dx%d",
			dmabuf->width, dmabuf->height);
		return VERDICT_ERROR;
	}
	if (dmabuf->fd[0] < 0) {
		wl_resource_post_error(params->resource,
			ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_INCOMPLETE, "plane 0 is missing");
		return VERDICT_ERROR;
	}
	enum verdict verdict = check_format(params, dmabuf);
	const struct pixel_format *format = pixel_format_get(dmabuf->format);
	if (verdict != VERDICT_ERROR && !format) {
		verdict = VERDICT_CANNOT;
	}
	if (format && verdict != VERDICT_ERROR) {
		enum verdict planes = check_planes(params, dmabuf, format);
		enum verdict bounds = planes == VERDICT_GOOD ? check_bounds(params, dmabuf, format)
							     : VERDICT_ERROR;
		verdict = bounds == VERDICT_GOOD ? verdict : bounds;
	}
	/* Inverted and interlaced buffers are not supported. */
	return verdict == VERDICT_GOOD && flags != 0 ? VERDICT_CANNOT : verdict;
}

static void fail(struct dmabuf_params *params, uint32_t buffer_id)
{
	if (buffer_id == 0) {
		zwp_linux_buffer_params_v1_send_failed(params->resource);
	} else {
		wl_resource_post_error(params->resource,
			ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_INVALID_WL_BUFFER,
			"cannot import the dma-bufs");
	}
}

/* Creates the buffer. `buffer_id` 0: the server allocates the ID and sends created. */
static void create(struct dmabuf_params *params, uint32_t buffer_id, int32_t width, int32_t height,
	uint32_t format, uint32_t flags)
{
	if (params->used) {
		wl_resource_post_error(params->resource,
			ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_ALREADY_USED,
			"the parameters were already used to create a wl_buffer");
		return;
	}
	params->used = true;
	uncharge_planes(params);
	struct dmabuf dmabuf = params->planes;
	dmabuf_init(&params->planes);
	dmabuf.width = width;
	dmabuf.height = height;
	dmabuf.format = format;
	enum verdict verdict = check(params, &dmabuf, flags);
	struct wl_client *client = wl_resource_get_client(params->resource);
	struct buffer *buffer = NULL;
	if (verdict == VERDICT_GOOD) {
		buffer = dmabuf_import(params->dmabuf, client, params->sampling, &dmabuf);
		verdict = buffer ? verdict : VERDICT_GONE;
	}
	dmabuf_finish(&dmabuf); /* descriptors that the buffer did not take over */
	if (!buffer && verdict == VERDICT_GONE && buffer_id != 0) {
		buffer = color_buffer_create_placeholder(width, height);
		zwp_linux_buffer_params_v1_send_failed(params->resource);
	}
	if (!buffer) {
		if (verdict != VERDICT_ERROR) {
			fail(params, buffer_id);
		}
		return;
	}
	struct wl_resource *resource = buffer_resource_create(client, buffer_id, buffer);
	if (resource && buffer_id == 0) {
		zwp_linux_buffer_params_v1_send_created(params->resource, resource);
	}
}

static void handle_create(struct wl_client *client, struct wl_resource *resource, int32_t width,
	int32_t height, uint32_t format, uint32_t flags)
{
	create(wl_resource_get_user_data(resource), 0, width, height, format, flags);
}

static void handle_create_immed(struct wl_client *client, struct wl_resource *resource, uint32_t id,
	int32_t width, int32_t height, uint32_t format, uint32_t flags)
{
	create(wl_resource_get_user_data(resource), id, width, height, format, flags);
}

static void handle_set_sampling_device(
	struct wl_client *client, struct wl_resource *resource, struct wl_array *device)
{
	struct dmabuf_params *params = wl_resource_get_user_data(resource);
	dev_t dev;
	if (params->used) {
		wl_resource_post_error(resource, ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_ALREADY_USED,
			"the parameters were already used to create a wl_buffer");
		return;
	}
	if (device->size != sizeof(dev)) {
		wl_resource_post_error(resource,
			ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_INVALID_DEV_T_SIZE,
			"invalid device number of %zu bytes: dev_t has %zu", device->size,
			sizeof(dev));
		return;
	}
	memcpy(&dev, device->data, sizeof(dev));
	params->sampling = gpu_list_find(params->dmabuf->server->gpus, dev);
	params->unknown_device = !params->sampling;
}

static const struct zwp_linux_buffer_params_v1_interface params_impl = {
	.destroy = resource_handle_destroy,
	.add = handle_add,
	.create = handle_create,
	.create_immed = handle_create_immed,
	.set_sampling_device = handle_set_sampling_device,
};

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct dmabuf_params *params = wl_resource_get_user_data(resource);
	uncharge_planes(params);
	dmabuf_finish(&params->planes);
	free(params);
}

void dmabuf_params_create(struct linux_dmabuf *dmabuf, struct wl_resource *parent, uint32_t id)
{
	struct dmabuf_params *params = xcalloc(1, sizeof(*params));
	struct wl_resource *resource =
		resource_create_child(parent, &zwp_linux_buffer_params_v1_interface, id,
			&params_impl, params, handle_resource_destroy);
	if (!resource) {
		return;
	}
	params->dmabuf = dmabuf;
	params->resource = resource;
	params->account = client_from_wl(wl_resource_get_client(resource))->account;
	dmabuf_init(&params->planes);
}
