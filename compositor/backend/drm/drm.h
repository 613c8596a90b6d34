#pragma once

/** What the files of the KMS backend share. */

#include "backend/drm.h"
#include "util/clock.h"
#include <libudev.h>
#include <stdint.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

struct drm_lease;
struct gpu;

enum connector_property {
	CONNECTOR_CONTENT_TYPE,
	CONNECTOR_CRTC_ID,
	CONNECTOR_EDID,
	CONNECTOR_LINK_STATUS,
	CONNECTOR_MAX_BPC,
	CONNECTOR_NON_DESKTOP,
	CONNECTOR_VRR_CAPABLE,
	CONNECTOR_N_PROPERTIES,
};

enum crtc_property {
	CRTC_ACTIVE,
	CRTC_CTM,
	CRTC_DEGAMMA_LUT,
	CRTC_GAMMA_LUT,
	CRTC_GAMMA_LUT_SIZE,
	CRTC_MODE_ID,
	CRTC_OUT_FENCE_PTR,
	CRTC_VRR_ENABLED,
	CRTC_N_PROPERTIES,
};

enum plane_property {
	PLANE_ALPHA,
	PLANE_BLEND_MODE,
	PLANE_COLOR_ENCODING,
	PLANE_COLOR_RANGE,
	PLANE_CRTC_H,
	PLANE_CRTC_ID,
	PLANE_CRTC_W,
	PLANE_CRTC_X,
	PLANE_CRTC_Y,
	PLANE_FB_DAMAGE_CLIPS,
	PLANE_FB_ID,
	PLANE_HOTSPOT_X,
	PLANE_HOTSPOT_Y,
	PLANE_IN_FENCE_FD,
	PLANE_IN_FORMATS,
	PLANE_ROTATION,
	PLANE_SRC_H,
	PLANE_SRC_W,
	PLANE_SRC_X,
	PLANE_SRC_Y,
	PLANE_TYPE,
	PLANE_ZPOS,
	PLANE_N_PROPERTIES,
};

/** Of one object: ids are 0 where the driver has no such property. */
struct drm_property {
	uint32_t id;
	uint64_t value; /* when it was read */
};

/** A frame buffer of zeros: what a screen shows between a mode change and its first frame. */
struct drm_blank {
	uint32_t handle, framebuffer;
	int32_t width, height;
};

struct drm_crtc {
	uint32_t id;
	int index; /* the bit in masks of possible CRTCs */
	struct drm_property properties[CRTC_N_PROPERTIES];
	struct drm_output *output; /* that has it; NULL: free */
	/** Of an output that is gone, until the kernel has let go of it: see remains.c. */
	uint32_t orphan; /* its connector; 0: none */
	struct drm_blank orphan_blank;
};

struct drm_plane {
	struct plane base;
	uint32_t id;
	uint32_t possible_crtcs;
	struct drm_property properties[PLANE_N_PROPERTIES];
	bool zpos_mutable;
	uint32_t rotations; /* DRM_MODE_ROTATE_* and _REFLECT_* that it can do */
	/** Of the last commit, for what does not depend on its moment: all but damage and fence. */
	struct plane_state set;
	/** Codings of YUV that it can be told, as values by enum color_matrix and color_range; -1: not. */
	int64_t encodings[COLOR_MATRIX_BT2020 + 1], ranges[COLOR_RANGE_LIMITED + 1];
	struct drm_output *output; /* in whose list it is; NULL: free */
	struct buffer *shown; /* locked; without an output, until the kernel has let go of it */
	struct buffer *flying; /* locked; of the commit in flight */
};

