/* SPDX-License-Identifier: MIT */
/*
 * Programs on another machine: the command line of waypipe, which forwards Wayland through ssh.
 * The machine's shell reads the command, so that each argument is quoted.
 */

#include "remote.h"
#include "config/config.h"
#include "util/file.h"
#include "util/strings.h"
#include "util/xalloc.h"
#include <stdlib.h>
#include <string.h>

/** Returns the argument in single quotes; a quote itself becomes '\''. */
static char *quote(const char *argument)
{
	char *quoted = xcalloc(4 * strlen(argument) + 3, 1), *to = quoted;
	*to++ = '\'';
	for (; *argument; argument++) {
		if (*argument == '\'') {
			memcpy(to, "'\\''", 4);
			to += 4;
		} else {
			*to++ = *argument;
		}
	}
	*to = '\'';
	return quoted;
}

static bool is_installed(const char *name, const char *host, char **error)
{
	char *path = file_find_program(name);
	if (!path) {
		*error = xasprintf("ssh:%s needs %s, which is not installed", host, name);
	}
	free(path);
	return path;
}

static char **add(char **list, const char *argument)
{
	return strings_add(list, xstrdup(argument));
}

static char **add_ssh(char **list, const struct remote *remote)
{
	const char *port = strchr(remote->host, ':');
	/* Without a terminal, a question of ssh would wait for ever. */
	list = add(add(list, "ssh"), "-o");
	list = add(list, remote->asks ? "BatchMode=no" : "BatchMode=yes");
	list = add(add(list, "-o"), "ConnectTimeout=15");
	if (port) {
		list = add(add(list, "-p"), port + 1);
	}
	return strings_add(list, xasprintf("%.*s", (int)strcspn(remote->host, ":"), remote->host));
}

char **remote_arguments(const struct remote *remote, char *const *argv, char **error)
{
	if (!is_installed("waypipe", remote->host, error) ||
		!is_installed("ssh", remote->host, error)) {
		return NULL;
	}
	char **list = add(NULL, "waypipe");
	if (remote->compression) {
		list = strings_add(
			list, xasprintf("--compress=%s",
				      config_compression_words[remote->compression - 1]));
	}
	if (remote->video > CONFIG_VIDEO_NO) {
		list = strings_add(
			list, xasprintf("--video=%s", config_video_words[remote->video - 1]));
	}
	list = strings_add(list,
		remote->node ? xasprintf("--drm-node=%s", remote->node) : xstrdup("--no-gpu"));
	list = add_ssh(list, remote);
	for (; *argv; argv++) {
		list = strings_add(list, quote(*argv));
	}
	return list;
}
