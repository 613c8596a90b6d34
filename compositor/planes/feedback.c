/*
 * Candidates: surfaces that a plane shows, or would if their buffers were of another kind. Their clients
 * are told what that takes (linux-dmabuf feedback), and make new buffers of it: so nothing may flap.
 */

#include "feedback.h"
#include "util/signal.h"

/* How long a plane could show it before that is told, and how long it has to be none, ns. */
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

/* The plane that shows it, or that would if its buffers were of another kind. */
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
	candidate->told = plane;
	candidate->output = output->index;
	candidate->plane = plane ? plane->index : 0;
	if (!same) {
		signal_emit(&content->node.scene->events.candidate, content);
	}
}

/* A surface is looked at by the output that shows most of it; NULL: that is another one. */
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
		if (candidate->told || now - candidate->since >= TELL_AFTER) {
			set_candidate(content, output, plane);
		}
	} else if (candidate->seen > 0 && now - candidate->seen > DROP_AFTER) {
		scanout_feedback_drop(output, entry);
	}
}
