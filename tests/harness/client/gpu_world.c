/* SPDX-License-Identifier: MIT */
/* World of fake GPUs. */

#include "harness/client/gpu_world.h"
#include "config/config.h"
#include "content/device.h"
#include "gpu/format_cache.h"
#include "gpu/gpu.h"
#include "gpu/probe.h"
#include "harness/await.h"
#include "protocol/client/arrivals.h"
#include "protocol/protocols.h"
#include "shell/shell.h"
#include "util/task.h"
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define NODE "/nonexistent/renderD%u"
#define PROGRAM "program" /* argv[0] of the processes that a test starts */
#define CONTROL_FD 3

/* Counts of opened device nodes, by any thread. */

static atomic_int n_opened[4]; /* A, B, C, D */

static void count_open(const char *path)
{
	unsigned i;
	if (sscanf(path, NODE, &i) == 1 && i >= minor(DEV_A) && i <= minor(DEV_D)) {
		n_opened[i - minor(DEV_A)]++;
	}
}

int nodes_opened(dev_t dev)
{
	return n_opened[minor(dev) - minor(DEV_A)];
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...) __attribute__((alias("__wrap_open")));

int __wrap_open(const char *path, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	count_open(path);
	return __real_open(path, flags, mode);
}

/* Threads that probe GPUs: started by the loop; they may outlive their test. */

static int n_begun, n_tasks;
static atomic_int n_ended;

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
	n_begun += probe != NULL;
	return probe;
}

/* Tasks end in the same way. */
struct task *__real_task_start(struct tasks *tasks, struct task_quota *quota,
	const struct task_impl *impl, void *data, void *owner, int64_t timeout);
struct task *__wrap_task_start(struct tasks *tasks, struct task_quota *quota,
	const struct task_impl *impl, void *data, void *owner, int64_t timeout);

struct task *__wrap_task_start(struct tasks *tasks, struct task_quota *quota,
	const struct task_impl *impl, void *data, void *owner, int64_t timeout)
{
	n_tasks++;
	return __real_task_start(tasks, quota, impl, data, owner, timeout);
}

/* The last call of such a thread or task, and of no other code. */
int __wrap_eventfd_write(int fd, eventfd_t value)
{
	int result = __real_eventfd_write(fd, value);
	n_ended++;
	return result;
}

int probes_begun(void)
{
	return n_begun;
}

void probes_await(struct fixture *fixture)
{
	await(n_ended == n_begun + n_tasks, );
	fixture_pump(fixture);
}

/* Programs */

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

/* In the child: it creates both ends of the connection, so the kernel reports it as the peer. */
static int run_program(void)
{
	int fds[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0) {
		return 1;
	}
	send_fds(CONTROL_FD, fds);
	close(fds[0]);
	close(fds[1]);
	/* From now on, the test ends the connection. */
	char byte = 0;
	if (write(CONTROL_FD, &byte, 1) != 1) {
		return 1;
	}
	return read(CONTROL_FD, &byte, 1) == 0 ? 0 : 1; /* until the test closes it */
}

bool program_was_run(char **argv, int *status)
{
	if (strcmp(argv[0], PROGRAM) != 0) {
		return false;
	}
	*status = run_program();
	return true;
}

struct program program_start(struct fixture *fixture, const char *name)
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
	program.arrivals = arrivals_create(fixture->server->protocols, NULL, NULL);
	arrivals_add(program.arrivals, fds[0], false);
	program.peer = peer_create_on(fixture, fds[1]);
	return program;
}

void program_end(struct program *program)
{
	peer_destroy(program->peer);
	arrivals_destroy(program->arrivals);
	close(program->control);
	waitpid(program->pid, NULL, 0);
}

/* GPUs */

struct gpu *world_add_gpu(struct gpu_world *world, const char *name, dev_t dev, bool integrated)
{
	char path[64];
	snprintf(path, sizeof(path), NODE, minor(dev));
	struct gpu *gpu = fixture_add_gpu(world->fixture, name, name, path, dev);
	gpu->integrated = integrated;
	return gpu;
}

void rules_set(struct fixture *fixture, const char *text)
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

static bool count_import(struct renderer *renderer, const struct dmabuf *dmabuf)
{
	struct gpu_world *world = wl_container_of(renderer->impl, world, counting);
	world->n_imports++;
	return true;
}

void world_start(struct gpu_world *world)
{
	*world = (struct gpu_world){.fixture = fixture_create(NULL)};
	rules_set(world->fixture, RULES);
	world->a = world_add_gpu(world, "fake-a", DEV_A, true);
	world->b = world_add_gpu(world, "fake-b", DEV_B, false);
	struct render_device *device = world->fixture->server->device;
	device->gpu = world->a;
	world->renderer = device->renderer;
	world->impl = device->renderer->impl;
	world->counting = *world->impl;
	world->counting.test_import = count_import;
	world->renderer->impl = &world->counting;
}

void world_finish(struct gpu_world *world)
{
	world->renderer->impl = world->impl;
	world->fixture->server->device->gpu = NULL;
	fixture_destroy(world->fixture);
}

/* The cache */

static char cache[32];

int cache_make(void **state)
{
	strcpy(cache, "/tmp/causeway-cache-XXXXXX");
	return mkdtemp(cache) && setenv("XDG_CACHE_HOME", cache, 1) == 0 ? 0 : -1;
}

int cache_remove(void **state)
{
	char path[64];
	snprintf(path, sizeof(path), "%s/causeway", cache);
	rmdir(path);
	return rmdir(cache);
}

char *cache_keep(const struct gpu_world *world, const struct gpu *gpu, struct gpu_facts *facts)
{
	struct gpu_look look;
	copy_modifiers_look(&look, world->fixture->server->copier->queue);
	char *path = format_cache_path(gpu), *key = format_cache_key(gpu, look.variant);
	assert_int_equal(format_cache_save(path, key, facts), 0);
	free(key);
	gpu_facts_finish(facts);
	return path;
}

void cache_forget(char *path)
{
	unlink(path);
	free(path);
}
