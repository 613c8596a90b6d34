/* SPDX-License-Identifier: MIT */
#pragma once

/** Emulated KMS: internal state of cards, objects, files and fences. */

#include "fake.h"
#include <sys/types.h>
#include <wayland-util.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

#define FAKE_PAGE 4096
#define FAKE_PROPERTIES_MAX 40
#define FAKE_OBJECTS_MAX 96
#define FAKE_TABLE_MAX 800
#define FAKE_HANDLES_MAX 512
/** DRM_CLIENT_CAP_PLANE_COLOR_PIPELINE of Linux 6.19. */
#define FAKE_CAP_PLANE_COLOR_PIPELINE 7

struct fake_property {
	uint32_t id;
	char name[DRM_PROP_NAME_LEN];
	uint32_t flags;
	uint64_t values[2]; /* of range properties; the object type of object properties */
	struct drm_mode_property_enum enums[12];
	int n_enums;
};

/** CRTC, plane, connector or encoder, with its property values as its state. */
struct fake_object {
	uint32_t id, type; /* type: DRM_MODE_OBJECT_*, 0 for an encoder */
	char name[32];
	int index; /* among objects of its type */
	const struct fake_property *properties[FAKE_PROPERTIES_MAX];
	uint64_t values[FAKE_PROPERTIES_MAX];
	int n_properties;

	/* Planes */
	const struct fake_plane_kind *plane;
	uint32_t possible_crtcs; /* of encoders too */

	/* Connectors */
	uint32_t connector_type, connector_number;
	const struct fake_screen *screen; /* NULL: disconnected */
	const struct fake_screen *probed; /* as the last probe has found it */
	bool gone; /* removed, as with a dock */
	const char *status; /* in sysfs.c; NULL: no folder */
	uint32_t encoder;
	uint32_t screen_blob;

	/*
	 * Planes: the frame buffer before the last commit, of which the kernel drops its reference
	 * some time after the event: drm_atomic_state_put() in commit_tail()
	 */
	uint32_t replaced;

	/* CRTCs: the pending page flip or modeset */
	bool flying, event;
	bool setting; /* the pending commit is a modeset */
	bool lost; /* the flip completes only before a blocking commit */
	struct fake_file *file;
	uint64_t user_data;
	int fence; /* -1: none */
	struct fake_fence *out_fence;
	uint32_t sequence;
	int64_t last; /* time of the last vblank in ns */
};

struct fake_plane_kind {
	uint32_t type; /* DRM_PLANE_TYPE_* */
	const uint32_t *formats; /* ends with 0 */
	const uint64_t *modifiers; /* ends with DRM_FORMAT_MOD_INVALID; NULL: no IN_FORMATS */
	int zpos_min, zpos_max; /* equal: immutable; both -1: no such property */
	uint32_t rotations; /* DRM_MODE_ROTATE_* | DRM_MODE_REFLECT_*; 0: no such property */
	bool alpha, scales, damage;
	bool yuv; /* has COLOR_ENCODING and COLOR_RANGE */
	bool pipelines; /* has COLOR_PIPELINE */
	bool intel_cursor; /* shapes of i9xx_cursor_size_ok() */
	bool size_hints; /* has SIZE_HINTS */
	bool covers; /* its visible part must cover the CRTC: can_position is false */
	int max_side; /* maximum width and height; 0: unlimited */
};

struct fake_card_kind {
	const char *name; /* also the driver's name, unless `driver` is set */
	const char *driver;
	uint32_t vendor, device;
	bool boot_vga;
	int n_crtcs;
	/** Planes: those of the first kind for each CRTC, then `shared`, then the other kinds. */
	bool by_kind;
	const struct fake_plane_kind *per_crtc[8]; /* ends with NULL: one plane for each CRTC */
	const struct fake_plane_kind *shared[8]; /* ends with NULL: planes for any CRTC */
	const char *connectors[8]; /* such as "DP-1"; ends with NULL */
	uint32_t routes[8]; /* possible CRTCs of each connector; 0: all */
	bool modifiers, async, vrr, ctm, damage, content_type;
	bool needs_primary; /* an active CRTC needs an enabled primary plane */
	bool resets; /* has connector properties for HDR, range and scaling: see object.c */
	bool content_modeset; /* sets a mode when the content type changes */
	bool resizes; /* connectors have hotplug_mode_update */
	bool background; /* CRTCs have BACKGROUND_COLOR (Linux 7.x) */
	bool filters; /* has SCALING_FILTER and SHARPNESS_STRENGTH (Linux 6.19) */
	bool amd_color; /* has properties of AMD_PRIVATE_COLOR */
	bool nv_color; /* has NV_INPUT_COLORSPACE, NV_HDR_STATIC_METADATA and others */
	bool no_in_fence; /* refuses requests with IN_FENCE_FD */
	bool check_waits; /* checks of modesets wait for pending flips: see atomic.c */
	bool adds_connectors; /* checks of colours and variable refresh lock them: see locks.c */
	bool refuses_imports; /* of memory that is not uncached: see memory.c */
	bool pins_local; /* fails commits of buffers that another device has pinned elsewhere */
	bool loses_implicit; /* never completes flips to imported buffers without modifiers */
	bool loses_system; /* never completes flips to system memory */
	bool reads_stale; /* displays imported system memory without the CPU's later writes */
	int gamma_size, degamma_size; /* 0: no such property */
	int max_bpc; /* 0: no such property */
	int cursor_side;
};

