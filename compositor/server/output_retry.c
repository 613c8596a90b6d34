/* SPDX-License-Identifier: MIT */
/*
 * Retries of refused modes, depths and power changes. Cards refuse modesets for a while, after a
 * resume, while a dock trains its links, or for bandwidth that another output frees later, and
 * nothing tells when that ends. Each try asks with TEST_ONLY first, so that a lower mode stays
 * without a flicker. The pauses are those of util/backoff.h; after ten minutes, only
 * events start another try: hotplug of the card, the return of the session, changes of neighbours,
 * and settings.
 */

#include "outputs.h"
#include "server/output.h"
#include "server/server.h"
#include "util/backoff.h"
#include "util/log.h"

/*
 * The mode of a dark output is set when its power returns. An output that is enabled outside the
 * scene could not be disabled.
 */
static bool has_refused(const struct server_output *entry)
{
	const bool mode = entry->lowered || entry->depth_refused;
	return entry->power_refused || (mode && !entry->dark) ||
	       (entry->output->enabled && !entry->scene_output);
}

void server_output_schedule_retry(struct server_output *entry)
{
	timer_disarm(&entry->retry_timer);
	/* The session's return and free resources are announced by events.reconsider. */
	if (!has_refused(entry) || entry->lacks || entry->room_timer.armed ||
		entry->output->asleep) {
		return;
	}
	if (entry->n_retries == BACKOFF_TRIES) {
		log_info("%s: the card still refuses it; the next hotplug event starts another try",
			entry->output->name);
		return;
	}
	timer_arm(&entry->retry_timer,
		clock_now(entry->server->clock) + backoff_pause(entry->n_retries));
	entry->n_retries++;
}

void server_output_retry_soon(struct server_output *entry)
{
	if (has_refused(entry) && !entry->room_timer.armed) {
		entry->n_retries = 0;
		/* Deferred: the caller is in the middle of a change. */
		timer_arm(&entry->retry_timer, clock_now(entry->server->clock));
	}
}

void server_outputs_retry_beside(struct server_output *entry)
{
	struct server_output *other;
	wl_list_for_each (other, &entry->server->outputs, link) {
		if (server_output_is_neighbour(entry, other)) {
			server_output_retry_soon(other);
		}
	}
}
