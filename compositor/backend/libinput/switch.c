/* SPDX-License-Identifier: MIT */
/*
 * Switches of the machine: they keep their state while the session is inactive. Suspended, libinput
 * removes all devices; resumed, it reports only the switches that it considers reliable, and only
 * those that are on. The kernel knows which ones have changed; the state of the others may be wrong
 * since the start.
 */

#include "backend/session.h"
#include "libinput.h"
#include "util/clock.h"
#include <linux/input.h>
#include <string.h>
#include <sys/ioctl.h>

static const struct {
	enum libinput_switch type;
	enum input_switch_kind kind;
	unsigned int code;
} kinds[] = {
	{LIBINPUT_SWITCH_LID, INPUT_SWITCH_LID, SW_LID},
	{LIBINPUT_SWITCH_TABLET_MODE, INPUT_SWITCH_TABLET_MODE, SW_TABLET_MODE},
};
#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Emits a change of the switch; other reports are of the state that is known. */
static void set(struct libinput_input *input, enum input_switch_kind kind, bool on, int64_t time)
{
	const uint32_t bit = 1u << kind;
	input->kernel = on ? input->kernel | bit : input->kernel & ~bit;
	if (on == ((input->switches & bit) != 0)) {
		return;
	}
	input->switches ^= bit;
	struct input_switch_event event = {
		.time = time, .kind = kind, .on = on, .initial = input->fresh};
	signal_emit(&input->base.events.toggle, &event);
}

void libinput_handle_switch(struct input_device *device, struct libinput_event *event)
{
	struct libinput_input *input = wl_container_of(device, input, base);
	struct libinput_event_switch *toggle = libinput_event_get_switch_event(event);
	enum libinput_switch type = libinput_event_switch_get_switch(toggle);
	for (size_t i = 0; i < N_KINDS; i++) {
		if (kinds[i].type == type) {
			set(input, kinds[i].kind,
				libinput_event_switch_get_switch_state(toggle) ==
					LIBINPUT_SWITCH_STATE_ON,
				(int64_t)libinput_event_switch_get_time_usec(toggle) * 1000);
		}
	}
}

bool libinput_switch_park(struct libinput_backend *backend, struct libinput_input *input)
{
	if (input->base.type != INPUT_SWITCH || backend->session->active) {
		return false;
	}
	libinput_device_unref(input->device);
	input->device = NULL;
	return true;
}

struct libinput_input *libinput_switch_adopt(
	struct libinput_backend *backend, struct libinput_device *device)
{
	struct libinput_input *input;
	wl_list_for_each (input, &backend->inputs, link) {
		if (!input->device &&
			strcmp(input->base.name, libinput_device_get_name(device)) == 0 &&
			input->base.vendor == libinput_device_get_id_vendor(device) &&
			input->base.product == libinput_device_get_id_product(device)) {
			input->device = libinput_device_ref(device);
			input->base.group = libinput_device_get_device_group(device);
			return input;
		}
	}
	return NULL;
}

/* Reads the switches that are on, as bits of enum input_switch_kind. Returns false on failure. */
static bool read_kernel(
	struct libinput_backend *backend, struct libinput_input *input, uint32_t *switches)
{
	unsigned char bits[SW_CNT / 8 + 1] = {0};
	const int fd = libinput_file_find(backend, input->device);
	if (fd < 0 || ioctl(fd, EVIOCGSW(sizeof(bits)), bits) < 0) {
		return false;
	}
	*switches = 0;
	for (size_t i = 0; i < N_KINDS; i++) {
		const unsigned int code = kinds[i].code;
		*switches |= (uint32_t)(bits[code / 8] >> code % 8 & 1) << kinds[i].kind;
	}
	return true;
}

void libinput_switch_begin(struct libinput_backend *backend, struct libinput_input *input)
{
	read_kernel(backend, input, &input->kernel);
}

void libinput_switch_resume(struct libinput_backend *backend, struct libinput_input *input)
{
	uint32_t now, before = input->kernel;
	if (!read_kernel(backend, input, &now)) {
		return;
	}
	for (size_t i = 0; i < N_KINDS; i++) {
		const uint32_t bit = 1u << kinds[i].kind;
		if ((now ^ before) & bit) {
			set(input, kinds[i].kind, now & bit, clock_monotonic());
		}
	}
}
