/*
 * The GPU that each program is told to render on: by rules, for processes that really are others, with
 * GPUs that are not there.
 */

#include "backend/headless.h"
#include "copy/layouts.h"
#include "gpu/format_cache.h"
#include "gpu/probe.h"
#include "harness/await.h"
#include "harness/fixture.h"
#include "harness/peer.h"
#include "linux-dmabuf-v1-client-protocol.h"
#include "outputs.h"
#include "protocol/control.h"
#include "shell/config.h"
#include "util/fd.h"
#include "util/signal.h"
#include "util/xalloc.h"
#include "wl-drm-client-protocol.h"
#include <drm_fourcc.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEV_A makedev(226, 128)
#define DEV_B makedev(226, 129)
#define PROGRAM "program" /* argv[0] of the processes that this test starts of itself */
#define CONTROL_FD 3

#define RULES                                                                                      \
	"[app one]\ncmdline = * one\ngpu = discrete\n"                                             \
	"[app two]\ncmdline = * two\ngpu = integrated\n"

/* Nodes that are opened, by the library and on its threads. */

static atomic_int n_opened_b, n_opened_c;

static void count_open(const char *path)
{
	n_opened_b += strcmp(path, "/nonexistent/renderD129") == 0;
	n_opened_c += strcmp(path, "/nonexistent/renderD130") == 0;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);

int __wrap_open(const char *path, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	count_open(path);
	return __real_open(path, flags, mode);
}

int __wrap_open64(const char *path, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	count_open(path);
	return __real_open(path, flags, mode);
}

/* The threads that look at GPUs: begun on the loop, ended by themselves, if need be after their test. */

static int n_probes_begun;
static atomic_int n_probes_ended;

struct gpu_probe *__real_gpu_probe_start(struct wl_event_loop *loop, const struct gpu *gpu,
	const struct gpu_look *look, void (*found)(void *data, const struct gpu_facts *facts),
	void *data);
struct gpu_probe *__wrap_gpu_probe_start(struct wl_event_loop *loop, const struct gpu *gpu,
	const struct gpu_look *look, void (*found)(void *data, const struct gpu_facts *facts),
	void *data);
int __real_eventfd_write(int fd, eventfd_t value);
int __wrap_eventfd_write(int fd, eventfd_t value);

struct gpu_probe *__wrap_gpu_probe_start(struct wl_event_loop *loop, const struct gpu *gpu,
	const struct gpu_look *look, void (*found)(void *data, const struct gpu_facts *facts),
	void *data)
{
	struct gpu_probe *probe = __real_gpu_probe_start(loop, gpu, look, found, data);
	n_probes_begun += probe != NULL;
	return probe;
}

/* The last thing that such a thread does, and nobody else. */
int __wrap_eventfd_write(int fd, eventfd_t value)
{
	int result = __real_eventfd_write(fd, value);
	n_probes_ended++;
	return result;
}

static void await_probes(struct fixture *fixture)
{
	await(n_probes_ended == n_probes_begun, );
	fixture_pump(fixture);
}

/* Processes */

static void send_fds(int control, const int fds[2])
{
	char byte = 0, buffer[CMSG_SPACE(2 * sizeof(int))] = {0};
	struct iovec part = {.iov_base = &byte, .iov_len = 1};
	struct msghdr message = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = buffer,
		.msg_controllen = sizeof(buffer)};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(2 * sizeof(int));
	memcpy(CMSG_DATA(header), fds, 2 * sizeof(int));
	if (sendmsg(control, &message, 0) != 1) {
		_exit(1);
	}
}

static void receive_fds(int control, int fds[2])
{
	char byte, buffer[CMSG_SPACE(2 * sizeof(int))];
	struct iovec part = {.iov_base = &byte, .iov_len = 1};
	struct msghdr message = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = buffer,
		.msg_controllen = sizeof(buffer)};
	assert_int_equal(recvmsg(control, &message, MSG_CMSG_CLOEXEC), 1);
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	assert_non_null(header);
	memcpy(fds, CMSG_DATA(header), 2 * sizeof(int));
}

/** In the other process: both ends of a connection are its, so the kernel names it as the peer. */
static int run_program(void)
{
	int fds[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0) {
		return 1;
	}
	send_fds(CONTROL_FD, fds);
	close(fds[0]);
	close(fds[1]);
	/* From now on the connection ends when the test ends it. */
	char byte = 0;
	if (write(CONTROL_FD, &byte, 1) != 1) {
		return 1;
	}
	return read(CONTROL_FD, &byte, 1) == 0 ? 0 : 1; /* until the test closes it */
}

struct program {
	pid_t pid;
	int control;
	struct peer *peer;
};

static struct program start_program(struct fixture *fixture, const char *name)
{
	struct program program;
	int control[2], fds[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control), 0);
	program.pid = fork();
	if (program.pid == 0) {
		dup2(control[1], CONTROL_FD);
		execl("/proc/self/exe", PROGRAM, name, NULL);
		_exit(127);
	}
	close(control[1]);
	program.control = control[0];
	receive_fds(program.control, fds);
	char byte;
	assert_int_equal(read(program.control, &byte, 1), 1);
	assert_non_null(wl_client_create(fixture->server->display, fds[0]));
	program.peer = peer_create_on(fixture, fds[1]);
	return program;
}

