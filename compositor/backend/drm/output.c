/* SPDX-License-Identifier: MIT */
/* A KMS output: a connector with a CRTC and planes, enabled with a mode, or disabled. */

#include "backend/session.h"
#include "commit.h"
#include "crtc.h"
#include "gpu/gpu.h"
#include "usual.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct output_impl output_impl;

bool output_is_drm(const struct output *output)
{
	return output->impl == &output_impl;
}

struct drm_output *drm_output_from_base(struct output *output)
{
	assert(output->impl == &output_impl);
	return wl_container_of(output, (struct drm_output *)NULL, base);
}

bool drm_output_tests_modesets(const struct output *output)
{
	return !drm_card_holds_connectors(drm_output_from_base((struct output *)output)->card);
}

/* Describes the changes, and the modesets of outputs that move to other CRTCs for them. */
static bool init_commits(struct drm_commit *commits, const struct output_change *changes, size_t n,
	const struct drm_crtc_moves *moves, const struct output_state *none)
{
	bool possible = true;
	for (size_t i = 0; i < n; i++) {
		struct drm_output *output = drm_output_from_base(changes[i].output);
		possible = drm_commit_init(&commits[i], output, changes[i].state) && possible;
	}
	for (int i = 0; i < moves->n; i++) {
		if (moves->list[i].moved) {
			possible = drm_commit_init(&commits[n++], moves->list[i].output, none) &&
				   possible;
		}
	}
	return possible;
}

/* Ends frames in flight of outputs that lose their CRTC: events of that CRTC go to another. */
static void stop_moving(const struct drm_crtc_moves *moves)
{
	for (int i = 0; i < moves->n; i++) {
		if (moves->list[i].from) {
			drm_page_flip_drop(moves->list[i].output);
		}
	}
}

static void handle_moved(void *data)
{
	struct drm_card *card = data;
	struct drm_output *output, *next;
	card->announce = NULL; /* idle sources are removed after their call */
	wl_list_for_each_safe (output, next, &card->outputs, link) {
		if (output->moved) {
			output->moved = false;
			signal_emit(&output->base.events.changed, NULL);
			signal_emit(&output->base.events.needs_frame, NULL);
		}
	}
}

/* Listeners hear of moved outputs when the caller is done: they may commit or destroy outputs. */
static void announce_moves(struct drm_card *card, const struct drm_crtc_moves *moves)
{
	for (int i = 0; i < moves->n; i++) {
		moves->list[i].output->moved |= moves->list[i].moved;
	}
	if (moves->n_moved > 0 && !card->announce) {
		card->announce = wl_event_loop_add_idle(card->backend->loop, handle_moved, card);
	}
}

/* Commits or tests changes without frames. Outputs with the same GPU belong to the same card. */
static bool change(const struct output_change *changes, size_t n, bool test)
{
	struct drm_card *card = drm_output_from_base(changes[0].output)->card;
	struct drm_crtc_moves moves;
	struct output_state none;
	output_state_init(&none);
	for (size_t i = 0; i < n; i++) {
		if (!test && changes[i].output->asleep) {
			return false;
		}
	}
	if (!drm_crtcs_find(card, changes, n, &moves)) {
		return false;
	}
	if (!test) {
		stop_moving(&moves);
	}
	drm_crtcs_apply(&moves);
	size_t n_commits = n + (size_t)moves.n_moved;
	struct drm_commit *commits = xcalloc(n_commits, sizeof(*commits));
	bool done = init_commits(commits, changes, n, &moves, &none);
	done = done && (test ? drm_modesets_test(commits, n_commits) == 0
			     : drm_modesets_start(commits, n_commits));
	if (test || !done) {
		drm_crtcs_undo(&moves);
	}
	for (size_t i = 0; i < n_commits; i++) {
		drm_commit_finish(&commits[i]);
	}
	free(commits);
	if (!test) {
		announce_moves(card, &moves);
	}
	return done;
}

