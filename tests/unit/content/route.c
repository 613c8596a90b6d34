/* SPDX-License-Identifier: MIT */
/*
 * Routes of pixels from buffers to outputs: each row has a buffer, a machine, and the expected
 * choice.
 */

#include "harness/unit.h"

#include "content/route.h"
#include <string.h>

#define HD (1920 * 1080)
#define UHD (3840 * 2160)
#define CELLS (64 * 64)

/* A composed surface that changes as a whole and is drawn into both buffers of the output. */
#define FRAME(pixels)                                                                              \
	.visible = true, .has_content = true, .pixel = 4, .n_rectangles = 1, .changed = (pixels),  \
	.drawn = 2 * (pixels)
#define DMABUF .dmabuf = true, .imports = true
#define FOREIGN DMABUF, .foreign = true, .copies = true

struct row {
	const char *what;
	struct route_facts facts;
	const char *best; /* "none" if there is no route */
	enum route_reason reason;
	const char *next; /* NULL: there is no other route */
	enum route_reason next_refused;
};

static const struct row rows[] = {
	{"a hidden surface has no route", {.has_content = true}, "none", REASON_HIDDEN, NULL, 0},
	{"a surface without content has no route", {.visible = true}, "none", REASON_NO_CONTENT,
		NULL, 0},
	{"a dma-buf under an opaque window has no route",
		{.has_content = true, DMABUF, .barred = REASON_BEST}, "none", REASON_HIDDEN, NULL,
		0},
	{"a hidden buffer of another GPU is not copied", {.has_content = true, FOREIGN}, "none",
		REASON_HIDDEN, NULL, 0},
	{"a transparent colour has no route", {FRAME(HD), .color = true, .clear = true}, "none",
		REASON_CLEAR, NULL, 0},
	{"a single colour is drawn", {FRAME(HD), .color = true, .barred = REASON_NOT_ALONE},
		"color", REASON_BEST, NULL, 0},

	{"a fullscreen game is scanned out", {FRAME(UHD), DMABUF, .discrete = true}, "scan-out",
		REASON_BEST, "import", REASON_BEST},
	{"under a notification, it is imported",
		{FRAME(UHD), DMABUF, .discrete = true, .barred = REASON_NOT_ALONE}, "import",
		REASON_NOT_ALONE, "scan-out", REASON_NOT_ALONE},
	{"a cursor is drawn into its plane", {FRAME(32 * 32), .cursor = true, .cpu_renderer = true},
		"cursor-plane", REASON_BEST, "shm", REASON_BEST},
	{"a dma-buf that cannot be imported is not read back",
		{FRAME(HD), .dmabuf = true, .barred = REASON_PLANE_FORMAT}, "none",
		REASON_NO_IMPORT, "", 0},

	{"nor by the CPU",
		{FRAME(HD), .dmabuf = true, .cpu_renderer = true, .barred = REASON_DISABLED},
		"none", REASON_UNREADABLE, "", 0},
	{"a dma-buf whose import fails has no route",
		{FRAME(HD), DMABUF, .failed = true, .barred = REASON_PLANE_FORMAT}, "none",
		REASON_NO_IMPORT, "", 0},
	{"a linear one of another GPU, whose copies were refused, neither",
		{FRAME(HD), DMABUF, .foreign = true, .linear = true, .failed = true,
			.barred = REASON_FOREIGN},
		"none", REASON_NO_IMPORT, "", 0},
	{"on a plane it has", {FRAME(HD), DMABUF, .failed = true}, "scan-out", REASON_BEST,
		"import", REASON_BEST},
	{"a hidden one is hidden", {.has_content = true, DMABUF, .failed = true}, "none",
		REASON_HIDDEN, NULL, 0},

	{"tiled frames of another GPU are copied by its engine",
		{FRAME(HD), FOREIGN, .barred = REASON_FOREIGN}, "copy", REASON_FOREIGN, "scan-out",
		REASON_FOREIGN},
	{"a copy is scanned out on a plane", {FRAME(HD), FOREIGN}, "scan-out", REASON_BEST, "copy",
		REASON_BEST},
	{"linear frames are copied, too: an import would make the kernel move them",
		{FRAME(CELLS), FOREIGN, .linear = true, .discrete = true, .barred = REASON_FOREIGN},
		"copy", REASON_FOREIGN, "import", REASON_FOREIGN},
	{"a linear buffer that no engine copies is imported",
		{FRAME(HD), DMABUF, .foreign = true, .linear = true, .barred = REASON_FOREIGN},
		"import", REASON_NO_ENGINE, "scan-out", REASON_FOREIGN},
	{"a tiled buffer of another GPU that no engine copies is not called hidden",
		{FRAME(HD), DMABUF, .foreign = true, .barred = REASON_FOREIGN}, "none",
		REASON_NO_ENGINE, "", 0},
	{"neither under a renderer of the CPU",
		{FRAME(HD), DMABUF, .foreign = true, .cpu_renderer = true,
			.barred = REASON_DISABLED},
		"none", REASON_NO_ENGINE, "", 0},
	{"nor while it is hidden", {.has_content = true, DMABUF, .foreign = true}, "none",
		REASON_HIDDEN, NULL, 0},
	{"transparent, it is called transparent",
		{FRAME(HD), DMABUF, .foreign = true, .clear = true}, "none", REASON_CLEAR, NULL, 0},

	{"the CPU composes from shared memory",
		{FRAME(HD), .cpu_renderer = true, .barred = REASON_DISABLED}, "shm",
		REASON_DISABLED, "scan-out", REASON_DISABLED},
	{"an integrated GPU imports a shared-memory pool",
		{FRAME(HD), .imports = true, .barred = REASON_SYSTEM_MEMORY}, "zero-copy",
		REASON_SYSTEM_MEMORY, "upload", REASON_BEST},
	{"damage is uploaded from a pool that cannot be imported",
		{FRAME(CELLS), .barred = REASON_SYSTEM_MEMORY}, "upload", REASON_SYSTEM_MEMORY,
		"scan-out", REASON_SYSTEM_MEMORY},
	{"the CPU composes small changes while the GPU sleeps",
		{FRAME(CELLS), .shared = true, .barred = REASON_SYSTEM_MEMORY}, "shm",
		REASON_SYSTEM_MEMORY, "upload", REASON_BEST},
	{"on a fast bus, two reads cost less than an upload",
		{FRAME(CELLS), .imports = true, .discrete = true, .barred = REASON_SYSTEM_MEMORY},
		"zero-copy", REASON_SYSTEM_MEMORY, "upload", REASON_BEST},
};

