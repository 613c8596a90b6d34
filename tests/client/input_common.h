#pragma once

/** A client with one window that writes down what it hears of input, and the devices that it comes from. */

#include "backend/headless.h"
#include "harness/peer.h"
#include "util/signal.h"

struct test {
	struct fixture *fixture;
	struct input_device *pointer, *keyboard, *touch;
	struct peer *peer;
	struct peer_window *window; /* 100x100 at 0, 0 */
	char log[4096];
	uint32_t enter_serial;
	char *keymap; /* as sent last */
};

/** Adds to what was heard. */
__attribute__((format(printf, 2, 3))) void note(struct test *test, const char *format, ...);
/** Pumps, and fails unless just this was heard since the last time. */
void heard_at(struct test *test, const char *expected, const char *file, int line);
#define heard(test, expected) heard_at(test, expected, __FILE__, __LINE__)
void forget(struct test *test);
struct wl_pointer *add_pointer(struct test *test, uint32_t version);
struct wl_keyboard *add_keyboard(struct test *test, uint32_t version);

/** For cmocka. */
int setup(void **state);
int teardown(void **state);
struct seat *seat_of(struct test *test);

/** Of test.pointer and test.keyboard. */
void frame(struct test *test);
void point(struct test *test, double x, double y);
void move(struct test *test, double dx, double dy);
void scroll(
	struct test *test, enum wl_pointer_axis axis, double value, int32_t value120, int source);
void key(struct test *test, uint32_t code, bool pressed);
