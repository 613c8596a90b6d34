/* An output of a card: a connector with a CRTC and planes, in one mode or another, or off. */

#include "backend/lease.h"
#include "backend/session.h"
#include "drm.h"
#include "gpu/gpu.h"
#include "util/log.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
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

static bool test(struct output *base, const struct output_state *state)
{
	struct drm_output *output = drm_output_from_base(base);
	struct drm_commit commit;
	bool done = drm_commit_init(&commit, output, state, false) &&
		    (!(state->fields & OUTPUT_TEARING) || output->card->async_flips);
	if (done) {
		int error = drm_commit_run(&commit, DRM_MODE_ATOMIC_TEST_ONLY, 0);
		if (error < 0) {
			log_debug(LOG_BACKEND, "%s: test: %s", base->name, strerror(-error));
		}
		done = error == 0;
	}
	drm_commit_finish(&commit);
	return done;
}

/* A change without a frame is done: what was made for it is the output's. */
static void settle(struct drm_output *output, struct drm_commit *commit)
{
	if (commit->modeset) {
		drm_output_show_nothing(output);
	}
	drm_commit_keep(commit);
	if (commit->modeset && !commit->enabled) {
		drm_blank_finish(output->card, &output->blank);
	}
}

/* A change without a frame: mode, on or off, adaptive sync. 0 or negative errno. */
static int change(struct drm_output *output, struct drm_commit *commit)
{
	int error = drm_commit_run(commit, 0, 0);
	if (error == -EINVAL && !commit->modeset) {
		error = drm_commit_run(commit, DRM_MODE_ATOMIC_ALLOW_MODESET, 0);
	}
	if (error == 0) {
		settle(output, commit);
	}
	return drm_output_note_unplugged(output, error);
}

/* Sets the mode that it has once more. 0 or negative errno. */
static int set_again(struct drm_output *output)
{
	struct output_state state;
	struct drm_commit commit;
	output_state_init(&state);
	int error = -EINVAL;
	if (drm_commit_init(&commit, output, &state, true)) {
		error = change(output, &commit);
	}
	drm_commit_finish(&commit);
	return error;
}

/*
 * The flip never came: what is shown is unknown. Off and on again, since a mode that is set already
 * changes nothing.
 */
static void handle_watchdog(struct timer *timer, int64_t now)
{
	struct drm_output *output = wl_container_of(timer, output, watchdog);
	log_warn("%s: the card did not show a frame within %d s: its mode is set again",
		output->base.name, (int)(DRM_FLIP_TIMEOUT / 1000000000));
	int error = drm_output_switch_off(output);
	error = error == 0 ? set_again(output) : error;
	if (error < 0) {
		log_warn("%s: its mode cannot be set again: %s", output->base.name,
			strerror(-error));
	}
	drm_flight_drop(output);
	signal_emit(&output->base.events.needs_frame, NULL);
}

static bool commit(struct output *base, const struct output_state *state, uint32_t number)
{
	struct drm_output *output = drm_output_from_base(base);
	bool frame = state->fields & OUTPUT_PLANES;
	bool colors = state->fields && !(state->fields & ~(uint32_t)DRM_COLORS);
	if ((base->asleep && !colors) || (frame && output->flight.commit)) {
		return false;
	}
	struct drm_commit commit;
	bool done = drm_commit_init(&commit, output, state, false);
	if (done && (frame || colors)) {
		done = frame ? drm_flight_start(output, &commit, number)
			     : drm_color_commit(&commit);
		if (done) {
			drm_commit_keep(&commit);
		}
	} else if (done) {
		int error = change(output, &commit);
		if (error < 0) {
			log_warn("%s: it cannot be set so: %s", base->name, strerror(-error));
		}
		done = error == 0;
	}
	drm_commit_finish(&commit);
	return done;
}

/* Of one card, since those of others have another GPU. */
static bool together(const struct output_change *changes, size_t n, bool test)
{
	struct drm_commit *commits = xcalloc(n, sizeof(*commits));
	bool done = true;
	for (size_t i = 0; i < n; i++) {
		struct drm_output *output = drm_output_from_base(changes[i].output);
		done = drm_commit_init(&commits[i], output, changes[i].state, false) && done;
		done = done && (test || !output->base.asleep);
	}
	int error =
		!done ? -EINVAL : drm_commits_run(commits, n, test ? DRM_MODE_ATOMIC_TEST_ONLY : 0);
	if (error < 0) {
		log_debug(LOG_BACKEND, "%s and %zu more: %s", changes[0].output->name, n - 1,
			strerror(-error));
	}
	for (size_t i = 0; i < n; i++) {
		if (error == 0 && !test) {
			settle(commits[i].output, &commits[i]);
		}
		drm_commit_finish(&commits[i]);
	}
	free(commits);
	return error == 0;
}

