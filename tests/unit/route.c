/*
 * Roads, as the field tells of them: each row is a buffer, a machine, and the road that it should take.
 */

#include "unit.h"

#include "content/route.h"
#include <string.h>

#define HD (1920 * 1080)
#define UHD (3840 * 2160)
#define CELLS (64 * 64)

/* Composed, changing as a whole; drawn into both buffers of the output. */
#define FRAME(pixels)                                                                              \
	.visible = true, .has_content = true, .pixel = 4, .n_rectangles = 1, .changed = (pixels),  \
	.drawn = 2 * (pixels)
#define DMABUF .dmabuf = true, .imports = true
#define FOREIGN DMABUF, .foreign = true, .copies = true

struct row {
	const char *what;
	struct route_facts facts;
	const char *best; /* "none" for no road at all */
	enum route_reason reason;
	const char *next; /* NULL: there is no other road */
	enum route_reason next_refused;
};

static const struct row rows[] = {
	{"what shows nowhere costs nothing", {.has_content = true}, "none", REASON_HIDDEN, NULL, 0},
	{"nor does what has no content", {.visible = true}, "none", REASON_NO_CONTENT, NULL, 0},
	{"nor a dma-buf under an opaque window",
		{.has_content = true, DMABUF, .barred = REASON_BEST}, "none", REASON_HIDDEN, NULL,
		0},
	{"nor one on another GPU: nothing is copied", {.has_content = true, FOREIGN}, "none",
		REASON_HIDDEN, NULL, 0},
	{"nor what is transparent", {FRAME(HD), .color = true, .clear = true}, "none", REASON_CLEAR,
		NULL, 0},
	{"a colour is filled in", {FRAME(HD), .color = true, .barred = REASON_NOT_ALONE}, "color",
		REASON_BEST, NULL, 0},

	{"a full-screen game is scanned out", {FRAME(UHD), DMABUF, .discrete = true}, "scan-out",
		REASON_BEST, "import", REASON_BEST},
	{"under a notification, it is imported",
		{FRAME(UHD), DMABUF, .discrete = true, .barred = REASON_NOT_ALONE}, "import",
		REASON_NOT_ALONE, "scan-out", REASON_NOT_ALONE},
	{"a cursor has its plane, drawn when it changes",
		{FRAME(32 * 32), .cursor = true, .cpu_renderer = true}, "cursor-plane", REASON_BEST,
		"shm", REASON_BEST},
	{"what the GPU does not import, nobody reads back",
		{FRAME(HD), .dmabuf = true, .barred = REASON_PLANE_FORMAT}, "none", REASON_HIDDEN,
		"", 0},

	{"tiled frames of another GPU are copied by its engine",
		{FRAME(HD), FOREIGN, .barred = REASON_FOREIGN}, "copy", REASON_FOREIGN, "scan-out",
		REASON_FOREIGN},
	{"a plane that is taken shows the copy", {FRAME(HD), FOREIGN}, "scan-out", REASON_BEST,
		"copy", REASON_BEST},
	{"linear ones, too: to import one is to make the kernel move it",
		{FRAME(CELLS), FOREIGN, .linear = true, .discrete = true, .barred = REASON_FOREIGN},
		"copy", REASON_FOREIGN, "import", REASON_FOREIGN},
	{"what no engine copies is read where it lies, if it is linear",
		{FRAME(HD), DMABUF, .foreign = true, .linear = true, .barred = REASON_FOREIGN},
		"import", REASON_FOREIGN, "scan-out", REASON_FOREIGN},

	{"the CPU reads shared memory as it composes",
		{FRAME(HD), .cpu_renderer = true, .barred = REASON_DISABLED}, "shm",
		REASON_DISABLED, "scan-out", REASON_DISABLED},
	{"an integrated GPU reads a pool where it lies",
		{FRAME(HD), .imports = true, .barred = REASON_SYSTEM_MEMORY}, "zero-copy",
		REASON_SYSTEM_MEMORY, "upload", REASON_BEST},
	{"if the pool can shrink, or its rows do not suit, damage is uploaded",
		{FRAME(CELLS), .barred = REASON_SYSTEM_MEMORY}, "upload", REASON_SYSTEM_MEMORY,
		"scan-out", REASON_SYSTEM_MEMORY},
	{"of what changes little, the CPU writes the pictures, too, so that the GPU rests",
		{FRAME(CELLS), .shared = true, .barred = REASON_SYSTEM_MEMORY}, "shm",
		REASON_SYSTEM_MEMORY, "upload", REASON_BEST},
	{"across a bus as fast as this, reading twice is less than uploading once",
		{FRAME(CELLS), .imports = true, .discrete = true, .barred = REASON_SYSTEM_MEMORY},
		"zero-copy", REASON_SYSTEM_MEMORY, "upload", REASON_BEST},
};

static const char *name_of(const struct route_option *option)
{
	return route_name(option->source, option->sink);
}

/* Where the pixels of what is composed had best come from. */
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

static void check_row(const struct row *row)
{
	struct route_rates rates;
	struct route_options options;
	route_rates_default(&rates, row->facts.discrete);
	route_weigh(&row->facts, &rates, &options);
	struct route_choice choice = route_finish(&row->facts, &options, cheapest(&options));
	assert_string_equal(route_name(choice.source, choice.sink), row->best);
	assert_int_equal(choice.reason, row->reason);
	if (row->next && strcmp(row->next, "") != 0) {
		assert_true(choice.n_others > 0);
		assert_string_equal(name_of(&choice.other), row->next);
		assert_int_equal(choice.other.refused, row->next_refused);
	} else {
		assert_int_equal(choice.n_others, 0);
	}
	/* What can be taken comes first, and by its cost; all that cannot says why. */
	for (int i = 1; i < options.n; i++) {
		const struct route_option *a = &options.options[i - 1], *b = &options.options[i];
		assert_true(a->refused == REASON_BEST || b->refused != REASON_BEST);
		assert_true(a->refused != b->refused || a->cost.time <= b->cost.time);
	}
}

