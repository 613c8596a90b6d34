/* SPDX-License-Identifier: MIT */
/* A graphics card: a KMS device, open while a screen is plugged in. */

#include "backend/lease.h"
#include "backend/session.h"
#include "commit.h"
#include "gpu/gpu.h"
#include "util/event_source.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Time (ns) after the start when connectors are probed, if outputs show no frame before. */
#define FIRST_PROBE INT64_C(1000000000)

static void close_card(struct drm_card *card)
{
	struct drm_output *output, *next;
	if (card->fd < 0) {
		return;
	}
	drm_card_abandon_probe(card);
	wl_list_for_each_safe (output, next, &card->outputs, link) {
		drm_lease_end(&output->base);
		drm_output_destroy(output);
	}
	if (card->unclean && card->planes) {
		drm_card_clean(card, true);
	}
	drm_recoveries_drop(card);
	event_source_remove(&card->announce);
	timer_disarm(&card->retry);
	card->stalled = card->rescan = false;
	card->busy_since = 0;
	drm_framebuffers_drop(card);
	for (int i = 0; i < card->n_planes; i++) {
		drm_plane_finish(&card->planes[i]);
	}
	free(card->planes);
	free(card->crtcs);
	card->planes = NULL;
	card->crtcs = NULL;
	card->n_planes = card->n_crtcs = 0;
	event_source_remove(&card->source);
	session_close_device(card->backend->session, card->fd);
	card->fd = -1;
	log_debug(LOG_BACKEND, "%s: closed", card->gpu->bus_id);
}

static struct drm_output *find_by_crtc(struct drm_card *card, uint32_t crtc)
{
	for (int i = 0; i < card->n_crtcs; i++) {
		if (card->crtcs[i].id == crtc) {
			return card->crtcs[i].output;
		}
	}
	return NULL;
}

static void handle_event(struct drm_card *card, const struct drm_event_vblank *event)
{
	struct drm_output *output = find_by_crtc(card, event->crtc_id);
	if (event->base.type == DRM_EVENT_FLIP_COMPLETE && output) {
		drm_output_handle_flip(output, (uint32_t)event->user_data, event->sequence,
			event->tv_sec * INT64_C(1000000000) + event->tv_usec * INT64_C(1000));
		drm_card_notice_frame(card);
	}
}

/* The kernel may still scan out for a removed output. */
static void close_unused(struct drm_card *card)
{
	if (wl_list_empty(&card->outputs) && !card->unclean && !card->probe) {
		close_card(card);
	}
}

static void proceed(struct drm_card *card)
{
	drm_card_proceed(card);
	close_unused(card);
}

static void handle_probed(struct drm_card *card, uint32_t connector)
{
	bool had_outputs = !wl_list_empty(&card->outputs);
	/* The return of an inactive session probes all connectors. */
	if (card->backend->session->active) {
		drm_card_scan(card, connector);
		if (!had_outputs && !wl_list_empty(&card->outputs)) {
			drm_card_clean(card, false);
		}
	}
	/* Modesets that have waited come before the next probe. */
	drm_card_proceed(card);
	drm_card_request_deferred(card);
	drm_card_proceed_with_probe(card);
	close_unused(card);
}

static void handle_retry(struct timer *timer, int64_t now)
{
	struct drm_card *card = wl_container_of(timer, card, retry);
	if (card->rescan && card->backend->session->active) {
		drm_card_scan(card, 0);
	}
	proceed(card);
}

/*
 * Parses events by hand instead of with drmHandleEvent(): user data is a serial number, so that a
 * late event cannot point to a destroyed output.
 */