struct drm_card {
	struct wl_list link; /* drm_backend.cards */
	struct drm_backend *backend;
	struct gpu *gpu;
	int fd; /* the session's; -1: closed */
	struct wl_event_source *source;
	bool addfb_modifiers;
	bool async_flips; /* in atomic requests */
	uint64_t cursor_width, cursor_height;
	struct drm_crtc *crtcs;
	int n_crtcs;
	struct drm_plane *planes;
	int n_planes;
	struct wl_list outputs; /* drm_output.link */
	bool starved; /* something is plugged in that there was no CRTC for */
	bool rescan; /* there may be one by now: by `retry` */
	uint32_t serial; /* of the last commit */
	/**
	 * The kernel refused a change since it is not done with what it has (change.c): nothing new goes to
	 * it, but what it refused, when it says that it is done, or when `retry` says so.
	 */
	bool stalled;
	bool unclean; /* what remains there is to be switched off before changes (remains.c) */
	int64_t busy_since; /* ns; since it refuses either; 0: it does not */
	struct timer retry;
	bool waits; /* its driver changes modes only while the caller waits */
	struct wl_list framebuffers; /* drm_framebuffer.link */
	struct wl_list leases; /* drm_lease.link */
	struct wl_listener gpu_gone;
};

struct drm_backend {
	struct backend base;
	struct wl_event_loop *loop;
	struct clock *clock;
	struct session *session;
	struct gpu_list *gpus;
	struct udev *udev;
	struct udev_monitor *monitor;
	struct wl_event_source *monitor_source;
	struct wl_list cards; /* drm_card.link: of all GPUs of the seat, open or not */
	struct wl_listener active, lost;
	bool started;
};

/** What the EDID says that the screen stands; 0: it does not say. */
struct drm_limits {
	int32_t min_hz, max_hz;
	int64_t max_clock; /* Hz */
};

struct drm_commit;

struct drm_output {
	struct output base;
	struct drm_card *card;
	struct wl_list link;
	uint32_t connector;
	struct drm_property properties[CONNECTOR_N_PROPERTIES];
	struct drm_crtc *crtc;
	drmModeModeInfo *modes; /* as base.modes */
	uint64_t edid_hash; /* 0: it has none */
	bool vrr_capable;
	struct drm_limits limits;
	uint64_t usual_bpc; /* "max bpc" as it was found */
	uint32_t mode_blob; /* of base.mode while enabled */
	int32_t refresh; /* mHz, of that, to the point */
	uint32_t gamma_blob, matrix_blob; /* kept while it is off or asleep; 0: none */
	uint32_t
		stale; /* of DRM_WITH_FRAME: the kernel has others, and the next frame brings them */
	struct drm_blank blank;
	uint64_t sequence; /* of the last flip; the kernel counts 32 bits */
	struct timer watchdog; /* armed while the kernel has something in flight */
	bool found; /* while connectors are looked through */
	struct drm_lease *lease; /* NULL: it is not lent */
	/** The kernel is still to be told the mode of `base`, or that it is off: see change.c. */
	bool due;
	bool lit; /* the kernel has taken over that it is on */
	bool refused; /* it is off since the kernel refused it, which was told */

	struct {
		/** What the kernel has, and tells of by this number: a frame or a change; 0: nothing. */
		uint32_t serial;
		/** The frame that `present` is owed for; 0: none. */
		uint32_t commit;
		bool tearing; /* it does not wait for the vertical blank */
		/** It is not the kernel's yet, but here: for its fences, or until the kernel can take it. */
		bool held;
		bool outdated; /* the mode is another one since */
		struct wl_event_source *fence;
		int fence_fd; /* -1: none */
		struct output_state state; /* without damage; its buffers are locked */
	} flight;
};

/** color.c: tables and matrices of colours, as the kernel wants them. */
/** Entries of a ramp of the CRTC's table; 0: it has none. */
uint32_t drm_gamma_size(const struct drm_crtc *crtc);
/** A blob of the three ramps, of the output's size each; false if the kernel has no memory. */
bool drm_gamma_blob(struct drm_output *output, const uint16_t *ramps, uint32_t *blob);
bool drm_matrix_blob(struct drm_output *output, const double matrix[9], uint32_t *blob);

/** mode.c: what a mode is to the kernel. */
/** Of the list, or made for it; false: the screen does not stand it. */
bool drm_mode_find(
	const struct drm_output *output, const struct output_mode *mode, drmModeModeInfo *out);
/** mHz; the mode's own figure is rounded to Hz. */
int32_t drm_mode_refresh(const drmModeModeInfo *mode);

/** property.c: reads the table of an object. */
void drm_read_connector(int fd, uint32_t id, struct drm_property *properties);
void drm_read_crtc(int fd, uint32_t id, struct drm_property *properties);
void drm_read_plane(int fd, uint32_t id, struct drm_property *properties);