static void end_program(struct program *program)
{
	peer_destroy(program->peer);
	close(program->control);
	waitpid(program->pid, NULL, 0);
}

/* GPUs */

static struct gpu *add_gpu(struct fixture *fixture, const char *name, dev_t dev, bool integrated)
{
	char path[64];
	snprintf(path, sizeof(path), "/nonexistent/renderD%u", minor(dev));
	struct gpu *gpu = fixture_add_gpu(fixture, name, name, path, dev);
	gpu->integrated = integrated;
	return gpu;
}

/** As gpu_list_refresh() does when it is unplugged. */
static void unplug(struct fixture *fixture, struct gpu *gpu)
{
	struct gpu_list *list = &fixture->server->gpus;
	gpu_list_remove(list, gpu);
	signal_emit(&list->events.changed, list);
}

static void set_rules(struct fixture *fixture, const char *text)
{
	char path[] = "/tmp/causeway-rules-XXXXXX", *error = NULL;
	int fd = mkstemp(path);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	struct config *config = config_load(path, &error);
	unlink(path);
	if (!config) {
		fail_msg("%s", error);
	}
	shell_set_config(fixture->server->shell, config);
	protocols_rules_changed(fixture->server->protocols);
	fixture_pump(fixture);
}

struct world {
	struct fixture *fixture;
	struct gpu *a, *b; /* integrated, which composes, and discrete */
	struct renderer *renderer;
	const struct renderer_impl *impl; /* its own */
	struct renderer_impl counting;
};

/* What is imported by the GPU that composes: only one renderer, so one count will do. */
static int n_imports;

static bool count_import(struct renderer *renderer, const struct dmabuf *dmabuf)
{
	n_imports++;
	return true;
}

static void start(struct world *world)
{
	world->fixture = fixture_create(NULL);
	set_rules(world->fixture, RULES);
	world->a = add_gpu(world->fixture, "fake-a", DEV_A, true);
	world->b = add_gpu(world->fixture, "fake-b", DEV_B, false);
	struct frame_device *device = &world->fixture->server->device;
	device->gpu = world->a;
	world->renderer = device->renderer;
	world->impl = device->renderer->impl;
	world->counting = *world->impl;
	world->counting.test_import = count_import;
	world->renderer->impl = &world->counting;
	n_imports = 0;
}

static void finish(struct world *world)
{
	world->renderer->impl = world->impl;
	world->fixture->server->device.gpu = NULL;
	fixture_destroy(world->fixture);
}

/* What a client is told */

struct pair {
	uint32_t format, padding;
	uint64_t modifier;
};

struct told {
	struct zwp_linux_dmabuf_feedback_v1 *feedback;
	struct pair pairs[64]; /* of the table, as far as they fit */
	size_t n_pairs;
	uint64_t offered; /* of those pairs, by index */
	dev_t main_device, target_device;
	uint32_t flags; /* of its tranches, all together */
	int n_done;
};

static dev_t device_of(const struct wl_array *array)
{
	dev_t device;
	assert_int_equal(array->size, sizeof(device));
	memcpy(&device, array->data, sizeof(device));
	return device;
}

static void handle_done(void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback)
{
	((struct told *)data)->n_done++;
}

static void handle_table(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, int32_t fd, uint32_t size)
{
	struct told *told = data;
	assert_true(size > 0 && size % sizeof(struct pair) == 0);
	ssize_t length = pread(fd, told->pairs, sizeof(told->pairs), 0);
	told->n_pairs = length > 0 ? (size_t)length / sizeof(struct pair) : 0;
	told->offered = 0;
	close(fd);
}

static void handle_main_device(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, struct wl_array *device)
{
	((struct told *)data)->main_device = device_of(device);
}

static void handle_target_device(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, struct wl_array *device)
{
	((struct told *)data)->target_device = device_of(device);
}

static void handle_tranche_formats(
	void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, struct wl_array *indices)
{
	struct told *told = data;
	const uint16_t *index;
	wl_array_for_each (index, indices) {
		told->offered |= *index < 64 ? UINT64_C(1) << *index : 0;
	}
}

static void handle_flags(void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback, uint32_t flags)
{
	((struct told *)data)->flags |= flags;
}

static void handle_tranche_done(void *data, struct zwp_linux_dmabuf_feedback_v1 *feedback)
{
}

static const struct zwp_linux_dmabuf_feedback_v1_listener feedback_listener = {
	.done = handle_done,
	.format_table = handle_table,
	.main_device = handle_main_device,
	.tranche_done = handle_tranche_done,
	.tranche_target_device = handle_target_device,
	.tranche_formats = handle_tranche_formats,
	.tranche_flags = handle_flags,
};

