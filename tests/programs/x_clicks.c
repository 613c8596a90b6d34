/* SPDX-License-Identifier: MIT */
/* The rule of clicks, checked at the edges of all windows and shapes. */

#include "x_clicks.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <xcb/shape.h>

#define WINDOWS_MAX 512
#define EDGES_MAX 2048
#define POINTS_MAX 16384
/** Rectangles of a shape whose edges are checked. */
#define RECTANGLES_MAX 16
/** Looks until the rule is broken; the window manager restacks windows a little later. */
#define LOOKS 500

struct child {
	xcb_window_t id;
	int x, y;
	bool input_only, override_redirect;
};

struct edges {
	int at[EDGES_MAX];
	int n;
};

struct answer {
	xcb_window_t window;
	int x, y; /* in the window */
};

struct look {
	struct x_client *client;
	struct child children[WINDOWS_MAX];
	int n_children;
	struct edges columns, rows;
	struct answer *answers;
	int n_wrong;
	char first[256]; /* of the wrong answers */
};

static FILE *ask(void)
{
	const char *path = getenv("CAUSEWAY_TEST_CLICKS"), *display = getenv("DISPLAY");
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (!path || !display || fd < 0) {
		return NULL;
	}
	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	FILE *file = connect(fd, (const struct sockaddr *)&name, sizeof(name)) == 0
			     ? fdopen(fd, "r+")
			     : NULL;
	if (file) {
		fprintf(file, "%d\n", atoi(display + 1));
	}
	return file;
}

/* Ends the question. */
static void listen_to(FILE *file)
{
	fflush(file);
	shutdown(fileno(file), SHUT_WR);
}

bool x_clicks_are_answered(void)
{
	int n = 0;
	FILE *file = ask();
	if (file) {
		listen_to(file);
		X_CHECK(fscanf(file, "%d", &n) == 1);
		fclose(file);
	}
	return n > 0;
}

static void add_edge(struct edges *edges, int at)
{
	for (int i = at - 2; i <= at + 1 && edges->n < EDGES_MAX; i++) {
		if (i >= 0) {
			edges->at[edges->n++] = i;
		}
	}
}

static void add_box(struct look *look, int x, int y, int width, int height)
{
	add_edge(&look->columns, x);
	add_edge(&look->columns, x + width);
	add_edge(&look->rows, y);
	add_edge(&look->rows, y + height);
}

static void add_shape(struct look *look, const struct child *child, xcb_shape_kind_t kind)
{
	xcb_shape_get_rectangles_reply_t *reply = xcb_shape_get_rectangles_reply(
		look->client->x, xcb_shape_get_rectangles(look->client->x, child->id, kind), NULL);
	const int n = reply ? xcb_shape_get_rectangles_rectangles_length(reply) : 0;
	for (int i = 0; i < n && i < RECTANGLES_MAX; i++) {
		const xcb_rectangle_t *at = xcb_shape_get_rectangles_rectangles(reply) + i;
		add_box(look, child->x + at->x, child->y + at->y, at->width, at->height);
	}
	free(reply);
}

static void add_child(struct look *look, xcb_window_t id)
{
	xcb_connection_t *x = look->client->x;
	xcb_get_window_attributes_reply_t *attributes =
		xcb_get_window_attributes_reply(x, xcb_get_window_attributes(x, id), NULL);
	xcb_get_geometry_reply_t *box = xcb_get_geometry_reply(x, xcb_get_geometry(x, id), NULL);
	if (attributes && box && attributes->map_state == XCB_MAP_STATE_VIEWABLE &&
		look->n_children < WINDOWS_MAX) {
		struct child *child = &look->children[look->n_children++];
		*child = (struct child){id, box->x, box->y,
			attributes->_class == XCB_WINDOW_CLASS_INPUT_ONLY,
			attributes->override_redirect};
		add_box(look, box->x, box->y, box->width, box->height);
		add_shape(look, child, XCB_SHAPE_SK_BOUNDING);
		add_shape(look, child, XCB_SHAPE_SK_INPUT);
	}
	free(attributes);
	free(box);
}

static void list_children(struct look *look)
{
	struct x_client *client = look->client;
	xcb_query_tree_reply_t *tree =
		xcb_query_tree_reply(client->x, xcb_query_tree(client->x, client->root), NULL);
	const xcb_window_t *ids = tree ? xcb_query_tree_children(tree) : NULL;
	for (int i = 0; tree && i < xcb_query_tree_children_length(tree); i++) {
		add_child(look, ids[i]);
	}
	free(tree);
}