static const char *name_of(const struct route_option *option)
{
	return route_name(option->source, option->sink);
}

/* Returns the cheapest usable source for composition. */
static enum route_source cheapest(const struct route_options *options)
{
	for (int i = 0; i < options->n; i++) {
		const struct route_option *option = &options->options[i];
		if (option->sink == SINK_COMPOSE && option->refused == REASON_BEST) {
			return option->source;
		}
	}
	return SOURCE_NONE;
}

static void check_choice(const struct row *row, const struct route_choice *choice)
{
	assert_string_equal(route_name(choice->source, choice->sink), row->best);
	assert_int_equal(choice->reason, row->reason);
	if (row->next && strcmp(row->next, "") != 0) {
		assert_true(choice->n_others > 0);
		assert_string_equal(name_of(&choice->other), row->next);
		assert_int_equal(choice->other.refused, row->next_refused);
	} else {
		assert_int_equal(choice->n_others, 0);
	}
}

static void check_row(const struct row *row)
{
	struct route_rates rates;
	struct route_options options;
	route_rates_default(&rates, row->facts.discrete);
	route_weigh(&row->facts, &rates, &options);
	struct route_choice choice = route_finish(&row->facts, &options, cheapest(&options));
	check_choice(row, &choice);
	/* The source of buffers of GPUs does not depend on costs. */
	if (row->facts.dmabuf || row->facts.color) {
		choice = route_finish(&row->facts, &options, route_choose(&row->facts));
		check_choice(row, &choice);
	}
	/* Usable options come first, in order of cost; the others have a reason. */
	for (int i = 1; i < options.n; i++) {
		const struct route_option *a = &options.options[i - 1], *b = &options.options[i];
		assert_true(a->refused == REASON_BEST || b->refused != REASON_BEST);
		assert_true(a->refused != b->refused || a->cost.time <= b->cost.time);
	}
}
static void rows_take_the_expected_route(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		print_message("%s\n", rows[i].what);
		check_row(&rows[i]);
	}
}