/** plane.c: what a plane can take, and which output has it. */
void drm_plane_init(struct drm_card *card, struct drm_plane *plane, uint32_t id);
void drm_plane_finish(struct drm_plane *plane);
/** Gives the output its planes; false if there is no primary one. */
bool drm_planes_assign(struct drm_output *output);
/** They keep what they show. */
void drm_planes_release(struct drm_output *output);
struct drm_plane *drm_plane_from_base(const struct plane *plane);

/** card.c: a device, open while something is plugged in. */
struct drm_card *drm_card_create(struct drm_backend *backend, struct gpu *gpu);
void drm_card_destroy(struct drm_card *card);
/**
 * Opens it if it is not open, looks what is plugged in (`connector` 0: everywhere), and closes it if
 * that is nothing. False if it cannot set modes.
 */
bool drm_card_refresh(struct drm_card *card, uint32_t connector);
void drm_card_wake(struct drm_card *card);

/** connector.c: makes and unmakes outputs. */
void drm_card_scan(struct drm_card *card, uint32_t connector);

/** remains.c: switches off what no output of ours uses. */
/** `wait`: for what the kernel has in flight there; else it may stay card.unclean, and -EBUSY be returned. */
int drm_card_clean(struct drm_card *card, bool wait);

/** output.c */
struct drm_output *drm_output_from_base(struct output *output);
struct drm_output *drm_output_create(struct drm_card *card, const drmModeConnector *connector,
	const struct drm_property *properties, struct drm_crtc *crtc);
/** It is not plugged in any more. */
void drm_output_destroy(struct drm_output *output);
/** Its modes or its link may have changed. */
void drm_output_update(struct drm_output *output, const drmModeConnector *connector,
	const struct drm_property *properties);
/** The session goes. */
void drm_output_sleep(struct drm_output *output);

/**
 * change.c: modes, on and off. The kernel is not waited for, and takes one thing after another of what
 * belongs together; so what it cannot take yet is remembered as due.
 */
/**
 * Of one card, without frames; false: it is impossible, and nothing was done. Keeps the commits, in another order. What
 * any frame can bring is left to the next one, which is asked for.
 */
bool drm_changes_start(struct drm_commit *commits, size_t n);
/** Hands over what waits, as far as that is possible by now. May emit signals. */
void drm_card_proceed(struct drm_card *card);
/** Looks through all connectors soon. */
void drm_card_rescan(struct drm_card *card);
/** An output has gone with what it had in flight: nobody is to wait for that. */
void drm_card_forget_flight(struct drm_card *card);
/** The kernel is not done with something of the card: asks again when it may be. */
void drm_card_await(struct drm_card *card);
/** It has not been done for DRM_FLIP_TIMEOUT. */
bool drm_card_is_overdue(const struct drm_card *card);
/**
 * Asks for a change of modes, with DRM_MODE_ATOMIC_NONBLOCK if the caller need not `wait` and the driver
 * knows that: some change modes only for callers that wait, which is found out once, by asking again, and done so
 * from then on. What `ask` returned.
 */
int drm_card_change(
	struct drm_card *card, bool wait, int (*ask)(void *data, uint32_t flags), void *data);
/** Some output of it has something in flight, of which the kernel will tell. */
bool drm_card_flies(const struct drm_card *card);

/** lease.c */
/** The session is away, or the card goes. */
void drm_leases_end(struct drm_card *card);
/** The kernel says that a borrower has let go. */
void drm_leases_check(struct drm_card *card);
/** The session is back: takes everything from those who had leases before. */
void drm_leases_revoke(struct drm_card *card);
int drm_card_open_reader(struct drm_card *card);

/**
 * How long a flip may take, ns. The kernel itself gives up waiting for fences and flips after ten
 * seconds (drm_atomic_helper_wait_for_flip_done()); before that, setting a mode would wait with it.
 */
#define DRM_FLIP_TIMEOUT INT64_C(12000000000)