static int compare(const void *a, const void *b)
{
	const int *left = a, *right = b;
	return (*left > *right) - (*left < *right);
}

/* Sorts edges, and drops those that are there twice. */
static void arrange(struct edges *edges)
{
	int n = 0;
	qsort(edges->at, (size_t)edges->n, sizeof(edges->at[0]), compare);
	for (int i = 0; i < edges->n; i++) {
		if (i == 0 || edges->at[i] != edges->at[n - 1]) {
			edges->at[n++] = edges->at[i];
		}
	}
	edges->n = n;
}

/* Many edges are checked in part. */
static int stride(const struct look *look)
{
	return 1 + look->columns.n * look->rows.n / POINTS_MAX;
}

static int point(const struct look *look, int i, int *x, int *y)
{
	*x = look->columns.at[i % look->columns.n];
	*y = look->rows.at[i / look->columns.n];
	return i + stride(look);
}

/* Reads the answers of the session. Returns their number. */
static int get_answers(struct look *look)
{
	const int n = look->columns.n * look->rows.n;
	FILE *file = ask();
	int x, y, got = 0;
	X_CHECK(file);
	for (int i = 0; i < n; i = point(look, i, &x, &y), fprintf(file, "%d %d\n", x, y)) {
	}
	listen_to(file);
	look->answers = calloc((size_t)n + 1, sizeof(*look->answers));
	struct answer *answer = look->answers;
	while (got < n && fscanf(file, "%u %d %d", &answer->window, &answer->x, &answer->y) == 3) {
		answer = &look->answers[++got];
	}
	fclose(file);
	return got;
}

static const struct child *find(const struct look *look, xcb_window_t id)
{
	for (int i = 0; i < look->n_children; i++) {
		if (look->children[i].id == id) {
			return &look->children[i];
		}
	}
	return NULL;
}

/* Compares the window that the X server has at the point of an answer. */
static void compare_answer(struct look *look, const struct answer *answer, xcb_window_t window)
{
	const struct child *right = find(look, answer->window), *got = find(look, window);
	/* Windows without content, which catch clicks for their program, are not seen. */
	const bool catches = got && got->input_only && got->override_redirect;
	if (right && window != answer->window && !catches && look->n_wrong++ == 0) {
		snprintf(look->first, sizeof(look->first),
			"at %d,%d %#x (%d,%d) is seen, and %#x (%d,%d) gets the click",
			right->x + answer->x, right->y + answer->y, answer->window, right->x,
			right->y, window, got ? got->x : 0, got ? got->y : 0);
	} else if (!right && answer->window && look->n_wrong++ == 0) {
		snprintf(look->first, sizeof(look->first), "%#x is seen, and not mapped",
			answer->window);
	}
}

static void compare_answers(struct look *look, int n)
{
	xcb_connection_t *x = look->client->x;
	const xcb_window_t root = look->client->root;
	xcb_translate_coordinates_cookie_t *cookies = calloc((size_t)n + 1, sizeof(*cookies));
	for (int i = 0; i < n; i++) {
		const struct answer *answer = &look->answers[i];
		const struct child *child = find(look, answer->window);
		cookies[i] = xcb_translate_coordinates(x, root, root,
			(int16_t)(child ? child->x + answer->x : -1),
			(int16_t)(child ? child->y + answer->y : -1));
	}
	for (int i = 0; i < n; i++) {
		xcb_translate_coordinates_reply_t *reply =
			xcb_translate_coordinates_reply(x, cookies[i], NULL);
		if (reply) {
			compare_answer(look, &look->answers[i], reply->child);
		}
		free(reply);
	}
	free(cookies);
}

static struct look *take_look(struct x_client *client)
{
	struct look *look = calloc(1, sizeof(*look));
	X_CHECK(look);
	look->client = client;
	list_children(look);
	arrange(&look->columns);
	arrange(&look->rows);
	if (look->columns.n > 0) {
		compare_answers(look, get_answers(look));
	}
	free(look->answers);
	return look;
}

void x_check_clicks(struct x_client *client)
{
	for (int i = 0; x_clicks_are_answered() && x_alive(client); i++) {
		struct look *look = take_look(client);
		const bool right = look->n_wrong == 0;
		if (!right && i == LOOKS) {
			fprintf(stderr, "clicks at %d points: %s\n", look->n_wrong, look->first);
			exit(EXIT_FAILURE);
		}
		free(look);
		if (right) {
			return;
		}
		usleep(20000);
	}
}
