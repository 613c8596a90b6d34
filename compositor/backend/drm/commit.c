/* A commit: what an output state is in properties, tested or done in one atomic request. */

#include "drm.h"
#include "util/log.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void set(drmModeAtomicReq *request, uint32_t object, const struct drm_property *property,
	uint64_t value)
{
	if (property->id) {
		drmModeAtomicAddProperty(request, object, property->id, value);
	}
}

static const struct plane_state *find_state(
	const struct output_state *state, const struct plane *plane)
{
	for (int i = 0; state->fields & OUTPUT_PLANES && i < state->n_planes; i++) {
		if (state->planes[i].plane == plane && state->planes[i].state.buffer) {
			return &state->planes[i].state;
		}
	}
	return NULL;
}

/* The kernel's words for turning counter-clockwise after mirroring. */
static uint32_t rotation_of(enum wl_output_transform transform)
{
	uint32_t rotation = DRM_MODE_ROTATE_0 << (transform & 3);
	return transform & WL_OUTPUT_TRANSFORM_FLIPPED ? rotation | DRM_MODE_REFLECT_X : rotation;
}

static void plane_off(drmModeAtomicReq *request, const struct drm_plane *plane)
{
	set(request, plane->id, &plane->properties[PLANE_FB_ID], 0);
	set(request, plane->id, &plane->properties[PLANE_CRTC_ID], 0);
}

static void plane_box(drmModeAtomicReq *request, const struct drm_plane *plane,
	const struct fbox *src, const struct box *dst)
{
	const struct drm_property *properties = plane->properties;
	const double fixed = 65536;
	set(request, plane->id, &properties[PLANE_SRC_X], (uint64_t)llround(src->x * fixed));
	set(request, plane->id, &properties[PLANE_SRC_Y], (uint64_t)llround(src->y * fixed));
	set(request, plane->id, &properties[PLANE_SRC_W], (uint64_t)llround(src->width * fixed));
	set(request, plane->id, &properties[PLANE_SRC_H], (uint64_t)llround(src->height * fixed));
	set(request, plane->id, &properties[PLANE_CRTC_X], (uint64_t)dst->x);
	set(request, plane->id, &properties[PLANE_CRTC_Y], (uint64_t)dst->y);
	set(request, plane->id, &properties[PLANE_CRTC_W], (uint64_t)dst->width);
	set(request, plane->id, &properties[PLANE_CRTC_H], (uint64_t)dst->height);
}

/* What a plane shows may be transformed or translucent only where it has a property for that. */
static bool possible(const struct drm_plane *plane, const struct plane_state *state)
{
	uint32_t rotation = rotation_of(state->transform);
	return (plane->rotations & rotation) == rotation &&
	       (state->alpha >= 1 || plane->properties[PLANE_ALPHA].id) && state->src.x >= 0 &&
	       state->src.y >= 0;
}

/* Rectangles of the buffer that changed, for devices that copy what is shown. 0: all of it. */
static uint32_t make_damage(
	const struct drm_plane *plane, const struct plane_state *state, struct drm_card *card)
{
	bool direct = state->src.x == 0 && state->src.y == 0 && state->dst.x == 0 &&
		      state->dst.y == 0 && state->src.width == state->dst.width &&
		      state->src.height == state->dst.height &&
		      state->transform == WL_OUTPUT_TRANSFORM_NORMAL;
	uint32_t blob = 0;
	int n;
	if (!state->damage || !direct || !plane->properties[PLANE_FB_DAMAGE_CLIPS].id) {
		return 0;
	}
	/* The kernel's rectangles are laid out as pixman's. */
	const pixman_box32_t *boxes =
		pixman_region32_rectangles((pixman_region32_t *)state->damage, &n);
	_Static_assert(sizeof(*boxes) == sizeof(struct drm_mode_rect), "four 32-bit edges");
	/* No list means all of it, and an empty one is refused. */
	const pixman_box32_t least = {0, 0, 1, 1};
	boxes = n > 0 ? boxes : &least;
	n = n > 0 ? n : 1;
	drmModeCreatePropertyBlob(card->fd, boxes, (size_t)n * sizeof(*boxes), &blob);
	return blob;
}