static int handle_readable(int fd, uint32_t mask, void *data)
{
	struct drm_card *card = data;
	_Alignas(struct drm_event_vblank) char events[1024];
	ssize_t length = read(fd, events, sizeof(events));
	if (length < 0 && (errno == EAGAIN || errno == EINTR)) {
		return 0;
	}
	if (length <= 0 || mask & (WL_EVENT_ERROR | WL_EVENT_HANGUP)) {
		log_warn("%s: the card no longer answers", card->gpu->bus_id);
		event_source_remove(&card->source);
		return 0;
	}
	for (size_t at = 0; at + sizeof(struct drm_event) <= (size_t)length;) {
		struct drm_event_vblank event = {0};
		memcpy(&event.base, events + at, sizeof(event.base));
		if (event.base.length < sizeof(event.base) ||
			at + event.base.length > (size_t)length) {
			break;
		}
		memcpy(&event, events + at,
			event.base.length < sizeof(event) ? event.base.length : sizeof(event));
		handle_event(card, &event);
		at += event.base.length;
	}
	proceed(card);
	return 0;
}

static bool read_caps(struct drm_card *card)
{
	uint64_t value = 0;
	if (!drmIsKMS(card->fd)) {
		log_debug(LOG_BACKEND, "%s: no KMS", card->gpu->bus_id);
		return false;
	}
	if (drmSetClientCap(card->fd, DRM_CLIENT_CAP_UNIVERSAL_PLANES, 1) != 0 ||
		drmSetClientCap(card->fd, DRM_CLIENT_CAP_ATOMIC, 1) != 0) {
		log_warn("%s: the driver %s does not support atomic modesetting", card->gpu->bus_id,
			card->gpu->driver);
		return false;
	}
	/*
	 * Drivers of virtual machines expose the cursor plane only to clients that set its hotspot.
	 */
	drmSetClientCap(card->fd, DRM_CLIENT_CAP_CURSOR_PLANE_HOTSPOT, 1);
	if (drmGetCap(card->fd, DRM_CAP_CRTC_IN_VBLANK_EVENT, &value) != 0 || !value) {
		log_warn("%s: the kernel is too old (needs DRM_CAP_CRTC_IN_VBLANK_EVENT)",
			card->gpu->bus_id);
		return false;
	}
	card->addfb_modifiers = drmGetCap(card->fd, DRM_CAP_ADDFB2_MODIFIERS, &value) == 0 && value;
	card->async_flips =
		drmGetCap(card->fd, DRM_CAP_ATOMIC_ASYNC_PAGE_FLIP, &value) == 0 && value;
	card->cursor_width =
		drmGetCap(card->fd, DRM_CAP_CURSOR_WIDTH, &value) == 0 && value ? value : 64;
	card->cursor_height =
		drmGetCap(card->fd, DRM_CAP_CURSOR_HEIGHT, &value) == 0 && value ? value : 64;
	return true;
}

static bool read_crtcs(struct drm_card *card)
{
	drmModeRes *resources = drmModeGetResources(card->fd);
	if (!resources) {
		return false;
	}
	card->n_crtcs = resources->count_crtcs;
	card->crtcs = xcalloc((size_t)card->n_crtcs + 1, sizeof(card->crtcs[0]));
	for (int i = 0; i < card->n_crtcs; i++) {
		card->crtcs[i].id = resources->crtcs[i];
		card->crtcs[i].index = i;
		drm_read_crtc(card->fd, card->crtcs[i].id, card->crtcs[i].properties);
		drm_read_resets(card->fd, card->crtcs[i].id, DRM_MODE_OBJECT_CRTC, false,
			&card->crtcs[i].resets);
	}
	drmModeFreeResources(resources);
	return card->n_crtcs > 0;
}

static bool read_planes(struct drm_card *card)
{
	drmModePlaneRes *resources = drmModeGetPlaneResources(card->fd);
	if (!resources) {
		return false;
	}
	card->n_planes = (int)resources->count_planes;
	card->planes = xcalloc((size_t)card->n_planes + 1, sizeof(card->planes[0]));
	for (int i = 0; i < card->n_planes; i++) {
		drm_plane_init(card, &card->planes[i], resources->planes[i]);
	}
	drmModeFreePlaneResources(resources);
	return card->n_planes > 0;
}

