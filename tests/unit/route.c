/* The tables of roads and planes, and the arithmetic of when to start a frame. */

#include "unit.h"

#include "buffer/allocator.h"
#include "copy/route.h"
#include "frame/assign.h"
#include "frame/frame.h"
#include <string.h>

struct road {
	struct route_facts facts;
	bool plane;
	enum route_reason refused;
	const char *name;
	enum route_reason reason;
};

static void roads(void **state)
{
	(void)state;
	static const struct road table[] = {
		{{.visible = true}, false, REASON_NOT_FULL, "none", REASON_NO_CONTENT},
		{{.has_content = true}, false, REASON_NOT_FULL, "none", REASON_HIDDEN},
		{{.has_content = true, .dmabuf = true}, true, REASON_BEST, "none", REASON_HIDDEN},
		{{.visible = true, .has_content = true}, false, REASON_NOT_FULL, "upload",
			REASON_NOT_FULL},
		{{.visible = true, .has_content = true, .cpu_renderer = true}, false,
			REASON_DISABLED, "shm", REASON_DISABLED},
		{{.visible = true, .has_content = true, .cpu_renderer = true}, true, REASON_BEST,
			"scan-out", REASON_BEST},
		{{.visible = true, .has_content = true, .dmabuf = true}, false, REASON_NOT_ALONE,
			"import", REASON_NOT_ALONE},
		{{.visible = true, .has_content = true, .dmabuf = true}, true, REASON_BEST,
			"scan-out", REASON_BEST},
		{{.visible = true, .has_content = true, .color = true}, false, REASON_NOT_ALONE,
			"color", REASON_BEST},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct road *row = &table[i];
		struct route_choice choice = route_finish(&row->facts, row->plane, row->refused);
		assert_string_equal(route_name(&choice), row->name);
		assert_int_equal(choice.reason, row->reason);
		assert_true(strlen(route_reason_text(choice.reason)) > 0);
	}
	for (int reason = 0; reason < REASON_COUNT; reason++) {
		assert_non_null(route_reason_text(reason));
	}
}

#define WIDTH 640
#define HEIGHT 480

struct tester {
	bool answer;
	int asked;
	struct buffer *buffer;
};

static bool test_state(void *data, const struct output_state *state)
{
	struct tester *tester = data;
	tester->asked++;
	assert_int_equal(state->fields, OUTPUT_PLANES);
	assert_int_equal(state->n_planes, 1);
	assert_ptr_equal(state->planes[0].state.buffer, tester->buffer);
	return tester->answer;
}

struct scanout_case {
	const char *what;
	void (*spoil)(struct assign_request *request, struct assign_candidate *candidate);
	bool answer;
	enum route_reason reason; /* REASON_BEST: it gets the plane */
	int asked;
};

static void spoil_nothing(struct assign_request *request, struct assign_candidate *candidate)
{
	(void)request;
	(void)candidate;
}

static void spoil_alpha(struct assign_request *request, struct assign_candidate *candidate)
{
	(void)request;
	candidate->alpha = 0.5f;
}

static void spoil_opaque(struct assign_request *request, struct assign_candidate *candidate)
{
	(void)request;
	candidate->opaque = false;
}

static void spoil_position(struct assign_request *request, struct assign_candidate *candidate)
{
	(void)request;
	candidate->dst.x = 1;
}

static void spoil_transform(struct assign_request *request, struct assign_candidate *candidate)
{
	(void)request;
	candidate->transform = WL_OUTPUT_TRANSFORM_180;
}

static void spoil_crop(struct assign_request *request, struct assign_candidate *candidate)
{
	(void)request;
	candidate->src.width /= 2;
}

static void spoil_foreign(struct assign_request *request, struct assign_candidate *candidate)
{
	(void)request;
	candidate->foreign = true;
}

static void spoil_format(struct assign_request *request, struct assign_candidate *candidate)
{
	(void)request;
	candidate->buffer->format = DRM_FORMAT_RGB565;
}

static void spoil_allowed(struct assign_request *request, struct assign_candidate *candidate)
{
	(void)candidate;
	request->scanout_allowed = false;
	request->refused = REASON_CAPTURE;
}

static void spoil_complete(struct assign_request *request, struct assign_candidate *candidate)
{
	(void)candidate;
	request->complete = false;
}

static void planes(void **state)
{
	(void)state;
	static const struct scanout_case table[] = {
		{"as it should be", spoil_nothing, true, REASON_BEST, 1},
		{"the driver refuses", spoil_nothing, false, REASON_REFUSED, 1},
		{"alpha", spoil_alpha, true, REASON_TRANSLUCENT, 0},
		{"translucent pixels", spoil_opaque, true, REASON_TRANSLUCENT, 0},
		{"position", spoil_position, true, REASON_NOT_FULL, 0},
		{"transform", spoil_transform, true, REASON_TRANSFORM, 0},
		{"crop", spoil_crop, true, REASON_TRANSFORM, 0},
		{"another GPU's", spoil_foreign, true, REASON_FOREIGN, 0},
		{"format", spoil_format, true, REASON_PLANE_FORMAT, 0},
		{"capture", spoil_allowed, true, REASON_CAPTURE, 0},
		{"more than fits", spoil_complete, true, REASON_NOT_ALONE, 0},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct plane primary = {.type = PLANE_PRIMARY};
		format_set_add(&primary.formats, DRM_FORMAT_XRGB8888, DRM_FORMAT_MOD_LINEAR);
		const struct plane *const all[] = {&primary};
		struct buffer *buffer = memory_buffer_create(WIDTH, HEIGHT, DRM_FORMAT_XRGB8888);
		assert_non_null(buffer);
		struct tester tester = {.answer = table[i].answer, .buffer = buffer};
		struct assign_candidate candidate = {
			.buffer = buffer,
			.src = {0, 0, WIDTH, HEIGHT},
			.dst = {0, 0, WIDTH, HEIGHT},
			.alpha = 1,
			.opaque = true,
		};
		struct assign_request request = {
			.width = WIDTH,
			.height = HEIGHT,
			.planes = all,
			.n_planes = 1,
			.candidates = &candidate,
			.n_candidates = 1,
			.complete = true,
			.scanout_allowed = true,
			.test = test_state,
			.data = &tester,
		};
		table[i].spoil(&request, &candidate);
		bool given = assign_planes(&request);
		if (given != (table[i].reason == REASON_BEST) ||
			candidate.reason != table[i].reason || tester.asked != table[i].asked) {
			fail_msg("%s: plane %d, reason %s, asked %d times", table[i].what, given,
				route_reason_text(candidate.reason), tester.asked);
		}
		assert_ptr_equal(candidate.plane, given ? &primary : NULL);
		buffer_drop(buffer);
		format_set_finish(&primary.formats);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(roads),
		cmocka_unit_test(planes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