/** `surface` NULL: the default one. */
static void ask(struct peer *peer, struct told *told, struct zwp_linux_dmabuf_v1 *dmabuf,
	struct wl_surface *surface)
{
	*told = (struct told){0};
	told->feedback = surface ? zwp_linux_dmabuf_v1_get_surface_feedback(dmabuf, surface)
				 : zwp_linux_dmabuf_v1_get_default_feedback(dmabuf);
	zwp_linux_dmabuf_feedback_v1_add_listener(told->feedback, &feedback_listener, told);
	fixture_pump(peer->fixture);
	assert_int_equal(told->n_done, 1);
	assert_int_equal(told->target_device, told->main_device);
}

struct node {
	char path[64];
	int n_authenticated, n_formats;
	uint32_t capabilities;
};

static void handle_device(void *data, struct wl_drm *drm, const char *name)
{
	struct node *node = data;
	snprintf(node->path, sizeof(node->path), "%s", name);
}

static void handle_format(void *data, struct wl_drm *drm, uint32_t format)
{
	((struct node *)data)->n_formats++;
}

static void handle_authenticated(void *data, struct wl_drm *drm)
{
	((struct node *)data)->n_authenticated++;
}

static void handle_capabilities(void *data, struct wl_drm *drm, uint32_t value)
{
	((struct node *)data)->capabilities = value;
}

static const struct wl_drm_listener drm_listener = {
	.device = handle_device,
	.format = handle_format,
	.authenticated = handle_authenticated,
	.capabilities = handle_capabilities,
};

static struct wl_drm *bind_drm(struct peer *peer, struct node *node)
{
	*node = (struct node){0};
	struct wl_drm *drm = peer_bind(peer, &wl_drm_interface, 0);
	wl_drm_add_listener(drm, &drm_listener, node);
	fixture_pump(peer->fixture);
	return drm;
}

static void expect(struct peer *peer, dev_t device, const char *node_path)
{
	struct told told;
	struct node node;
	struct zwp_linux_dmabuf_v1 *dmabuf = peer_bind(peer, &zwp_linux_dmabuf_v1_interface, 5);
	ask(peer, &told, dmabuf, NULL);
	assert_int_equal(told.main_device, device);
	zwp_linux_dmabuf_feedback_v1_destroy(told.feedback);
	zwp_linux_dmabuf_v1_destroy(dmabuf);
	struct wl_drm *drm = bind_drm(peer, &node);
	assert_string_equal(node.path, node_path);
	assert_int_equal(node.capabilities, WL_DRM_CAPABILITY_PRIME);
	wl_drm_authenticate(drm, 1234);
	fixture_pump(peer->fixture);
	assert_int_equal(node.n_authenticated, 1);
	wl_drm_destroy(drm);
	assert_true(peer_alive(peer));
}

static void test_rules(void **state)
{
	struct world world;
	start(&world);
	struct program one = start_program(world.fixture, "one");
	struct program two = start_program(world.fixture, "two");
	struct program three = start_program(world.fixture, "three");
	expect(one.peer, DEV_B, "/nonexistent/renderD129");
	expect(two.peer, DEV_A, "/nonexistent/renderD128");
	expect(three.peer, DEV_A, "/nonexistent/renderD128");
	struct client *client = client_from_wl(one.peer->client);
	assert_string_equal(client->rule, "one");
	assert_int_equal(client->pid, one.pid);
	assert_null(client_from_wl(three.peer->client)->rule);
	end_program(&one);
	end_program(&two);
	end_program(&three);
	finish(&world);
}

/* What its starter asked for is in its environment, and above any rule. */
static void test_wish(void **state)
{
	struct world world;
	start(&world);
	setenv("CAUSEWAY_GPU", "integrated", 1);
	struct program one = start_program(world.fixture, "one");
	setenv("CAUSEWAY_GPU", "renderD129", 1);
	struct program three = start_program(world.fixture, "three");
	setenv("CAUSEWAY_GPU", "nonsense", 1);
	struct program four = start_program(world.fixture, "four");
	unsetenv("CAUSEWAY_GPU");
	expect(one.peer, DEV_A, "/nonexistent/renderD128");
	expect(three.peer, DEV_B, "/nonexistent/renderD129");
	expect(four.peer, DEV_A, "/nonexistent/renderD128");
	end_program(&one);
	end_program(&three);
	end_program(&four);
	finish(&world);
}

static void test_no_gpu(void **state)
{
	struct fixture *fixture = fixture_create(NULL);
	set_rules(fixture, RULES);
	struct program one = start_program(fixture, "one");
	assert_null(peer_find_global(one.peer, "wl_drm"));
	assert_int_equal(peer_find_global(one.peer, "zwp_linux_dmabuf_v1")->version, 3);
	end_program(&one);
	fixture_destroy(fixture);
}

