/* SPDX-License-Identifier: MIT */
/* Compositors on an emulated card that refuses modes for a while. */

#include "refusals.h"
#include "frame/output.h"
#include "util/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define STEP (SECOND / 4)

#define SCREEN(number, title)                                                                      \
	{                                                                                          \
		.maker = "CWY", .name = title, .serial = number,                                   \
		.modes = {{640, 480, 60}, {480, 360, 60}, {320, 240, 60}}, .min_hz = 50,           \
		.max_hz = 70, .max_clock = 100,                                                    \
	}

const struct fake_screen refusals_screens[3] = {
	SCREEN(1, "One"), SCREEN(2, "Two"), SCREEN(3, "Three")};

static void note_time(struct refusals *refusals)
{
	const struct fixture *fixture = refusals->world->fixture;
	int64_t now = fixture ? clock_now(fixture->clock) : 0;
	int n = refusals->n_times;
	if (fixture && n < 64 && (n == 0 || refusals->times[n - 1] != now)) {
		refusals->times[refusals->n_times++] = now;
	}
}

static int judge(void *data, const struct fake_head *heads, int n)
{
	struct refusals *refusals = data;
	note_time(refusals);
	for (int i = 0; i < n; i++) {
		bool named =
			refusals->connector && strcmp(heads[i].connector, refusals->connector) == 0;
		if (named || (refusals->widest && heads[i].width > refusals->widest)) {
			return EINVAL;
		}
	}
	return 0;
}

struct refusals *refusals_create(
	struct world *world, const char *kind, const char *const *connectors)
{
	static struct refusals refusals;
	refusals = (struct refusals){.world = world, .card = fake_card_create(kind)};
	for (int i = 0; connectors[i]; i++) {
		fake_card_plug(refusals.card, connectors[i], &refusals_screens[i]);
	}
	fake_card_set_mode_judge(refusals.card, judge, &refusals);
	return &refusals;
}

void refusals_end(struct refusals *refusals)
{
	refusals->widest = 0;
	refusals->connector = NULL;
	fake_card_set_clock(refusals->card, 0);
	fake_card_fail(refusals->card, EINVAL, 0, false);
}

void refusals_wait(struct refusals *refusals, int64_t ns)
{
	struct fixture *fixture = refusals->world->fixture;
	fake_card_set_flips(refusals->card, FAKE_FLIPS_HELD);
	fixture_pump(fixture);
	while (ns > 0) {
		int64_t step = ns < STEP ? ns : STEP;
		clock_advance(fixture->clock, step);
		fixture_pump(fixture);
		fake_card_vblank(refusals->card, clock_now(fixture->clock));
		fixture_pump(fixture);
		ns -= step;
	}
}

void refusals_hotplug(struct refusals *refusals, const char *connector)
{
	fake_card_send_hotplug(refusals->card, connector);
	refusals_wait(refusals, SECOND / 10);
}

uint64_t refusals_modesets(const struct refusals *refusals)
{
	return fake_card_counts(refusals->card).modesets;
}

uint64_t refusals_presented(struct refusals *refusals, const char *connector)
{
	const struct server_output *entry = find_entry(refusals->world, connector);
	assert_non_null(entry->frame);
	return entry->frame->stats.presented;
}

bool refusals_configure(
	struct refusals *refusals, const char *connector, int32_t width, int32_t height)
{
	struct server_output_change change = {.output = find_entry(refusals->world, connector)};
	server_output_config(change.output, &change.config);
	change.config.enabled = width > 0;
	change.config.has_mode = width > 0;
	change.config.width = width;
	change.config.height = height;
	bool done = server_outputs_apply(&change, 1);
	refusals_wait(refusals, SECOND / 10);
	return done;
}

void refusals_collect_log(struct refusals *refusals)
{
	refusals->log = memfd_create("log", MFD_CLOEXEC);
	refusals->stderr_copy = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	assert_true(refusals->log >= 0 && refusals->stderr_copy >= 0);
	assert_int_equal(dup2(refusals->log, STDERR_FILENO), STDERR_FILENO);
}

int refusals_count_log(struct refusals *refusals, const char *text)
{
	char line[4096];
	int n = 0;
	assert_int_equal(dup2(refusals->stderr_copy, STDERR_FILENO), STDERR_FILENO);
	close(refusals->stderr_copy);
	FILE *log = fdopen(refusals->log, "r");
	assert_non_null(log);
	rewind(log);
	while (fgets(line, sizeof(line), log)) {
		fputs(line, stderr);
		n += strstr(line, text) != NULL;
	}
	fclose(log);
	return n;
}
