/* SPDX-License-Identifier: MIT */
#pragma once

/** Types and functions shared by the files of the KMS backend. */

#include "backend/drm.h"
#include "util/clock.h"
#include <libudev.h>
#include <stdint.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

struct drm_lease;
struct drm_recovery;
struct gpu;

enum connector_property {
	CONNECTOR_CONTENT_TYPE,
	CONNECTOR_CRTC_ID,
	CONNECTOR_EDID,
	CONNECTOR_HOTPLUG_MODE_UPDATE,
	CONNECTOR_LINK_STATUS,
	CONNECTOR_MAX_BPC,
	CONNECTOR_NON_DESKTOP,
	CONNECTOR_VRR_CAPABLE,
	CONNECTOR_N_PROPERTIES,
};

enum crtc_property {
	CRTC_ACTIVE,
	CRTC_CTM,
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
	PLANE_COLOR_PIPELINE,
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
	PLANE_SIZE_HINTS,
	PLANE_SRC_H,
	PLANE_SRC_W,
	PLANE_SRC_X,
	PLANE_SRC_Y,
	PLANE_TYPE,
	PLANE_ZPOS,
	PLANE_N_PROPERTIES,
};

/** A property of a KMS object; `id` is 0 if the driver lacks it. */
struct drm_property {
	uint32_t id;
	uint64_t value; /* when it was last read */
};

/** A dumb buffer of zeros, scanned out between a modeset and the first frame. */
struct drm_blank {
	uint32_t handle, framebuffer;
	int32_t width, height;
};

#define DRM_RESETS_MAX 12

/** Properties that each modeset resets, with their default values: see reset.c. */
struct drm_resets {
	struct drm_property list[DRM_RESETS_MAX];
	int n;
};

struct drm_crtc {
	uint32_t id;
	int index; /* bit in possible_crtcs masks */
	struct drm_property properties[CRTC_N_PROPERTIES];
	struct drm_resets resets;
	struct drm_output *output; /* assigned output, enabled or not; NULL: free */
	/** Planes of the assigned output. They stay while outputs change their CRTCs. */
	struct plane *planes[OUTPUT_PLANES_MAX];
	int n_planes;
	/** Left by a destroyed output until the kernel has disabled the CRTC: see cleanup.c. */
	uint32_t orphan; /* connector ID; 0: none */
	struct drm_blank orphan_blank;
};

struct drm_plane {
	struct plane base;
	uint32_t id;
	uint32_t possible_crtcs;
	struct drm_property properties[PLANE_N_PROPERTIES];
	struct drm_resets resets;
	bool zpos_mutable;
	uint32_t rotations; /* supported DRM_MODE_ROTATE_* and DRM_MODE_REFLECT_* */
	/** State of the last commit, except damage and fence. */
	struct plane_state set;
	/** Property values by enum color_matrix and color_range; -1: unsupported. */
	int64_t encodings[COLOR_MATRIX_BT2020 + 1], ranges[COLOR_RANGE_LIMITED + 1];
	struct drm_crtc *crtc; /* that uses it; NULL: free */
	struct buffer *shown; /* locked; on a free plane, until the kernel has disabled the plane */
	struct buffer *pending; /* locked; of the commit in flight */
};

/** Restrictions of drivers that their properties do not show: see quirks.c. */
enum drm_quirk {
	/** IN_FENCE_FD exists but must not be set: wait for fences before the commit. */
	DRM_QUIRK_NO_IN_FENCE = 1 << 0,
	/** Accepts imported buffers without an explicit modifier, but cannot scan them out. */
	DRM_QUIRK_NO_IMPLICIT = 1 << 1,
	DRM_QUIRK_NO_OVERLAYS = 1 << 2,
	DRM_QUIRK_NO_CTM = 1 << 3,
	/** Applies COLOR_RANGE to RGB, too. */
	DRM_QUIRK_RGB_RANGE = 1 << 4,
	/** Refuses a new content type without a modeset. */
	DRM_QUIRK_CONTENT_MODESET = 1 << 5,
	/** The check of a modeset waits for pending commits, even of a non-blocking one. */
	DRM_QUIRK_CHECK_WAITS = 1 << 6,
	/** Changes the preferred mode with the size of the host's window. */
	DRM_QUIRK_RESIZES = 1 << 7,
};

