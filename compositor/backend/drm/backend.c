/* SPDX-License-Identifier: MIT */
/* The KMS backend: the seat's graphics cards, hotplug by udev, and the session they depend on. */

#include "backend/lease.h"
#include "backend/session.h"
#include "drm.h"
#include "gpu/gpu.h"
#include "util/event_source.h"
#include "util/log.h"
#include "util/task.h"
#include "util/xalloc.h"
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct backend_impl backend_impl;

bool backend_is_drm(const struct backend *backend)
{
	return backend->impl == &backend_impl;
}

static struct drm_backend *drm_from_base(struct backend *backend)
{
	assert(backend->impl == &backend_impl);
	return wl_container_of(backend, (struct drm_backend *)NULL, base);
}

static struct drm_card *find_card(struct drm_backend *backend, const struct gpu *gpu)
{
	struct drm_card *card;
	wl_list_for_each (card, &backend->cards, link) {
		if (card->gpu == gpu) {
			return card;
		}
	}
	return NULL;
}

static bool has_plugged(const struct gpu *gpu)
{
	struct gpu_connectors connectors = gpu_read_connectors(gpu);
	return connectors.connected > 0 || connectors.unknown > 0;
}

/* Adds the cards of this seat. Devices without KMS (primary_path NULL) are skipped. */
static void add_cards(struct drm_backend *backend)
{
	struct gpu *gpu;
	wl_list_for_each (gpu, &backend->gpus->gpus, link) {
		if (gpu->primary_path && strcmp(gpu->seat, backend->session->name) == 0 &&
			!find_card(backend, gpu)) {
			drm_card_create(backend, gpu);
		}
	}
}

/* Opens the closed cards that have a connected connector. */
static void open_cards(struct drm_backend *backend)
{
	struct drm_card *card;
	wl_list_for_each (card, &backend->cards, link) {
		if (card->fd < 0 && has_plugged(card->gpu)) {
			drm_card_refresh(card, 0);
		}
	}
}

static bool start(struct backend *base)
{
	struct drm_backend *backend = drm_from_base(base);
	backend->started = true;
	struct drm_card *card;
	wl_list_for_each (card, &backend->cards, link) {
		struct drm_output *output, *next;
		wl_list_for_each_safe (output, next, &card->outputs, link) {
			signal_emit(&base->events.new_output, &output->base);
		}
	}
	return true;
}

static void destroy(struct backend *base)
{
	struct drm_backend *backend = drm_from_base(base);
	struct drm_card *card, *next;
	wl_list_for_each_safe (card, next, &backend->cards, link) {
		drm_card_destroy(card);
	}
	tasks_destroy(backend->tasks);
	wl_list_remove(&backend->active.link);
	wl_list_remove(&backend->lost.link);
	event_source_remove(&backend->monitor_source);
	udev_monitor_unref(backend->monitor);
	udev_unref(backend->udev);
	backend_finish(base);
	free(backend);
}

static const struct backend_impl backend_impl = {
	.name = "drm",
	.start = start,
	.destroy = destroy,
};

static void handle_hotplug(struct drm_backend *backend, struct udev_device *device)
{
	struct gpu *gpu = gpu_list_find(backend->gpus, udev_device_get_devnum(device));
	struct drm_card *card = gpu ? find_card(backend, gpu) : NULL;
	const char *connector = udev_device_get_property_value(device, "CONNECTOR");
	if (card && udev_device_get_property_value(device, "LEASE")) {
		drm_leases_check(card);
	} else if (card) {
		drm_card_refresh(card, connector ? (uint32_t)strtoul(connector, NULL, 10) : 0);
	}
}

static int handle_monitor(int fd, uint32_t mask, void *data)
{
	struct drm_backend *backend = data;
	struct udev_device *device = udev_monitor_receive_device(backend->monitor);
	const char *action = device ? udev_device_get_action(device) : NULL;
	if (!action) {
		udev_device_unref(device);
		return 0;
	}
	log_debug(LOG_BACKEND, "udev: %s %s", action, udev_device_get_sysname(device));
	if (strcmp(action, "change") == 0) {
		/*
		 * While the session is inactive, changes are ignored: all cards are scanned on
		 * return.
		 */
		if (backend->session->active) {
			handle_hotplug(backend, device);
		}
	} else {
		gpu_list_refresh(backend->gpus);
		add_cards(backend);
		if (backend->session->active) {
			open_cards(backend);
		}
	}
	udev_device_unref(device);
	return 0;
}