/* Returns true if the state enables an output that has no CRTC. */
static bool needs_crtc(const struct drm_output *output, const struct output_state *state)
{
	return !output->crtc && state->fields & OUTPUT_ENABLED && state->enabled;
}

static bool test(struct output *base, const struct output_state *state)
{
	struct drm_output *output = drm_output_from_base(base);
	struct drm_commit commit;
	if (needs_crtc(output, state)) {
		return change(&(struct output_change){base, state}, 1, true);
	}
	bool done = drm_commit_init(&commit, output, state) &&
		    (!(state->fields & OUTPUT_TEARING) || output->card->async_flips);
	if (done && drm_commit_is_blocked(&commit)) {
		done = !(state->fields & OUTPUT_PLANES); /* changes wait for the recovery */
		base->refusal_may_pass = !done;
	} else if (done) {
		int error = drm_commits_run(&commit, 1, DRM_MODE_ATOMIC_TEST_ONLY, 0);
		if (error < 0) {
			log_debug(LOG_BACKEND, "%s: test: %s", base->name, strerror(-error));
		}
		done = error == 0;
		base->refusal_may_pass = drm_refusal_may_pass(error);
	}
	drm_commit_finish(&commit);
	return done;
}

/* Repeats the modeset of the current mode as soon as the kernel is free. */
static void set_again(struct drm_output *output)
{
	output->due = true;
	drm_card_proceed(output->card);
}

static bool commit(struct output *base, const struct output_state *state, uint32_t number)
{
	struct drm_output *output = drm_output_from_base(base);
	bool frame = state->fields & OUTPUT_PLANES;
	bool kept = !(state->fields & ~(uint32_t)DRM_WITH_FRAME);
	if ((base->asleep && !kept) || (frame && output->pending.commit)) {
		return false;
	}
	if (needs_crtc(output, state)) {
		return change(&(struct output_change){base, state}, 1, false);
	}
	struct drm_commit commit;
	bool done = drm_commit_init(&commit, output, state);
	if (done) {
		done = frame ? drm_page_flip_start(output, &commit, number)
			     : drm_modesets_start(&commit, 1);
	}
	drm_commit_finish(&commit);
	return done;
}

static const char *lacks(const struct output *base)
{
	return drm_output_lacks(drm_output_from_base((struct output *)base));
}

void drm_output_sleep(struct drm_output *output)
{
	output->base.asleep = true;
	output->due = false;
	output->left = NULL;
	drm_modeset_forget_untested(output);
	drm_recovery_abandon(output);
	drm_page_flip_drop(output);
}

static void destroy(struct output *base)
{
	drm_output_destroy(drm_output_from_base(base));
}

static const struct output_impl output_impl = {
	.destroy = destroy,
	.test = test,
	.commit = commit,
	.together = change,
	.lacks = lacks,
};

struct drm_output *drm_output_create(struct drm_card *card, const drmModeConnector *connector,
	const struct drm_property *properties, struct drm_crtc *crtc)
{
	struct drm_output *output = xcalloc(1, sizeof(*output));
	const char *type = drmModeGetConnectorTypeName(connector->connector_type);
	char *name = xasprintf("%s-%u", type ? type : "Unknown", connector->connector_type_id);
	output_init(&output->base, &output_impl, name);
	output->base.built_in = gpu_connector_is_panel(name);
	free(name);
	output->base.gpu = card->gpu;
	output->base.asleep = !card->backend->session->active;
	output->card = card;
	output->connector = connector->connector_id;
	output->possible_crtcs =
		drmModeConnectorGetPossibleCrtcs(card->fd, (drmModeConnector *)connector);
	output->pending.fence_fd = output->pending.kernel_fence = -1;
	timer_init(&output->watchdog, card->backend->clock, drm_recovery_handle_watchdog);
	output->base.uncertain = connector->connection != DRM_MODE_CONNECTED;
	output->found = true;
	memcpy(output->properties, properties, sizeof(output->properties));
	output->usual_bpc =
		drm_card_usual_bpc(card, output->connector, properties[CONNECTOR_MAX_BPC].value);
	wl_list_insert(card->outputs.prev, &output->link);
	if (crtc) {
		drm_output_bind(output, crtc);
	}
	drm_output_read_identity(output, connector);
	drm_read_resets(card->fd, output->connector, DRM_MODE_OBJECT_CONNECTOR,
		output->base.built_in, &output->resets);
	drm_output_read_modes(output, connector);
	return output;
}

