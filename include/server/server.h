/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * The server: creates and connects all parts. Only server/ and protocol/ use this struct; other
 * code receives the parts that it needs.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <wayland-server-core.h>

struct backend;
struct clock;
struct config_copy;
struct config_watch;
struct copier;
struct display_socket;
struct gpu;
struct gpu_list;
struct gpu_power_watch;
struct gpu_watch;
struct meter;
struct power;
struct protocols;
struct render_device;
struct scene;
struct seat;
struct server_device;
struct server_state;
struct session;
struct session_children;
struct shell;
struct staging;
struct tasks;
struct text;
struct throttle;
struct xwayland;

enum renderer_kind {
	RENDERER_AUTO, /* gles with a GPU, else pixman, which is faster than software GL */
	RENDERER_GLES,
	RENDERER_PIXMAN,
};

enum backend_kind {
	BACKEND_AUTO,
	BACKEND_DRM,
	BACKEND_WAYLAND,
	BACKEND_HEADLESS,
};

struct server_output_option {
	int32_t width, height;
	int32_t refresh; /* mHz */
	double scale;
};

struct server_options {
	enum backend_kind backend;
	enum renderer_kind renderer;
	const char *config_path; /* NULL: default paths */
	const char *config_copy; /* saved configuration; NULL: default path, none if bare */
	const char *socket; /* NULL: the first free wayland-N; "" : none (tests) */
	struct server_output_option *outputs;
	int n_outputs;
	char *const *command; /* NULL: none */
	bool exit_with_child;
	/**
	 * Path of this program, for helper processes; NULL: GPUs are probed in this process, and
	 * there are no SVG icons.
	 */
	const char *helper_program;
	/**
	 * Tests: a borrowed clock, no control socket, no configuration file, a plain background.
	 */
	struct clock *clock;
	bool bare;
	/**
	 * Tests: windows and layer surfaces may attach a buffer before they acknowledge a
	 * configure, and windows are configured before their first commit. The clients of wlcs 1.5
	 * need both.
	 */
	bool unconfigured_buffers;
	/**
	 * Tests: any client may set selections without input focus, like the clients of wlcs 1.5.
	 */
	bool unasked_selections;
	/**
	 * Tests: linux-dmabuf is also announced without devices for dma-bufs; clients send memfds.
	 */
	bool memfd_dmabufs;
};

struct server {
	struct server_state *state; /* private to server/ */
	struct wl_display *display;
	struct wl_event_loop *loop;
	struct clock *clock;
	bool owns_clock;
	struct tasks
		*tasks; /* system calls that may block, on descriptors and processes of clients */
	struct display_socket *socket; /* NULL: none */
	struct gpu_list *gpus;
	struct copier *copier; /* copies between GPUs, which it opens on demand */
	struct staging *staging; /* staging rings of the copies */
	struct gpu_watch *gpu_watch; /* NULL: the backend watches GPUs, or udev is unavailable */
	struct gpu_power_watch *gpu_power; /* for subscriptions of the control protocol */
	struct session *session; /* NULL: not on a seat of this machine */
	struct backend *backend;
	struct backend *input; /* libinput devices besides those of `backend`; NULL: none */
	/** Used by all protocols, and composes outputs that have no device of their own. */
	struct render_device *device;
	struct server_device *primary; /* owner of `device` */
	struct wl_list devices; /* server_device.link: for further GPUs with outputs */
	struct scene *scene;
	struct throttle
		*hidden; /* frame callbacks of invisible surfaces; valid once there is a scene */
	struct meter *meter;
	struct power *power; /* NULL in tests: on AC power */
	struct wl_listener power_changed;
	struct wl_listener lock; /* of the shell */
	struct seat *seat;
	struct shell *shell;
	struct text *text;
	struct config_copy *config_copy; /* NULL: no copy is saved */
	char **config_files; /* to watch, NULL-terminated; NULL: none */
	char **config_stamps; /* file_stamp() of each before it was read */
	struct config_watch *config_watch; /* reloads a configuration that was saved */
	char *config_error; /* errors of the start, until they are shown; NULL: none */
	bool runs_copy; /* started with the saved copy */
	struct protocols *protocols;
	struct session_children *children; /* child processes */
	struct xwayland *xwayland; /* NULL: no X servers */
	const struct server_options *options;
	int exit_code;
	bool quitting; /* ends the loop after the current event */
	struct wl_listener new_output, new_input, backend_ended;
	struct wl_listener input_added; /* of `input` */
	struct wl_list outputs; /* server_output.link */
	bool holds_outputs; /* server_outputs_hold() */
	struct wl_event_source
		*announce_outputs; /* emits events.outputs_changed; NULL: none pending */
	struct wl_event_source *release_outputs; /* ends holds_outputs; NULL: none pending */
	struct {
		struct wl_signal outputs_changed; /* coalesced: added, removed or configured */
	} events;
	struct wl_list inputs; /* inputs.c */
	bool lid_closed;
	struct wl_event_source *signals[4]; /* SIGINT, SIGTERM, SIGHUP, SIGCHLD */
	pid_t command; /* options.command while it runs, 0 otherwise */
};

/**
 * Creates the server and starts listening; `options` must outlive it. Returns NULL with *error, one
 * line, which the caller frees.
 */
struct server *server_create(const struct server_options *options, char **error);
/** Runs the event loop until server_quit(). Returns the exit code. */
int server_run(struct server *server);
void server_quit(struct server *server, int exit_code);
void server_destroy(struct server *server);
/**
 * Reads the configuration again. On error keeps the previous one, logs the errors, shows them on
 * screen and returns false with *error, which the caller frees.
 */
bool server_reload(struct server *server, char **error);
/** Applies the shell's configuration to all other parts. */
void server_configure(struct server *server);
/**
 * Updates the meaning of `animations = auto`: call after the power supply or the renderer changed.
 */
void server_update_motion(struct server *server);
/**
 * Starts a program as a client: see launch_prepare(). Returns true once it is executing, or false
 * with *error, which the caller frees.
 */
bool server_spawn(struct server *server, const char *const *argv, const char *gpu, char **error);
/**
 * Returns changes to the environment of X programs that run on a GPU (a valid selector; NULL: the
 * default one), as for children_spawn(); NULL: none. Free them with strings_destroy().
 */
char **server_x_environment(struct server *server, const char *gpu);
/** Returns the desktop id that a child process was started with, or NULL. */
const char *server_desktop_id(const struct server *server, pid_t pid, uint64_t start_time);
/** Returns the GPU that composes, or else one that drives an output, or NULL. */
struct gpu *server_display_gpu(const struct server *server);
