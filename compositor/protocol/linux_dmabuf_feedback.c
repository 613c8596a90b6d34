/*
 * Feedback of linux-dmabuf-v1: the device to render on, and tables of formats and layouts in order
 * of preference. Objects made for a surface are kept, so that they can be sent anew.
 */

#include "linux-dmabuf-v1-protocol.h"
#include "linux_dmabuf.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Indices are of 16 bits. */
#define MAX_PAIRS (UINT16_MAX + 1)
/* Of one event: a message of the wire protocol holds no more than 4096 bytes. */
#define INDICES_PER_EVENT 1024

/* As the protocol lays it out. */
struct table_pair {
	uint32_t format;
	uint32_t padding;
	uint64_t modifier;
};

_Static_assert(sizeof(struct table_pair) == 16, "a pair of the format table");

struct dmabuf_feedback {
	struct wl_list link; /* linux_dmabuf.feedbacks */
	struct linux_dmabuf *dmabuf;
	struct wl_resource *resource;
	struct surface *surface; /* NULL: the default feedback, or its surface is gone */
	struct wl_listener surface_destroy;
};

static size_t count_pairs(const struct format_set *formats)
{
	size_t n = 0;
	for (size_t i = 0; i < formats->n_formats; i++) {
		n += formats->formats[i].n_modifiers;
	}
	return n < MAX_PAIRS ? n : MAX_PAIRS;
}

static void fill_table(struct table_pair *table, size_t n, const struct format_set *formats)
{
	size_t next = 0;
	for (size_t i = 0; i < formats->n_formats; i++) {
		const struct format_modifiers *entry = &formats->formats[i];
		for (size_t m = 0; m < entry->n_modifiers && next < n; m++) {
			table[next++] = (struct table_pair){
				.format = entry->format, .modifier = entry->modifiers[m]};
		}
	}
}

static bool write_all(int fd, const void *data, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = pwrite(fd, (const char *)data + done, size - done, (off_t)done);
		if (n < 0 && errno != EINTR) {
			return false;
		}
		done += n > 0 ? (size_t)n : 0;
	}
	return true;
}

bool dmabuf_feedback_init(struct linux_dmabuf *dmabuf)
{
	size_t n = count_pairs(&dmabuf->formats);
	size_t size = n * sizeof(struct table_pair);
	struct table_pair *table = xcalloc(n, sizeof(*table));
	fill_table(table, n, &dmabuf->formats);
	/* All clients share it: none may write. */
	int fd = fd_create_memory("causeway-dmabuf-formats", (off_t)size, false);
	bool done = fd >= 0 && write_all(fd, table, size) &&
		    fcntl(fd, F_ADD_SEALS,
			    F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0;
	free(table);
	if (!done) {
		log_error("no dma-buf feedback: the format table cannot be shared: %s",
			strerror(fd < 0 ? -fd : errno));
		fd_close(&fd);
		return false;
	}
	dmabuf->table_fd = fd;
	dmabuf->table_size = (uint32_t)size;
	return true;
}

/* All pairs are of the one tranche, so its indices are all there are. */
static void send_indices(const struct dmabuf_feedback *feedback)
{
	uint16_t indices[INDICES_PER_EVENT];
	size_t n = feedback->dmabuf->table_size / sizeof(struct table_pair);
	for (size_t first = 0; first < n; first += INDICES_PER_EVENT) {
		size_t count = n - first < INDICES_PER_EVENT ? n - first : INDICES_PER_EVENT;
		for (size_t i = 0; i < count; i++) {
			indices[i] = (uint16_t)(first + i);
		}
		struct wl_array array = {
			.size = count * sizeof(indices[0]),
			.alloc = sizeof(indices),
			.data = indices,
		};
		zwp_linux_dmabuf_feedback_v1_send_tranche_formats(feedback->resource, &array);
	}
}

static void send(const struct dmabuf_feedback *feedback)
{
	const struct linux_dmabuf *dmabuf = feedback->dmabuf;
	struct wl_resource *resource = feedback->resource;
	dev_t device = gpu_dev(dmabuf->gpu);
	struct wl_array array = {.size = sizeof(device), .alloc = sizeof(device), .data = &device};
	zwp_linux_dmabuf_feedback_v1_send_main_device(resource, &array);
	zwp_linux_dmabuf_feedback_v1_send_format_table(
		resource, dmabuf->table_fd, dmabuf->table_size);
	zwp_linux_dmabuf_feedback_v1_send_tranche_target_device(resource, &array);
	zwp_linux_dmabuf_feedback_v1_send_tranche_flags(resource, 0);
	send_indices(feedback);
	zwp_linux_dmabuf_feedback_v1_send_tranche_done(resource);
	zwp_linux_dmabuf_feedback_v1_send_done(resource);
}

static void handle_destroy_request(struct wl_client *client, struct wl_resource *resource)
{
	wl_resource_destroy(resource);
}

static const struct zwp_linux_dmabuf_feedback_v1_interface feedback_impl = {
	.destroy = handle_destroy_request,
};

static void forget_surface(struct dmabuf_feedback *feedback)
{
	if (feedback->surface) {
		wl_list_remove(&feedback->surface_destroy.link);
		feedback->surface = NULL;
	}
}

static void handle_surface_destroy(struct wl_listener *listener, void *data)
{
	struct dmabuf_feedback *feedback = wl_container_of(listener, feedback, surface_destroy);
	forget_surface(feedback);
}

static void handle_resource_destroy(struct wl_resource *resource)
{
	struct dmabuf_feedback *feedback = wl_resource_get_user_data(resource);
	forget_surface(feedback);
	wl_list_remove(&feedback->link);
	free(feedback);
}

void dmabuf_feedback_create(struct linux_dmabuf *dmabuf, struct wl_resource *parent, uint32_t id,
	struct surface *surface)
{
	struct wl_resource *resource = wl_resource_create(wl_resource_get_client(parent),
		&zwp_linux_dmabuf_feedback_v1_interface, wl_resource_get_version(parent), id);
	if (!resource) {
		wl_resource_post_no_memory(parent);
		return;
	}
	struct dmabuf_feedback *feedback = xcalloc(1, sizeof(*feedback));
	feedback->dmabuf = dmabuf;
	feedback->resource = resource;
	feedback->surface = surface;
	if (surface) {
		feedback->surface_destroy.notify = handle_surface_destroy;
		wl_signal_add(&surface->events.destroy, &feedback->surface_destroy);
	}
	wl_list_insert(&dmabuf->feedbacks, &feedback->link);
	wl_resource_set_implementation(resource, &feedback_impl, feedback, handle_resource_destroy);
	send(feedback);
}
