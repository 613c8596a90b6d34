/* SPDX-License-Identifier: MIT */
/* linux-dmabuf feedback received by a client. */

#include "harness/client/dmabuf_feedback.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void forget_table(struct feedback *feedback)
{
	if (feedback->table) {
		munmap((void *)feedback->table, feedback->table_size);
		close(feedback->table_fd);
		feedback->table = NULL;
	}
}

/* The first event of an update resets the previous one. */
static struct feedback *begin(void *data)
{
	struct feedback *feedback = data;
	if (feedback->done) {
		feedback->done = false;
		feedback->n_main = feedback->n_tables = 0;
		feedback->n_tranches = feedback->n_flags = feedback->n_sampled = 0;
		feedback->main_device = feedback->target_device = 0;
		feedback->flags = 0;
		feedback->n_indices = feedback->n_scan_out = 0;
		forget_table(feedback);
	}
	return feedback;
}

static dev_t device_of(const struct wl_array *array)
{
	dev_t device;
	assert_int_equal(array->size, sizeof(device));
	memcpy(&device, array->data, sizeof(device));
	return device;
}

static void handle_done(void *data, struct zwp_linux_dmabuf_feedback_v1 *proxy)
{
	struct feedback *feedback = begin(data);
	/* From version 6 on, clients choose their device. */
	bool chooses = zwp_linux_dmabuf_feedback_v1_get_version(proxy) >= 6;
	assert_int_equal(feedback->n_main, chooses ? 0 : 1);
	assert_true(chooses || feedback->target_device == feedback->main_device);
	assert_int_equal(feedback->n_tables, 1);
	feedback->done = true;
	feedback->n_done++;
}

static void handle_table(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *proxy, int32_t fd, uint32_t size)
{
	struct feedback *feedback = begin(data);
	assert_true(size > 0 && size % sizeof(struct feedback_pair) == 0);
	feedback->n_tables++;
	feedback->table_fd = fd;
	feedback->table_size = size;
	feedback->table = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(feedback->table != MAP_FAILED);
}

static void handle_main_device(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *proxy, struct wl_array *device)
{
	struct feedback *feedback = begin(data);
	feedback->n_main++;
	feedback->main_device = device_of(device);
}

static void handle_tranche_done(void *data, struct zwp_linux_dmabuf_feedback_v1 *proxy)
{
	struct feedback *feedback = begin(data);
	if (feedback->flags & ZWP_LINUX_DMABUF_FEEDBACK_V1_TRANCHE_FLAGS_SCANOUT) {
		assert_int_equal(feedback->n_tranches, 0); /* the preferred one comes first */
		feedback->n_scan_out = feedback->n_indices;
		memcpy(feedback->scan_out, feedback->indices, sizeof(feedback->scan_out));
		feedback->n_indices = 0;
	} else {
		int n = feedback->n_sampled++;
		assert_in_range(n, 0, 7);
		size_t first =
			n > 0 ? feedback->tranches[n - 1].first + feedback->tranches[n - 1].n : 0;
		feedback->tranches[n].device = feedback->target_device;
		feedback->tranches[n].flags = feedback->flags;
		feedback->tranches[n].first = first;
		feedback->tranches[n].n = feedback->n_indices - first;
	}
	feedback->n_tranches++;
}

int feedback_count(const struct feedback *feedback, dev_t device)
{
	for (int i = 0; i < feedback->n_sampled; i++) {
		if (feedback->tranches[i].device == device) {
			return (int)feedback->tranches[i].n;
		}
	}
	return -1;
}

static void handle_target_device(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *proxy, struct wl_array *device)
{
	begin(data)->target_device = device_of(device);
}

static void handle_tranche_formats(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *proxy, struct wl_array *indices)
{
	struct feedback *feedback = begin(data);
	const uint16_t *index;
	wl_array_for_each (index, indices) {
		assert_in_range(feedback->n_indices, 0, 8191);
		feedback->indices[feedback->n_indices++] = *index;
	}
}

static void handle_flags(void *data, struct zwp_linux_dmabuf_feedback_v1 *proxy, uint32_t flags)
{
	struct feedback *feedback = begin(data);
	feedback->n_flags++;
	feedback->flags = flags;
}

static const struct zwp_linux_dmabuf_feedback_v1_listener feedback_listener = {
	.done = handle_done,
	.format_table = handle_table,
	.main_device = handle_main_device,
	.tranche_done = handle_tranche_done,
	.tranche_target_device = handle_target_device,
	.tranche_formats = handle_tranche_formats,
	.tranche_flags = handle_flags,
};

struct feedback *feedback_create(
	struct peer *peer, struct zwp_linux_dmabuf_v1 *dmabuf, struct wl_surface *surface)
{
	struct feedback *feedback = xcalloc(1, sizeof(*feedback));
	feedback->peer = peer;
	feedback->proxy = surface ? zwp_linux_dmabuf_v1_get_surface_feedback(dmabuf, surface)
				  : zwp_linux_dmabuf_v1_get_default_feedback(dmabuf);
	zwp_linux_dmabuf_feedback_v1_add_listener(feedback->proxy, &feedback_listener, feedback);
	fixture_pump(peer->fixture);
	assert_true(feedback->n_done >= 1); /* again if a thread has just read formats of a GPU */
	return feedback;
}

void feedback_destroy(struct feedback *feedback)
{
	zwp_linux_dmabuf_feedback_v1_destroy(feedback->proxy);
	fixture_pump(feedback->peer->fixture);
	forget_table(feedback);
	free(feedback);
}

bool feedback_offers(const struct feedback *feedback, uint32_t format, uint64_t modifier)
{
	for (size_t i = 0; i < feedback->n_indices; i++) {
		const struct feedback_pair *pair = &feedback->table[feedback->indices[i]];
		assert_in_range(feedback->indices[i], 0,
			feedback->table_size / sizeof(struct feedback_pair) - 1);
		if (pair->format == format && pair->modifier == modifier) {
			return true;
		}
	}
	return false;
}
