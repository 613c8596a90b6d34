#pragma once

/**
 * The server: all parts, built and wired in one place. It stops at main, server, protocol and
 * shell; everything else is handed just the parts that it uses.
 */

#include "backend/backend.h"
#include "buffer/allocator.h"
#include "frame/frame.h"
#include "frame/throttle.h"
#include "gpu/gpu.h"
#include "render/render.h"
#include "scene/scene.h"
#include "seat/seat.h"
#include "shell/shell.h"
#include "util/clock.h"
#include <sys/types.h>
#include <wayland-server-core.h>

struct config_copy;
struct power;
struct gpu_watch;
struct copier;
struct display_socket;
struct protocols;
struct session;
struct session_children;
struct tasks;
struct text;

enum renderer_kind {
	RENDERER_AUTO, /* gles if there is a GPU for it, else pixman: the CPU is better at its own
			*/
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
	const char *config_path; /* NULL: the usual places */
	const char *
		config_copy; /* of the last good configuration; NULL: the usual place, none if bare */
	const char *socket; /* NULL: the first free wayland-N; "" : none (tests) */
	struct server_output_option *outputs;
	int n_outputs;
	char *const *command; /* NULL: none */
	bool exit_with_child;
	/** Tests: a clock of theirs (not taken over), no control socket, no configuration file. */
	struct clock *clock;
	bool bare;
	/**
	 * Tests: windows and layer surfaces may show a buffer before they acknowledged a configure, and
	 * windows are configured before their first commit. The clients of wlcs 1.5 need both.
	 */
	bool unconfigured_buffers;
	/** Tests: any client may set selections at any time, as those of wlcs 1.5 do. */
	bool unasked_selections;
	/** Tests: linux-dmabuf is announced also where no device makes dma-bufs; their clients send memfds. */
	bool memfd_dmabufs;
};

/** What an output of the backend has become: enabled, placed in the scene, with a frame loop. */
struct server_output {
	struct wl_list link; /* server.outputs */
	struct server *server;
	struct output *output;
	struct scene_output *scene_output; /* NULL while it is disabled */
	struct frame_output *frame; /* the same, and while it is dark */
	bool dark; /* switched off, in its place in the scene */
	bool covered; /* a panel that is off because the lid is closed */
	bool postponed; /* it is to be configured when its session is back */
	bool lendable; /* kept for programs that drive it by themselves, so no part of the scene */
	/** A client's settings, in place of the output's section until a reload finds that changed. */
	bool has_wish;
	struct config_output wish; /* no name, in no list */
	/** outputs_mode.c: it could not have the mode that it shall have; what others do without for it. */
	bool lowered;
	enum frame_economy room;
	struct timer room_timer; /* armed until they do */
	struct output_mode placed; /* as the scene knows it */
	/** The matrix of colours that is set. */
	bool has_matrix;
	double matrix[9];
	struct {
		struct wl_signal power; /* `dark` has changed */
		struct wl_signal destroy;
	} events;
	struct wl_listener request_state, changed, needs_frame, destroy;
};

/** What one output shall be. */
struct server_output_change {
	struct server_output *output;
	struct config_output config; /* of server_output_config(), changed */
};

/** A GPU that composes what its own screens show, or the CPU in its place. */
struct server_device {
	struct wl_list link; /* server.devices; unused in server.primary */
	struct server *server;
	/** Whose outputs it draws for, in buffers that these scan out; NULL: anybody's. */
	struct gpu *display;
	struct render_device *frame; /* `own`, or server.device */
	struct render_device own;
	struct wl_listener lost, gpu_gone;
	struct wl_event_source *restore; /* deferred rebuild of a lost renderer */
};

