/* SPDX-License-Identifier: MIT */
/*
 * Scan-out candidates: surfaces that a plane shows, or could show with other buffers. Their clients
 * reallocate their buffers, so candidates change with hysteresis.
 */

#include "candidate.h"
#include "util/xalloc.h"
#include <stdlib.h>

/*
 * Time (ns) for which a surface must be suitable to become a candidate, and unsuitable to stop
 * being one.
 */
#define TELL_AFTER INT64_C(250000000)
#define DROP_AFTER INT64_C(2000000000)

static void destroy_addon(struct addon *addon)
{
	struct scanout_candidate *candidate = wl_container_of(addon, candidate, addon);
	wl_list_remove(&candidate->output_destroy.link);
	addon_finish(addon);
	free(candidate);
}

static const struct addon_impl addon_impl = {.name = "candidate", .destroy = destroy_addon};

static struct scanout_candidate *find_candidate(const struct surface *surface)
{
	struct addon *addon = addon_find(&surface->addons, NULL, &addon_impl);
	struct scanout_candidate *candidate;
	return addon ? wl_container_of(addon, candidate, addon) : NULL;
}

struct scanout_candidate *scanout_candidate_get(struct surface *surface)
{
	struct scanout_candidate *candidate = find_candidate(surface);
	if (!candidate) {
		candidate = xcalloc(1, sizeof(*candidate));
		candidate->surface = surface;
		wl_signal_init(&candidate->events.changed);
		wl_list_init(&candidate->output_destroy.link);
		addon_init(&candidate->addon, &surface->addons, NULL, &addon_impl);
	}
	return candidate;
}

const struct plane *scanout_candidate_plane(
	const struct scanout_candidate *candidate, const struct output **output)
{
	const struct scene_output *at = candidate->output;
	if (!at || candidate->plane >= at->output->n_planes) {
		return NULL;
	}
	*output = at->output;
	return at->output->planes[candidate->plane];
}

static const struct plane *find_plane(const struct output *output, bool fills)
{
	enum plane_type type = fills ? PLANE_PRIMARY : PLANE_OVERLAY;
	for (int i = 0; i < output->n_planes; i++) {
		if (output->planes[i]->type == type) {
			return output->planes[i];
		}
	}
	return NULL;
}

/* Returns the plane that shows the entry, or could with other buffers; NULL if none. */
static const struct plane *could_show(
	const struct scene_output *output, const struct assign_entry *assigned)
{
	const struct output_mode *mode = &output->output->mode;
	if (assigned->plane ||
		(assigned->reason != REASON_PLANE_FORMAT && assigned->reason != REASON_REFUSED)) {
		return assigned->plane;
	}
	struct box whole = {0, 0, mode->width, mode->height};
	return find_plane(output->output, box_equal(&assigned->dst, &whole));
}

static void handle_output_destroy(struct wl_listener *listener, void *data);

/* Follows the output, which the surface may be hidden from when it goes. NULL is legal. */
static void follow(struct scanout_candidate *candidate, struct scene_output *output)
{
	if (candidate->output != output) {
		wl_list_remove(&candidate->output_destroy.link);
		wl_list_init(&candidate->output_destroy.link);
		candidate->output = output;
		if (output) {
			signal_add(&output->events.destroy, &candidate->output_destroy,
				handle_output_destroy);
		}
	}
}

static void announce(
	struct scanout_candidate *candidate, struct scene_output *output, const struct plane *plane)
{
	const struct output *before_output;
	const struct plane *before = scanout_candidate_plane(candidate, &before_output);
	bool same =
		(!before && !plane) || (before && plane && before_output == output->output &&
					       format_set_equal(&before->formats, &plane->formats));
	follow(candidate, plane ? output : NULL);
	candidate->plane = plane ? plane->index : 0;
	if (!same) {
		signal_emit(&candidate->events.changed, candidate);
	}
}

/*
 * Returns the state of the entry's surface if this is its primary output, which alone decides about
 * it; else NULL.
 */
static struct scanout_candidate *candidate_of(
	const struct scene_output *output, const struct scene_entry *entry)
{
	if (!entry->node || entry->node->type != SCENE_SURFACE || entry->cursor) {
		return NULL;
	}
	const struct scene_surface *content = scene_surface_from_node(entry->node);
	return content->primary_output == output->index ? find_candidate(content->surface) : NULL;
}

static void drop(struct scanout_candidate *candidate)
{
	candidate->seen = 0;
	announce(candidate, NULL, NULL);
}

static void handle_output_destroy(struct wl_listener *listener, void *data)
{
	struct scanout_candidate *candidate = wl_container_of(listener, candidate, output_destroy);
	drop(candidate);
}

void scanout_candidate_drop(struct scene_output *output, const struct scene_entry *entry)
{
	struct scanout_candidate *candidate = candidate_of(output, entry);
	if (candidate) {
		drop(candidate);
	}
}

void scanout_candidate_note(struct scene_output *output, const struct scene_entry *entry,
	const struct assign_entry *assigned, int64_t now)
{
	struct scanout_candidate *candidate = candidate_of(output, entry);
	if (!candidate || (assigned && assigned->reason == REASON_LATER)) {
		return; /* planes are tried again in a moment */
	}
	const struct plane *plane = assigned ? could_show(output, assigned) : NULL;
	if (plane) {
		candidate->since = candidate->seen ? candidate->since : now;
		candidate->seen = now;
		if (candidate->output || now - candidate->since >= TELL_AFTER) {
			announce(candidate, output, plane);
		}
	} else if (!candidate->output) {
		candidate->seen = 0;
	} else if (now - candidate->seen > DROP_AFTER) {
		drop(candidate);
	}
}
