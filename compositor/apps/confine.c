/* SPDX-License-Identifier: MIT */
/* Confinement of a program to one GPU: a Landlock ruleset that leaves out nodes of others. */

#include "apps/confine.h"
#include "gpu/gpu.h"
#include "gpu/quirks.h"
#include "util/xalloc.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef LANDLOCK_ACCESS_FS_REFER
#define LANDLOCK_ACCESS_FS_REFER (1ULL << 13) /* since Linux 5.19 */
#endif

/*
 * Landlock denies what is handled and not granted. Reading and writing are handled, since a node is
 * opened by one of the two; and moves between folders, which every ruleset denies otherwise.
 */
#define FILE_ACCESS (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE)
#define ALL_ACCESS (FILE_ACCESS | LANDLOCK_ACCESS_FS_REFER)
#define LEAST_ABI 2 /* of LANDLOCK_ACCESS_FS_REFER */

enum { EXIT_USAGE = 2, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

char *confine_problem(void)
{
	const long abi = syscall(
		SYS_landlock_create_ruleset, NULL, (size_t)0, LANDLOCK_CREATE_RULESET_VERSION);
	if (abi >= LEAST_ABI) {
		return NULL;
	}
	return abi >= 0 ? xstrdup("the Landlock of this kernel is too old (Linux 5.19 is needed)")
	       : errno == EOPNOTSUPP
		       ? xstrdup("Landlock is switched off (boot option lsm=, which must name "
				 "landlock)")
		       : xstrdup("this kernel has no Landlock (Linux 5.19 is needed)");
}

/* Nodes */

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static char *append(char *list, const char *name)
{
	char *longer = xasprintf("%s%s%s", list, *list ? "," : "", name);
	free(list);
	return longer;
}

/** Returns "0000:04:00.0" for "pci-0000_04_00_0", newly allocated. */
static char *pci_address(const char *bus_id)
{
	unsigned domain, bus, device, function;
	return sscanf(bus_id, "pci-%x_%x_%x_%x", &domain, &bus, &device, &function) == 4
		       ? xasprintf("%04x:%02x:%02x.%x", domain, bus, device, function)
		       : xstrdup("none");
}

char *confine_nodes(const struct gpu_list *list, const struct gpu *gpu)
{
	char *nodes = xstrdup("");
	const struct gpu *other;
	wl_list_for_each (other, &list->gpus, link) {
		/* Programs on some systems draw through the node of the display's device. */
		if ((other == gpu || !other->render_path) && other->primary_path) {
			nodes = append(nodes, name_of(other->primary_path));
		}
		if (other == gpu && other->render_path) {
			nodes = append(nodes, name_of(other->render_path));
		}
	}
	if (strcmp(gpu->driver, "amdgpu") == 0) {
		nodes = append(nodes, "kfd");
	} else if (gpu_is_nvidia(gpu)) {
		char *address = pci_address(gpu->bus_id);
		char *name = xasprintf("nvidia=%s", address);
		nodes = append(nodes, name);
		free(name);
		free(address);
	}
	return nodes;
}

/** Returns whether the list has the name, and the text behind it in *value if that is wanted. */
static bool find_node(const char *nodes, const char *name, const char **value)
{
	const size_t length = strlen(name);
	for (const char *node = nodes; *node; node += strcspn(node, ",")) {
		node += *node == ',';
		if (strncmp(node, name, length) == 0 &&
			(value ? node[length] == '=' : strcspn(node, ",") == length)) {
			if (value) {
				*value = node + length + 1;
			}
			return true;
		}
	}
	return false;
}

/* Rules */

struct confinement {
	const char *nodes;
	int ruleset;
	char *nvidia; /* name of the GPU's node, "nvidia0"; NULL: none */
	int error; /* -errno; 0: none */
};

/** Grants access to an entry of a folder and all below it; links are followed by their users. */
static void grant(struct confinement *confinement, int folder, const char *name)
{
	struct stat status;
	if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0 ||
		S_ISLNK(status.st_mode)) {
		return;
	}
	/* A folder that is mounted on demand is mounted now: a rule is for what can be seen. */
	const int directory = S_ISDIR(status.st_mode) ? O_DIRECTORY : 0;
	const int fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC | directory);
	if (fd < 0) {
		return; /* gone, or a file system that does not answer */
	}
	const struct landlock_path_beneath_attr rule = {
		.allowed_access = directory ? ALL_ACCESS : FILE_ACCESS,
		.parent_fd = fd,
	};
	if (syscall(SYS_landlock_add_rule, confinement->ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule,
		    0U) < 0 &&
		errno != EBADFD) { /* internal files of the kernel, which are always granted */
		confinement->error = -errno;
	}
	close(fd);
}

