/* SPDX-License-Identifier: MIT */
/* Programs that have device nodes open, found in /proc without opening the nodes. */

#include "openers.h"
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_SIZE 32

static bool matches(const char *path, const char *node)
{
	size_t length = strcspn(node, "#");
	if (node[length] == '\0') {
		return strcmp(path, node) == 0;
	}
	size_t digits = strspn(
		path + (strncmp(path, node, length) == 0 ? length : strlen(path)), "0123456789");
	return digits > 0 && path[length + digits] == '\0';
}

static bool is_listed(const char *path, const char *const *nodes)
{
	for (; *nodes; nodes++) {
		if (matches(path, *nodes)) {
			return true;
		}
	}
	return false;
}

/* Returns whether the process, a folder of /proc, has one of the nodes open. */
static bool has_open(int process, const char *const *nodes)
{
	char path[PATH_MAX];
	int folder = openat(process, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *descriptors = folder >= 0 ? fdopendir(folder) : NULL;
	const struct dirent *entry;
	bool found = false;
	while (descriptors && !found && (entry = readdir(descriptors))) {
		ssize_t n = readlinkat(dirfd(descriptors), entry->d_name, path, sizeof(path) - 1);
		path[n > 0 ? n : 0] = '\0';
		found = is_listed(path, nodes);
	}
	if (descriptors) {
		closedir(descriptors);
	}
	return found;
}

static void read_name(int process, char name[static NAME_SIZE])
{
	int file = openat(process, "comm", O_RDONLY | O_CLOEXEC);
	ssize_t n = file >= 0 ? read(file, name, NAME_SIZE - 1) : -1;
	if (file >= 0) {
		close(file);
	}
	name[n > 0 ? n : 0] = '\0';
	name[strcspn(name, "\n")] = '\0';
}

static int is_process(const struct dirent *entry)
{
	return isdigit((unsigned char)entry->d_name[0]);
}

static int compare_numbers(const struct dirent **a, const struct dirent **b)
{
	long first = strtol((*a)->d_name, NULL, 10), second = strtol((*b)->d_name, NULL, 10);
	return (first > second) - (first < second);
}

char *openers_list(const char *proc, const char *const *nodes)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	struct dirent **processes;
	const char *separator = "";
	int n = stream ? scandir(proc, &processes, is_process, compare_numbers) : -1;
	int folder = n > 0 ? open(proc, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	for (int i = 0; i < n; i++) {
		const char *number = processes[i]->d_name;
		int process = openat(folder, number, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (process >= 0 && has_open(process, nodes)) {
			char name[NAME_SIZE];
			read_name(process, name);
			fprintf(stream, "%s%s (%s)", separator, name, number);
			separator = ", ";
		}
		if (process >= 0) {
			close(process);
		}
		free(processes[i]);
	}
	if (folder >= 0) {
		close(folder);
	}
	if (n >= 0) {
		free(processes);
	}
	if (!stream || fclose(stream) != 0) {
		fputs("causewayctl: out of memory\n", stderr);
		exit(EXIT_FAILURE);
	}
	return text;
}

char *openers_of_gpu(const char *driver, const char *card, const char *render_node)
{
	const char *nodes[4];
	size_t n = 0;
	if (card) {
		nodes[n++] = card;
	}
	if (render_node) {
		nodes[n++] = render_node;
	}
	if (driver && strncmp(driver, "nvidia", strlen("nvidia")) == 0) {
		nodes[n++] = "/dev/nvidia#";
	}
	nodes[n] = NULL;
	return openers_list("/proc", nodes);
}
