/* SPDX-License-Identifier: MIT */
/* KMS atomic commits: an output state as properties of one request, tested or committed. */

#include "commit.h"
#include "commit_planes.h"
#include "gpu/gpu.h"
#include "util/log.h"
#include <errno.h>

static void add_colors(const struct drm_commit *commit, drmModeAtomicReq *request)
{
	const struct drm_output *output = commit->output;
	const struct drm_crtc *crtc = output->crtc;
	uint32_t gamma = commit->gamma ? commit->gamma_blob : output->gamma_blob;
	uint32_t matrix = commit->matrix ? commit->matrix_blob : output->matrix_blob;
	drm_request_set(
		request, crtc->id, &crtc->properties[CRTC_GAMMA_LUT], commit->enabled ? gamma : 0);
	drm_request_set(
		request, crtc->id, &crtc->properties[CRTC_CTM], commit->enabled ? matrix : 0);
}

/* Connector properties: bpc and link status. */
static void add_link(const struct drm_commit *commit, drmModeAtomicReq *request)
{
	const struct drm_output *output = commit->output;
	const struct drm_property *bpc = &output->properties[CONNECTOR_MAX_BPC];
	drm_request_set(request, output->connector, bpc,
		commit->bit_depth ? (uint64_t)commit->bit_depth : output->usual_bpc);
	drm_request_set(request, output->connector, &output->properties[CONNECTOR_LINK_STATUS],
		DRM_MODE_LINK_STATUS_GOOD);
}

static void add_modeset(const struct drm_commit *commit, drmModeAtomicReq *request)
{
	const struct drm_output *output = commit->output;
	const struct drm_crtc *crtc = output->crtc;
	if (!crtc) {
		/* Another output has the CRTC by now. */
		drm_request_set(
			request, output->connector, &output->properties[CONNECTOR_CRTC_ID], 0);
		return;
	}
	uint32_t blob = commit->mode_blob ? commit->mode_blob : output->mode_blob;
	drm_request_set(request, output->connector, &output->properties[CONNECTOR_CRTC_ID],
		commit->enabled ? crtc->id : 0);
	if (commit->enabled) {
		add_link(commit, request);
		drm_request_add_resets(request, output->connector, &output->resets);
	}
	drm_request_set(request, crtc->id, &crtc->properties[CRTC_ACTIVE], commit->enabled);
	drm_request_set(
		request, crtc->id, &crtc->properties[CRTC_MODE_ID], commit->enabled ? blob : 0);
	drm_request_add_resets(request, crtc->id, &crtc->resets);
	add_colors(commit, request);
}

/*
 * Returns the changes in DRM_WITH_FRAME that a frame leaves to a later one: a new content type
 * needs the lock of all connectors, and on amdgpu the others do, too (amdgpu_dm_atomic_check() adds
 * the CRTC's connectors).
 */
static uint32_t find_deferred(const struct drm_commit *commit)
{
	const struct drm_output *output = commit->output;
	return !commit->modeset && drm_card_holds_connectors(output->card)
		       ? (commit->state->fields | output->stale) & DRM_WITH_FRAME
		       : 0;
}

bool drm_commit_is_blocked(const struct drm_commit *commit)
{
	const struct drm_output *output = commit->output;
	return drm_output_is_blocked(output) ||
	       (drm_card_holds_connectors(output->card) && commit->modeset);
}

static bool fill(const struct drm_commit *commit, drmModeAtomicReq *request, uint32_t *damages)
{
	const struct drm_crtc *crtc = commit->output->crtc;
	const struct output_state *state = commit->state;
	uint32_t fields = (state->fields | commit->output->stale) & ~find_deferred(commit);
	if (commit->modeset) {
		add_modeset(commit, request);
	} else if (commit->enabled && fields & DRM_COLORS) {
		add_colors(commit, request);
	}
	if (commit->enabled) {
		drm_commit_add_hints(commit, fields, request);
	}
	if (commit->out_fence) {
		drm_request_set(request, crtc->id, &crtc->properties[CRTC_OUT_FENCE_PTR],
			(uint64_t)(uintptr_t)commit->out_fence);
	}
	return drm_commit_add_planes(commit, request, damages);
}

