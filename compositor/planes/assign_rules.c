/* SPDX-License-Identifier: MIT */
/* Rules of plane assignment: legal combinations, and the reasons for composition. */

#include "assign_search.h"
#include "buffer/buffer.h"
#include <limits.h>
#include <math.h>

/* Returns whether the entry hides everything below its visible region. */
static bool is_solid(const struct assign_entry *entry)
{
	return entry->all_opaque && entry->alpha >= 1 && !entry->cursor;
}

bool assign_lacks_alpha(const struct plane *plane, const struct assign_entry *entry)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(entry->buffer);
	uint64_t modifier = dmabuf ? dmabuf->modifier : DRM_FORMAT_MOD_LINEAR;
	const struct pixel_format *format = pixel_format_get(entry->buffer->format);
	return format && format->has_alpha && plane->takes_opaque && is_solid(entry) &&
	       !format_set_has(&plane->formats, entry->buffer->format, modifier) &&
	       format_set_has(&plane->formats, format->opaque, modifier);
}

bool assign_takes_format(const struct plane *plane, const struct assign_entry *entry)
{
	const struct dmabuf *dmabuf = buffer_dmabuf(entry->buffer);
	uint64_t modifier = dmabuf ? dmabuf->modifier : DRM_FORMAT_MOD_LINEAR;
	return format_set_has(&plane->formats, entry->buffer->format, modifier) ||
	       assign_lacks_alpha(plane, entry);
}

bool assign_is_movable(const struct assign_entry *entry)
{
	return entry->buffer && entry->barred == REASON_BEST;
}

bool assign_may_move(const struct assign_search *search, int index)
{
	const struct assign_request *request = search->request;
	const struct assign_remembered *before = search->before[index];
	return request->allowed && assign_is_movable(&request->entries[index]) &&
	       search->refusal[index] == REFUSAL_NONE &&
	       !(before && request->now < before->backoff_until);
}

static bool fills_output(const struct assign_request *request, const struct box *dst)
{
	return dst->x == 0 && dst->y == 0 && dst->width == request->width &&
	       dst->height == request->height;
}

/* Returns whether `above` is visible within the plane that `below` would be on. */
bool assign_overlaps(const struct assign_entry *above, const struct assign_entry *below)
{
	pixman_box32_t box = {below->dst.x, below->dst.y, below->dst.x + below->dst.width,
		below->dst.y + below->dst.height};
	return pixman_region32_contains_rectangle((pixman_region32_t *)above->visible, &box) !=
	       PIXMAN_REGION_OUT;
}

/* Returns whether all entries that overlap it from above are on overlays. */
static bool is_free(const struct assign_search *search, int index)
{
	const struct assign_entry *entries = search->request->entries;
	for (int i = 0; i < index; i++) {
		if (search->want[i] != PLACE_OVER &&
			assign_overlaps(&entries[i], &entries[index])) {
			return false;
		}
	}
	return true;
}

/* Returns whether the entry can replace the composed buffer. */
static bool is_all(const struct assign_search *search, int index)
{
	const struct assign_request *request = search->request;
	const struct assign_entry *entry = &request->entries[index];
	bool all = request->complete && index == request->n_entries - 1 &&
		   fills_output(request, &entry->dst) && is_solid(entry);
	for (int i = 0; all && i < index; i++) {
		all = search->want[i] == PLACE_OVER;
	}
	return all;
}

static bool has_alpha(const struct buffer *buffer)
{
	const struct pixel_format *format = pixel_format_get(buffer->format);
	return format && format->has_alpha;
}

bool assign_is_legal(const struct assign_search *search)
{
	const struct assign_request *request = search->request;
	bool composes = true, legal = true;
	for (int i = 0; legal && i < request->n_entries; i++) {
		switch (search->want[i]) {
		case PLACE_COMPOSED: break;
		case PLACE_OVER: legal = is_free(search, i); break;
		case PLACE_UNDER:
			legal = is_solid(&request->entries[i]) && request->composed &&
				has_alpha(request->composed);
			break;
		case PLACE_PRIMARY:
			legal = is_all(search, i);
			composes = false;
			break;
		}
	}
	return legal && (!composes || request->composed);
}

/* Returns whether the plane is of the right type for the entry. */
static bool suits(const struct assign_request *request, const struct plane *plane,
	const struct assign_entry *entry)
{
	switch (plane->type) {
	case PLANE_PRIMARY: return !entry->cursor && fills_output(request, &entry->dst);
	case PLANE_OVERLAY: return !entry->cursor;
	case PLANE_CURSOR: return entry->cursor;
	}
	return false;
}

/* Returns whether a plane suits the entry, at zpos `least` or above. */
static bool any_plane_takes(
	const struct assign_request *request, const struct assign_entry *entry, int least)
{
	for (int i = 0; i < request->n_planes; i++) {
		const struct plane *plane = request->planes[i];
		if (plane->zpos_max >= least && suits(request, plane, entry) &&
			assign_takes_format(plane, entry)) {
			return true;
		}
	}
	return false;
}

static bool has_overlays(const struct assign_request *request)
{
	for (int i = 0; i < request->n_planes; i++) {
		if (request->planes[i]->type == PLANE_OVERLAY) {
			return true;
		}
	}
	return false;
}

/*
 * Guesses the reason of a refusal, which drivers do not give: most often scaling, cropping or
 * rotation.
 */
static enum route_reason explain_refusal(const struct assign_entry *entry)
{
	const struct fbox *src = &entry->src;
	bool plain = entry->transform == WL_OUTPUT_TRANSFORM_NORMAL &&
		     src->width == entry->dst.width && src->height == entry->dst.height &&
		     src->x == floor(src->x) && src->y == floor(src->y);
	return plain ? REASON_REFUSED : REASON_TRANSFORM;
}

/* Returns why no plane can show the entry among the others, or REASON_BEST. */
static enum route_reason explain_place(const struct assign_search *search, int index)
{
	const struct assign_request *request = search->request;
	const struct assign_entry *entry = &request->entries[index];
	bool fills = fills_output(request, &entry->dst);
	if (fills && !is_solid(entry)) {
		return REASON_TRANSLUCENT;
	}
	if (!fills && !entry->cursor && !has_overlays(request)) {
		return REASON_NOT_FULL;
	}
	if (!any_plane_takes(request, entry, INT_MIN)) {
		return REASON_PLANE_FORMAT;
	}
	if (!entry->cursor && !is_solid(entry) &&
		!any_plane_takes(request, entry, search->primary->zpos_min + 1)) {
		return REASON_TRANSLUCENT; /* below the composed buffer, it would need a hole */
	}
	if ((fills && !is_all(search, index)) || !is_free(search, index)) {
		return REASON_NOT_ALONE;
	}
	return REASON_BEST;
}

enum route_reason assign_explain(const struct assign_search *search, int index)
{
	const struct assign_request *request = search->request;
	const struct assign_entry *entry = &request->entries[index];
	if (!assign_is_movable(entry)) {
		return entry->barred;
	}
	if (!request->allowed) {
		return request->refused;
	}
	if (search->refusal[index] == REFUSAL_TESTED) {
		return explain_refusal(entry);
	}
	enum route_reason reason = explain_place(search, index);
	if (reason != REASON_BEST) {
		return reason;
	}
	bool wants_plane = entry->busy || entry->cursor;
	if (assign_may_move(search, index)) {
		return wants_plane ? REASON_NO_PLANE : REASON_QUIET;
	}
	if (search->was_refused[index]) {
		return explain_refusal(entry);
	}
	return wants_plane || fills_output(request, &entry->dst) ? REASON_LATER : REASON_QUIET;
}