struct server {
	struct wl_display *display;
	struct wl_event_loop *loop;
	struct clock *clock;
	bool owns_clock;
	struct tasks *tasks; /* calls on descriptors and processes of clients that may block */
	struct display_socket *socket; /* NULL if it has none */
	struct gpu_list gpus;
	struct copier *copier; /* between GPUs; opens none before it has to */
	struct staging *staging; /* rings of its copies */
	struct gpu_watch *gpu_watch; /* NULL: the backend looks after them, or nobody can */
	struct session *session; /* NULL: not on a seat of this machine */
	struct backend *backend;
	struct backend *input; /* devices that the backend does not bring itself; NULL: none */
	/** Serves everyone, and draws what outputs show that no other device is for. */
	struct render_device device;
	struct server_device primary; /* it */
	struct wl_list devices; /* server_device.link: of further GPUs that drive outputs */
	struct timer release_devices; /* armed while there are some that nobody uses */
	struct scene *scene;
	struct throttle hidden; /* the pace of what cannot be seen; once there is a scene */
	struct meter meter;
	enum frame_overlay overlay; /* server_set_overlay()'s */
	struct power *power; /* NULL in tests: on mains */
	struct wl_listener power_changed;
	struct wl_listener lock; /* of the shell */
	struct seat *seat;
	struct shell *shell;
	struct shell_host shell_host;
	struct text *text;
	struct config_copy *config_copy; /* NULL: none is kept */
	char *config_error; /* of the start, until it is shown; NULL: none */
	bool runs_copy; /* the start was with the copy */
	struct protocols *protocols;
	struct session_children *children; /* processes that it started */
	const struct server_options *options;
	int exit_code;
	bool quitting; /* the loop ends after what it is at */
	struct wl_listener new_output, new_input, backend_ended;
	struct wl_listener input_added; /* of `input` */
	struct wl_list outputs; /* server_output.link */
	bool holds_outputs; /* server_outputs_hold() */
	struct wl_event_source *announce_outputs; /* events.outputs_changed is due; NULL else */
	struct wl_event_source *release_outputs; /* about to be: those that came together */
	struct {
		struct wl_signal
			outputs_changed; /* they came, went, or were set up anew; once for all */
	} events;
	struct wl_list inputs; /* inputs.c */
	bool lid_closed;
	struct wl_event_source *signals[4]; /* SIGINT, SIGTERM, SIGHUP, SIGCHLD */
	pid_t command; /* options.command while it runs, 0 otherwise */
};

/**
 * Builds everything and listens; `options` must outlive it. NULL with *error a message in one line
 * that says what was missing (the caller frees it).
 */
struct server *server_create(const struct server_options *options, char **error);
/** Until server_quit(). Returns the exit code. */
int server_run(struct server *server);
void server_quit(struct server *server, int exit_code);
void server_destroy(struct server *server);
/** Reads the configuration again. The one before stays if there is an error, which the log and the screen have, too. */
bool server_reload(struct server *server, char **error);
/** Applies the shell's configuration to everything else. */
void server_configure(struct server *server);
/**
 * Starts a program as a client: see launch_prepare(). It is executing when this returns true; false with
 * *error set (owned by the caller).
 */
bool server_spawn(struct server *server, const char *const *argv, const char *gpu, char **error);
/** On all outputs there are and will be; not seen while the session is locked. */
void server_set_overlay(struct server *server, enum frame_overlay overlay);
/** The desktop file that this process was started by, if it was, by us; else NULL. */
const char *server_desktop_id(const struct server *server, pid_t pid, uint64_t start_time);
/** The GPU that composes, or else drives an output; NULL: none. */
struct gpu *server_display_gpu(const struct server *server);
/**
 * Switches a screen that has a place in the scene off or on; it keeps its place and mode. False if it
 * cannot be: all is as before.
 */
bool server_output_set_power(struct server_output *output, bool on);
/** What it is now, as a section of the configuration would say it: without a name, in no list. */
void server_output_config(const struct server_output *output, struct config_output *config);
/** Asks the backend whether all of it could be; outputs that are not named stay as they are. */
bool server_outputs_test(const struct server_output_change *changes, size_t n);
/**
 * Makes all of it so, until a reload finds their sections changed. False if any of it cannot be: all is as
 * before, unless the hardware takes back what it did before.
 */
bool server_outputs_apply(const struct server_output_change *changes, size_t n);
