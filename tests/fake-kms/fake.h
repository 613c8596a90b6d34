/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * Emulated KMS at the ioctl boundary, under the real libdrm, session and DRM backend.
 *
 * A program that links the emulator answers open(), ioctl() and mmap() of its cards itself and
 * replaces libudev and libseat. Property tables follow real drivers (cards.c names them); atomic
 * commits are checked as the kernel checks them. The state belongs to the process, as for ioctl();
 * use it from one thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fake_card;

#define FAKE_MODES_MAX 8

/** Screen that can be plugged into a connector. */
struct fake_screen {
	const char *maker; /* three letters; NULL: no EDID */
	const char *name; /* model name, at most 12 letters */
	uint32_t serial;
	int mm_width, mm_height;
	struct {
		int width, height;
		int refresh; /* Hz; of fields, if interlaced */
		bool interlaced;
		int blank; /* pixels of blanking in a line; 0: 160 */
		bool positive; /* polarity of the vertical synchronisation */
	} modes[FAKE_MODES_MAX]; /* the preferred one first; ends with width 0 */
	int min_hz, max_hz, max_clock; /* range limits of the EDID, clock in MHz; 0: no range */
	bool vrr; /* the driver reports that range as vrr_capable */
	bool non_desktop;
	bool unknown; /* the driver cannot tell whether it is connected */
	bool deep; /* more than eight bits per channel */
};

/**
 * Screen of 1920x1080 with some smaller modes, and one of 2560x1440 at 144 Hz with variable refresh
 * and ten bits.
 */
extern const struct fake_screen fake_screen_plain, fake_screen_gaming;
/** Headset: a non-desktop screen. */
extern const struct fake_screen fake_screen_headset;

/** Time at which the card completes accepted page flips. */
enum fake_flips {
	FAKE_FLIPS_AT_ONCE, /* the event is readable when the ioctl returns */
	FAKE_FLIPS_HELD, /* completed by fake_card_vblank() */
	FAKE_FLIPS_LOST, /* the event is never sent */
};

/** Time at which the card completes accepted non-blocking modesets. */
enum fake_modesets {
	FAKE_MODESETS_AT_ONCE, /* done when the ioctl returns */
	FAKE_MODESETS_HELD, /* completed by fake_card_finish_modesets() */
	FAKE_MODESETS_SHARED, /* held, and each one occupies all CRTCs of the card */
	FAKE_MODESETS_BLOCKING, /* refused: the driver supports blocking modesets only */
};

struct fake_counts {
	uint64_t tests, commits; /* accepted atomic requests */
	uint64_t modesets; /* accepted commits that changed a mode or the active CRTCs */
	uint64_t allowed; /* accepted commits with ALLOW_MODESET */
	uint64_t blocking; /* accepted commits without NONBLOCK */
	uint64_t flips; /* accepted commits with a page flip event */
	uint64_t async; /* accepted commits with PAGE_FLIP_ASYNC */
	uint64_t clips; /* planes in accepted commits with damage */
	uint64_t refused; /* refused tests and commits */
	/**
	 * Planes that were off and stay off, in accepted frames: the kernel finishes them later
	 * than the event, and refuses the next frame until then (drm_atomic_helper_setup_commit()).
	 */
	uint64_t idle_planes;
	uint64_t probes; /* connector probes */
	uint64_t removed_while_shown; /* frame buffers removed while a plane showed them */
	uint64_t stalls; /* calls of the main thread that waited for a commit in the kernel */
	uint64_t closed_twice; /* refused attempts to close a buffer handle that is not open */
	int framebuffers, blobs, buffers, files; /* number of objects that exist now */
	uint64_t unpinned; /* commits that failed because another device has pinned a buffer */
};

/** Frame buffer on one plane, as passed to the card's plane check. */
struct fake_scan {
	const char *plane, *crtc; /* names as for fake_get() */
	uint32_t format;
	uint64_t modifier;
	int width, height; /* source pixels */
	int crtc_width, crtc_height;
	bool test; /* part of a test-only request */
	bool system_memory; /* a client's, shared by udmabuf */
};

/** Connector with its mode, as passed to the card's mode check. */
struct fake_head {
	const char *connector;
	int width, height, refresh; /* Hz */
	int clock; /* kHz */
	bool test; /* part of a test-only request */
};

/** Creates a card without screens, of a kind of cards.c. Returns NULL if the kind is unknown. */
struct fake_card *fake_card_create(const char *kind);
/** Returns the name of the i-th kind; NULL after the last. */
const char *fake_card_kind(size_t i);
/**
 * Removes the property from every object of the card, to emulate a driver without it. Call it
 * before the card is opened.
 */