#define DRM_COLORS (OUTPUT_GAMMA | OUTPUT_COLOR_MATRIX)
/** What needs no change of the mode: the next frame brings it, since only with a frame nobody waits. */
#define DRM_WITH_FRAME (DRM_COLORS | OUTPUT_ADAPTIVE_SYNC | OUTPUT_CONTENT)

/** flight.c: what the kernel has until it is done, and the frame that waits to be handed to it. */
/**
 * Hands over a frame, or changes of mode of one card, of each of which the kernel will tell. 0; -EBUSY: it is not done with what
 * it has; or another negative errno. Does not keep them.
 */
int drm_flight_launch(struct drm_commit *commits, size_t n);
/** Of a commit with planes, which it keeps; false: it was refused, and nothing flies. */
bool drm_flight_start(struct drm_output *output, struct drm_commit *commit, uint32_t number);
/** Hands over the frame that is held, if it can be by now. */
void drm_flight_proceed(struct drm_output *output);
/** It will not show, or nobody will hear of it; whatever the kernel has is forgotten. */
void drm_flight_drop(struct drm_output *output);
/** The kernel is done with it. */
void drm_output_handle_flip(
	struct drm_output *output, uint32_t serial, uint32_t sequence, int64_t when);
/** Gives the error. A card that is being unplugged is asleep until udev says that it is gone. */
int drm_output_note_unplugged(struct drm_output *output, int error);

/** identity.c: make, model, modes and whatever else the connector says. */
void drm_output_read_identity(struct drm_output *output, const drmModeConnector *connector);
/**
 * Sets make, model, serial number, description and limits of an output from an EDID, which may be
 * malformed, or from its name alone if `size` is 0. The output owns the strings.
 */
void drm_output_parse_edid(struct drm_output *output, const void *data, size_t size);
uint64_t drm_edid_hash(int fd, const struct drm_property *properties);
/** Fills in modes; true if they are not what they were. */
bool drm_output_read_modes(struct drm_output *output, const drmModeConnector *connector);

/**
 * framebuffer.c: kernel's id of the buffer on this card, kept with the buffer; 0: it takes it not.
 * `opaque`: as its format without alpha.
 */
uint32_t drm_framebuffer_get(struct drm_card *card, struct buffer *buffer, bool opaque);
/** All of a card that is closed. */
void drm_framebuffers_drop(struct drm_card *card);
bool drm_blank_init(struct drm_card *card, struct drm_blank *blank, int32_t width, int32_t height);
/** Legal for one that was never made. Not while it is shown. */
void drm_blank_finish(struct drm_card *card, struct drm_blank *blank);

/** commit.c: what a state is in properties. */
struct drm_commit {
	struct drm_output *output;
	const struct output_state *state;
	bool modeset; /* else only planes, and what goes with a flip */
	bool enabled; /* afterwards */
	struct output_mode mode; /* afterwards */
	int32_t bit_depth; /* afterwards; 0: as the driver likes */
	uint32_t mode_blob; /* made for it; 0: as it is */
	int32_t refresh; /* of mode_blob, mHz */
	bool gamma, matrix; /* it changes: to the blob made for it; 0: none */
	uint32_t gamma_blob, matrix_blob;
	struct drm_blank blank; /* made for it; none: the output's */
	int32_t *
		out_fence; /* where the kernel puts a fence of when it is done; NULL: nobody asks */
};

/** False if it is impossible. Must be finished. */
bool drm_commit_init(
	struct drm_commit *commit, struct drm_output *output, const struct output_state *state);
/** What was made for it is the output's; `done`: the kernel has it. */
void drm_commit_keep(struct drm_commit *commit, bool done);
void drm_commit_finish(struct drm_commit *commit);
/** `flags` as of drmModeAtomicCommit(); 0 or negative errno. Several of one card in one request. */
int drm_commits_run(struct drm_commit *commits, size_t n, uint32_t flags, uint32_t serial);
/**
 * Of a frame: at once, without the vblank. -EINVAL if more changes than what the primary plane shows,
 * which is all that the kernel allows.
 */
int drm_commit_run_async(struct drm_commit *commit, uint32_t flags, uint32_t serial);
/** Off with it, whatever it does; waits for the kernel. */
int drm_output_switch_off(struct drm_output *output);
