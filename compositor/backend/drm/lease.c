/* SPDX-License-Identifier: MIT */
/* DRM leases: another program drives outputs through a descriptor of its own. */

#include "backend/lease.h"
#include "backend/session.h"
#include "crtc.h"
#include "drm.h"
#include "gpu/gpu.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* A connector, a CRTC and its planes. */
#define OBJECTS_MAX (2 + OUTPUT_PLANES_MAX)

uint32_t drm_output_connector(const struct output *output)
{
	return drm_output_from_base((struct output *)output)->connector;
}

static size_t add_objects(const struct drm_output *output, uint32_t *objects)
{
	size_t n = 0;
	objects[n++] = output->connector;
	objects[n++] = output->crtc->id;
	for (int i = 0; i < output->base.n_planes; i++) {
		objects[n++] = drm_plane_from_base(output->base.planes[i])->id;
	}
	return n;
}

static bool can_lend(const struct output *output, const struct drm_card *card)
{
	return output_is_drm(output) &&
	       drm_output_from_base((struct output *)output)->card == card && !output->leased &&
	       !output->enabled && !output->asleep &&
	       !drm_output_from_base((struct output *)output)->due;
}

static bool can_lend_all(struct output *const *outputs, size_t n, const struct drm_card *card)
{
	bool can = true;
	for (size_t i = 0; i < n; i++) {
		can = can && can_lend(outputs[i], card);
	}
	return can;
}

static bool take_crtcs(struct drm_card *card, struct output *const *outputs, size_t n)
{
	struct output_change *changes = xcalloc(n, sizeof(*changes));
	struct output_state on;
	output_state_init(&on);
	on.fields = OUTPUT_ENABLED;
	on.enabled = true;
	for (size_t i = 0; i < n; i++) {
		changes[i] = (struct output_change){outputs[i], &on};
	}
	bool done = drm_outputs_take_crtcs(card, changes, n);
	free(changes);
	return done;
}

static void lend(struct drm_lease *lease, struct output *const *outputs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		drm_output_from_base(outputs[i])->lease = lease;
		outputs[i]->leased = true;
		log_info("%s is leased to another program", outputs[i]->name);
	}
	for (size_t i = 0; i < n && lease->card; i++) {
		signal_emit(&outputs[i]->events.changed, NULL);
	}
}

struct drm_lease *drm_lease_create(struct output *const *outputs, size_t n, int *fd)
{
	if (n == 0 || !output_is_drm(outputs[0])) {
		return NULL;
	}
	struct drm_card *card = drm_output_from_base(outputs[0])->card;
	uint32_t *objects = xcalloc(n * OBJECTS_MAX, sizeof(*objects));
	size_t n_objects = 0;
	struct drm_lease *lease = NULL;
	if (!can_lend_all(outputs, n, card)) {
		goto free_objects;
	}
	if (!take_crtcs(card, outputs, n)) {
		log_warn("%s cannot be leased: no free CRTC", outputs[0]->name);
		goto free_objects;
	}
	for (size_t i = 0; i < n; i++) {
		n_objects += add_objects(drm_output_from_base(outputs[i]), objects + n_objects);
	}
	uint32_t lessee;
	*fd = drmModeCreateLease(card->fd, objects, (int)n_objects, O_CLOEXEC, &lessee);
	if (*fd < 0) {
		log_warn("%s cannot be leased: %s", outputs[0]->name, strerror(-*fd));
		goto free_objects;
	}
	lease = xcalloc(1, sizeof(*lease));
	lease->card = card;
	lease->lessee = lessee;
	wl_signal_init(&lease->events.ended);
	wl_list_insert(&card->leases, &lease->link);
	lend(lease, outputs, n);
	if (!lease->card) {
		/* The listener destroyed the lease. */
		free(lease);
		fd_close(fd);
		lease = NULL;
	}
free_objects:
	free(objects);
	return lease;
}

static void take_back(struct drm_output *output)
{
	output->lease = NULL;
	output->base.leased = false;
	output->returned = true;
	log_info("lease of %s ended", output->base.name);
}

/* Listeners may destroy outputs. */
static void announce_returned(struct drm_card *card)
{
	struct drm_output *output;
	bool any = true;
	while (any) {
		any = false;
		wl_list_for_each (output, &card->outputs, link) {
			if (output->returned) {
				output->returned = false;
				signal_emit(&output->base.events.changed, NULL);
				any = true;
				break;
			}
		}
	}
}

/*
 * While the session is inactive, the kernel refuses to revoke leases, and the lessee cannot use
 * them: see drm_leases_revoke().
 */
static void end(struct drm_lease *lease)
{
	struct drm_card *card = lease->card;
	struct drm_output *output;
	lease->card = NULL;
	wl_list_remove(&lease->link);
	drmModeRevokeLease(card->fd, lease->lessee);
	wl_list_for_each (output, &card->outputs, link) {
		if (output->lease == lease) {
			take_back(output);
		}
	}
	announce_returned(card);
	/* The lessee may have left the outputs on. */
	card->unclean = true;
	drm_card_proceed(card);
	/* A screen may have waited for the CRTC. */
	drm_card_reconsider(card);
}

static void end_and_tell(struct drm_lease *lease)
{
	end(lease);
	signal_emit(&lease->events.ended, NULL);
}

void drm_lease_destroy(struct drm_lease *lease)
{
	if (!lease) {
		return;
	}
	if (lease->card) {
		end(lease);
	}
	assert(wl_list_empty(&lease->events.ended.listener_list));
	free(lease);
}

void drm_lease_end(struct output *output)
{
	struct drm_lease *lease = drm_output_from_base(output)->lease;
	if (lease) {
		end_and_tell(lease);
	}
}

void drm_leases_end(struct drm_card *card)
{
	while (!wl_list_empty(&card->leases)) {
		struct drm_lease *lease = wl_container_of(card->leases.next, lease, link);
		end_and_tell(lease);
	}
}

static bool is_listed(const drmModeLesseeListRes *lessees, uint32_t lessee)
{
	for (uint32_t i = 0; i < lessees->count; i++) {
		if (lessees->lessees[i] == lessee) {
			return true;
		}
	}
	return false;
}

void drm_leases_check(struct drm_card *card)
{
	drmModeLesseeListRes *lessees = card->fd >= 0 ? drmModeListLessees(card->fd) : NULL;
	struct drm_lease *lease, *next;
	wl_list_for_each_safe (lease, next, &card->leases, link) {
		if (lessees && !is_listed(lessees, lease->lessee)) {
			end_and_tell(lease);
		}
	}
	drmFree(lessees);
}

void drm_leases_revoke(struct drm_card *card)
{
	drmModeLesseeListRes *lessees = drmModeListLessees(card->fd);
	for (uint32_t i = 0; lessees && i < lessees->count; i++) {
		drmModeRevokeLease(card->fd, lessees->lessees[i]);
	}
	drmFree(lessees);
}

int drm_card_open_reader(struct drm_card *card)
{
	if (card->fd < 0) {
		return -ENODEV;
	}
	if (!card->backend->session->active) {
		return -EAGAIN;
	}
	int fd = open(card->gpu->primary_path, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		/*
		 * Without the right to open device nodes, use an empty lease: a descriptor that
		 * shows the card, but not its connectors.
		 */
		return gpu_clone_fd(card->fd);
	}
	if (drmIsMaster(fd)) {
		/* The session became inactive just now. */
		drmDropMaster(fd);
	}
	return fd;
}