/* Who keeps the default feedback hears of it; who asks anew is left with what it renders on. */
static void test_reload(void **state)
{
	struct world world;
	start(&world);
	struct program one = start_program(world.fixture, "one");
	struct zwp_linux_dmabuf_v1 *dmabuf = peer_bind(one.peer, &zwp_linux_dmabuf_v1_interface, 5);
	struct wl_compositor *compositor = peer_bind(one.peer, &wl_compositor_interface, 0);
	struct wl_surface *surface = wl_compositor_create_surface(compositor);
	struct told kept, of_surface, asked_again;
	ask(one.peer, &kept, dmabuf, NULL);
	ask(one.peer, &of_surface, dmabuf, surface);
	assert_int_equal(of_surface.main_device, DEV_B);

	set_rules(world.fixture, "[app other]\ncmdline = * one\ngpu = integrated\n");
	const struct client *client = client_from_wl(one.peer->client);
	assert_string_equal(client->rule, "other");
	assert_ptr_equal(client->gpu, world.b);
	assert_ptr_equal(client->next_gpu, world.a);
	assert_int_equal(kept.n_done, 2);
	assert_int_equal(kept.main_device, DEV_A);
	assert_int_equal(of_surface.n_done, 1);
	ask(one.peer, &asked_again, dmabuf, NULL);
	assert_int_equal(asked_again.main_device, DEV_B);
	struct node node;
	struct wl_drm *drm = bind_drm(one.peer, &node);
	assert_string_equal(node.path, "/nonexistent/renderD129");
	wl_drm_destroy(drm);

	/* A rule that is the same again is nothing new. */
	set_rules(world.fixture, "[app third]\ncmdline = * one\ngpu = integrated\n");
	assert_int_equal(kept.n_done, 2);
	/* Started anew, it gets what the rule says. */
	struct program again = start_program(world.fixture, "one");
	expect(again.peer, DEV_A, "/nonexistent/renderD128");
	end_program(&again);
	end_program(&one);
	finish(&world);
}

static struct wl_buffer *make_buffer(struct peer *peer)
{
	struct zwp_linux_dmabuf_v1 *dmabuf = peer_bind(peer, &zwp_linux_dmabuf_v1_interface, 5);
	struct zwp_linux_buffer_params_v1 *params = zwp_linux_dmabuf_v1_create_params(dmabuf);
	int fd = fd_create_memory("buffer", 64 * 64 * 4, true);
	assert_true(fd >= 0);
	zwp_linux_buffer_params_v1_add(params, fd, 0, 0, 64 * 4, 0, 0);
	struct wl_buffer *buffer =
		zwp_linux_buffer_params_v1_create_immed(params, 64, 64, DRM_FORMAT_XRGB8888, 0);
	zwp_linux_buffer_params_v1_destroy(params);
	close(fd);
	fixture_pump(peer->fixture);
	assert_int_equal(wl_display_get_error(peer->display), 0);
	return buffer;
}

static struct gpu *home_of(struct peer *peer, struct wl_buffer *buffer)
{
	struct wl_resource *resource =
		wl_client_get_object(peer->client, wl_proxy_get_id((struct wl_proxy *)buffer));
	return buffer_from_resource(resource)->home;
}

static void test_gpu_gone(void **state)
{
	struct world world;
	start(&world);
	struct program one = start_program(world.fixture, "one");
	struct zwp_linux_dmabuf_v1 *dmabuf = peer_bind(one.peer, &zwp_linux_dmabuf_v1_interface, 5);
	struct wl_compositor *compositor = peer_bind(one.peer, &wl_compositor_interface, 0);
	struct wl_surface *surface = wl_compositor_create_surface(compositor);
	struct told kept, of_surface;
	ask(one.peer, &kept, dmabuf, NULL);
	ask(one.peer, &of_surface, dmabuf, surface);
	struct wl_buffer *buffer = make_buffer(one.peer);
	unplug(world.fixture, world.b);
	fixture_pump(world.fixture);
	/* What was made on it keeps its name. */
	assert_ptr_equal(home_of(one.peer, buffer), world.b);
	/* Its node may be another's by now. */
	await_probes(world.fixture);
	int n_opened = n_opened_b;
	assert_true(world.b->gone);
	assert_int_equal(gpu_open(world.b), -ENODEV);
	assert_int_equal(n_opened_b, n_opened);
	assert_int_equal(kept.n_done, 2);
	assert_int_equal(kept.main_device, DEV_A);
	assert_int_equal(of_surface.n_done, 2);
	assert_int_equal(of_surface.main_device, DEV_A);
	expect(one.peer, DEV_A, "/nonexistent/renderD128");
	/* Another of the kind: the rule means it, but a program that runs keeps what it has. */
	add_gpu(world.fixture, "fake-c", makedev(226, 130), false);
	signal_emit(&world.fixture->server->gpus.events.changed, &world.fixture->server->gpus);
	fixture_pump(world.fixture);
	assert_int_equal(kept.main_device, makedev(226, 130));
	assert_int_equal(of_surface.main_device, DEV_A);
	end_program(&one);
	finish(&world);
}

/* Buffers */

static void expect_text(char *text, const char *expected)
{
	assert_string_equal(text, expected);
	free(text);
}

