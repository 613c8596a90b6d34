/* SPDX-License-Identifier: MIT */
/*
 * Connected displays, read from sysfs, which answers from memory and wakes no device; and the
 * choice of the preferred GPU.
 */

#include "gpu/gpu.h"
#include "util/fd.h"
#include "util/log.h"
#include "util/xalloc.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER "/sys/class/drm"

bool gpu_connector_is_panel(const char *connector)
{
	return strncmp(connector, "eDP-", 4) == 0 || strncmp(connector, "LVDS-", 5) == 0 ||
	       strncmp(connector, "DSI-", 4) == 0;
}

static void read_connector(struct gpu_connectors *connectors, const char *entry, const char *name)
{
	char status[32] = "";
	char *path = xasprintf("%s/%s/status", FOLDER, entry);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd >= 0 ? read(fd, status, sizeof(status) - 1) : -1;
	fd_close(&fd);
	free(path);
	if (length <= 0) {
		return;
	}
	if (strncmp(status, "connected", 9) == 0) {
		connectors->connected++;
		connectors->panel |= gpu_connector_is_panel(name);
	} else if (strncmp(status, "unknown", 7) == 0) {
		connectors->unknown++;
	}
}

struct gpu_connectors gpu_read_connectors(const struct gpu *gpu)
{
	struct gpu_connectors connectors = {0};
	const char *card = gpu->primary_path ? strrchr(gpu->primary_path, '/') : NULL;
	DIR *folder = card ? opendir(FOLDER) : NULL;
	struct dirent *entry;
	if (!folder) {
		return connectors;
	}
	char *prefix = xasprintf("%s-", card + 1);
	size_t length = strlen(prefix);
	while ((entry = readdir(folder)) != NULL) {
		const char *name = entry->d_name + length;
		if (strncmp(entry->d_name, prefix, length) == 0 &&
			strncmp(name, "Writeback-", 10) != 0) {
			read_connector(&connectors, entry->d_name, name);
		}
	}
	closedir(folder);
	free(prefix);
	return connectors;
}

/* Higher is better; the order of the list decides between equals. */
static int rate(const struct gpu *gpu)
{
	struct gpu_connectors connectors = gpu_read_connectors(gpu);
	if (connectors.panel) {
		return 4000;
	}
	if (connectors.connected > 0) {
		return 2000 + connectors.connected;
	}
	return gpu->boot_vga ? 1000 : connectors.unknown > 0 ? 1 : 0;
}

static struct gpu *find_wished(const struct gpu_list *list, const char *seat, const char *wished)
{
	struct gpu *gpu;
	wl_list_for_each (gpu, &list->gpus, link) {
		if (gpu->primary_path && strcmp(gpu->seat, seat) == 0 && gpu_matches(gpu, wished) &&
			gpu_read_connectors(gpu).connected > 0) {
			return gpu;
		}
	}
	log_warn("no GPU that matches %s has a screen: using another primary GPU", wished);
	return NULL;
}

struct gpu *gpu_list_primary(const struct gpu_list *list, const char *seat, const char *wished)
{
	struct gpu *gpu, *best = wished ? find_wished(list, seat, wished) : NULL;
	int best_rate = -1;
	if (best) {
		return best;
	}
	wl_list_for_each (gpu, &list->gpus, link) {
		if (!gpu->primary_path || strcmp(gpu->seat, seat) != 0) {
			continue;
		}
		if (rate(gpu) > best_rate) {
			best = gpu;
			best_rate = rate(gpu);
		}
	}
	return best;
}