struct drm_card {
	struct wl_list link; /* drm_backend.cards */
	struct drm_backend *backend;
	struct gpu *gpu;
	int fd; /* owned by the session; -1: closed */
	uint32_t quirks; /* enum drm_quirk; kept while the card is closed */
	struct wl_event_source *source;
	bool addfb_modifiers;
	bool async_flips; /* supported in atomic commits */
	uint64_t cursor_width, cursor_height;
	struct drm_crtc *crtcs;
	int n_crtcs;
	struct drm_plane *planes;
	int n_planes;
	struct wl_list outputs; /* drm_output.link */
	struct drm_usual *usual; /* see usual.c; kept while the card is closed */
	int n_usual;
	bool rescan; /* a CRTC may be free by now: `retry` scans */
	uint32_t serial; /* of the last commit */
	/**
	 * The kernel refused a change with -EBUSY (modeset.c). No new commits are made until the
	 * refused one succeeds; it is tried again on a completion event and by `retry`.
	 */
	bool stalled;
	bool unclean; /* stale CRTCs and planes must be disabled before modesets (cleanup.c) */
	bool clean_refused; /* the driver refused to disable them; tried again by the next scan */
	struct wl_list recoveries; /* drm_recovery.link */
	int64_t busy_since; /* ns; when the kernel began to return -EBUSY; 0: it does not */
	struct timer retry;
	struct wl_event_source *announce; /* idle: tells of moved outputs */
	/** Set by card.c: commits due changes and held frames, and closes an unused card. */
	void (*proceed)(struct drm_card *card);
	/** Set by card.c: scans `connector` (0: all of them) after its probe. */
	void (*probed)(struct drm_card *card, uint32_t connector);
	struct task *probe; /* of connectors, on a thread; NULL: none */
	bool probe_again; /* of `next_probed`: an event came during the probe or a due modeset */
	uint32_t next_probed;
	/** Armed until the first probe after the start, which waits for the first frames. */
	struct timer first_probe;
	int n_waited; /* modesets in a row that the driver made with blocking commits only */
	bool no_pipelines; /* the kernel lacks colour pipelines of planes */
	bool no_closefb; /* the kernel lacks DRM_IOCTL_MODE_CLOSEFB */
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
	struct wl_list cards; /* drm_card.link; all cards of the seat, open or closed */
	struct tasks *tasks; /* calls that may block for seconds */
	struct wl_listener active, lost;
	bool started;
	enum drm_overlays overlays;
};

/** The screen's limits by its EDID; 0: not given. */
struct drm_limits {
	int32_t min_hz, max_hz;
	int64_t max_clock; /* Hz */
};