static void test_home(void **state)
{
	struct world world;
	start(&world);
	struct program one = start_program(world.fixture, "one");
	struct program two = start_program(world.fixture, "two");
	struct wl_buffer *buffer = make_buffer(two.peer);
	assert_ptr_equal(home_of(two.peer, buffer), world.a);
	assert_int_equal(n_imports, 1);
	/* What lives on another GPU is never tried on the one that composes. */
	buffer = make_buffer(one.peer);
	assert_ptr_equal(home_of(one.peer, buffer), world.b);
	assert_int_equal(n_imports, 1);
	char text[64];
	snprintf(text, sizeof(text), "client-render-gpu (%d, 1 buffer)", (int)one.pid);
	expect_text(control_gpu_users(world.fixture->server, world.b), text);
	expect_text(control_gpu_role(world.fixture->server, world.b), "renders for programs");
	expect_text(
		control_gpu_role(world.fixture->server, world.a), "composes, renders for programs");
	end_program(&one);
	end_program(&two);
	finish(&world);
}

/* Where wayland-protocols has version 6, clients name the GPU of each buffer. */
#ifdef ZWP_LINUX_BUFFER_PARAMS_V1_SET_SAMPLING_DEVICE_SINCE_VERSION
struct made {
	struct wl_buffer *buffer; /* NULL: it failed */
	int n_answers;
};

static void handle_created(
	void *data, struct zwp_linux_buffer_params_v1 *params, struct wl_buffer *buffer)
{
	struct made *made = data;
	made->buffer = buffer;
	made->n_answers++;
}

static void handle_failed(void *data, struct zwp_linux_buffer_params_v1 *params)
{
	((struct made *)data)->n_answers++;
}

static const struct zwp_linux_buffer_params_v1_listener params_listener = {
	.created = handle_created,
	.failed = handle_failed,
};

/** A linear buffer, said to be `device`'s, whose number takes `size` bytes. */
static struct made make_on(
	struct peer *peer, struct zwp_linux_dmabuf_v1 *dmabuf, dev_t device, size_t size)
{
	struct made made = {0};
	struct wl_array array = {.size = size, .alloc = size, .data = &device};
	struct zwp_linux_buffer_params_v1 *params = zwp_linux_dmabuf_v1_create_params(dmabuf);
	int fd = fd_create_memory("buffer", 64 * 64 * 4, true);
	assert_true(fd >= 0);
	zwp_linux_buffer_params_v1_add_listener(params, &params_listener, &made);
	zwp_linux_buffer_params_v1_add(params, fd, 0, 0, 64 * 4, 0, 0);
	zwp_linux_buffer_params_v1_set_sampling_device(params, &array);
	zwp_linux_buffer_params_v1_create(params, 64, 64, DRM_FORMAT_XRGB8888, 0);
	close(fd);
	fixture_pump(peer->fixture);
	if (peer_alive(peer)) {
		assert_int_equal(made.n_answers, 1);
		zwp_linux_buffer_params_v1_destroy(params);
	}
	return made;
}

static void test_sampling_device(void **state)
{
	struct world world;
	start(&world);
	struct program one = start_program(world.fixture, "one");
	struct zwp_linux_dmabuf_v1 *dmabuf = peer_bind(one.peer, &zwp_linux_dmabuf_v1_interface, 6);
	struct told told = {0};
	told.feedback = zwp_linux_dmabuf_v1_get_default_feedback(dmabuf);
	zwp_linux_dmabuf_feedback_v1_add_listener(told.feedback, &feedback_listener, &told);
	fixture_pump(world.fixture);
	assert_int_equal(told.n_done, 1);
	assert_int_equal(told.main_device, 0);
	assert_int_equal(told.target_device, DEV_B);
	assert_int_equal(told.flags, ZWP_LINUX_DMABUF_FEEDBACK_V1_TRANCHE_FLAGS_SAMPLING);

	struct made made = make_on(one.peer, dmabuf, DEV_B, sizeof(dev_t));
	assert_non_null(made.buffer);
	assert_ptr_equal(home_of(one.peer, made.buffer), world.b);
	/* Not one that it is told, and one that is not there: it just fails. */
	int n_probes = n_probes_begun;
	assert_null(make_on(one.peer, dmabuf, DEV_A, sizeof(dev_t)).buffer);
	assert_null(make_on(one.peer, dmabuf, makedev(226, 140), sizeof(dev_t)).buffer);
	assert_int_equal(n_probes_begun, n_probes);
	assert_true(peer_alive(one.peer));
	make_on(one.peer, dmabuf, DEV_B, sizeof(dev_t) - 1);
	peer_expect_error(one.peer, &zwp_linux_buffer_params_v1_interface,
		ZWP_LINUX_BUFFER_PARAMS_V1_ERROR_INVALID_DEV_T_SIZE);
	end_program(&one);
	finish(&world);
}
#endif

/* Who opens what */

static char cache[32];

static int make_cache(void **state)
{
	strcpy(cache, "/tmp/causeway-cache-XXXXXX");
	return mkdtemp(cache) && setenv("XDG_CACHE_HOME", cache, 1) == 0 ? 0 : -1;
}

static int remove_cache(void **state)
{
	char path[64];
	snprintf(path, sizeof(path), "%s/causeway", cache);
	rmdir(path);
	return rmdir(cache);
}