/** Calls `visit` with each entry of the folder; the folder is `path` below `parent`. */
static void for_each_entry(struct confinement *confinement, int parent, const char *path,
	void (*visit)(
		struct confinement *confinement, int folder, const char *name, const char *data),
	const char *data)
{
	const int fd = openat(parent, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	if (!folder) {
		confinement->error = errno == ENOENT ? confinement->error : -errno;
		if (fd >= 0) {
			close(fd);
		}
		return;
	}
	for (struct dirent *entry; (entry = readdir(folder));) {
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
			visit(confinement, fd, entry->d_name, data);
		}
	}
	closedir(folder);
}

static void visit_card(
	struct confinement *confinement, int folder, const char *name, const char *data)
{
	if (find_node(confinement->nodes, name, NULL)) {
		grant(confinement, folder, name);
	}
}

/** Returns whether the name is that of a node for one GPU of NVIDIA's: "nvidia0". */
static bool is_nvidia_card(const char *name)
{
	const size_t digits = strspn(name + strlen("nvidia"), "0123456789");
	return digits > 0 && name[strlen("nvidia") + digits] == '\0';
}

static void visit_device(
	struct confinement *confinement, int folder, const char *name, const char *data)
{
	if (strcmp(name, "dri") == 0) {
		for_each_entry(confinement, folder, name, visit_card, NULL);
	} else if (strcmp(name, "kfd") == 0) {
		visit_card(confinement, folder, name, NULL);
	} else if (strncmp(name, "nvidia", strlen("nvidia")) == 0) {
		if (confinement->nvidia &&
			(!is_nvidia_card(name) || strcmp(name, confinement->nvidia) == 0)) {
			grant(confinement, folder, name);
		}
	} else {
		grant(confinement, folder, name);
	}
}

static void visit_beside(
	struct confinement *confinement, int folder, const char *name, const char *data)
{
	const size_t length = strcspn(data, "/");
	if (strlen(name) != length || strncmp(name, data, length) != 0) {
		grant(confinement, folder, name);
	}
}

/** Grants access to everything but the folder of devices, and to the devices that are left. */
static void grant_all(struct confinement *confinement, const char *dev)
{
	char *path = xstrdup("/");
	for (const char *rest = dev + 1; *rest; rest += *rest == '/') {
		for_each_entry(confinement, AT_FDCWD, path, visit_beside, rest);
		rest += strcspn(rest, "/");
		free(path);
		path = xasprintf("%.*s", (int)(rest - dev), dev);
	}
	for_each_entry(confinement, AT_FDCWD, path, visit_device, NULL);
	free(path);
}

/** Returns the name of the node of NVIDIA's driver for a PCI address; NULL if it is unknown. */
static char *find_nvidia_card(const char *address)
{
	char *path = xasprintf(
		"/proc/driver/nvidia/gpus/%.*s/information", (int)strcspn(address, ","), address);
	FILE *file = fopen(path, "re");
	char line[256], *name = NULL;
	unsigned minor;
	while (file && !name && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Device Minor: %u", &minor) == 1) {
			name = xasprintf("nvidia%u", minor);
		}
	}
	if (file) {
		fclose(file);
	}
	free(path);
	return name;
}

static int restrict_self(struct confinement *confinement, const char *dev)
{
	const char *address;
	if (find_node(confinement->nodes, "nvidia", &address)) {
		confinement->nvidia = find_nvidia_card(address);
		if (!confinement->nvidia) {
			return -ENODEV; /* its node cannot be told from those of others */
		}
	}
	grant_all(confinement, dev);
	free(confinement->nvidia);
	if (confinement->error) {
		return confinement->error;
	}
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
			       syscall(SYS_landlock_restrict_self, confinement->ruleset, 0U) < 0
		       ? -errno
		       : 0;
}

int confine_self(const char *nodes, const char *dev, char **error)
{
	const struct landlock_ruleset_attr attributes = {.handled_access_fs = ALL_ACCESS};
	*error = confine_problem();
	if (*error) {
		return -ENOTSUP;
	}
	struct confinement confinement = {.nodes = nodes};
	confinement.ruleset = (int)syscall(
		SYS_landlock_create_ruleset, &attributes, sizeof(attributes.handled_access_fs), 0U);
	const int result = confinement.ruleset < 0 ? -errno : restrict_self(&confinement, dev);
	if (confinement.ruleset >= 0) {
		close(confinement.ruleset);
	}
	if (result < 0) {
		*error = xasprintf("other GPUs cannot be hidden from it: %s",
			result == -ENODEV ? "NVIDIA's driver does not name the node of its GPU"
					  : strerror(-result));
	}
	return result;
}

int confine_start(int argc, char **argv)
{
	char *error = NULL;
	if (argc < 3) {
		return EXIT_USAGE;
	}
	if (confine_self(argv[1] + strlen(CONFINE_ARGUMENT), "/dev", &error) < 0) {
		fprintf(stderr, "causeway: %s is not started: %s\n", argv[2], error);
		free(error);
		return EXIT_NOT_EXECUTABLE;
	}
	execvp(argv[2], argv + 2);
	const int code = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE;
	fprintf(stderr, "causeway: %s: %s\n", argv[2], strerror(errno));
	return code;
}