void fake_card_drop_property(struct fake_card *card, const char *property);
/** Removes a value from the enumerated property, to emulate a driver that lacks it. */
void fake_card_drop_value(struct fake_card *card, const char *property, const char *value);
/** Sets the card's seat, which is "seat0" otherwise. Call it before the compositor starts. */
void fake_card_set_seat(struct fake_card *card, const char *seat);
/** Lets another program be the DRM master of the card, whose node opens nevertheless. */
void fake_card_set_held(struct fake_card *card, bool held);
/** Destroys all cards and state of the emulator. Open descriptors become invalid. */
void fake_reset_all(void);
/** Returns a folder for temporary files, in memory if possible. */
const char *fake_folder(void);
/** Returns the device node, such as "/dev/dri/card0". */
const char *fake_card_path(const struct fake_card *card);

/**
 * Plugs a screen into a connector such as "DP-1", or unplugs it if `screen` is NULL, and sends a
 * udev event.
 */
void fake_card_plug(
	struct fake_card *card, const char *connector, const struct fake_screen *screen);
/** Sends a udev event of the connector, as when links or bandwidth change; its screen stays. */
void fake_card_send_hotplug(struct fake_card *card, const char *connector);
/**
 * Removes the whole connector, as when a dock is disconnected, and sends a udev event. The
 * connector must be inactive.
 */
void fake_card_remove_connector(struct fake_card *card, const char *connector);
/** Adds a removed connector again, with its ID and without a screen, and sends a udev event. */
void fake_card_restore_connector(struct fake_card *card, const char *connector);
/**
 * Sets the state that firmware leaves: `crtc` drives the connector in its first mode without a
 * frame buffer.
 */
void fake_card_boot(struct fake_card *card, const char *connector, const char *crtc);
/** Sets link-status to bad, so that the link needs training again, and sends a udev event. */
void fake_card_break_link(struct fake_card *card, const char *connector);
/** Removes the card: further calls fail with ENODEV. Sends a udev event. */
void fake_card_remove(struct fake_card *card);

void fake_card_set_flips(struct fake_card *card, enum fake_flips flips);
/**
 * Completes pending page flips on all CRTCs, except those that wait for a fence, with scan-out time
 * `when` in ns of CLOCK_MONOTONIC. Returns the number of events sent.
 */
int fake_card_vblank(struct fake_card *card, int64_t when);
/** Returns whether a page flip is pending. */
bool fake_card_has_flips(const struct fake_card *card);
/** Completes pending flips and modesets without events, as a card that loses its interrupts. */
void fake_card_forget_flips(struct fake_card *card);
/** Counts `n` vblanks on all CRTCs, as those of idle screens. */
void fake_card_pass_vblanks(struct fake_card *card, uint32_t n);
void fake_card_set_modesets(struct fake_card *card, enum fake_modesets modesets);
/** Completes pending modesets on all CRTCs. Returns the number of CRTCs. */
int fake_card_finish_modesets(struct fake_card *card);
/**
 * Makes the next `n` commits fail with errno `error`; test-only requests fail too if `tests` is
 * set.
 */
void fake_card_fail(struct fake_card *card, int error, int n, bool tests);
/**
 * Makes the n-th atomic request from now fail with errno `error`, before it is looked at. Returns
 * the number of requests that an earlier call of this function still waits for.
 */
int fake_card_fail_nth(struct fake_card *card, int n, int error);
/** Makes the next read of events fail with EINTR, as a signal does. */
void fake_card_interrupt(struct fake_card *card);
/** Makes framebuffers fail with errno `error` from now on; 0: no longer. */
void fake_card_fail_framebuffers(struct fake_card *card, int error);
/** Refuses requests with IN_FENCE_FD from now on with EPERM, as nvidia-drm before 560. */
void fake_card_refuse_fences(struct fake_card *card);
/** Refuses gamma tables from now on with EINVAL, as i915 those that decrease on Cherryview. */
void fake_card_refuse_gamma(struct fake_card *card);
/**
 * Refuses requests that set the property to another value than 0, or that keep such a value in
 * another mode, from now on with errno `error`; 0: no longer.
 */
void fake_card_refuse_property(struct fake_card *card, const char *property, int error);
/** Answers DRM_IOCTL_MODE_CLOSEFB with EINVAL, as before Linux 6.8. */
void fake_card_refuse_closefb(struct fake_card *card);
/** Forgets the result of the connector's probe, as a kernel without a console has none. */
void fake_card_forget_probe(struct fake_card *card, const char *connector);
/**
 * Makes each connector probe take that long in real time, as DDC does; FAKE_PROBE_HELD: until the
 * next call.
 */
#define FAKE_PROBE_HELD (-1)
void fake_card_set_probe(struct fake_card *card, int ms);
/**
 * Makes blocking commits behind a pending flip wait that long in real time, as
 * drm_atomic_helper_setup_commit() waits for up to ten seconds, and nvidia-drm for three; on
 * amdgpu, checks of modesets wait as well. They hold the kernel's locks.
 */