struct drm_output {
	struct output base;
	struct drm_card *card;
	struct wl_list link;
	uint32_t connector;
	struct drm_property properties[CONNECTOR_N_PROPERTIES];
	uint32_t possible_crtcs;
	/** NULL: other outputs have them all. Assigned when the output is enabled: see crtc.c. */
	struct drm_crtc *crtc;
	struct drm_crtc *left; /* the kernel still has the output there: a move is due */
	bool moved; /* to another CRTC by a change of others, and not announced */
	struct drm_resets resets; /* of the connector */
	drmModeModeInfo *modes; /* same order as base.modes */
	uint64_t edid_hash; /* 0: no EDID */
	bool vrr_capable;
	struct drm_limits limits;
	uint64_t usual_bpc; /* drm_card_usual_bpc() */
	uint32_t mode_blob; /* of base.mode while enabled */
	int32_t refresh; /* mHz, of mode_blob, exact */
	uint32_t gamma_blob, matrix_blob; /* kept while disabled or asleep; 0: none */
	uint32_t stale; /* DRM_WITH_FRAME fields that the next frame must commit */
	/** Values of the last commit that the kernel accepted; those of `base` may be stale. */
	struct {
		bool adaptive_sync;
		enum output_content content;
	} accepted;
	struct drm_blank blank;
	uint64_t sequence; /* of the last flip, extended from the kernel's 32 bits */
	struct timer watchdog; /* armed while a commit is in flight */
	/** The kernel lost a commit: frames are held until the output was disabled. NULL: none. */
	struct drm_recovery *recovery;
	int n_lost; /* commits lost since the last presented frame */
	bool lost_logged;
	bool found; /* during a connector scan */
	bool shown; /* a frame was presented */
	struct drm_lease *lease; /* NULL: not leased */
	bool returned; /* from a lease, and not announced */
	/**
	 * The kernel does not have the mode of `base` yet, or must still disable it: see modeset.c.
	 */
	bool due;
	bool active; /* the kernel accepted a commit that enables it */
	bool refused; /* the kernel refused its modeset, and `changed` is emitted once */
	/** The kernel's mode, while a modeset is due that no test preceded: see modeset.c. */
	struct {
		bool valid;
		struct output_mode mode;
		int bit_depth;
		int32_t refresh;
		uint32_t mode_blob; /* 0: that of the output */
	} untested;

	struct {
		/** User data of the commit in flight, a frame or a modeset; 0: none. */
		uint32_t serial;
		/** The frame whose `present` event is due; 0: none. */
		uint32_t commit;
		bool tearing; /* an async flip, without vsync */
		int64_t since; /* ns; when it was submitted */
		int kernel_fence; /* the kernel waits for it before the flip; -1: none */
		/** The frame waits here for its fences or for the kernel. */
		bool held;
		bool outdated; /* the mode has changed since */
		struct wl_event_source *fence;
		int fence_fd; /* -1: none */
		struct output_state state; /* without damage; its buffers are locked */
	} pending;
};

/** color.c: gamma tables and colour matrices as kernel blobs. */
/** Returns the entries of a ramp in the CRTC's table; 0: it has no table. */
uint32_t drm_gamma_size(const struct drm_crtc *crtc);
/** quirks.c: known restrictions of drivers. */
/** Adds the quirks of the open card's driver, by the name of drmGetVersion(), and logs them. */
void drm_quirks_read(struct drm_card *card);
bool drm_card_has_quirk(const struct drm_card *card, enum drm_quirk quirk);
/** Returns the consequence of the card's i-th quirk and its reason; NULL after the last. */
const char *drm_card_describe_quirk(const struct drm_card *card, int i);

/** mode.c: modes as drmModeModeInfo. */
/**
 * Finds the mode in the connector's list, or computes a CVT mode. Returns false if it exceeds the
 * screen's limits.
 */
bool drm_mode_find(
	const struct drm_output *output, const struct output_mode *mode, drmModeModeInfo *out);
/** Returns mHz, computed from the pixel clock: vrefresh is rounded to Hz. */
int32_t drm_mode_refresh(const drmModeModeInfo *mode);

/** property.c: reads all properties of an object. */
void drm_read_connector(int fd, uint32_t id, struct drm_property *properties);
void drm_read_crtc(int fd, uint32_t id, struct drm_property *properties);
void drm_read_plane(int fd, uint32_t id, struct drm_property *properties);

/**
 * reset.c: finds the properties of an object that another DRM master may have left, and that
 * modesets reset. `panel`: of a connector with a built-in screen.
 */
void drm_read_resets(int fd, uint32_t id, uint32_t type, bool panel, struct drm_resets *out);