void drm_output_sleep(struct drm_output *output)
{
	output->base.asleep = true;
	drm_flight_drop(output);
}

void drm_output_clean(struct drm_output *output)
{
	if (!output->left_on || output->base.asleep) {
		return;
	}
	output->left_on = false;
	int error = drm_output_switch_off(output);
	if (error < 0) {
		log_debug(LOG_BACKEND, "%s: what a borrower left on stays on: %s",
			output->base.name, strerror(-error));
	}
}

bool drm_outputs_set_again(struct drm_card *card)
{
	struct output_state state;
	struct drm_commit *commits =
		xcalloc((size_t)wl_list_length(&card->outputs) + 1, sizeof(*commits));
	struct drm_output *output;
	size_t n = 0;
	bool done = true;
	output_state_init(&state);
	wl_list_for_each (output, &card->outputs, link) {
		if (output->base.enabled) {
			done = drm_commit_init(&commits[n++], output, &state, true) && done;
		}
	}
	done = done && n > 1 && drm_commits_run(commits, n, 0) == 0;
	for (size_t i = 0; i < n; i++) {
		if (done) {
			settle(commits[i].output, &commits[i]);
		}
		drm_commit_finish(&commits[i]);
	}
	free(commits);
	return done;
}

void drm_output_wake(struct drm_output *output, bool is_set)
{
	struct output *base = &output->base;
	base->asleep = false;
	drm_output_clean(output);
	int error = base->enabled && !is_set ? set_again(output) : 0;
	if (error == -EACCES || error == -EPERM) {
		/* Away again already, before it was said: the next return is near. */
		base->asleep = true;
		return;
	}
	if (error < 0) {
		log_warn("%s: its mode cannot be set any more: %s", base->name, strerror(-error));
		base->enabled = false;
	}
	if (!base->enabled) {
		/* Whoever wants it on may try now. */
		signal_emit(&base->events.changed, NULL);
	}
	signal_emit(&base->events.needs_frame, NULL);
}

static void destroy(struct output *base)
{
	drm_output_destroy(drm_output_from_base(base));
}

static const struct output_impl output_impl = {
	.destroy = destroy,
	.test = test,
	.commit = commit,
	.together = together,
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
	output->crtc = crtc;
	output->flight.fence_fd = -1;
	timer_init(&output->watchdog, card->backend->clock, handle_watchdog);
	output->found = true;
	memcpy(output->properties, properties, sizeof(output->properties));
	wl_list_insert(card->outputs.prev, &output->link);
	if (!drm_planes_assign(output)) {
		log_warn("%s: there is no primary plane for it", output->base.name);
		drm_output_destroy(output);
		return NULL;
	}
	crtc->output = output;
	drm_output_read_identity(output, connector);
	drm_output_read_modes(output, connector);
	return output;
}

void drm_output_destroy(struct drm_output *output)
{
	struct output *base = &output->base;
	drm_lease_end(base);
	drm_flight_drop(output);
	timer_finish(&output->watchdog);
	if (base->enabled && !base->asleep && drm_output_switch_off(output) < 0) {
		log_debug(LOG_BACKEND, "%s: it cannot be switched off", base->name);
	}
	wl_list_remove(&output->link);
	struct drm_card *card = output->card;
	output_finish(base);
	if (output->crtc->output == output) {
		output->crtc->output = NULL;
	}
	drm_planes_release(output);
	drm_blank_finish(card, &output->blank);
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

/* Screens of virtual machines change size as their window does. */
static void follow(struct drm_output *output, const struct output_mode *before)
{
	const struct output_mode *wish = preferred(&output->base);
	if (!wish || !output->base.enabled || output_mode_equal(wish, before) ||
		output->edid_hash) {
		return;
	}
	struct output_state state;
	output_state_init(&state);
	state.fields = OUTPUT_MODE;
	state.mode = *wish;
	signal_emit(&output->base.events.request_state, &state);
}

/* The link broke (a cable, a dock): setting the same mode again trains it anew. */
static void repair(struct drm_output *output)
{
	log_info("%s: the link broke and is set up again", output->base.name);
	int error = set_again(output);
	if (error < 0) {
		log_warn("%s: the link stays broken: %s", output->base.name, strerror(-error));
	}
	signal_emit(&output->base.events.needs_frame, NULL);
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
	if (drm_output_read_modes(output, connector)) {
		signal_emit(&output->base.events.changed, NULL);
		follow(output, &before);
	}
}