void fake_card_set_wait(struct fake_card *card, int ms);
/** Limits the sum of bytes per second that planes read; 0 removes the limit. */
void fake_card_set_bandwidth(struct fake_card *card, uint64_t bytes);
/**
 * Limits the bits per second of each connector's cable; 0 removes the limit. Screens with `deep`
 * use up to ten bits per channel, as "max bpc" allows.
 */
void fake_card_set_link(struct fake_card *card, uint64_t bits);
/**
 * Limits the sum of all connectors' pixel clocks in kHz, as the link of a dock does; 0 removes the
 * limit. Beyond it, modesets fail with ENOSPC (drm_dp_mst_atomic_check_payload_alloc_limits());
 * running modes stay.
 */
void fake_card_set_clock(struct fake_card *card, int clock);
/**
 * Sets a function that is called for every request that enables a connector or changes its mode,
 * with the n connectors that it leaves enabled; returning an errno fails the request. NULL removes
 * it.
 */
void fake_card_set_mode_judge(struct fake_card *card,
	int (*judge)(void *data, const struct fake_head *heads, int n), void *data);
/**
 * Sets a function that is called for every plane with a frame buffer in a request; returning false
 * fails the request with EINVAL. NULL removes it.
 */
void fake_card_set_judge(struct fake_card *card,
	bool (*judge)(void *data, const struct fake_scan *scan), void *data);

/**
 * Returns the current value of an object's property. Objects are connectors by name, or "crtc-0"
 * and "plane-3", counted in the card's own order. Fails the test if the property does not exist.
 */
uint64_t fake_get(struct fake_card *card, const char *object, const char *property);
/** Sets a property as another DRM master would. */
void fake_set(struct fake_card *card, const char *object, const char *property, uint64_t value);
/** Sets a property to a new blob, as another DRM master would. */
void fake_set_blob(struct fake_card *card, const char *object, const char *property,
	const void *data, size_t size);
/** Returns the name of the CRTC of a connector, or "none". */
const char *fake_crtc_of(struct fake_card *card, const char *connector);
/** Returns the name of the primary plane of a connector's CRTC. */
const char *fake_primary_of(struct fake_card *card, const char *connector);
bool fake_has(struct fake_card *card, const char *object, const char *property);
/** Returns the blob of a property and its size in bytes, or NULL and 0. The card owns it. */
const void *fake_get_blob(
	struct fake_card *card, const char *object, const char *property, size_t *size);
/** Fills in the frame buffer of a plane. Returns false if the plane is disabled. */
bool fake_get_scan(struct fake_card *card, const char *plane, struct fake_scan *scan);
/** Returns a pixel of the plane's frame buffer, which must be linear with four bytes per pixel. */
uint32_t fake_plane_pixel(struct fake_card *card, const char *plane, int x, int y);
struct fake_counts fake_card_counts(struct fake_card *card);

/** Roles of emulated input devices. */
enum fake_input_role {
	FAKE_KEYBOARD = 1 << 0,
	FAKE_MOUSE = 1 << 1,
	FAKE_LID = 1 << 2,
	FAKE_TABLET_MODE = 1 << 3,
};

struct libinput_device;
/** Plugs in a device, before or after the compositor starts; it lives until fake_reset_all(). */
struct libinput_device *fake_input_add(const char *name, uint32_t roles);
/** Unplugs the device for good, also while the session is inactive. */
void fake_input_remove(struct libinput_device *device);
/** Makes libinput distrust the device's switches: it does not report their initial state. */
void fake_input_distrust(struct libinput_device *device);
/** Closes the lid or folds the keyboard away, or the reverse. */
void fake_input_throw(struct libinput_device *device, uint32_t role, bool on);
void fake_input_key(struct libinput_device *device, uint32_t key, bool pressed);
void fake_input_move(struct libinput_device *device, double dx, double dy);
/** Returns the mode of the device, an enum libinput_config_send_events_mode. */
uint32_t fake_input_mode(const struct libinput_device *device);
bool fake_input_is_left_handed(const struct libinput_device *device);

/** Activates or deactivates the session, as a switch of virtual terminals does. */
void fake_seat_set_active(bool active);
/** Makes the session's files of the card its master, or no longer, without an event. */
void fake_card_set_master(struct fake_card *card, bool master);
/** Returns the number of requests to switch to the virtual terminal. */
int fake_seat_switches(int terminal);

/** Lets /dev/udmabuf exist until fake_reset_all(): its dma-bufs are the memory files themselves. */
void fake_udmabuf_allow(void);
/**
 * Lets another device map the buffer of a card without peer-to-peer access: it stays in system
 * memory for good (amdgpu_dma_buf_pin()).
 */
void fake_dmabuf_pin(int fd);
/** Creates a dma-buf foreign to all emulated cards: a descriptor of a memory file. */
int fake_dmabuf_create(size_t size);
/**
 * Creates a sync_file that fake_fence_signal() signals with status 1 or a negative errno. The
 * caller owns it.
 */
int fake_fence_create(void);
void fake_fence_signal(int fd, int status);
