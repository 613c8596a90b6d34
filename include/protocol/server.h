/* SPDX-License-Identifier: MIT */
#pragma once

/**
 * The server as the protocols see it: all parts, and the commands that requests of clients end in.
 * server/ creates it. Code below protocol/ receives the parts that it needs instead.
 */

#include "frame/frame.h"
#include "util/signal.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct backend;
struct clock;
struct config_copy;
struct config_output;
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
struct server;
struct server_device;
struct server_output;
struct server_output_change;
struct server_state;
struct session;
struct session_children;
struct shell;
struct staging;
struct tasks;
struct text;
struct throttle;
struct x_servers;

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

/** Commands of the protocols to the server; all are mandatory. server/ declares what each does. */
struct server_impl {
	void (*quit)(struct server *server, int exit_code);
	bool (*reload)(struct server *server, char **error);
	bool (*spawn)(
		struct server *server, const char *const *argv, const char *gpu, char **error);
	char **(*x_environment)(struct server *server, const char *gpu);
	const char *(*desktop_id)(const struct server *server, pid_t pid, uint64_t start_time);
	void (*set_overlay)(struct server *server, enum frame_overlay overlay);
	void (*output_config)(const struct server_output *output, struct config_output *config);
	struct output_mode (*output_mode)(const struct server_output *output);
	void (*output_set_power)(struct server_output *output, bool on);
	bool (*outputs_test)(const struct server_output_change *changes, size_t n);
	bool (*outputs_apply)(const struct server_output_change *changes, size_t n);
};

struct server {
	const struct server_impl *impl;
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
	struct wl_listener power_changed, configured;
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
	struct x_servers *x_servers; /* NULL: no X servers */
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
		struct wl_signal configured; /* the shell has a new configuration */
		struct wl_signal renderer_restored; /* or supports more formats than before */
		struct wl_signal formats_asked; /* a program wants to know the formats */
	} events;
	struct wl_list inputs; /* inputs.c */
	bool lid_closed;
	struct wl_event_source *signals[4]; /* SIGINT, SIGTERM, SIGHUP, SIGCHLD */
	pid_t command; /* options.command while it runs, 0 otherwise */
};

/** Returns the GPU that composes, or else one that drives an output, or NULL. */
struct gpu *server_display_gpu(const struct server *server);