static bool plane_on(const struct drm_commit *commit, drmModeAtomicReq *request,
	const struct drm_plane *plane, const struct plane_state *state, uint32_t damage)
{
	const struct drm_property *properties = plane->properties;
	uint32_t framebuffer = drm_framebuffer_get(commit->output->card, state->buffer);
	if (!framebuffer || !possible(plane, state)) {
		return false;
	}
	set(request, plane->id, &properties[PLANE_FB_ID], framebuffer);
	set(request, plane->id, &properties[PLANE_CRTC_ID], commit->output->crtc->id);
	plane_box(request, plane, &state->src, &state->dst);
	set(request, plane->id, &properties[PLANE_ROTATION], rotation_of(state->transform));
	set(request, plane->id, &properties[PLANE_ALPHA], (uint64_t)lrintf(state->alpha * 0xffff));
	if (plane->zpos_mutable) {
		set(request, plane->id, &properties[PLANE_ZPOS], (uint64_t)state->zpos);
	}
	set(request, plane->id, &properties[PLANE_BLEND_MODE], properties[PLANE_BLEND_MODE].value);
	set(request, plane->id, &properties[PLANE_COLOR_ENCODING],
		properties[PLANE_COLOR_ENCODING].value);
	set(request, plane->id, &properties[PLANE_COLOR_RANGE],
		properties[PLANE_COLOR_RANGE].value);
	set(request, plane->id, &properties[PLANE_HOTSPOT_X], (uint64_t)state->hotspot_x);
	set(request, plane->id, &properties[PLANE_HOTSPOT_Y], (uint64_t)state->hotspot_y);
	set(request, plane->id, &properties[PLANE_FB_DAMAGE_CLIPS], damage);
	if (state->acquire_fence >= 0) {
		set(request, plane->id, &properties[PLANE_IN_FENCE_FD],
			(uint64_t)state->acquire_fence);
	}
	return true;
}

/* Black, until there is a picture: some devices refuse to be on with nothing to show. */
static void plane_blank(
	const struct drm_commit *commit, drmModeAtomicReq *request, const struct drm_plane *plane)
{
	const struct drm_blank *blank =
		commit->blank.framebuffer ? &commit->blank : &commit->output->blank;
	struct fbox src = {0, 0, blank->width, blank->height};
	struct box dst = {0, 0, blank->width, blank->height};
	set(request, plane->id, &plane->properties[PLANE_FB_ID], blank->framebuffer);
	set(request, plane->id, &plane->properties[PLANE_CRTC_ID], commit->output->crtc->id);
	plane_box(request, plane, &src, &dst);
	set(request, plane->id, &plane->properties[PLANE_ROTATION], DRM_MODE_ROTATE_0);
	set(request, plane->id, &plane->properties[PLANE_ALPHA], 0xffff);
}

static bool add_planes(const struct drm_commit *commit, drmModeAtomicReq *request,
	uint32_t damages[OUTPUT_MAX_PLANES])
{
	struct output *base = &commit->output->base;
	bool wanted = commit->state->fields & OUTPUT_PLANES;
	for (int i = 0; i < base->n_planes; i++) {
		const struct drm_plane *plane = drm_plane_from_base(base->planes[i]);
		const struct plane_state *state = find_state(commit->state, &plane->base);
		if (commit->enabled && state) {
			damages[i] = commit->modeset
					     ? 0
					     : make_damage(plane, state, commit->output->card);
			if (!plane_on(commit, request, plane, state, damages[i])) {
				return false;
			}
		} else if (commit->enabled && commit->modeset &&
			   plane->base.type == PLANE_PRIMARY) {
			plane_blank(commit, request, plane);
		} else if (wanted || commit->modeset) {
			plane_off(request, plane);
		}
	}
	return true;
}

static uint32_t gamma_of(const struct drm_commit *commit)
{
	return commit->gamma ? commit->gamma_blob : commit->output->gamma_blob;
}

static void add_modeset(const struct drm_commit *commit, drmModeAtomicReq *request)
{
	const struct drm_output *output = commit->output;
	const struct drm_crtc *crtc = output->crtc;
	uint32_t blob = commit->mode_blob ? commit->mode_blob : output->mode_blob;
	set(request, output->connector, &output->properties[CONNECTOR_CRTC_ID],
		commit->enabled ? crtc->id : 0);
	if (commit->enabled) {
		set(request, output->connector, &output->properties[CONNECTOR_LINK_STATUS],
			DRM_MODE_LINK_STATUS_GOOD);
	}
	set(request, crtc->id, &crtc->properties[CRTC_ACTIVE], commit->enabled);
	set(request, crtc->id, &crtc->properties[CRTC_MODE_ID], commit->enabled ? blob : 0);
	/* What others have left there. */
	set(request, crtc->id, &crtc->properties[CRTC_CTM], 0);
	set(request, crtc->id, &crtc->properties[CRTC_DEGAMMA_LUT], 0);
	set(request, crtc->id, &crtc->properties[CRTC_GAMMA_LUT],
		commit->enabled ? gamma_of(commit) : 0);
}

static bool fill(const struct drm_commit *commit, drmModeAtomicReq *request,
	uint32_t damages[OUTPUT_MAX_PLANES])
{
	const struct drm_crtc *crtc = commit->output->crtc;
	const struct output_state *state = commit->state;
	if (commit->modeset) {
		add_modeset(commit, request);
	} else if (commit->enabled && (commit->gamma || commit->output->gamma_stale)) {
		set(request, crtc->id, &crtc->properties[CRTC_GAMMA_LUT], gamma_of(commit));
	}
	if (commit->enabled && (commit->modeset || state->fields & OUTPUT_ADAPTIVE_SYNC)) {
		bool on = state->fields & OUTPUT_ADAPTIVE_SYNC ? state->adaptive_sync
							       : commit->output->base.adaptive_sync;
		set(request, crtc->id, &crtc->properties[CRTC_VRR_ENABLED], on);
	}
	return add_planes(commit, request, damages);
}

