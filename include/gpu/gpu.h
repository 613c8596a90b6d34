#pragma once

/**
 * A GPU: one per DRM device. Found through udev without opening its nodes, because opening wakes a
 * sleeping device; opened by the first user, closed after the last.
 *
 * It has one owner, the list that found it, which frees it with itself and never before: a pointer to a
 * GPU is good as long as the list is, also when the device has gone from the system. So who just names
 * one (what a client was told, where a buffer lives, feedback) keeps the pointer and need not know; nothing
 * can be opened any more. Who has something of the device (a descriptor, a context, screens, copies under
 * way) listens to events.gone and lets go of it.
 */

#include "gpu/format.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <wayland-server-core.h>

struct gbm_device;

struct gpu {
	struct wl_list link; /* gpu_list.gpus */
	/** Identity, from udev; strings are owned. */
	dev_t primary_dev; /* 0 if it has no such node */
	dev_t render_dev;
	char *primary_path; /* /dev/dri/cardN or NULL */
	char *render_path; /* /dev/dri/renderDN or NULL */
	char *driver; /* kernel driver name, "amdgpu" */
	char *driver_version; /* a word, or NULL: it is the kernel's */
	char *bus_id; /* "pci-0000_03_00_0" or the platform device's name */
	uint32_t vendor, device; /* PCI ids, 0 elsewhere */
	bool boot_vga;
	bool integrated; /* shares system memory, as far as is known without opening it */
	char *seat; /* "seat0" unless somebody gave it to another */

	/** Open while n_users > 0. */
	int n_users;
	int fd; /* -1 while closed */
	struct gbm_device *gbm;
	int n_egl; /* contexts on its EGL display, which they share: gpu/egl's */

	bool gone; /* from the system; some still refer to it */

	struct {
		/** Once, when the device goes from the system or the list ends; listeners remove themselves. */
		struct wl_signal gone;
	} events;
};

struct gpu_list {
	struct wl_list gpus; /* gpu.link, in order of primary node */
	struct wl_list gone; /* gpu.link: some hundred bytes for each time that one is pulled out */
	struct {
		struct wl_signal changed; /* after gpu_list_refresh() found something */
	} events;
};

/** What is plugged in, as far as the kernel knows without asking the device, which may sleep. */
struct gpu_connectors {
	int connected;
	int unknown; /* nobody has asked the device yet */
	bool panel; /* a built-in one is among the connected */
};

/** Looks devices up in udev; an empty list is no error. */
void gpu_list_init(struct gpu_list *list);
void gpu_list_finish(struct gpu_list *list);
/** Looks again: new GPUs are in the list afterwards, and gpu_list_remove() was called for those that went. */
void gpu_list_refresh(struct gpu_list *list);
/** The device is not there any more. What still uses it closes it later. */
void gpu_list_remove(struct gpu_list *list, struct gpu *gpu);
/**
 * The one that people expect to be the first of this seat: with a built-in panel, else the one that
 * most screens are plugged into, else the one that the machine boots with. NULL: there is none that
 * could drive a screen. `wished`: a selector of the one that it shall be; where nothing is plugged into
 * that one, or it is not there, NULL is the same.
 */
struct gpu *gpu_list_primary(const struct gpu_list *list, const char *seat, const char *wished);
/** A connector of this name ("eDP-1") leads to a panel that is built in. */
bool gpu_connector_is_panel(const char *connector);
/** Opens nothing. */
struct gpu_connectors gpu_read_connectors(const struct gpu *gpu);
/**
 * The CPU sees in a dumb buffer what the GPU drew there. The hosts of virtual cards have memory of their own for that,
 * which is overwritten with what the CPU wrote, with each flip (virtio_gpu_update_dumb_bo() in the kernel's
 * virtgpu_plane.c; vmwgfx is taken to be alike).
 */
bool gpu_has_one_memory(const struct gpu *gpu);
#define GPU_POWER_SIZE 16

/**
 * What the kernel says of its sleep: "active", "suspended", "suspending", "resuming", "error" or
 * "unsupported". Wakes nothing: the file is answered from memory. False if it says nothing.
 */
bool gpu_read_power(const struct gpu *gpu, char state[static GPU_POWER_SIZE]);
/** The GPU that has this node (primary or render), or NULL. */
struct gpu *gpu_list_find(const struct gpu_list *list, dev_t dev);

/**
 * Counts a user; the first one opens the render node (the primary one where there is no render
 * node) and a GBM device. 0 or negative errno, then nobody is counted; -ENODEV for one that is gone, whose
 * nodes may be another's by now.
 */
int gpu_open(struct gpu *gpu);
/** As gpu_open(), with a descriptor that a session has opened; it is duplicated. */
int gpu_open_fd(struct gpu *gpu, int fd);
/**
 * A descriptor of the same device as `fd` (of a primary node), with buffer handles of its own and without
 * the right to set modes. Negative errno.
 */
int gpu_clone_fd(int fd);
/** The last user's closes it. */
void gpu_close(struct gpu *gpu);
/**
 * A copy of its identity, on no list, the caller's own: what is opened of it is shared with nobody, so that
 * a thread may do so. It does not hear when the device goes.
 */
struct gpu *gpu_copy(const struct gpu *gpu);
/** It is closed. NULL is legal. */
void gpu_copy_destroy(struct gpu *copy);
/** Whether a selector of the configuration (no alias, not "display") means this one. */
bool gpu_matches(const struct gpu *gpu, const char *selector);
/** The first that it means and that has a render node; NULL: none. */
struct gpu *gpu_list_select(const struct gpu_list *list, const char *selector);
/** The node clients should be told: render_dev, else primary_dev. */
dev_t gpu_dev(const struct gpu *gpu);