static void test_rows(void **state)
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

/* Bytes are counted where they move. */
static void test_bytes(void **state)
{
	struct route_facts facts = {
		FRAME(CELLS), .imports = true, .discrete = true, .barred = REASON_SYSTEM_MEMORY};
	struct route_rates rates;
	struct route_options options;
	route_rates_default(&rates, true);
	route_weigh(&facts, &rates, &options);

	/* Uploaded once, and drawn twice in the GPU's own memory. */
	const struct route_cost *cost = &find(&options, SOURCE_UPLOAD, SINK_COMPOSE)->cost;
	assert_int_equal(cost->crossed, CELLS * 4);
	assert_int_equal(cost->read, CELLS * 4 * 3);
	assert_int_equal(cost->written, CELLS * 4 * 3);
	/* Read across the bus, twice. */
	cost = &find(&options, SOURCE_UDMABUF, SINK_COMPOSE)->cost;
	assert_int_equal(cost->crossed, CELLS * 4 * 2);
	assert_int_equal(cost->written, CELLS * 4 * 2);
	/* Looked at by the display alone. */
	cost = &find(&options, SOURCE_SHM_READ, SINK_PLANE)->cost;
	assert_int_equal(cost->read + cost->written + cost->crossed, 0);

	/* A discrete reader has copies taken in by an engine of its own: they cross once more. */
	facts = (struct route_facts){
		FRAME(HD), FOREIGN, .discrete = true, .barred = REASON_FOREIGN};
	route_weigh(&facts, &rates, &options);
	assert_int_equal(
		find(&options, SOURCE_COPY, SINK_COMPOSE)->cost.crossed, UINT64_C(2) * HD * 4);
	facts.discrete = false;
	route_weigh(&facts, &rates, &options);
	assert_int_equal(find(&options, SOURCE_COPY, SINK_COMPOSE)->cost.crossed, HD * 4);
}

/* A GPU that sleeps is not woken for what others can do; and costs no more where none can. */
static void test_asleep(void **state)
{
	struct route_facts facts = {FRAME(CELLS), DMABUF, .asleep = true, .barred = REASON_BEST};
	struct route_rates rates;
	struct route_options options;
	route_rates_default(&rates, false);
	route_weigh(&facts, &rates, &options);
	assert_int_equal(options.options[0].sink, SINK_PLANE);
	assert_true(options.options[1].cost.time >= rates.wake);

	/* The CPU would be cheaper, and says why it is not asked. */
	facts = (struct route_facts){FRAME(CELLS), .asleep = true, .barred = REASON_SYSTEM_MEMORY};
	route_weigh(&facts, &rates, &options);
	const struct route_option *cpu = find(&options, SOURCE_SHM_READ, SINK_COMPOSE);
	assert_int_equal(cpu->refused, REASON_TARGET);
	assert_true(cpu->cost.time < find(&options, SOURCE_UPLOAD, SINK_COMPOSE)->cost.time);
	/* Unless both can write the same picture. */
	facts.shared = true;
	route_weigh(&facts, &rates, &options);
	assert_int_equal(route_cheapest(&options), SOURCE_SHM_READ);
	assert_true(route_is_better(&options, SOURCE_SHM_READ, SOURCE_UPLOAD));
}

/* What was measured at hand decides. */
static void test_measured(void **state)
{
	struct route_facts facts = {
		FRAME(HD), .imports = true, .discrete = true, .barred = REASON_SYSTEM_MEMORY};
	struct route_rates rates;
	struct route_options options;
	route_rates_default(&rates, true);
	rates.bus.bandwidth = 0.5; /* four lanes of old, shared by others */
	route_weigh(&facts, &rates, &options);
	assert_int_equal(options.options[0].source, SOURCE_UPLOAD);
	assert_int_equal(route_cheapest(&options), SOURCE_UPLOAD);
	rates.bus.bandwidth = 49;
	route_weigh(&facts, &rates, &options);
	assert_int_equal(options.options[0].source, SOURCE_UDMABUF);
	assert_int_equal(route_cheapest(&options), SOURCE_UDMABUF);
}

/* Nothing flaps: a road is left for one that takes less than three quarters of it, or if it is closed. */
static void test_steady(void **state)
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
		/* Whatever they cost, nobody goes to and fro. */
		assert_false(table[i].enters && table[i].leaves);
	}
	options.options[0].refused = REASON_NO_IMPORT;
	assert_true(route_is_better(&options, SOURCE_UPLOAD, SOURCE_UDMABUF));
	assert_false(route_is_better(&options, SOURCE_UDMABUF, SOURCE_UPLOAD));
	/* And whoever is on the dearer one for that says so. */
	options.options[0].refused = REASON_BEST;
	*pool = 76;
	*upload = 100;
	const struct route_facts facts = {FRAME(HD), .barred = REASON_SYSTEM_MEMORY};
	assert_int_equal(route_finish(&facts, &options, SOURCE_UPLOAD).reason, REASON_STEADY);
}

static void test_words(void **state)
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
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_asleep),
		cmocka_unit_test(test_measured),
		cmocka_unit_test(test_steady),
		cmocka_unit_test(test_words),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