/* Leaves in the cache what is known of a GPU. The path is to be removed by forget_facts(). */
static char *keep_facts(const struct world *world, const struct gpu *gpu, struct gpu_facts *facts)
{
	struct gpu_look look;
	copy_layouts_look(&look, world->fixture->server->copier->queue);
	char *path = format_cache_path(gpu), *key = format_cache_key(gpu, look.variant);
	assert_int_equal(format_cache_save(path, key, facts), 0);
	free(key);
	gpu_facts_finish(facts);
	return path;
}

static void forget_facts(char *path)
{
	unlink(path);
	free(path);
}

/* A GPU that no rule names is left alone; one that is known already is, too. */
static void test_opens(void **state)
{
	struct world world;
	struct gpu_facts facts = {0};
	start(&world);
	add_gpu(world.fixture, "fake-c", makedev(226, 130), false);
	format_set_add(&facts.sampling, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
	char *path = keep_facts(&world, world.b, &facts);
	await_probes(world.fixture); /* of the tests before */
	n_opened_b = n_opened_c = 0;
	/* Looked up when a rule names it; told anew only if programs came before that was done. */
	protocols_rules_changed(world.fixture->server->protocols);
	await_probes(world.fixture);

	struct program one = start_program(world.fixture, "one");
	struct program three = start_program(world.fixture, "three");
	expect(one.peer, DEV_B, "/nonexistent/renderD129");
	expect(three.peer, DEV_A, "/nonexistent/renderD128");
	make_buffer(one.peer);
	free(control_gpu_users(world.fixture->server, world.b));
	await_probes(world.fixture);
	assert_int_equal(n_opened_b, 0);
	assert_int_equal(n_opened_c, 0);
	end_program(&one);
	end_program(&three);

	/* The first sight of one that a rule names. */
	set_rules(world.fixture, "[app one]\ncmdline = * one\ngpu = renderD130\n");
	await_probes(world.fixture);
	assert_int_equal(n_opened_b, 0);
	assert_int_equal(n_opened_c, 1);
	forget_facts(path);
	finish(&world);
}

static bool tells(const struct told *told, uint64_t modifier)
{
	for (size_t i = 0; i < told->n_pairs; i++) {
		if (told->pairs[i].format == DRM_FORMAT_XRGB8888 &&
			told->pairs[i].modifier == modifier && told->offered & UINT64_C(1) << i) {
			return true;
		}
	}
	return false;
}

#define TILED_AMD                                                                                  \
	(AMD_FMT_MOD | AMD_FMT_MOD_SET(TILE_VERSION, AMD_FMT_MOD_TILE_VER_GFX10) |                 \
		AMD_FMT_MOD_SET(TILE, AMD_FMT_MOD_TILE_GFX9_64K_S))
#define COMPRESSED_AMD (TILED_AMD | AMD_FMT_MOD_SET(DCC, 1))

static const uint32_t format = DRM_FORMAT_XRGB8888;

/** A reader of these layouts, up to a 0, which may be none. */
static void add_reader(struct gpu_facts *facts, const char *name, const uint64_t *layouts)
{
	struct gpu_reader *reader = gpu_facts_add_reader(facts, name);
	for (; *layouts; layouts++) {
		format_set_add(&reader->layouts, format, *layouts);
	}
}

static void add_made(struct gpu_facts *facts, const uint64_t *layouts)
{
	for (; *layouts; layouts++) {
		format_set_add(&facts->sampling, format, *layouts);
	}
	format_set_add(&facts->sampling, format, DRM_FORMAT_MOD_LINEAR);
}

/** As the default feedback of a program on the second GPU has it. */
static void expect_told(struct world *world, uint64_t modifier, bool told)
{
	struct program one = start_program(world->fixture, "one");
	struct told what;
	ask(one.peer, &what, peer_bind(one.peer, &zwp_linux_dmabuf_v1_interface, 5), NULL);
	assert_int_equal(what.main_device, DEV_B);
	assert_true(tells(&what, DRM_FORMAT_MOD_LINEAR));
	assert_int_equal(tells(&what, modifier), told);
	end_program(&one);
}

static void use_engine(struct world *world, const char *only)
{
	world->fixture->server->copier->only = only;
	protocols_rules_changed(world->fixture->server->protocols);
}

/* Layouts of the GPU's own: what one of the engines reads that may be used, of whatever vendor. */
static void test_layouts(void **state)
{
	const uint64_t made[] = {I915_FORMAT_MOD_X_TILED, I915_FORMAT_MOD_Y_TILED,
		I915_FORMAT_MOD_4_TILED, DRM_FORMAT_MOD_INVALID, 0};
	const uint64_t by_vulkan[] = {I915_FORMAT_MOD_X_TILED, 0};
	const uint64_t by_gles[] = {
		I915_FORMAT_MOD_X_TILED, I915_FORMAT_MOD_Y_TILED, DRM_FORMAT_MOD_INVALID, 0};
	struct world world;
	struct gpu_facts facts = {0};
	start(&world);
	add_made(&facts, made);
	add_reader(&facts, "vulkan", by_vulkan);
	add_reader(&facts, "gles", by_gles);
	add_reader(&facts, "cpu", &by_vulkan[1]);
	char *path = keep_facts(&world, world.b, &facts);
	protocols_rules_changed(world.fixture->server->protocols);
	await_probes(world.fixture);
	expect_told(&world, I915_FORMAT_MOD_X_TILED, true);
	expect_told(&world, I915_FORMAT_MOD_Y_TILED, true);
	expect_told(&world, DRM_FORMAT_MOD_INVALID, true);
	expect_told(&world, I915_FORMAT_MOD_4_TILED, false);
	/* Who listens hears of it when another engine does the copies. */
	struct program kept = start_program(world.fixture, "one");
	struct told told;
	ask(kept.peer, &told, peer_bind(kept.peer, &zwp_linux_dmabuf_v1_interface, 5), NULL);
	assert_true(tells(&told, I915_FORMAT_MOD_Y_TILED));
	use_engine(&world, "vulkan");
	fixture_pump(world.fixture);
	assert_int_equal(told.n_done, 2);
	assert_true(tells(&told, I915_FORMAT_MOD_X_TILED));
	assert_false(tells(&told, I915_FORMAT_MOD_Y_TILED));
	protocols_rules_changed(world.fixture->server->protocols);
	fixture_pump(world.fixture);
	assert_int_equal(told.n_done, 2);
	end_program(&kept);
	expect_told(&world, I915_FORMAT_MOD_X_TILED, true);
	expect_told(&world, I915_FORMAT_MOD_Y_TILED, false);
	expect_told(&world, DRM_FORMAT_MOD_INVALID, false);
	use_engine(&world, "cpu");
	expect_told(&world, I915_FORMAT_MOD_X_TILED, false);
	/* It has no such engine: what is linear, the reader takes as it is. */
	use_engine(&world, "sdma");
	expect_told(&world, I915_FORMAT_MOD_X_TILED, false);
	forget_facts(path);
	finish(&world);
}

/* AMD's own engine does not read what is compressed, and others' slower roads are not taken for it. */
static void test_layouts_of_sdma(void **state)
{
	const uint64_t made[] = {COMPRESSED_AMD, TILED_AMD, 0};
	for (int sdma = 0; sdma < 2; sdma++) {
		struct world world;
		struct gpu_facts facts = {0};
		start(&world);
		add_made(&facts, made);
		if (sdma) {
			add_reader(&facts, "sdma", &made[1]);
		}
		add_reader(&facts, "gles", made);
		char *path = keep_facts(&world, world.b, &facts);
		protocols_rules_changed(world.fixture->server->protocols);
		await_probes(world.fixture);
		expect_told(&world, TILED_AMD, true);
		expect_told(&world, COMPRESSED_AMD, !sdma);
		use_engine(&world, "gles");
		expect_told(&world, COMPRESSED_AMD, true);
		forget_facts(path);
		finish(&world);
	}
}

/* What is known is of one queue: with another it is looked up again. */
static void test_other_queue(void **state)
{
	const uint64_t made[] = {I915_FORMAT_MOD_X_TILED, 0};
	struct world world;
	struct gpu_facts facts = {0};
	start(&world);
	struct server *server = world.fixture->server;
	add_made(&facts, made);
	add_reader(&facts, "vulkan", made);
	char *path = keep_facts(&world, world.b, &facts);
	protocols_rules_changed(server->protocols);
	await_probes(world.fixture);
	expect_told(&world, I915_FORMAT_MOD_X_TILED, true);
	server->copier->queue = VULKAN_QUEUE_ANY;
	add_made(&facts, made);
	char *same = keep_facts(&world, world.b, &facts);
	int n_probes = n_probes_begun;
	protocols_rules_changed(server->protocols);
	assert_int_equal(n_probes_begun, n_probes + 1);
	await_probes(world.fixture);
	expect_told(&world, I915_FORMAT_MOD_X_TILED, false);
	free(same);
	forget_facts(path);
	finish(&world);
}

/*
 * What a GPU compresses is told for what shows on its own screens alone: on those of the others it is copied,
 * which does not read that.
 */
static void test_compressed(void **state)
{
	const uint64_t made[] = {COMPRESSED_AMD, TILED_AMD, 0};
	const uint64_t compressed = made[0], tiled = made[1];
	struct world world;
	struct gpu_facts facts = {0};
	struct told told, of_surface;
	start(&world);
	struct server *server = world.fixture->server;
	add_made(&facts, made);
	add_reader(&facts, "sdma", &made[1]);
	char *path = keep_facts(&world, world.b, &facts);
	protocols_rules_changed(server->protocols);
	await_probes(world.fixture);
	struct program one = start_program(world.fixture, "one");
	struct zwp_linux_dmabuf_v1 *dmabuf = peer_bind(one.peer, &zwp_linux_dmabuf_v1_interface, 5);
	struct wl_surface *proxy =
		wl_compositor_create_surface(peer_bind(one.peer, &wl_compositor_interface, 4));
	fixture_pump(world.fixture);
	struct surface *surface = peer_surface_find(one.peer, proxy);
	ask(one.peer, &of_surface, dmabuf, proxy);
	assert_true(tells(&of_surface, tiled));
	assert_false(tells(&of_surface, compressed));

	/* It has a screen now, and the window comes there. */
	server_outputs_hold(server, true);
	struct output *other = headless_add_output(server->backend, 320, 240, 60000);
	other->gpu = world.b;
	server_outputs_hold(server, false);
	fixture_frames(world.fixture, 2);
	int index = 0;
	while (server->scene->outputs[index]->output != other) {
		index++;
	}
	int n_done = of_surface.n_done;
	surface_set_outputs(surface, 1u << index);
	fixture_pump(world.fixture);
	assert_int_equal(of_surface.n_done, n_done + 1);
	assert_true(tells(&of_surface, tiled));
	assert_true(tells(&of_surface, compressed));
	/* Of what is on no screen yet nothing is known, and most screens are another's. */
	ask(one.peer, &told, dmabuf, NULL);
	assert_false(tells(&told, compressed));
	/* On both, it is copied to one. */
	surface_set_outputs(surface, 1u << index | 1);
	fixture_pump(world.fixture);
	assert_int_equal(of_surface.n_done, n_done + 2);
	assert_false(tells(&of_surface, compressed));
	surface_set_outputs(surface, 1);
	other->gpu = NULL;
	signal_emit(&server->events.outputs_changed, NULL);
	end_program(&one);
	forget_facts(path);
	finish(&world);
}

/* wl_drm and its errors */

static void expect_drm_error(
	int width, uint32_t format, int offset, int stride, bool named, uint32_t error)
{
	struct world world;
	struct node node;
	start(&world);
	format_set_add(
		&world.renderer->texture_formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_INVALID);
	struct peer *peer = peer_create(world.fixture);
	struct wl_drm *drm = bind_drm(peer, &node);
	assert_int_equal(node.n_formats, 1);
	int fd = fd_create_memory("buffer", 64 * 64 * 4, true);
	assert_true(fd >= 0);
	if (named) {
		wl_drm_create_buffer(drm, 1, width, 64, (uint32_t)stride, format);
	} else {
		wl_drm_create_prime_buffer(drm, fd, width, 64, format, offset, stride, 0, 0, 0, 0);
	}
	close(fd);
	if (error != UINT32_MAX) {
		peer_expect_error(peer, &wl_drm_interface, error);
	} else {
		fixture_pump(world.fixture);
		assert_true(peer_alive(peer));
		assert_int_equal(n_imports, 1);
	}
	peer_destroy(peer);
	finish(&world);
}

static void test_drm_buffers(void **state)
{
	const uint32_t good = DRM_FORMAT_XRGB8888;
	expect_drm_error(64, good, 0, 256, false, UINT32_MAX);
	expect_drm_error(64, good, 0, 256, true, WL_DRM_ERROR_INVALID_NAME);
	expect_drm_error(64, DRM_FORMAT_ARGB8888, 0, 256, false, WL_DRM_ERROR_INVALID_FORMAT);
	expect_drm_error(64, 0, 0, 256, false, WL_DRM_ERROR_INVALID_FORMAT);
	expect_drm_error(0, good, 0, 256, false, WL_DRM_ERROR_INVALID_FORMAT);
	expect_drm_error(-1, good, 0, 256, false, WL_DRM_ERROR_INVALID_FORMAT);
	expect_drm_error(64, good, 4, 256, false, WL_DRM_ERROR_INVALID_NAME);
	expect_drm_error(64, good, -4, 256, false, WL_DRM_ERROR_INVALID_NAME);
	expect_drm_error(64, good, 0, 252, false, WL_DRM_ERROR_INVALID_NAME);
	expect_drm_error(64, good, 0, -256, false, WL_DRM_ERROR_INVALID_NAME);
	expect_drm_error(64, good, 0, 0, false, WL_DRM_ERROR_INVALID_NAME);
}

int main(int argc, char **argv)
{
	if (strcmp(argv[0], PROGRAM) == 0) {
		return run_program();
	}
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_wish),
		cmocka_unit_test(test_no_gpu),
		cmocka_unit_test(test_reload),
		cmocka_unit_test(test_gpu_gone),
		cmocka_unit_test(test_home),
#ifdef ZWP_LINUX_BUFFER_PARAMS_V1_SET_SAMPLING_DEVICE_SINCE_VERSION
		cmocka_unit_test(test_sampling_device),
#endif
		cmocka_unit_test_setup_teardown(test_opens, make_cache, remove_cache),
		cmocka_unit_test_setup_teardown(test_layouts, make_cache, remove_cache),
		cmocka_unit_test_setup_teardown(test_layouts_of_sdma, make_cache, remove_cache),
		cmocka_unit_test_setup_teardown(test_other_queue, make_cache, remove_cache),
		cmocka_unit_test_setup_teardown(test_compressed, make_cache, remove_cache),
		cmocka_unit_test(test_drm_buffers),
	};
	return cmocka_run_group_tests_name("render-gpu", tests, NULL, NULL);
}
