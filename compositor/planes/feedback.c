/* SPDX-License-Identifier: MIT */
/*
 * Scan-out candidates: surfaces that a plane shows, or could show with other buffers. Their clients
 * get linux-dmabuf feedback and reallocate their buffers, so candidates change with hysteresis.
 */

#include "feedback.h"
#include "util/signal.h"

/*
 * Time (ns) for which a surface must be suitable to become a candidate, and unsuitable to stop
 * being one.
 */
#define TELL_AFTER INT64_C(250000000)
#define DROP_AFTER INT64_C(2000000000)

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

static void set_candidate(
	struct scene_surface *content, const struct scene_output *output, const struct plane *plane)
{
	struct scene_candidate *candidate = &content->candidate;
	const struct output *before_output;
	const struct plane *before = scene_surface_candidate(content, &before_output);
	bool same =
		(!before && !plane) || (before && plane && before_output == output->output &&
					       format_set_equal(&before->formats, &plane->formats));
	candidate->announced = plane;
	candidate->output = output->index;
	candidate->plane = plane ? plane->index : 0;
	if (!same) {
		signal_emit(&content->node.scene->events.candidate, content);
	}
}

/* Returns the surface if this is its primary output, which alone decides about it; else NULL. */
static struct scene_surface *find_content(
	const struct scene_output *output, const struct scene_entry *entry)
{
	if (!entry->node || entry->node->type != SCENE_SURFACE || entry->cursor) {
		return NULL;
	}
	struct scene_surface *content = scene_surface_from_node(entry->node);
	return content->primary_output == output->index ? content : NULL;
}

void scanout_feedback_drop(const struct scene_output *output, const struct scene_entry *entry)
{
	struct scene_surface *content = find_content(output, entry);
	if (content) {
		content->candidate.seen = 0;
		set_candidate(content, output, NULL);
	}
}

void scanout_feedback_note(const struct scene_output *output, const struct scene_entry *entry,
	const struct assign_entry *assigned, int64_t now)
{
	struct scene_surface *content = find_content(output, entry);
	if (!content) {
		return;
	}
	struct scene_candidate *candidate = &content->candidate;
	const struct plane *plane = assigned ? could_show(output, assigned) : NULL;
	if (plane) {
		candidate->since = candidate->seen ? candidate->since : now;
		candidate->seen = now;
		if (candidate->announced || now - candidate->since >= TELL_AFTER) {
			set_candidate(content, output, plane);
		}
	} else if (candidate->seen > 0 && now - candidate->seen > DROP_AFTER) {
		scanout_feedback_drop(output, entry);
	}
}