static void handle_lost(struct wl_listener *listener, void *data)
{
	struct drm_backend *backend = wl_container_of(listener, backend, lost);
	signal_emit(&backend->base.events.ended, (void *)"lost the seat");
}

static void handle_active(struct wl_listener *listener, void *data)
{
	struct drm_backend *backend = wl_container_of(listener, backend, active);
	struct drm_card *card;
	wl_list_for_each (card, &backend->cards, link) {
		if (card->fd < 0) {
			continue;
		}
		if (backend->session->active) {
			drm_card_wake(card);
			drm_card_refresh(card, 0);
		} else {
			struct drm_output *output;
			wl_list_for_each (output, &card->outputs, link) {
				drm_output_sleep(output);
			}
			drm_leases_end(card);
		}
	}
	if (backend->session->active) {
		open_cards(backend);
	}
}

static bool listen(struct drm_backend *backend)
{
	backend->udev = udev_new();
	backend->monitor =
		backend->udev ? udev_monitor_new_from_netlink(backend->udev, "udev") : NULL;
	if (!backend->monitor ||
		udev_monitor_filter_add_match_subsystem_devtype(
			backend->monitor, "drm", "drm_minor") < 0 ||
		udev_monitor_enable_receiving(backend->monitor) < 0) {
		return false;
	}
	backend->monitor_source = wl_event_loop_add_fd(backend->loop,
		udev_monitor_get_fd(backend->monitor), WL_EVENT_READABLE, handle_monitor, backend);
	return backend->monitor_source;
}

/* Returns true if at least one card can set modes, or is closed since it has no screen. */
static bool try_cards(struct drm_backend *backend)
{
	struct drm_card *card;
	bool any = false, asleep = false;
	wl_list_for_each (card, &backend->cards, link) {
		if (has_plugged(card->gpu)) {
			any |= drm_card_refresh(card, 0);
		} else {
			asleep = true;
		}
	}
	return any || asleep;
}

struct backend *drm_backend_create(struct wl_event_loop *loop, struct clock *clock,
	struct session *session, struct gpu_list *gpus, const struct drm_options *options,
	char **error)
{
	struct drm_backend *backend = xcalloc(1, sizeof(*backend));
	backend_init(&backend->base, &backend_impl);
	backend->loop = loop;
	backend->clock = clock;
	backend->session = session;
	backend->gpus = gpus;
	backend->overlays = options->overlays;
	wl_list_init(&backend->cards);
	backend->tasks = tasks_create(loop, clock);
	signal_add(&session->events.active, &backend->active, handle_active);
	signal_add(&session->events.lost, &backend->lost, handle_lost);
	if (!backend->tasks) {
		*error = xstrdup("cannot create an eventfd for tasks");
		goto destroy;
	}
	if (!listen(backend)) {
		*error = xstrdup("cannot listen to udev for hotplug events");
		goto destroy;
	}
	add_cards(backend);
	if (wl_list_empty(&backend->cards)) {
		*error = xstrdup("no graphics card on this seat (no /dev/dri/card*)");
		goto destroy;
	}
	if (!try_cards(backend)) {
		*error = xstrdup(
			"no graphics card of this seat can set modes: see the messages above");
		goto destroy;
	}
	struct gpu *gpu = gpu_list_primary(gpus, session->name, options->primary);
	struct drm_card *card = gpu ? find_card(backend, gpu) : NULL;
	backend->base.device = card && card->fd >= 0 ? gpu->primary_dev : 0;
	return &backend->base;
destroy:
	destroy(&backend->base);
	return NULL;
}

int drm_backend_open_reader(struct backend *base, const struct gpu *gpu)
{
	struct drm_card *card = find_card(drm_from_base(base), gpu);
	return card ? drm_card_open_reader(card) : -ENODEV;
}

int drm_backend_clone_fd(struct backend *base, const struct gpu *gpu)
{
	struct drm_card *card = find_card(drm_from_base(base), gpu);
	return card && card->fd >= 0 ? gpu_clone_fd(card->fd) : -ENODEV;
}

const char *drm_backend_quirk(struct backend *base, const struct gpu *gpu, int i)
{
	const struct drm_card *card = find_card(drm_from_base(base), gpu);
	return card ? drm_card_describe_quirk(card, i) : NULL;
}

bool drm_backend_is_probing(struct backend *base)
{
	const struct drm_backend *backend = drm_from_base(base);
	const struct drm_card *card;
	wl_list_for_each (card, &backend->cards, link) {
		if (card->probe) {
			return true;
		}
	}
	return false;
}