static const struct route_option *find(
	const struct route_options *options, enum route_source source, enum route_sink sink)
{
	for (int i = 0; i < options->n; i++) {
		if (options->options[i].source == source && options->options[i].sink == sink) {
			return &options->options[i];
		}
	}
	fail();
	return NULL;
}

static void bytes_are_counted_where_they_move(void **state)
{
	struct route_facts facts = {
		FRAME(CELLS), .imports = true, .discrete = true, .barred = REASON_SYSTEM_MEMORY};
	struct route_rates rates;
	struct route_options options;
	route_rates_default(&rates, true);
	route_weigh(&facts, &rates, &options);

	/* Uploaded once, then drawn twice in VRAM. */
	const struct route_cost *cost = &find(&options, SOURCE_UPLOAD, SINK_COMPOSE)->cost;
	assert_int_equal(cost->crossed, CELLS * 4);
	assert_int_equal(cost->read, CELLS * 4 * 3);
	assert_int_equal(cost->written, CELLS * 4 * 3);
	/* Read across the bus, twice. */
	cost = &find(&options, SOURCE_UDMABUF, SINK_COMPOSE)->cost;
	assert_int_equal(cost->crossed, CELLS * 4 * 2);
	assert_int_equal(cost->written, CELLS * 4 * 2);
	/* Scanned out without a pass. */
	cost = &find(&options, SOURCE_CPU_READ, SINK_PLANE)->cost;
	assert_int_equal(cost->read + cost->written + cost->crossed, 0);

	/* A discrete reader copies staged pixels into its VRAM: they cross the bus once more. */
	facts = (struct route_facts){
		FRAME(HD), FOREIGN, .discrete = true, .barred = REASON_FOREIGN};
	route_weigh(&facts, &rates, &options);
	assert_int_equal(
		find(&options, SOURCE_COPY, SINK_COMPOSE)->cost.crossed, UINT64_C(2) * HD * 4);
	facts.discrete = false;
	route_weigh(&facts, &rates, &options);
	assert_int_equal(find(&options, SOURCE_COPY, SINK_COMPOSE)->cost.crossed, HD * 4);
}

/* Waking a sleeping GPU costs extra where another route exists. */
static void sleeping_gpu_costs_a_wakeup(void **state)
{
	struct route_facts facts = {FRAME(CELLS), DMABUF, .asleep = true, .barred = REASON_BEST};
	struct route_rates rates;
	struct route_options options;
	route_rates_default(&rates, false);
	route_weigh(&facts, &rates, &options);
	assert_int_equal(options.options[0].sink, SINK_PLANE);
	assert_true(options.options[1].cost.time >= rates.wake);

	/* CPU composition would be cheaper; the reason for its refusal is reported. */
	facts = (struct route_facts){FRAME(CELLS), .asleep = true, .barred = REASON_SYSTEM_MEMORY};
	route_weigh(&facts, &rates, &options);
	const struct route_option *cpu = find(&options, SOURCE_CPU_READ, SINK_COMPOSE);
	assert_int_equal(cpu->refused, REASON_TARGET);
	assert_true(cpu->cost.time < find(&options, SOURCE_UPLOAD, SINK_COMPOSE)->cost.time);
	/* If CPU and GPU share the target, the CPU composes. */
	facts.shared = true;
	route_weigh(&facts, &rates, &options);
	assert_int_equal(route_cheapest(&options), SOURCE_CPU_READ);
	assert_true(route_is_better(&options, SOURCE_CPU_READ, SOURCE_UPLOAD));
}