struct fake_bo {
	struct wl_list link; /* in fake_bos */
	int fd;
	ino_t inode;
	size_t size;
	int refs;
	bool foreign; /* sealed memory of a client, as udmabuf needs it */
	bool pinned; /* in system memory, by another device */
	void *stale; /* the bytes that the display reads, without later writes; NULL: all */
};

struct fake_framebuffer {
	struct wl_list link; /* in fake_card.framebuffers */
	uint32_t id, format, width, height, pitch, offset;
	uint64_t modifier;
	bool implicit; /* imported without a modifier */
	bool closed; /* freed once no plane uses it */
	struct fake_bo *bo;
	struct fake_file *file;
};

/** For fake_reset_all(). */
void fake_udmabuf_forget(void);
void fake_inputs_forget(void);
/** Answers EVIOCGSW. Returns false if the descriptor is not that of an emulated device. */
bool fake_input_read_switches(int fd, void *bits);

struct fake_blob {
	struct wl_list link; /* in fake_card.blobs */
	uint32_t id;
	size_t size;
	void *data;
	struct fake_file *file; /* NULL: the card's own */
	bool dead; /* destroyed by its creator but still in use */
};

/** Open file of a card's node. Descriptors are reading ends of a pipe; events are written to it. */
struct fake_file {
	struct wl_list link; /* in fake_card.files */
	struct fake_card *card;
	int writer;
	ino_t inode;
	bool master, atomic, pipelines;
	struct fake_bo *handles[FAKE_HANDLES_MAX];
	bool imported[FAKE_HANDLES_MAX];
	uint32_t lessee; /* 0: no lease */
	uint32_t leased[32];
	int n_leased;
};

/** Properties that a card refuses at a time. */
#define FAKE_REFUSALS_MAX 4

struct fake_card {
	struct wl_list link; /* in fake_cards */
	const struct fake_card_kind *kind;
	int number;
	char path[32];
	bool removed, held, interrupted;
	const char *seat; /* NULL: seat0 */
	unsigned pruned; /* number of closed descriptors at the last fake_files_prune() */
	uint32_t next_id, next_lessee;
	struct fake_property properties[FAKE_TABLE_MAX];
	int n_properties;
	struct fake_object objects[FAKE_OBJECTS_MAX];
	int n_objects;
	struct wl_list files, framebuffers, blobs;
	enum fake_flips flips;
	enum fake_modesets modesets;
	int fail_error, n_fail;
	int fail_nth, fail_nth_error; /* the n-th atomic request fails; 0: none */
	bool fail_tests;
	bool no_in_fence, no_closefb, refuses_gamma;
	struct {
		const char *property;
		int error; /* 0: none */
	} refusals[FAKE_REFUSALS_MAX];
	int framebuffer_error; /* errno of new framebuffers; 0: none */
	int probe_ms; /* duration of a probe */
	int wait_ms; /* of a blocking commit behind a flip */
	uint64_t bandwidth, link_rate;
	/**
	 * Locks of drm_modeset_lock.c that a waiting commit holds, beside that of the connectors.
	 */
	struct {
		bool held;
		uint32_t crtcs; /* by index */
	} locks;
	bool (*judge)(void *data, const struct fake_scan *scan);
	void *judge_data;
	int clock; /* kHz */
	int (*mode_judge)(void *data, const struct fake_head *heads, int n);
	void *mode_judge_data;
	struct fake_counts counts;
};

extern struct wl_list fake_cards, fake_bos;
/** cards.c: ends with an entry without a name. */
extern const struct fake_card_kind fake_kinds[];
/** profiles.c */
extern const struct fake_card_kind fake_profiles[];

#define FAKE_POINTER(type, number) ((type *)(uintptr_t)(number))

