/* SPDX-License-Identifier: MIT */
/* Emulated libseat: a seat with the emulated cards, which can be disabled. */

#include "state.h"
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <libseat.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility("default")))

struct libseat {
	const struct libseat_seat_listener *listener;
	void *data;
	int fd; /* an eventfd: readable while an event is pending */
	bool active, sent;
	int n_devices;
	int switches[13]; /* requests, by terminal */
};

static struct libseat *the_seat;

void fake_card_set_master(struct fake_card *card, bool master)
{
	struct fake_file *file;

	fake_lock();
	wl_list_for_each (file, &card->files, link) {
		/* Files opened by the seat, and their lessees. */
		file->master = master && (file->atomic || file->lessee);
	}
	fake_unlock();
}

static void set_master(bool master)
{
	struct fake_card *card;

	wl_list_for_each (card, &fake_cards, link) {
		fake_card_set_master(card, master);
	}
}

void fake_seat_set_active(bool active)
{
	assert(the_seat);
	the_seat->active = active;
	eventfd_write(the_seat->fd, 1);
}

int fake_seat_switches(int terminal)
{
	return the_seat->switches[terminal];
}

VISIBLE struct libseat *libseat_open_seat(const struct libseat_seat_listener *listener, void *data)
{
	struct libseat *seat = calloc(1, sizeof(*seat));

	assert(seat && !the_seat);
	seat->listener = listener;
	seat->data = data;
	seat->fd = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
	seat->active = true;
	the_seat = seat;
	return seat;
}

VISIBLE int libseat_close_seat(struct libseat *seat)
{
	assert(seat->n_devices == 0);
	close(seat->fd);
	free(seat);
	the_seat = NULL;
	return 0;
}

/* Like seatd, devices are revoked before the event is sent. */
VISIBLE int libseat_disable_seat(struct libseat *seat)
{
	return 0;
}

VISIBLE int libseat_open_device(struct libseat *seat, const char *path, int *fd)
{
	struct fake_file *file;

	*fd = open(path, O_RDWR | O_CLOEXEC);
	if (*fd < 0) {
		return -1;
	}
	fake_lock();
	file = fake_file_find(*fd);
	if (file) {
		file->master = seat->active && !file->card->held;
	}
	fake_unlock();
	return seat->n_devices++;
}

/* The caller closes the descriptor. */
VISIBLE int libseat_close_device(struct libseat *seat, int id)
{
	seat->n_devices--;
	return 0;
}

VISIBLE const char *libseat_seat_name(struct libseat *seat)
{
	return "seat0";
}

VISIBLE int libseat_switch_session(struct libseat *seat, int session)
{
	assert(session > 0 && session < 13);
	seat->switches[session]++;
	return 0;
}

VISIBLE int libseat_get_fd(struct libseat *seat)
{
	return seat->fd;
}

VISIBLE int libseat_dispatch(struct libseat *seat, int timeout)
{
	eventfd_t value;

	eventfd_read(seat->fd, &value);
	if (seat->active == seat->sent) {
		return 0;
	}
	seat->sent = seat->active;
	if (seat->active) {
		set_master(true);
		seat->listener->enable_seat(seat, seat->data);
	} else {
		set_master(false);
		seat->listener->disable_seat(seat, seat->data);
	}
	return 1;
}

VISIBLE void libseat_set_log_handler(libseat_log_func handler)
{
}

VISIBLE void libseat_set_log_level(enum libseat_log_level level)
{
}