/** plane.c: capabilities of planes, and their assignment to outputs. */
void drm_plane_init(struct drm_card *card, struct drm_plane *plane, uint32_t id);
void drm_plane_finish(struct drm_plane *plane);
/** Assigns planes to the CRTC if it has none. Returns false if no primary plane is free. */
bool drm_planes_assign(struct drm_card *card, struct drm_crtc *crtc);
/** Frees the CRTC's planes; buffers that they scan out stay locked. */
void drm_planes_release(struct drm_crtc *crtc);
struct drm_plane *drm_plane_from_base(const struct plane *plane);
/** Returns whether commits may hand fences of this plane to the kernel, which waits for them. */
bool drm_plane_takes_fence(const struct drm_card *card, const struct drm_plane *plane);

/** busy.c: work that the kernel has not taken. */
/**
 * Returns true while a commit of a recovery waits in the kernel, with the lock of all connectors:
 * modesets, their tests and reads of properties would block the event loop. They are done, without
 * a test, when the recovery ends.
 */
bool drm_card_is_recovering(const struct drm_card *card);
/** Returns true if a thread holds the kernel's lock of all connectors: modesets wait. */
bool drm_card_holds_connectors(const struct drm_card *card);
/** Returns true if a frame of the output would wait for the locks of a recovery, too. */
bool drm_output_is_blocked(const struct drm_output *output);
/** Requests frames for the changes that earlier ones have left to them: see DRM_WITH_FRAME. */
void drm_card_request_deferred(struct drm_card *card);
/** Schedules a scan of all connectors in `pause` ns: after a recovery, or a refused cleanup. */
void drm_card_rescan(struct drm_card *card, int64_t pause);
/**
 * Retries pending work after an output was destroyed with a commit in flight: its event is ignored.
 */
void drm_card_forget_pending(struct drm_card *card);
/** Records -EBUSY, and arms `retry` if no completion event will come. */
void drm_card_await(struct drm_card *card);
/**
 * Returns true if an output of the card has a commit in flight; an event will report its
 * completion.
 */
bool drm_card_has_pending(const struct drm_card *card);
/**
 * Returns true if held frames are tried again: after a commit in flight, also one of an output that
 * was destroyed, which a cleanup waits for.
 */
bool drm_card_tries_again(const struct drm_card *card);
/** Returns true if the card has due changes, held frames or stale CRTCs. */
bool drm_card_has_waiting(const struct drm_card *card);
/** Emits events.reconsider of all outputs of the card. */
void drm_card_reconsider(struct drm_card *card);

/** card.c: a KMS device, open while a screen is plugged in. */
struct drm_card *drm_card_create(struct drm_backend *backend, struct gpu *gpu);
void drm_card_destroy(struct drm_card *card);
/**
 * Opens the card if it is closed, probes and scans `connector` (0: all of them) on a thread, and
 * closes the card if it has no screens. At the start, uses the kernel's last probe, and probes
 * after the first frames. Returns false if the card cannot set modes.
 */
bool drm_card_refresh(struct drm_card *card, uint32_t connector);
void drm_card_wake(struct drm_card *card);

/** connector.c: creates and destroys outputs on hotplug. */
/**
 * Compares the outputs with the state of `connector` (0: all of them) that the kernel has from its
 * last probe. Emits events.reconsider of all outputs.
 */
void drm_card_scan(struct drm_card *card, uint32_t connector);

/** probe.c: connector probes on a thread. */
/** Probes `connector` (0: all of them) and scans it after that, once no modeset is due. */
void drm_card_probe(struct drm_card *card, uint32_t connector);
void drm_card_abandon_probe(struct drm_card *card);
/** Starts the probe that waits for due modesets, once there are none. */
void drm_card_proceed_with_probe(struct drm_card *card);
/** Probes all connectors for the first time, once all enabled outputs have shown a frame. */
void drm_card_notice_frame(struct drm_card *card);
void drm_card_handle_first_probe(struct timer *timer, int64_t now);

/** cleanup.c: disables CRTCs and planes without an output. */
/**
 * Disables stale CRTCs and planes; `wait`: blocks until commits in flight are done, except during a
 * recovery. Otherwise returns -EBUSY and sets card.unclean if the kernel is busy. Returns 0 or a
 * negative errno.
 */
int drm_card_clean(struct drm_card *card, bool wait);

