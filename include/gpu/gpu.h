/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * GPUs: one per DRM device. Found through udev without opening nodes, because opening wakes a
 * sleeping device; opened by the first user, closed after the last.
 *
 * A GPU is owned by the list that found it and freed with the list, never before: pointers stay
 * valid while the list lives, also after the device was unplugged, but it cannot be opened any
 * more. Users of the device itself (a descriptor, a context, outputs, copies in flight) listen to
 * events.gone and release it.
 */

#include "gpu/format.h"
#include "util/signal.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct gbm_device;

/** Scan-out of system memory: amdgpu's parameter "sg_display". */
enum gpu_sg_display {
	GPU_SG_DISPLAY_AUTO,
	GPU_SG_DISPLAY_ON,
	GPU_SG_DISPLAY_OFF,
};

struct gpu {
	struct wl_list link; /* gpu_list.gpus */
	/** Identity, from udev; strings are owned. */
	dev_t primary_dev; /* 0 if it has no such node */
	dev_t render_dev;
	char *primary_path; /* /dev/dri/cardN or NULL */
	char *render_path; /* /dev/dri/renderDN or NULL */
	char *driver; /* kernel driver name, "amdgpu" */
	char *driver_version; /* one word; NULL for drivers of the kernel itself */
	char *bus_id; /* "pci-0000_03_00_0" or the platform device's name */
	uint32_t vendor, device; /* PCI ids, 0 elsewhere */
	bool boot_vga;
	bool integrated; /* shares system memory, as far as known without opening */
	enum gpu_sg_display sg_display; /* amdgpu only */
	char *seat; /* "seat0" unless assigned to another */

	/** Open while n_users > 0. */
	int n_users;
	int fd; /* -1 while closed */
	struct gbm_device *gbm;
	int n_egl; /* number of contexts on its shared EGL display; owner: gpu/egl.c */

	bool gone; /* unplugged; pointers to it remain valid */
	int n_losses; /* resets that destroyed a renderer; see gpu_list_count_loss() */

	struct {
		/**
		 * Emitted once, when the device is unplugged or the list ends; listeners remove
		 * themselves.
		 */
		struct wl_signal gone;
	} events;
};

struct gpu_list {
	struct wl_list gpus; /* gpu.link, in order of primary node */
	struct wl_list gone; /* gpu.link of unplugged GPUs */
	struct {
		struct wl_signal changed; /* emitted after gpu_list_refresh() found changes */
		struct wl_signal lost; /* emitted by gpu_list_count_loss() */
	} events;
};

/** Connected displays, as far as the kernel knows without waking the device. */
struct gpu_connectors {
	int connected;
	int unknown; /* the device was not probed yet */
	bool panel; /* including a built-in panel */
};

/** Finds devices by udev; an empty list is not an error. */
void gpu_list_init(struct gpu_list *list);
void gpu_list_finish(struct gpu_list *list);
/** Updates the list: adds new GPUs, and calls gpu_list_remove() for unplugged ones. */
void gpu_list_refresh(struct gpu_list *list);
/** Marks the device as unplugged; its users close it later. */
void gpu_list_remove(struct gpu_list *list, struct gpu *gpu);
/** Counts a reset of a GPU that destroyed a renderer, and emits list.events.lost. */
void gpu_list_count_loss(struct gpu_list *list, struct gpu *gpu);
/**
 * Returns the seat's preferred GPU: with a built-in panel, else with the most displays, else the
 * boot GPU; NULL without a GPU that can drive a display. `wished`: a selector of the GPU to return
 * instead; NULL if that one is absent or has no display.
 */
struct gpu *gpu_list_primary(const struct gpu_list *list, const char *seat, const char *wished);
/** Returns whether a connector of this name ("eDP-1") has a built-in panel. */
bool gpu_connector_is_panel(const char *connector);
/** Does not open the GPU. */
struct gpu_connectors gpu_read_connectors(const struct gpu *gpu);
/**
 * Returns whether the CPU can read the GPU's drawing in a dumb buffer. Hosts of virtual cards have
 * separate memory, which each flip overwrites with the CPU's writes (virtio_gpu_update_dumb_bo() in
 * the kernel's virtgpu_plane.c; vmwgfx is assumed to do the same).
 */
bool gpu_has_one_memory(const struct gpu *gpu);
#define GPU_POWER_SIZE 16

/**
 * Reads the power state: "active", "suspended", "suspending", "resuming", "error" or "unsupported".
 * Does not wake the device. Returns false if it is unknown.
 */
bool gpu_read_power(const struct gpu *gpu, char state[static GPU_POWER_SIZE]);
/** Returns whether the kernel suspends the device when it is unused. Does not wake it. */
bool gpu_can_sleep(const struct gpu *gpu);
/**
 * Returns after how many ns without use a GPU that is awake has fallen asleep, or 0 if it is asleep
 * or never sleeps. Does not wake it.
 */
int64_t gpu_suspend_delay(const struct gpu *gpu);
/** Returns the GPU of a node (primary or render), or NULL. */
struct gpu *gpu_list_find(const struct gpu_list *list, dev_t dev);
/** Returns NULL if there is none. */
struct gpu *gpu_list_find_bus_id(const struct gpu_list *list, const char *bus_id);

/**
 * Counts a user; the first one opens the render node (without one, the primary node) and a GBM
 * device. Returns 0 or -errno without counting; -ENODEV for an unplugged device, whose nodes may
 * belong to another one now; -ENOTSUP if no driver makes a GBM device of it.
 */
int gpu_open(struct gpu *gpu);
/** As gpu_open(), with a descriptor opened by a session, which is duplicated. */
int gpu_open_fd(struct gpu *gpu, int fd);
/**
 * Returns a descriptor of the same device as `fd` (of a primary node), with its own buffer handles
 * and without the right to set modes; or -errno.
 */
int gpu_clone_fd(int fd);
/** Drops a user; the last one closes the GPU. */
void gpu_close(struct gpu *gpu);
/**
 * Returns a copy of the GPU's identity, owned by the caller and on no list. The copy shares no
 * state, so a thread may open it. It is not notified when the device is unplugged.
 */
struct gpu *gpu_copy(const struct gpu *gpu);
/** Destroys a copy, which is closed. Accepts NULL. */
void gpu_copy_destroy(struct gpu *copy);
/** Returns whether a selector of the configuration (no alias, not "display") matches the GPU. */
bool gpu_matches(const struct gpu *gpu, const char *selector);
/** Returns the first matching GPU with a render node, or NULL. */
struct gpu *gpu_list_select(const struct gpu_list *list, const char *selector);
/** Returns the node to announce to clients: render_dev, else primary_dev. */
dev_t gpu_dev(const struct gpu *gpu);
