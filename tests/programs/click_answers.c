/* SPDX-License-Identifier: MIT */
/* Answers of a session: the X windows that clicks are sent to. */

#include "click_answers.h"
#include "scene/output.h"
#include "scene/scene.h"
#include "server/server.h"
#include "xwayland/servers.h"
#include "xwayland/wm/base/table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const struct xwm *find_manager(struct server *server, int display)
{
	const struct x_server *x, *found = NULL;
	if (!server->x_servers) {
		return NULL;
	}
	wl_list_for_each (x, x_servers_list(server->x_servers), link) {
		if (x->wm && (!found || x->display == display)) {
			found = x;
		}
	}
	return found ? found->wm : NULL;
}

/* Returns the scale of the output at a point; 0: there is none. */
static double scale_at(struct scene *scene, struct coord_global at)
{
	for (int i = 0; i < SCENE_OUTPUTS_MAX; i++) {
		const struct box box =
			scene->outputs[i] ? scene_output_box(scene->outputs[i]) : (struct box){0};
		if (box_contains_point(&box, at.x, at.y)) {
			return scene->outputs[i]->scale;
		}
	}
	return 0;
}

/* Returns whether a point is a pixel of its output away from the edges of the surface there. */
static bool is_inside(struct scene *scene, struct coord_global at, double scale)
{
	const struct surface *surface = scene_at(scene, at).surface;
	bool same = true;
	for (int i = 0; i < 9; i++) {
		const struct coord_global near = {
			at.x + (i % 3 - 1) / scale, at.y + (i / 3 - 1) / scale};
		same = same && scene_at(scene, near).surface == surface;
	}
	return same;
}

/*
 * Xwayland adds the place in the surface, without the fraction, to the position of the window. Both
 * are exact on outputs with the scale of the X screen only.
 */
static void answer(FILE *out, const struct xwm *wm, struct scene *scene, double x, double y)
{
	const struct coord_global at = {(x + 0.5) / wm->scale, (y + 0.5) / wm->scale};
	const double scale = scale_at(scene, at);
	const bool asked = scale > 0 && (scale == wm->scale || is_inside(scene, at, scale));
	const struct scene_hit hit = asked ? scene_at(scene, at) : (struct scene_hit){0};
	/* With rules for the scale, only the window below the pointer has its place. */
	const bool placed = !wm->has_rules || hit.surface == wm->parts->seat->pointer.focus;
	const struct xwin *window =
		hit.surface && placed ? xwin_from_surface(wm, hit.surface) : NULL;
	/* With an emulated video mode, Xwayland scales its surface. */
	const bool mode = window && window->modes.width > 0;
	const double h = mode ? (double)window->box.width / hit.surface->current.width : 1;
	const double v = mode ? (double)window->box.height / hit.surface->current.height : 1;
	fprintf(out, "%u %d %d\n", window ? window->id : 0,
		wl_fixed_to_int(wl_fixed_from_double(hit.at.x * h)),
		wl_fixed_to_int(wl_fixed_from_double(hit.at.y * v)));
}

static int count_shown(const struct xwm *wm)
{
	const struct xwin *window;
	int n = 0;
	if (wm) {
		wl_list_for_each (window, &wm->windows, link) {
			n += window->surface && surface_has_content(window->surface);
		}
	}
	return n;
}

static int handle_client(int fd, uint32_t mask, void *data)
{
	struct server *server = data;
	int display = 0, x, y, n = 0;
	const int client = accept(fd, NULL, NULL);
	FILE *in = client >= 0 ? fdopen(client, "r") : NULL;
	FILE *out = in ? fdopen(dup(client), "w") : NULL;
	if (!out || fscanf(in, "%d", &display) != 1) {
		abort();
	}
	const struct xwm *wm = find_manager(server, display);
	for (; wm && fscanf(in, "%d %d", &x, &y) == 2; n++) {
		answer(out, wm, server->scene, x, y);
	}
	if (n == 0) {
		fprintf(out, "%d\n", count_shown(wm));
	}
	fclose(out);
	fclose(in);
	return 0;
}

struct wl_event_source *click_answers_start(struct server *server, const char *path)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	if (fd < 0 || bind(fd, (const struct sockaddr *)&name, sizeof(name)) < 0 ||
		listen(fd, 8) < 0) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	return wl_event_loop_add_fd(server->loop, fd, WL_EVENT_READABLE, handle_client, server);
}
