#pragma once

/**
 * An emulated KMS, at the ioctl boundary: libdrm, the session and the backend above it are the real
 * ones. A program that links this answers open(), ioctl() and mmap() of its cards itself, and stands
 * in for libudev and libseat. Property tables are those of real drivers (cards.c says whose); atomic
 * commits are checked as the kernel checks them.
 *
 * All state is the process's, as ioctl() is; one thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fake_card;

#define FAKE_MAX_MODES 8

/** Something that is plugged in. */
struct fake_screen {
	const char *maker; /* three letters; NULL: it has no EDID */
	const char *name; /* of the model, at most 12 letters */
	uint32_t serial;
	int mm_width, mm_height;
	struct {
		int width, height;
		int refresh; /* Hz */
	} modes[FAKE_MAX_MODES]; /* the first is preferred; up to one of no width */
	int min_hz, max_hz, max_clock; /* of its EDID's range, clock in MHz; 0: it has none */
	bool vrr; /* the driver takes that range as one of variable refresh */
	bool non_desktop;
	bool deep; /* more than eight bits a channel */
};

/** 1920x1080 and some smaller modes; 2560x1440 at 144 Hz with variable refresh and ten bits. */
extern const struct fake_screen fake_screen_plain, fake_screen_gaming;
/** A headset. */
extern const struct fake_screen fake_screen_headset;

/** What the card does with flips that it accepted. */
enum fake_flips {
	FAKE_FLIPS_AT_ONCE, /* the event is there when the ioctl returns */
	FAKE_FLIPS_HELD, /* until fake_card_vblank() */
	FAKE_FLIPS_LOST, /* no event ever comes */
};

/** What the card does with changes of modes that it accepted and that nobody waits for. */
enum fake_modesets {
	FAKE_MODESETS_AT_ONCE, /* done when the ioctl returns */
	FAKE_MODESETS_HELD, /* until fake_card_finish_modesets() */
	FAKE_MODESETS_SHARED, /* likewise, and the driver has to touch all CRTCs for one of them */
	FAKE_MODESETS_WAITED, /* refused: the caller has to wait */
};

struct fake_counts {
	uint64_t tests, commits; /* accepted atomic requests */
	uint64_t modesets; /* accepted commits that changed a mode or what is on */
	uint64_t allowed; /* accepted commits that may have changed one */
	uint64_t waited; /* accepted commits that the caller waited for */
	uint64_t flips; /* accepted commits that asked for an event */
	uint64_t async; /* of these, those that flip at once */
	uint64_t refused; /* of either kind */
	uint64_t torn; /* frame buffers removed while they were shown */
	int framebuffers, blobs, buffers, files; /* that exist now */
};

/** What one plane scans out, when the card judges whether it can. */
struct fake_scan {
	const char *plane, *crtc; /* names as for fake_get() */
	uint32_t format;
	uint64_t modifier;
	int width, height; /* source pixels */
	int crtc_width, crtc_height;
	bool test; /* asked by a test-only request */
};

/** A card of one of the kinds of cards.c, without screens; NULL if there is no such kind. */
struct fake_card *fake_card_create(const char *kind);
/** The kinds; NULL after the last. */
const char *fake_card_kind(size_t i);
/** Removes the property from every object of the card, as with a driver that lacks it. Before the card is opened. */
void fake_card_drop_property(struct fake_card *card, const char *property);
/** Forgets all that there is; descriptors that are left over are dead. */
void fake_reset_all(void);
/** "/dev/dri/card0" */
const char *fake_card_path(const struct fake_card *card);

/** Plugs a screen into a connector ("DP-1"); NULL: pulls it out. udev tells of it. */
void fake_card_plug(
	struct fake_card *card, const char *connector, const struct fake_screen *screen);
/** The connector goes as a whole, as those of a dock do; it must not drive anything. udev tells of it. */
void fake_card_remove_connector(struct fake_card *card, const char *connector);
/** As the firmware leaves it: that CRTC drives the connector in its first mode, with no picture. */
void fake_card_boot(struct fake_card *card, const char *connector, const char *crtc);
/** The link needs training again: link-status turns bad, and udev tells of it. */
void fake_card_break_link(struct fake_card *card, const char *connector);
/** The whole card goes: everything fails with ENODEV, and udev tells of it. */
void fake_card_remove(struct fake_card *card);

void fake_card_set_flips(struct fake_card *card, enum fake_flips flips);
/**
 * Completes what flies on all CRTCs, but for what waits for a fence, with this time of scan-out (ns of
 * CLOCK_MONOTONIC). Returns how many events were sent.
 */
int fake_card_vblank(struct fake_card *card, int64_t when);
void fake_card_set_modesets(struct fake_card *card, enum fake_modesets modesets);
/** Completes them on all CRTCs; returns on how many. */
int fake_card_finish_modesets(struct fake_card *card);
/** The next n commits fail with this errno; tests pass unless `tests`. */
void fake_card_fail(struct fake_card *card, int error, int n, bool tests);
/** Bytes per second that planes may read in sum; 0: any number. */
void fake_card_set_bandwidth(struct fake_card *card, uint64_t bytes);
/**
 * Bits per second that each connector's cable carries; 0: any number. Screens that are `deep` get up to
 * ten bits a channel, as "max bpc" allows.
 */
void fake_card_set_link(struct fake_card *card, uint64_t bits);
/** Asked for every plane of a request that shows something; false: EINVAL. NULL: all is well. */
void fake_card_set_judge(struct fake_card *card,
	bool (*judge)(void *data, const struct fake_scan *scan), void *data);

/**
 * The value that an object's property has now. Objects are "crtc-0" and "plane-3", counted in the
 * order in which the card lists them, and connectors by name. Fails the test if there is none.
 */
uint64_t fake_get(struct fake_card *card, const char *object, const char *property);
/** As whoever else had the seat has left it. */
void fake_set(struct fake_card *card, const char *object, const char *property, uint64_t value);
/** The name of the CRTC that a connector has; "none" if it has none. */
const char *fake_crtc_of(struct fake_card *card, const char *connector);
/** The plane that shows the composed picture there. */
const char *fake_primary_of(struct fake_card *card, const char *connector);
bool fake_has(struct fake_card *card, const char *object, const char *property);
/** Bytes of the blob that the property names; NULL and 0 if it is none. The card's. */
const void *fake_get_blob(
	struct fake_card *card, const char *object, const char *property, size_t *size);
/** Of the frame buffer that a plane shows: false if it shows none. */
bool fake_get_scan(struct fake_card *card, const char *plane, struct fake_scan *scan);
/** A pixel of it, of a linear buffer of four bytes a pixel. */
uint32_t fake_plane_pixel(struct fake_card *card, const char *plane, int x, int y);
struct fake_counts fake_card_counts(struct fake_card *card);

/** The seat: another virtual terminal is shown, or ours again. */
void fake_seat_set_active(bool active);

/** A dma-buf that no card of here made: a descriptor of a memory file. */
int fake_dmabuf_create(size_t size);
/** A sync_file that signals when told: status 1, or a negative errno. The caller's. */
int fake_fence_create(void);
void fake_fence_signal(int fd, int status);
