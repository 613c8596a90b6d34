/* SPDX-License-Identifier: MIT */
/*
 * UPower, on a private system bus: a real dbus-daemon, and a service that sends correct and
 * incorrect messages in UPower's name.
 */

#include "server/upower.h"
#include "harness/await.h"
#include "harness/unit.h"
#include "server/power.h"
#include "util/xalloc.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <systemd/sd-bus.h>
#include <time.h>
#include <unistd.h>

#define NAME "org.freedesktop.UPower"
#define PATH "/org/freedesktop/UPower"

static const char config[] =
	"<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN\"\n"
	"\"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">\n"
	"<busconfig><listen>%s</listen><auth>EXTERNAL</auth>\n"
	"<policy context=\"default\"><allow send_destination=\"*\" eavesdrop=\"true\"/>"
	"<allow eavesdrop=\"true\"/><allow own=\"*\"/></policy></busconfig>\n";

struct upower_world {
	char folder[64], socket[96];
	int listener; /* listening socket that is passed to daemons (socket activation); -1: none */
	pid_t daemon;
	sd_bus *service; /* connection that owns UPower's name */
	sd_bus_slot *object;
	int on_battery, n_questions;
	bool mute; /* the service leaves method calls unanswered */
	bool pong;
	struct wl_event_loop *loop;
	struct power power;
	struct wl_listener changed;
	int n_changed;
};