/* The kernel's mode for a mode of the list, or NULL. */
static const drmModeModeInfo *find_mode(
	const struct drm_output *output, const struct output_mode *mode)
{
	for (size_t i = 0; i < output->base.n_modes; i++) {
		const struct output_mode *have = &output->base.modes[i];
		if (have->width == mode->width && have->height == mode->height &&
			have->refresh == mode->refresh) {
			return &output->modes[i];
		}
	}
	return NULL;
}

static bool make_mode(struct drm_commit *commit)
{
	const drmModeModeInfo *mode = find_mode(commit->output, &commit->mode);
	if (!mode) {
		/* It is on in a mode that the screen has taken off its list. */
		return commit->output->mode_blob && !(commit->state->fields & OUTPUT_MODE);
	}
	return drmModeCreatePropertyBlob(
		       commit->output->card->fd, mode, sizeof(*mode), &commit->mode_blob) == 0;
}

static bool make_blank(struct drm_commit *commit)
{
	const struct drm_blank *have = &commit->output->blank;
	int32_t width = commit->mode.width, height = commit->mode.height;
	return (have->framebuffer && have->width == width && have->height == height) ||
	       drm_blank_init(commit->output->card, &commit->blank, width, height);
}

static bool changes_mode(const struct drm_commit *commit)
{
	const struct output *base = &commit->output->base;
	return commit->enabled != base->enabled ||
	       (commit->enabled && (commit->mode.width != base->mode.width ||
					   commit->mode.height != base->mode.height ||
					   commit->mode.refresh != base->mode.refresh));
}

bool drm_commit_init(struct drm_commit *commit, struct drm_output *output,
	const struct output_state *state, bool modeset)
{
	const struct output *base = &output->base;
	*commit = (struct drm_commit){
		.output = output,
		.state = state,
		.enabled = state->fields & OUTPUT_ENABLED ? state->enabled : base->enabled,
		.mode = state->fields & OUTPUT_MODE ? state->mode : base->mode,
	};
	commit->modeset = modeset || changes_mode(commit);
	if ((state->fields & OUTPUT_ADAPTIVE_SYNC) && state->adaptive_sync &&
		!output->vrr_capable) {
		return false;
	}
	commit->gamma = state->fields & OUTPUT_GAMMA;
	if (commit->gamma && state->gamma &&
		!drm_gamma_blob(output, state->gamma, &commit->gamma_blob)) {
		return false;
	}
	return !commit->modeset || !commit->enabled || (make_mode(commit) && make_blank(commit));
}

void drm_commit_keep(struct drm_commit *commit)
{
	struct drm_output *output = commit->output;
	if (commit->mode_blob) {
		if (output->mode_blob) {
			drmModeDestroyPropertyBlob(output->card->fd, output->mode_blob);
		}
		output->mode_blob = commit->mode_blob;
		commit->mode_blob = 0;
	}
	if (commit->gamma) {
		if (output->gamma_blob) {
			drmModeDestroyPropertyBlob(output->card->fd, output->gamma_blob);
		}
		output->gamma_blob = commit->gamma_blob;
		commit->gamma_blob = 0;
	}
	if (commit->blank.framebuffer) {
		drm_blank_finish(output->card, &output->blank);
		output->blank = commit->blank;
		commit->blank = (struct drm_blank){0};
	}
}

void drm_commit_finish(struct drm_commit *commit)
{
	struct drm_card *card = commit->output->card;
	if (commit->mode_blob) {
		drmModeDestroyPropertyBlob(card->fd, commit->mode_blob);
		commit->mode_blob = 0;
	}
	if (commit->gamma_blob) {
		drmModeDestroyPropertyBlob(card->fd, commit->gamma_blob);
		commit->gamma_blob = 0;
	}
	drm_blank_finish(card, &commit->blank);
}

int drm_commit_run(struct drm_commit *commit, uint32_t flags, uint32_t number)
{
	struct drm_card *card = commit->output->card;
	uint32_t damages[OUTPUT_MAX_PLANES] = {0};
	drmModeAtomicReq *request = drmModeAtomicAlloc();
	if (!request) {
		return -ENOMEM;
	}
	int error = -EINVAL;
	if (fill(commit, request, damages)) {
		error = drmModeAtomicCommit(card->fd, request,
			flags | (commit->modeset ? DRM_MODE_ATOMIC_ALLOW_MODESET : 0),
			(void *)(uintptr_t)number);
	}
	if (error == 0 && !(flags & DRM_MODE_ATOMIC_TEST_ONLY)) {
		commit->output->gamma_stale = false;
	}
	for (int i = 0; i < OUTPUT_MAX_PLANES; i++) {
		if (damages[i]) {
			drmModeDestroyPropertyBlob(card->fd, damages[i]);
		}
	}
	drmModeAtomicFree(request);
	return error;
}

int drm_output_switch_off(struct drm_output *output)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_ENABLED;
	struct drm_commit commit = {.output = output, .state = &state, .modeset = true};
	return drm_commit_run(&commit, 0, 0);
}