/* Hands scan-out resources over to the CRTC and the planes: the kernel may use them for a while. */
static void leave(struct drm_output *output)
{
	struct drm_card *card = output->card;
	struct drm_crtc *crtc = output->crtc, *last = output->left ? output->left : crtc;
	/* If the CRTC has an orphan already, this output was never committed. */
	if (last && !last->orphan) {
		last->orphan = output->connector;
		last->orphan_blank = output->blank;
	} else {
		drm_blank_finish(card, &output->blank);
	}
	if (crtc) {
		crtc->output = NULL;
		drm_planes_release(crtc);
	}
	wl_list_remove(&output->link);
	card->unclean = true;
	if (!output->base.asleep) {
		drm_card_clean(card, false);
	}
	drm_card_forget_pending(card);
	drm_card_proceed_with_probe(card);
}

void drm_output_destroy(struct drm_output *output)
{
	struct drm_card *card = output->card;
	assert(!output->lease);
	drm_recovery_abandon(output);
	drm_page_flip_drop(output);
	timer_finish(&output->watchdog);
	leave(output);
	output_finish(&output->base);
	drm_modeset_forget_untested(output);
	if (output->mode_blob) {
		drmModeDestroyPropertyBlob(card->fd, output->mode_blob);
	}
	if (output->gamma_blob) {
		drmModeDestroyPropertyBlob(card->fd, output->gamma_blob);
	}
	if (output->matrix_blob) {
		drmModeDestroyPropertyBlob(card->fd, output->matrix_blob);
	}
	free(output->modes);
	free(output);
}

static const struct output_mode *preferred(const struct output *base)
{
	for (size_t i = 0; i < base->n_modes; i++) {
		if (base->modes[i].preferred) {
			return &base->modes[i];
		}
	}
	return base->n_modes > 0 ? &base->modes[0] : NULL;
}

/* Returns true for screens of virtual machines, which are resized with the host's window. */
static bool is_resized_by_host(const struct drm_output *output)
{
	return !output->edid_hash || output->properties[CONNECTOR_HOTPLUG_MODE_UPDATE].value ||
	       drm_card_has_quirk(output->card, DRM_QUIRK_RESIZES);
}

/* Requests the preferred mode when it changes. */
static void follow(struct drm_output *output, const struct output_mode *before)
{
	const struct output_mode *wish = preferred(&output->base);
	if (!wish || !output->base.enabled || output_mode_equal(wish, before) ||
		!is_resized_by_host(output)) {
		return;
	}
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_MODE;
	state.mode = *wish;
	signal_emit(&output->base.events.request_state, &state);
}

/* The link failed (a cable, a dock): a modeset with the same mode trains it again. */
static void repair(struct drm_output *output)
{
	log_info("%s: the link failed: setting the mode again", output->base.name);
	set_again(output);
}

void drm_output_update(struct drm_output *output, const drmModeConnector *connector,
	const struct drm_property *properties)
{
	const struct output_mode *old = preferred(&output->base);
	struct output_mode before = old ? *old : (struct output_mode){0};
	memcpy(output->properties, properties, sizeof(output->properties));
	if (output->base.enabled && properties[CONNECTOR_LINK_STATUS].id &&
		properties[CONNECTOR_LINK_STATUS].value == DRM_MODE_LINK_STATUS_BAD) {
		repair(output);
	}
	bool uncertain = connector->connection != DRM_MODE_CONNECTED;
	bool changed = uncertain != output->base.uncertain;
	output->base.uncertain = uncertain;
	changed |= drm_output_read_identity(output, connector);
	changed |= drm_output_read_modes(output, connector);
	if (changed) {
		signal_emit(&output->base.events.changed, NULL);
		follow(output, &before);
	}
}
