/* SPDX-License-Identifier: MIT */
/*
 * Connector probes on a thread: DDC takes 10 to 100 ms for each connector. The kernel holds the
 * lock of all connectors during a probe (drm_helper_probe_single_connector_modes()), and no lock
 * that page flips need. Modesets need it: those of users wait for the end of a probe, off the event
 * loop; at the start, outputs are set by the kernel's own last probe, and a probe follows when they
 * have shown their first frames.
 */

#include "backend/session.h"
#include "drm.h"
#include "util/fd.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <stdlib.h>

/* Data of the task. */
struct probe {
	int fd;
	uint32_t connector; /* 0: all */
};

/* The result stays in the kernel, for drmModeGetConnectorCurrent(). */
static void run(void *data)
{
	const struct probe *probe = data;
	drmModeRes *resources = drmModeGetResources(probe->fd);
	for (int i = 0; resources && i < resources->count_connectors; i++) {
		if (probe->connector == 0 || probe->connector == resources->connectors[i]) {
			drmModeFreeConnector(
				drmModeGetConnector(probe->fd, resources->connectors[i]));
		}
	}
	drmModeFreeResources(resources);
}

static void handle_done(void *owner, void *data, int error)
{
	const struct probe *probe = data;
	struct drm_card *card = owner;
	card->probe = NULL;
	card->probed(card, probe->connector);
}

static void free_probe(void *data)
{
	struct probe *probe = data;
	fd_close(&probe->fd);
	free(probe);
}

static const struct task_impl task_impl = {
	.run = run,
	.done = handle_done,
	.free = free_probe,
};

/* Returns true if modesets wait for the kernel: they would wait for a probe, too, on the loop. */
static bool has_due(const struct drm_card *card)
{
	const struct drm_output *output;
	wl_list_for_each (output, &card->outputs, link) {
		if (output->due) {
			return true;
		}
	}
	return false;
}

void drm_card_proceed_with_probe(struct drm_card *card)
{
	if (card->probe_again && !card->probe && !has_due(card)) {
		card->probe_again = false;
		drm_card_probe(card, card->next_probed);
	}
}

void drm_card_probe(struct drm_card *card, uint32_t connector)
{
	if (card->probe || has_due(card)) {
		bool same = !card->probe_again || card->next_probed == connector;
		card->next_probed = same ? connector : 0;
		card->probe_again = true;
		return;
	}
	if (connector == 0) {
		timer_disarm(&card->first_probe);
	}
	struct probe *probe = xcalloc(1, sizeof(*probe));
	probe->fd = fd_dup(card->fd);
	probe->connector = connector;
	card->probe = task_start(card->backend->tasks, NULL, &task_impl, probe, card, 0);
}

void drm_card_abandon_probe(struct drm_card *card)
{
	task_abandon(card->probe);
	timer_disarm(&card->first_probe);
	card->probe = NULL;
	card->probe_again = false;
}

void drm_card_notice_frame(struct drm_card *card)
{
	const struct drm_output *output;
	if (!card->first_probe.armed) {
		return;
	}
	wl_list_for_each (output, &card->outputs, link) {
		if (output->base.enabled && !output->shown) {
			return;
		}
	}
	drm_card_probe(card, 0);
}

void drm_card_handle_first_probe(struct timer *timer, int64_t now)
{
	struct drm_card *card = wl_container_of(timer, card, first_probe);
	if (card->backend->session->active) {
		drm_card_probe(card, 0);
	}
}