/** output.c */
struct drm_output *drm_output_from_base(struct output *output);
/** Creates a disabled output. `crtc`: for it, if a primary plane is free; NULL: none. */
struct drm_output *drm_output_create(struct drm_card *card, const drmModeConnector *connector,
	const struct drm_property *properties, struct drm_crtc *crtc);
/** Destroys the output of an unplugged screen, which is not leased. */
void drm_output_destroy(struct drm_output *output);
/** Reads identity, modes and link status of the same screen again after a hotplug event. */
void drm_output_update(struct drm_output *output, const drmModeConnector *connector,
	const struct drm_property *properties);
/** Drops frames in flight: the session becomes inactive. */
void drm_output_sleep(struct drm_output *output);

/** recovery.c: outputs whose commit the kernel never completes. */
void drm_recovery_handle_watchdog(struct timer *timer, int64_t now);
/** Forgets the output: the session is inactive, or the output is destroyed. */
void drm_recovery_abandon(struct drm_output *output);
/** Forgets all recoveries, before the card is closed. */
void drm_recoveries_drop(struct drm_card *card);

/**
 * modeset.c: modesets, without waiting for the kernel. It takes related changes one after another;
 * a change that it cannot take yet is marked `due`. See commit.h, too.
 */
/** Commits due changes and held frames as far as the kernel accepts them. May emit signals. */
void drm_card_proceed(struct drm_card *card);

/** lease.c */
/** Ends all leases: the session becomes inactive, or the card is closed. */
void drm_leases_end(struct drm_card *card);
/** Handles a lease event: ends the leases that their lessees closed. */
void drm_leases_check(struct drm_card *card);
/** Revokes leases that survived an inactive session, after its return. */
void drm_leases_revoke(struct drm_card *card);
int drm_card_open_reader(struct drm_card *card);

/**
 * Timeout of a modeset, ns, which may train a link several times. The kernel itself gives up
 * waiting for fences and flips after ten seconds (drm_atomic_helper_wait_for_flip_done()).
 */
#define DRM_MODESET_TIMEOUT INT64_C(12000000000)
/**
 * Timeout of a frame, ns, after its fences have signalled. It doubles with each commit that is lost
 * in succession, up to DRM_MODESET_TIMEOUT.
 */
#define DRM_FLIP_TIMEOUT INT64_C(1000000000)

/** Returns base.adaptive_sync and base.content to the values that the kernel has accepted. */
void drm_output_return_hints(struct drm_output *output);

/** identity.c: make, model, modes and capabilities of a connector's screen. */
/** Reads all but the modes. Returns true if they changed. */
bool drm_output_read_identity(struct drm_output *output, const drmModeConnector *connector);
/**
 * Sets make, model, serial number, description and limits of an output from an EDID, which may be
 * malformed, or from its name alone if `size` is 0. The output owns the strings.
 */
void drm_output_parse_edid(struct drm_output *output, const void *data, size_t size);
/**
 * Returns true if the properties are those of the output's screen, by maker, model and serial
 * number, or by its whole EDID if that names none.
 */
bool drm_output_is_same_screen(
	const struct drm_output *output, const struct drm_property *properties);
/** Fills in the modes. Returns true if they changed. */
bool drm_output_read_modes(struct drm_output *output, const drmModeConnector *connector);

/**
 * framebuffer.c: returns the KMS framebuffer ID of the buffer, cached with the buffer; 0: the card
 * refuses it. `opaque`: import it as its format without alpha.
 */
uint32_t drm_framebuffer_get(struct drm_card *card, struct buffer *buffer, bool opaque);
/** Destroys the framebuffers of a card before it is closed. */
void drm_framebuffers_drop(struct drm_card *card);
bool drm_blank_init(struct drm_card *card, struct drm_blank *blank, int32_t width, int32_t height);
/** Accepts a zeroed struct. The buffer must not be scanned out. */
void drm_blank_finish(struct drm_card *card, struct drm_blank *blank);