/* Starts a daemon and waits until it listens. Returns false if dbus-daemon is not installed. */
static bool start_daemon(struct upower_world *world)
{
	char *path = xasprintf("%s/config", world->folder);
	char *argument = xasprintf("--config-file=%s", path);
	FILE *file = fopen(path, "we");
	int ends[2];
	char line[256];
	assert_non_null(file);
	char *address = xasprintf("unix:path=%s", world->socket);
	fprintf(file, config, world->listener < 0 ? address : "systemd:");
	fclose(file);
	free(address);
	assert_int_equal(pipe(ends), 0);
	world->daemon = fork();
	if (world->daemon == 0) {
		char pid[16];
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		if (world->listener >= 0) {
			dup2(world->listener, 3);
			snprintf(pid, sizeof(pid), "%d", getpid());
			setenv("LISTEN_PID", pid, 1);
			setenv("LISTEN_FDS", "1", 1);
		}
		execlp("dbus-daemon", "dbus-daemon", argument, "--nofork", "--nopidfile",
			"--print-address", (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	bool listens = read(ends[0], line, sizeof(line)) > 0;
	close(ends[0]);
	free(argument);
	free(path);
	return listens;
}

static void stop_daemon(struct upower_world *world)
{
	if (world->daemon > 0) {
		kill(world->daemon, SIGKILL);
		waitpid(world->daemon, NULL, 0);
	}
	world->daemon = 0;
}

static int handle_get(sd_bus *bus, const char *path, const char *interface, const char *property,
	sd_bus_message *reply, void *data, sd_bus_error *error)
{
	struct upower_world *world = data;
	world->n_questions++;
	return sd_bus_message_append(reply, "b", world->on_battery);
}

static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_PROPERTY("DaemonVersion", "s", NULL, 0, SD_BUS_VTABLE_PROPERTY_CONST),
	SD_BUS_PROPERTY("OnBattery", "b", handle_get, 0, SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE),
	SD_BUS_VTABLE_END,
};

static void handle_changed(struct wl_listener *listener, void *data)
{
	struct upower_world *world = wl_container_of(listener, world, changed);
	world->n_changed++;
}

/* The latest connection that upower_create() opened. */

static sd_bus *watched_bus;

int __real_sd_bus_open_system(sd_bus **bus);
int __wrap_sd_bus_open_system(sd_bus **bus);

int __wrap_sd_bus_open_system(sd_bus **bus)
{
	int result = __real_sd_bus_open_system(bus);
	sd_bus_unref(watched_bus);
	watched_bus = result < 0 ? NULL : sd_bus_ref(*bus);
	return result;
}

static void turn(struct upower_world *world)
{
	wl_event_loop_dispatch(world->loop, 0);
	while (world->service && !world->mute && sd_bus_process(world->service, NULL) > 0) {
	}
}

static int handle_pong(sd_bus_message *answer, void *data, sd_bus_error *error)
{
	((struct upower_world *)data)->pong = true;
	return 0;
}

/*
 * Waits for the answer of the daemon: all its earlier messages to this connection have then been
 * received.
 */
static void ping(struct upower_world *world, sd_bus *bus)
{
	world->pong = false;
	assert_true(
		sd_bus_call_method_async(bus, NULL, "org.freedesktop.DBus", "/org/freedesktop/DBus",
			"org.freedesktop.DBus", "GetId", handle_pong, world, NULL) >= 0);
	await(world->pong, (sd_bus_flush(bus), turn(world)));
}

/*
 * Lets a signal, the resulting method call and its reply pass through the daemon, plus one round
 * trip.
 */
static void settle(struct upower_world *world)
{
	for (int i = 0; i < 4; i++) {
		if (world->service && !world->mute) {
			ping(world, world->service);
		}
		ping(world, watched_bus);
	}
}

static void serve(struct upower_world *world)
{
	assert_true(__real_sd_bus_open_system(&world->service) >= 0);
	assert_true(sd_bus_add_object_vtable(
			    world->service, &world->object, PATH, NAME, vtable, world) >= 0);
	assert_true(sd_bus_request_name(world->service, NAME, 0) >= 0);
}

static void stop_serving(struct upower_world *world)
{
	sd_bus_slot_unref(world->object);
	world->object = NULL;
	world->service = sd_bus_flush_close_unref(world->service);
}

static void set(struct upower_world *world, bool on_battery)
{
	world->on_battery = on_battery;
	assert_true(
		sd_bus_emit_properties_changed(world->service, PATH, NAME, "OnBattery", NULL) >= 0);
}

static void set_socket(struct upower_world *world, const char *name)
{
	snprintf(world->socket, sizeof(world->socket), "%s/%s", world->folder, name);
	char *address = xasprintf("unix:path=%s", world->socket);
	setenv("DBUS_SYSTEM_BUS_ADDRESS", address, 1);
	free(address);
}

static void begin(struct upower_world *world)
{
	power_init(&world->power, world->loop);
	world->changed.notify = handle_changed;
	wl_signal_add(&world->power.events.changed, &world->changed);
}

static void end(struct upower_world *world)
{
	wl_list_remove(&world->changed.link);
	power_finish(&world->power);
}

static int set_up(void **state)
{
	struct upower_world *world = xcalloc(1, sizeof(*world));
	strcpy(world->folder, "/tmp/causeway-bus-XXXXXX");
	assert_non_null(mkdtemp(world->folder));
	world->listener = -1;
	*state = world;
	set_socket(world, "bus");
	if (!start_daemon(world)) {
		return 0;
	}
	world->loop = wl_event_loop_create();
	begin(world);
	return 0;
}

static int tear_down(void **state)
{
	struct upower_world *world = *state;
	if (world->loop) {
		stop_serving(world);
		end(world);
		wl_event_loop_destroy(world->loop);
	}
	watched_bus = sd_bus_unref(watched_bus);
	stop_daemon(world);
	if (world->listener >= 0) {
		close(world->listener);
	}
	char *command = xasprintf("rm -r %s", world->folder);
	assert_int_equal(system(command), 0);
	free(command);
	free(world);
	return 0;
}

static struct upower_world *world_of(void **state)
{
	struct upower_world *world = *state;
	if (!world->loop) {
		skip_because("there is no dbus-daemon");
	}
	return world;
}

static enum upower_state state_of(const struct upower_world *world)
{
	return upower_state(world->power.upower);
}

/* The service starts late, changes its value, stops, and starts again. */
static void signals_change_the_power_source(void **state)
{
	struct upower_world *world = world_of(state);
	bool supplies = world->power.on_battery;
	settle(world);
	assert_int_equal(state_of(world), UPOWER_UNKNOWN);
	assert_int_equal(world->n_changed, 0);
	world->on_battery = !supplies;
	serve(world);
	settle(world);
	assert_int_equal(state_of(world), supplies ? UPOWER_MAINS : UPOWER_BATTERY);
	assert_int_equal(world->power.on_battery, !supplies);
	assert_int_equal(world->n_changed, 1);
	int questions = world->n_questions;
	assert_int_equal(questions, 1);
	for (int i = 0; i < 10; i++) {
		set(world, i % 2 ? !supplies : supplies);
		settle(world);
		assert_int_equal(world->power.on_battery, i % 2 ? !supplies : supplies);
		assert_int_equal(world->n_changed, 2 + i);
	}
	/*
	 * The signals have the value: only sd_bus_emit_properties_changed() read the property, once
	 * each.
	 */
	assert_int_equal(world->n_questions, questions + 10);
	stop_serving(world);
	settle(world);
	assert_int_equal(state_of(world), UPOWER_UNKNOWN);
	assert_int_equal(world->power.on_battery, supplies);
	serve(world);
	settle(world);
	assert_int_equal(world->power.on_battery, !supplies);
}

/* The service runs before the compositor. */
static void initial_value_is_queried(void **state)
{
	struct upower_world *world = world_of(state);
	world->on_battery = true;
	serve(world);
	end(world);
	begin(world);
	assert_int_equal(state_of(world), UPOWER_UNKNOWN);
	settle(world);
	assert_int_equal(state_of(world), UPOWER_BATTERY);
	assert_true(world->power.on_battery);
}

static void emit(struct upower_world *world, const char *types, ...)
{
	sd_bus_message *message = NULL;
	va_list arguments;
	va_start(arguments, types);
	assert_true(sd_bus_message_new_signal(world->service, &message, PATH,
			    "org.freedesktop.DBus.Properties", "PropertiesChanged") >= 0);
	assert_true(sd_bus_message_appendv(message, types, arguments) >= 0);
	assert_true(sd_bus_send(world->service, message, NULL) >= 0);
	sd_bus_message_unref(message);
	va_end(arguments);
	settle(world);
}

/* Signals of every kind, also malformed and forged ones. */
static void malformed_and_forged_signals_are_ignored(void **state)
{
	struct upower_world *world = world_of(state);
	serve(world);
	settle(world);
	assert_int_equal(state_of(world), UPOWER_MAINS);
	emit(world, "sa{sv}as", NAME, 3, "LidIsClosed", "b", 1, "OnBattery", "b", 1, "Other", "s",
		"text", 0);
	assert_int_equal(state_of(world), UPOWER_BATTERY);
	emit(world, "sa{sv}as", NAME, 1, "LidIsClosed", "b", 0, 0);
	emit(world, "sa{sv}as", NAME, 0, 1, "LidIsClosed");
	emit(world, "sa{sv}as", "org.example.Other", 1, "OnBattery", "b", 0, 0);
	emit(world, "sa{sv}as", NAME, 1, "OnBattery", "s", "no", 0);
	emit(world, "sas", NAME, 1, "OnBattery");
	emit(world, "s", NAME);
	assert_int_equal(state_of(world), UPOWER_BATTERY);
	/* An invalidation without a value causes a method call. */
	int questions = world->n_questions;
	emit(world, "sa{sv}as", NAME, 0, 2, "LidIsClosed", "OnBattery");
	assert_int_equal(world->n_questions, questions + 1);
	assert_int_equal(state_of(world), UPOWER_MAINS);
	/* Signals of other connections are ignored. */
	sd_bus *other = world->service;
	assert_true(__real_sd_bus_open_system(&world->service) >= 0);
	emit(world, "sa{sv}as", NAME, 1, "OnBattery", "b", 1, 0);
	assert_int_equal(state_of(world), UPOWER_MAINS);
	sd_bus_flush_close_unref(world->service);
	world->service = other;
}

static int64_t cpu_time(void)
{
	struct timespec time;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* A silent service, or a bus that hangs or ends, does not block the compositor. */
static void silent_service_blocks_nothing(void **state)
{
	struct upower_world *world = world_of(state);
	serve(world);
	world->mute = true;
	settle(world);
	assert_int_equal(state_of(world), UPOWER_UNKNOWN);
	world->mute = false;
	world->on_battery = true;
	settle(world);
	assert_int_equal(state_of(world), UPOWER_BATTERY);
	/* The loop stays idle. */
	struct pollfd fd = {.fd = wl_event_loop_get_fd(world->loop), .events = POLLIN};
	assert_int_equal(poll(&fd, 1, 50), 0);
	stop_daemon(world);
	world->mute = true;
	await(state_of(world) == UPOWER_UNKNOWN, turn(world));
	int64_t before = cpu_time();
	for (int i = 0; i < 4; i++) {
		wl_event_loop_dispatch(world->loop, 50);
	}
	assert_true(cpu_time() - before < 50000000);
}

static void assert_idle(struct upower_world *world)
{
	struct pollfd fd = {.fd = wl_event_loop_get_fd(world->loop), .events = POLLIN};
	while (poll(&fd, 1, 0) > 0) {
		wl_event_loop_dispatch(world->loop, 0);
	}
	assert_int_equal(poll(&fd, 1, 50), 0);
}

/* UPower reports battery power and ends together with its bus. */
static void come_and_go(struct upower_world *world)
{
	serve(world);
	await(state_of(world) == UPOWER_BATTERY, turn(world));
	stop_daemon(world);
	stop_serving(world);
	await(state_of(world) == UPOWER_UNKNOWN, turn(world));
}

/* The bus is replaced by another one, on which UPower starts later. */
static void new_bus_is_found(void **state)
{
	struct upower_world *world = world_of(state);
	world->on_battery = true;
	for (int i = 0; i < 3; i++) {
		come_and_go(world);
		assert_idle(world);
		assert_true(start_daemon(world));
	}
}

static void listen_for(struct upower_world *world, const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	set_socket(world, name);
	strcpy(address.sun_path, world->socket);
	world->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	assert_true(world->listener >= 0);
	assert_int_equal(bind(world->listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(world->listener, 8), 0);
}

/*
 * Socket activation: the socket outlives the daemon, so that no file event announces the new one.
 */
static void socket_activated_bus_is_found_again(void **state)
{
	struct upower_world *world = world_of(state);
	stop_daemon(world);
	end(world);
	listen_for(world, "activated");
	if (!start_daemon(world)) {
		begin(world);
		skip_because("the dbus-daemon cannot be given a socket");
	}
	begin(world);
	world->on_battery = true;
	for (int i = 0; i < 3; i++) {
		come_and_go(world);
		assert_true(start_daemon(world));
	}
}

/* The socket's folder does not exist when the compositor starts. */
static void bus_in_a_later_folder_is_found(void **state)
{
	struct upower_world *world = world_of(state);
	char path[96];
	stop_daemon(world);
	end(world);
	set_socket(world, "run/dbus/bus");
	begin(world);
	assert_idle(world);
	snprintf(path, sizeof(path), "%s/run", world->folder);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_idle(world);
	snprintf(path, sizeof(path), "%s/run/dbus", world->folder);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_idle(world);
	assert_int_equal(state_of(world), UPOWER_UNKNOWN);
	assert_true(start_daemon(world));
	world->on_battery = true;
	serve(world);
	await(state_of(world) == UPOWER_BATTERY, turn(world));
}

/*
 * A daemon that closes every connection is contacted again only after a file event or on other
 * activity.
 */
static void closing_daemon_is_retried_rarely(void **state)
{
	struct upower_world *world = world_of(state);
	end(world);
	listen_for(world, "bus-that-hangs-up");
	begin(world);
	for (int i = 0; i < 3; i++) {
		int peer = accept(world->listener, NULL, NULL);
		assert_true(peer >= 0);
		close(peer);
		await(!sd_bus_is_open(watched_bus), turn(world));
		assert_idle(world);
		assert_int_equal(accept(world->listener, NULL, NULL), -1);
		if (i == 0) {
			assert_int_equal(chmod(world->socket, 0700), 0);
			turn(world);
		} else {
			upower_retry(world->power.upower);
		}
	}
}

/* A daemon that does not accept connections is treated as missing, without a delay. */
static void hanging_daemon_is_treated_as_missing(void **state)
{
	struct upower_world *world = world_of(state);
	kill(world->daemon, SIGSTOP);
	struct timespec before, after;
	clock_gettime(CLOCK_MONOTONIC, &before);
	struct upower *upowers[4];
	for (int i = 0; i < 4; i++) {
		upowers[i] = upower_create(world->loop, NULL, NULL);
		wl_event_loop_dispatch(world->loop, 0);
		assert_int_equal(upower_state(upowers[i]), UPOWER_UNKNOWN);
	}
	clock_gettime(CLOCK_MONOTONIC, &after);
	/* The library's own timeout is 25 s. */
	assert_true(after.tv_sec - before.tv_sec < 20);
	for (int i = 0; i < 4; i++) {
		upower_destroy(upowers[i]);
	}
	kill(world->daemon, SIGCONT);
}

static void missing_bus_is_no_error(void **state)
{
	struct wl_event_loop *loop = wl_event_loop_create();
	setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nowhere/bus", 1);
	struct upower *upower = upower_create(loop, NULL, NULL);
	assert_int_equal(upower_state(upower), UPOWER_UNKNOWN);
	upower_destroy(upower);
	wl_event_loop_destroy(loop);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(signals_change_the_power_source),
		TEST(initial_value_is_queried),
		TEST(malformed_and_forged_signals_are_ignored),
		TEST(silent_service_blocks_nothing),
		TEST(new_bus_is_found),
		TEST(socket_activated_bus_is_found_again),
		TEST(bus_in_a_later_folder_is_found),
		TEST(closing_daemon_is_retried_rarely),
		TEST(hanging_daemon_is_treated_as_missing),
		cmocka_unit_test(missing_bus_is_no_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