static void measured_bandwidth_decides(void **state)
{
	struct route_facts facts = {
		FRAME(HD), .imports = true, .discrete = true, .barred = REASON_SYSTEM_MEMORY};
	struct route_rates rates;
	struct route_options options;
	route_rates_default(&rates, true);
	rates.bus.bandwidth = 0.5; /* GB/s: four old lanes, shared with other devices */
	route_weigh(&facts, &rates, &options);
	assert_int_equal(options.options[0].source, SOURCE_UPLOAD);
	assert_int_equal(route_cheapest(&options), SOURCE_UPLOAD);
	rates.bus.bandwidth = 49;
	route_weigh(&facts, &rates, &options);
	assert_int_equal(options.options[0].source, SOURCE_UDMABUF);
	assert_int_equal(route_cheapest(&options), SOURCE_UDMABUF);
}

/*
 * Hysteresis: a route is left for one that takes less than three quarters of its time, or if it
 * becomes unusable.
 */
static void hysteresis_prevents_oscillation(void **state)
{
	struct route_options options = {
		.n = 2,
		.options =
			{
				{.source = SOURCE_UDMABUF, .sink = SINK_COMPOSE},
				{.source = SOURCE_UPLOAD, .sink = SINK_COMPOSE},
			},
	};
	int64_t *pool = &options.options[0].cost.time, *upload = &options.options[1].cost.time;
	static const struct {
		int64_t pool, upload;
		bool enters, leaves;
	} table[] = {
		{100, 100, false, false},
		{76, 100, false, false},
		{74, 100, true, false},
		{100, 76, false, false},
		{100, 74, false, true},
		{1, 1000, true, false},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		*pool = table[i].pool;
		*upload = table[i].upload;
		assert_int_equal(
			route_is_better(&options, SOURCE_UDMABUF, SOURCE_UPLOAD), table[i].enters);
		assert_int_equal(
			route_is_better(&options, SOURCE_UPLOAD, SOURCE_UDMABUF), table[i].leaves);
		/* At most one direction is better, so the choice cannot oscillate. */
		assert_false(table[i].enters && table[i].leaves);
	}
	options.options[0].refused = REASON_NO_IMPORT;
	assert_true(route_is_better(&options, SOURCE_UPLOAD, SOURCE_UDMABUF));
	assert_false(route_is_better(&options, SOURCE_UDMABUF, SOURCE_UPLOAD));
	/* The more expensive route reports hysteresis as its reason. */
	options.options[0].refused = REASON_BEST;
	*pool = 76;
	*upload = 100;
	const struct route_facts facts = {FRAME(HD), .barred = REASON_SYSTEM_MEMORY};
	assert_int_equal(route_finish(&facts, &options, SOURCE_UPLOAD).reason, REASON_STEADY);
}

/* The reason against copies is printed as staging gave it; no other reason is replaced by it. */
static void refused_copy_is_explained_by_its_own_phrase(void **state)
{
	struct route_choice choice = {.reason = REASON_NO_ENGINE};
	assert_string_equal(
		route_choice_text(&choice, choice.reason), "no copy engine supports it");
	choice.uncopied = "no memory suits both";
	assert_string_equal(route_choice_text(&choice, choice.reason), "no memory suits both");
	assert_string_equal(
		route_choice_text(&choice, REASON_FOREIGN), route_reason_text(REASON_FOREIGN));
}

static void every_reason_and_source_has_a_text(void **state)
{
	for (int reason = 0; reason < REASON_COUNT; reason++) {
		assert_true(strlen(route_reason_text((enum route_reason)reason)) > 0);
	}
	for (int source = 0; source < SOURCE_COUNT; source++) {
		assert_non_null(route_name((enum route_source)source, SINK_COMPOSE));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_take_the_expected_route),
		cmocka_unit_test(bytes_are_counted_where_they_move),
		cmocka_unit_test(sleeping_gpu_costs_a_wakeup),
		cmocka_unit_test(measured_bandwidth_decides),
		cmocka_unit_test(hysteresis_prevents_oscillation),
		cmocka_unit_test(refused_copy_is_explained_by_its_own_phrase),
		cmocka_unit_test(every_reason_and_source_has_a_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
