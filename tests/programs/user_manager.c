/* SPDX-License-Identifier: MIT */
/*
 * user-manager FOLDER [CGROUP]: a user's service manager on the session's D-Bus. Appends "UNIT PID
 * SLICE COLLECT" of each StartTransientUnit() to FOLDER/units, and moves the process into a folder
 * of this name below CGROUP. FOLDER/mode: "refuse", "silent" (no answer), "leave" (without an
 * answer), or anything else.
 */

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

static const char *folder, *cgroup;

struct unit {
	const char *name, *slice, *collect;
	uint32_t pid;
};

static void move_process(const struct unit *unit)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/%s", cgroup, unit->name);
	mkdir(path, 0755);
	strncat(path, "/cgroup.procs", sizeof(path) - strlen(path) - 1);
	usleep(100000); /* the answer comes first */
	FILE *file = fopen(path, "w");
	if (!file || fprintf(file, "%u\n", unit->pid) < 0 || fclose(file) != 0) {
		perror(path);
	}
}

static int read_properties(sd_bus_message *message, struct unit *unit)
{
	const char *name;
	int result = sd_bus_message_enter_container(message, 'a', "(sv)");
	while (result >= 0 && (result = sd_bus_message_enter_container(message, 'r', "sv")) > 0) {
		sd_bus_message_read(message, "s", &name);
		if (strcmp(name, "PIDs") == 0) {
			result = sd_bus_message_read(message, "v", "au", 1, &unit->pid);
		} else if (strcmp(name, "Slice") == 0) {
			result = sd_bus_message_read(message, "v", "s", &unit->slice);
		} else if (strcmp(name, "CollectMode") == 0) {
			result = sd_bus_message_read(message, "v", "s", &unit->collect);
		} else {
			result = sd_bus_message_skip(message, "v");
		}
		if (result >= 0) {
			result = sd_bus_message_exit_container(message);
		}
	}
	return result;
}

static char read_mode(void)
{
	char path[256], mode = 0;
	snprintf(path, sizeof(path), "%s/mode", folder);
	FILE *file = fopen(path, "r");
	if (file) {
		mode = (char)fgetc(file);
		fclose(file);
	}
	return mode;
}

static int handle_start(sd_bus_message *message, void *data, sd_bus_error *error)
{
	struct unit unit = {.slice = "", .collect = ""};
	char path[256];
	const char *mode;
	(void)data;
	if (sd_bus_message_read(message, "ss", &unit.name, &mode) < 0 ||
		read_properties(message, &unit) < 0 || strcmp(mode, "fail") != 0) {
		return sd_bus_error_set(error, SD_BUS_ERROR_INVALID_ARGS, "bad arguments");
	}
	snprintf(path, sizeof(path), "%s/units", folder);
	FILE *file = fopen(path, "a");
	if (!file) {
		return -errno;
	}
	fprintf(file, "%s %u %s %s\n", unit.name, unit.pid, unit.slice, unit.collect);
	fclose(file);
	switch (read_mode()) {
	case 'r': return sd_bus_error_set(error, SD_BUS_ERROR_ACCESS_DENIED, "refused by the test");
	case 's': return 1;
	case 'l': exit(0);
	default: break;
	}
	int result = sd_bus_reply_method_return(message, "o", "/org/freedesktop/systemd1/job/1");
	sd_bus_flush(sd_bus_message_get_bus(message));
	if (cgroup) {
		move_process(&unit);
	}
	return result < 0 ? result : 1;
}

static const sd_bus_vtable methods[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD("StartTransientUnit", "ssa(sv)a(sa(sv))", "o", handle_start,
		SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};

int main(int argc, char **argv)
{
	sd_bus *bus = NULL;
	folder = argc > 1 ? argv[1] : ".";
	cgroup = argc > 2 ? argv[2] : NULL;
	if (sd_bus_open_user(&bus) < 0 ||
		sd_bus_add_object_vtable(bus, NULL, "/org/freedesktop/systemd1",
			"org.freedesktop.systemd1.Manager", methods, NULL) < 0 ||
		sd_bus_request_name(bus, "org.freedesktop.systemd1", 0) < 0) {
		return EXIT_FAILURE;
	}
	puts("ready");
	fflush(stdout);
	while (sd_bus_process(bus, NULL) >= 0 && sd_bus_wait(bus, UINT64_MAX) >= 0) {
		/* the next message */
	}
	return EXIT_SUCCESS;
}