static bool make_mode(struct drm_commit *commit)
{
	const struct drm_output *output = commit->output;
	drmModeModeInfo mode;
	if (output->mode_blob && !(commit->state->fields & OUTPUT_MODE)) {
		return true; /* the connector may no longer list this mode */
	}
	if (!drm_mode_find(output, &commit->mode, &mode)) {
		return false;
	}
	commit->refresh = drm_mode_refresh(&mode);
	return drmModeCreatePropertyBlob(
		       output->card->fd, &mode, sizeof(mode), &commit->mode_blob) == 0;
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
	       (commit->enabled && (!output_mode_equal(&commit->mode, &base->mode) ||
					   commit->bit_depth != base->bit_depth));
}

bool drm_commit_init(
	struct drm_commit *commit, struct drm_output *output, const struct output_state *state)
{
	const struct output *base = &output->base;
	*commit = (struct drm_commit){
		.output = output,
		.state = state,
		.enabled = state->fields & OUTPUT_ENABLED ? state->enabled : base->enabled,
		.mode = state->fields & OUTPUT_MODE ? state->mode : base->mode,
		.bit_depth = state->fields & OUTPUT_BIT_DEPTH ? state->bit_depth : base->bit_depth,
	};
	commit->modeset = output->due || output->left || changes_mode(commit);
	if ((commit->enabled && !output->crtc) ||
		((state->fields & OUTPUT_ADAPTIVE_SYNC) && state->adaptive_sync &&
			!output->vrr_capable) ||
		commit->bit_depth > base->max_bit_depth || !drm_commit_make_colors(commit)) {
		return false;
	}
	return !commit->modeset || !commit->enabled || (make_mode(commit) && make_blank(commit));
}

static void replace_blob(struct drm_output *output, uint32_t *blob, uint32_t *by)
{
	if (*blob) {
		drmModeDestroyPropertyBlob(output->card->fd, *blob);
	}
	*blob = *by;
	*by = 0;
}

void drm_commit_keep(struct drm_commit *commit, bool done)
{
	struct drm_output *output = commit->output;
	if (commit->mode_blob) {
		replace_blob(output, &output->mode_blob, &commit->mode_blob);
		output->refresh = commit->refresh;
	}
	if (commit->gamma) {
		replace_blob(output, &output->gamma_blob, &commit->gamma_blob);
	}
	if (commit->matrix) {
		replace_blob(output, &output->matrix_blob, &commit->matrix_blob);
	}
	/* Until the commit is done, the previous blank buffer is scanned out. */
	if (done && commit->blank.framebuffer) {
		drm_blank_finish(output->card, &output->blank);
		output->blank = commit->blank;
		commit->blank = (struct drm_blank){0};
	}
}

void drm_commit_finish(struct drm_commit *commit)
{
	struct drm_card *card = commit->output->card;
	uint32_t *blobs[] = {&commit->mode_blob, &commit->gamma_blob, &commit->matrix_blob};
	for (size_t i = 0; i < sizeof(blobs) / sizeof(blobs[0]); i++) {
		if (*blobs[i]) {
			drmModeDestroyPropertyBlob(card->fd, *blobs[i]);
			*blobs[i] = 0;
		}
	}
	drm_blank_finish(card, &commit->blank);
}

static void destroy_damages(struct drm_card *card, const uint32_t damages[OUTPUT_PLANES_MAX])
{
	for (int i = 0; i < OUTPUT_PLANES_MAX; i++) {
		if (damages[i]) {
			drmModeDestroyPropertyBlob(card->fd, damages[i]);
		}
	}
}

static int run(struct drm_commit *commits, size_t n, uint32_t flags, uint32_t serial)
{
	struct drm_card *card = commits[0].output->card;
	uint32_t damages[OUTPUT_PLANES_MAX] = {0};
	drmModeAtomicReq *request = drmModeAtomicAlloc();
	if (!request) {
		return -ENOMEM;
	}
	int error = 0;
	for (size_t i = 0; error == 0 && i < n; i++) {
		/* A commit of several outputs has no frames. */
		error = fill(&commits[i], request, n == 1 ? damages : NULL) ? 0 : -EINVAL;
		flags |= commits[i].modeset ? DRM_MODE_ATOMIC_ALLOW_MODESET : 0;
	}
	if (error == 0) {
		error = drmModeAtomicCommit(card->fd, request, flags, (void *)(uintptr_t)serial);
	}
	for (size_t i = 0; error == 0 && !(flags & DRM_MODE_ATOMIC_TEST_ONLY) && i < n; i++) {
		uint32_t kept = commits[i].enabled ? 0 : commits[i].output->stale;
		commits[i].output->stale = kept | find_deferred(&commits[i]);
	}
	destroy_damages(card, damages);
	drmModeAtomicFree(request);
	return error;
}