static bool open_card(struct drm_card *card)
{
	int fd = session_open_device(card->backend->session, card->gpu->primary_path);
	if (fd < 0) {
		log_warn("cannot open %s: %s", card->gpu->primary_path,
			fd == -EBUSY ? "another program holds it" : strerror(-fd));
		return false;
	}
	card->fd = fd;
	if (!drmIsMaster(fd)) {
		log_warn("%s: another program holds it", card->gpu->primary_path);
		goto close;
	}
	drm_quirks_read(card);
	if (!read_caps(card) || !read_crtcs(card) || !read_planes(card)) {
		goto close;
	}
	card->source = wl_event_loop_add_fd(
		card->backend->loop, fd, WL_EVENT_READABLE, handle_readable, card);
	if (!card->source) {
		goto close;
	}
	log_debug(LOG_BACKEND, "%s: %d CRTCs, %d planes, %s", card->gpu->bus_id, card->n_crtcs,
		card->n_planes, card->addfb_modifiers ? "modifiers" : "no modifiers");
	return true;
close:
	close_card(card);
	return false;
}

static void handle_gpu_gone(struct wl_listener *listener, void *data)
{
	struct drm_card *card = wl_container_of(listener, card, gpu_gone);
	log_info("%s: the card was removed", card->gpu->bus_id);
	drm_card_destroy(card);
}

struct drm_card *drm_card_create(struct drm_backend *backend, struct gpu *gpu)
{
	struct drm_card *card = xcalloc(1, sizeof(*card));
	card->backend = backend;
	card->gpu = gpu;
	card->fd = -1;
	card->proceed = proceed;
	card->probed = handle_probed;
	timer_init(&card->retry, backend->clock, handle_retry);
	timer_init(&card->first_probe, backend->clock, drm_card_handle_first_probe);
	wl_list_init(&card->outputs);
	wl_list_init(&card->framebuffers);
	wl_list_init(&card->leases);
	wl_list_init(&card->recoveries);
	wl_list_insert(backend->cards.prev, &card->link);
	signal_add(&gpu->events.gone, &card->gpu_gone, handle_gpu_gone);
	return card;
}

void drm_card_destroy(struct drm_card *card)
{
	close_card(card);
	timer_finish(&card->retry);
	timer_finish(&card->first_probe);
	wl_list_remove(&card->gpu_gone.link);
	wl_list_remove(&card->link);
	free(card->usual);
	free(card);
}

bool drm_card_refresh(struct drm_card *card, uint32_t connector)
{
	bool opened = card->fd < 0;
	if (opened && !open_card(card)) {
		return false;
	}
	if (card->backend->started) {
		drm_card_probe(card, opened ? 0 : connector);
		return true;
	}
	drm_card_scan(card, opened ? 0 : connector);
	if (wl_list_empty(&card->outputs)) {
		drm_card_probe(card, 0); /* the kernel has not probed the screen, or cannot */
	} else {
		drm_card_clean(card, false);
		timer_arm(&card->first_probe, clock_now(card->backend->clock) + FIRST_PROBE);
	}
	return true;
}

/* Sets all enabled outputs in one commit; outputs to be enabled later are tried after that. */
void drm_card_wake(struct drm_card *card)
{
	struct drm_output *output, *next;
	drm_leases_revoke(card);
	card->unclean = true;
	card->busy_since = 0; /* restart the timeout: the state before the switch is unknown */
	wl_list_for_each (output, &card->outputs, link) {
		output->base.asleep = output->active = output->refused = false;
		output->due = output->base.enabled;
	}
	drm_card_proceed(card);
	wl_list_for_each_safe (output, next, &card->outputs, link) {
		if (!output->base.asleep && !output->base.enabled && !output->refused) {
			signal_emit(&output->base.events.changed, NULL);
			signal_emit(&output->base.events.needs_frame, NULL);
		}
	}
}