/** object.c */
void fake_objects_init(struct fake_card *card);
struct fake_object *fake_object_find(struct fake_card *card, uint32_t id);
struct fake_object *fake_object_named(struct fake_card *card, const char *name);
struct fake_object *fake_object_at(struct fake_card *card, uint32_t type, int index);
const struct fake_property *fake_property_find(struct fake_card *card, uint32_t id);
/** Returns the property's index in the object's table, by name or id; -1 if it does not exist. */
int fake_object_index(const struct fake_object *object, const char *property);
int fake_object_index_id(const struct fake_object *object, uint32_t property);
/** Returns the property's value, or 0 if it does not exist. */
uint64_t fake_object_value(const struct fake_object *object, const char *property);
void fake_object_set(struct fake_object *object, const char *property, uint64_t value);
void fake_connector_set_screen(
	struct fake_card *card, struct fake_object *connector, const struct fake_screen *screen);

/** edid.c */
void fake_edid_fill(uint8_t bytes[128], const struct fake_screen *screen);
void fake_mode_fill(struct drm_mode_modeinfo *mode, const struct fake_screen *screen, int i);

/** file.c */
struct fake_file *fake_file_find(int fd);
/** Opens the node. Returns a descriptor or a negative errno. */
int fake_file_open(struct fake_card *card, struct fake_file **out);
/** Frees files without descriptors. */
void fake_files_prune(struct fake_card *card);
/**
 * Call before a descriptor is closed. Returns true if it may be a file's: then call
 * fake_file_end_close() afterwards.
 */
bool fake_file_begin_close(int fd);
void fake_file_end_close(void);
void fake_file_forget(struct fake_file *file);
int fake_file_ioctl(struct fake_file *file, unsigned long request, void *argument);
/** Waits without the lock. Returns false if the file was closed. */
bool fake_file_sleep(const struct fake_file *file, int ms);
/** Returns whether the file may use the object: a lease is limited to its own objects. */
bool fake_file_sees(const struct fake_file *file, const struct fake_object *object);

/**
 * locks.c: waits while a commit holds the locks of the connectors, or of one of `crtcs`. Returns
 * false if the file was closed.
 */
bool fake_file_wait_for_locks(const struct fake_file *file, bool connectors, uint32_t crtcs);
/**
 * Holds the locks of the connectors and of `crtcs` that long. Returns false if the file was closed.
 */
bool fake_file_hold_locks(const struct fake_file *file, uint32_t crtcs, int ms);

/** resources.c: GETRESOURCES and the other queries of objects. */
int fake_resources_ioctl(struct fake_file *file, unsigned nr, void *argument);

/** memory.c: buffers, frame buffers and blobs. */
int fake_memory_ioctl(struct fake_file *file, unsigned nr, void *argument);
struct fake_bo *fake_bo_find(int fd);
void fake_bo_unref(struct fake_bo *bo);
struct fake_framebuffer *fake_framebuffer_find(struct fake_card *card, uint32_t id);
void fake_framebuffer_remove(struct fake_card *card, struct fake_framebuffer *framebuffer);
/** Frees closed frame buffers without users. */
void fake_framebuffers_prune(struct fake_card *card);
struct fake_blob *fake_blob_find(struct fake_card *card, uint32_t id);
struct fake_blob *fake_blob_create(
	struct fake_card *card, struct fake_file *file, const void *data, size_t size);
void fake_blob_destroy(struct fake_card *card, struct fake_blob *blob);
/** Frees blobs without users. */
void fake_blobs_prune(struct fake_card *card);

/** atomic.c */
int fake_atomic(struct fake_file *file, struct drm_mode_atomic *request);

/** flip.c */
/** Completes the CRTC's pending commit and sends its event. */
void fake_flip_finish(struct fake_card *card, struct fake_object *crtc, int64_t when, bool send);
/**
 * Starts a page flip or modeset. `now` completes it immediately, regardless of the card's settings.
 */
void fake_flip_start(struct fake_card *card, struct fake_object *crtc, bool now);

/** lease.c */
int fake_lease_ioctl(struct fake_file *file, unsigned nr, void *argument);

/** fence.c */
struct fake_fence *fake_fence_find(int fd);
struct fake_fence *fake_fence_make(int *fd);
void fake_fence_set(struct fake_fence *fence, int status);
int fake_fence_status(const struct fake_fence *fence);
int fake_fence_ioctl(struct fake_fence *fence, unsigned long request, void *argument);
void fake_fences_forget(void);

/**
 * interpose.c: the lock of all ioctls of cards. An ioctl that blocks in the kernel releases it
 * while it waits.
 */
void fake_lock(void);
void fake_unlock(void);

/** udev.c */
void fake_udev_send(struct fake_card *card, const char *action, uint32_t connector, bool lease);
/**
 * sysfs.c: replaces a path under /sys/class/drm. Returns NULL for any other path. Valid until the
 * next call.
 */
const char *fake_sysfs_path(const char *path);
void fake_sysfs_update(struct fake_card *card);
void fake_sysfs_remove(void);