/*
 * Finds out with a test whether IN_FENCE_FD is the reason for -EPERM. Returns the result that the
 * commit has without fences.
 */
static int test_without_fence(struct drm_commit *commit)
{
	struct drm_card *card = commit->output->card;
	int32_t *out_fence = commit->out_fence;
	card->quirks |= DRM_QUIRK_NO_IN_FENCE;
	commit->out_fence = NULL;
	int error = run(commit, 1, DRM_MODE_ATOMIC_TEST_ONLY, 0);
	commit->out_fence = out_fence;
	if (error < 0) {
		card->quirks &= ~(uint32_t)DRM_QUIRK_NO_IN_FENCE;
	} else {
		log_info("%s: the driver %s refuses IN_FENCE_FD: frames wait for their fences "
			 "before the commit",
			card->gpu->bus_id, card->gpu->driver);
	}
	return error;
}

/*
 * Repeats a refused request without the colours that earlier commits have left to it: the driver
 * would refuse all later ones. Tests of planes keep them.
 */
static int run_without_colors(struct drm_commit *commit, uint32_t flags, uint32_t serial, int error)
{
	bool gamma = commit->gamma, matrix = commit->matrix;
	if ((flags & DRM_MODE_ATOMIC_TEST_ONLY && !commit->modeset) ||
		(error != -EINVAL && error != -ERANGE) || !drm_commit_omit_colors(commit)) {
		return error;
	}
	error = run(commit, 1, flags, serial);
	if (error < 0 && error != -EBUSY) {
		commit->gamma = gamma;
		commit->matrix = matrix;
	}
	return error;
}

int drm_commits_run(struct drm_commit *commits, size_t n, uint32_t flags, uint32_t serial)
{
	int error = run(commits, n, flags, serial);
	if (drm_commits_omit_hints(commits, n, error)) {
		error = run(commits, n, flags, serial);
	}
	error = n == 1 ? run_without_colors(&commits[0], flags, serial, error) : error;
	if (error == -EPERM && n == 1 && drm_commit_names_fence(&commits[0])) {
		error = test_without_fence(&commits[0]);
		if (error == 0 && !(flags & DRM_MODE_ATOMIC_TEST_ONLY)) {
			error = -EAGAIN;
		}
	}
	return error;
}

int drm_commit_run_async(struct drm_commit *commit, uint32_t flags, uint32_t serial)
{
	const struct drm_output *output = commit->output;
	const struct drm_plane *plane = drm_plane_from_base(output_primary_plane(&output->base));
	if (!output->card->async_flips || !drm_commit_changes_buffer_only(commit)) {
		return -EINVAL;
	}
	const struct plane_state *state = drm_commit_find_plane(commit->state, &plane->base);
	uint32_t framebuffer = drm_framebuffer_get(output->card, state->buffer, state->opaque);
	drmModeAtomicReq *request = framebuffer ? drmModeAtomicAlloc() : NULL;
	if (!request) {
		return -EINVAL;
	}
	/* The kernel refuses an async flip with properties of any other plane. */
	drm_request_set(request, plane->id, &plane->properties[PLANE_FB_ID], framebuffer);
	drm_commit_add_fence(commit, request, plane, state);
	int error = drmModeAtomicCommit(output->card->fd, request, flags | DRM_MODE_PAGE_FLIP_ASYNC,
		(void *)(uintptr_t)serial);
	drmModeAtomicFree(request);
	return error;
}

drmModeAtomicReq *drm_output_make_off(struct drm_output *output)
{
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_ENABLED;
	struct drm_commit commit = {.output = output, .state = &state, .modeset = true};
	drmModeAtomicReq *request = drmModeAtomicAlloc();
	if (request) {
		fill(&commit, request, NULL);
	}
	return request;
}
