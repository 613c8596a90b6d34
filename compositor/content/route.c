/* SPDX-License-Identifier: MIT */
/* Routes of content: weighs the possible ones by cost. */

#include "content/route.h"
#include <assert.h>
#include <stddef.h>

/* Bytes per pixel of an output's buffer. */
#define TARGET_BYTES 4

/* A chosen route is replaced by one that takes less than 3/4 of its time. */
#define BETTER_NUMERATOR 3
#define BETTER_DENOMINATOR 4

/* Price of waking a GPU: the time of 100 ms of work. */
#define WAKE_PRICE INT64_C(100000000)

/* CPU time of a GL pass that draws next to nothing: tests/bench/frames at 60 Hz. */
#define PASS_COST INT64_C(170000)

/*
 * The machine of tests/bench/RESULTS.md: the CPU copies 16,600 MiB/s within system memory; GL
 * passes and uploads as measured by tests/bench/route-costs. A GPU without memory of its own shares
 * the CPU's.
 */
static const struct cost_line cpu_line = {0, 17.4, 0, 0};

void route_rates_default(struct route_rates *rates, bool discrete)
{
	*rates = (struct route_rates){
		.read = cpu_line,
		.upload = discrete ? *cost_default(COST_UPLOAD, COST_IN) : cpu_line,
		.draw = discrete ? *cost_default(COST_DRAW, COST_IN) : cpu_line,
		.bus = *cost_default(COST_TRANSFER, COST_IN),
		.copy = *cost_default(COST_TRANSFER, COST_OUT),
		.wake = WAKE_PRICE,
		.pass = PASS_COST,
	};
	/* Reads within a pass need no submission of their own. */
	rates->bus.latency = rates->bus.rectangle = 0;
}

/* Costs */

static int64_t line_time(const struct cost_line *line, uint64_t bytes, int n_rectangles)
{
	return bytes > 0 ? cost_estimate(line, bytes, n_rectangles, false) : 0;
}

/* Adds GPU composition: reads `source` bytes, across the bus or not, and writes the output. */
static void add_draw(struct route_cost *cost, const struct route_facts *facts,
	const struct route_rates *rates, uint64_t source, bool across)
{
	uint64_t target = facts->drawn * TARGET_BYTES;
	cost->read += source;
	cost->written += target;
	cost->crossed += across ? source : 0;
	cost->time += line_time(&rates->draw, target + (across ? 0 : source), 1);
	cost->time += across ? line_time(&rates->bus, source, 1) : 0;
	cost->time += facts->asleep ? rates->wake : facts->shared ? rates->pass : 0;
}

/*
 * Adds CPU composition. If it replaces a GPU, pixels are first copied to a shadow copy, so that the
 * client's buffer is released as early as with uploads.
 */
static void add_read(struct route_cost *cost, const struct route_facts *facts,
	const struct route_rates *rates, uint64_t source)
{
	uint64_t target = facts->drawn * TARGET_BYTES;
	uint64_t copy = facts->cpu_renderer ? 0 : facts->changed * facts->pixel;
	cost->read += source + copy;
	cost->written += target + copy;
	cost->time += line_time(&rates->read, target + copy, 1);
}

/* Adds composition by the device's renderer. */
static void add_compose(struct route_cost *cost, const struct route_facts *facts,
	const struct route_rates *rates, uint64_t source, bool across)
{
	if (facts->cpu_renderer) {
		add_read(cost, facts, rates, source);
	} else {
		add_draw(cost, facts, rates, source, across);
	}
}

/* Adds a transfer before composition. */
static void add_move(struct route_cost *cost, const struct route_facts *facts,
	const struct cost_line *line, bool crosses)
{
	uint64_t bytes = facts->changed * facts->pixel;
	cost->read += bytes;
	cost->written += bytes;
	cost->crossed += crosses ? bytes : 0;
	cost->time += line_time(line, bytes, facts->n_rectangles);
}

static struct route_option weigh_plane(
	const struct route_facts *facts, const struct route_rates *rates)
{
	struct route_option option = {
		.source = facts->copies   ? SOURCE_COPY
			  : facts->dmabuf ? SOURCE_IMPORT
					  : SOURCE_CPU_READ,
		.sink = facts->cursor ? SINK_CURSOR : SINK_PLANE,
		.refused = facts->barred,
	};
	if (facts->cursor) {
		/* The image is drawn once per change. */
		uint64_t bytes = facts->changed * facts->pixel;
		option.cost =
			(struct route_cost){line_time(&rates->read, bytes, 1), bytes, bytes, 0};
	} else if (facts->copies) {
		add_move(&option.cost, facts, &rates->copy, true);
	}
	return option;
}

static enum route_reason import_refusal(const struct route_facts *facts)
{
	return facts->cpu_renderer ? REASON_UNREADABLE : REASON_NO_IMPORT;
}

/*
 * Importing a foreign buffer makes the kernel migrate it, so it is the fallback for linear buffers
 * that no engine can copy.
 */
static struct route_option weigh_import(
	const struct route_facts *facts, const struct route_rates *rates)
{
	bool kept = facts->foreign && (facts->copies || !facts->linear);
	struct route_option option = {
		.source = facts->dmabuf ? SOURCE_IMPORT : SOURCE_UDMABUF,
		.sink = SINK_COMPOSE,
		.refused = kept              ? REASON_FOREIGN
			   : !facts->imports ? import_refusal(facts)
					     : REASON_BEST,
	};
	bool across = facts->foreign || (!facts->dmabuf && facts->discrete);
	add_compose(&option.cost, facts, rates, facts->drawn * facts->pixel, across);
	return option;
}

static struct route_option weigh_copy(
	const struct route_facts *facts, const struct route_rates *rates)
{
	struct route_option option = {
		.source = SOURCE_COPY,
		.sink = SINK_COMPOSE,
		.refused = facts->copies ? REASON_BEST : REASON_NO_ENGINE,
	};
	add_move(&option.cost, facts, &rates->copy, true);
	if (facts->discrete && !facts->cpu_renderer) {
		/*
		 * The GPU copies the pixels to its own memory by an engine of its own, and samples
		 * them there.
		 */
		uint64_t bytes = facts->changed * facts->pixel;
		option.cost.crossed += bytes;
		option.cost.time += line_time(&rates->copy, bytes, facts->n_rectangles);
	}
	add_compose(&option.cost, facts, rates, facts->drawn * facts->pixel, false);
	return option;
}

static struct route_option weigh_upload(
	const struct route_facts *facts, const struct route_rates *rates)
{
	struct route_option option = {.source = SOURCE_UPLOAD, .sink = SINK_COMPOSE};
	add_move(&option.cost, facts, &rates->upload, facts->discrete);
	add_compose(&option.cost, facts, rates, facts->drawn * facts->pixel, false);
	return option;
}

static struct route_option weigh_read(
	const struct route_facts *facts, const struct route_rates *rates)
{
	struct route_option option = {
		.source = SOURCE_CPU_READ,
		.sink = SINK_COMPOSE,
		.refused = facts->cpu_renderer || facts->shared ? REASON_BEST : REASON_TARGET,
	};
	add_read(&option.cost, facts, rates, facts->drawn * facts->pixel);
	return option;
}

static struct route_option weigh_color(
	const struct route_facts *facts, const struct route_rates *rates)
{
	struct route_option option = {.source = SOURCE_COLOR, .sink = SINK_COMPOSE};
	add_compose(&option.cost, facts, rates, 0, false);
	return option;
}

/* Orders possible routes before impossible ones, then by cost; equal ones keep their order. */
static bool precedes(const struct route_option *a, const struct route_option *b)
{
	bool a_refused = a->refused != REASON_BEST, b_refused = b->refused != REASON_BEST;
	return a_refused != b_refused ? b_refused : a->cost.time < b->cost.time;
}

static void add(struct route_options *options, struct route_option option)
{
	int at = options->n++;
	assert(options->n <= ROUTE_OPTIONS_MAX);
	for (; at > 0 && precedes(&option, &options->options[at - 1]); at--) {
		options->options[at] = options->options[at - 1];
	}
	options->options[at] = option;
}

void route_weigh(
	const struct route_facts *facts, const struct route_rates *rates, struct route_options *out)
{
	out->n = 0;
	if (!facts->has_content || !facts->visible || facts->clear) {
		return;
	}
	if (facts->color) {
		add(out, weigh_color(facts, rates));
		return;
	}
	add(out, weigh_plane(facts, rates));
	if (facts->dmabuf) {
		add(out, weigh_import(facts, rates));
		if (facts->foreign) {
			add(out, weigh_copy(facts, rates));
		}
		return;
	}
	add(out, weigh_read(facts, rates));
	if (!facts->cpu_renderer) {
		add(out, weigh_import(facts, rates));
		add(out, weigh_upload(facts, rates));
	}
}

/* Choice */

enum route_source route_choose(const struct route_facts *facts)
{
	if (!facts->has_content) {
		return SOURCE_NONE;
	}
	if (facts->color) {
		return SOURCE_COLOR;
	}
	if (!facts->dmabuf) {
		return facts->cpu_renderer ? SOURCE_CPU_READ
		       : facts->udmabuf    ? SOURCE_UDMABUF
					   : SOURCE_UPLOAD;
	}
	if (!facts->foreign) {
		return SOURCE_IMPORT;
	}
	/* A foreign tiled buffer can only be copied. */
	return facts->copies ? SOURCE_COPY : facts->linear ? SOURCE_IMPORT : SOURCE_NONE;
}

static const struct route_option *find_composed(
	const struct route_options *options, enum route_source source)
{
	for (int i = 0; i < options->n; i++) {
		const struct route_option *option = &options->options[i];
		if (option->sink == SINK_COMPOSE && option->refused == REASON_BEST &&
			option->source == source) {
			return option;
		}
	}
	return NULL;
}

enum route_source route_cheapest(const struct route_options *options)
{
	for (int i = 0; i < options->n; i++) {
		if (options->options[i].sink == SINK_COMPOSE) {
			return options->options[i].refused == REASON_BEST
				       ? options->options[i].source
				       : SOURCE_NONE;
		}
	}
	return SOURCE_NONE;
}

bool route_is_better(
	const struct route_options *options, enum route_source source, enum route_source before)
{
	const struct route_option *to = find_composed(options, source);
	const struct route_option *from = find_composed(options, before);
	return to &&
	       (!from || to->cost.time * BETTER_DENOMINATOR < from->cost.time * BETTER_NUMERATOR);
}

static const struct route_option *find_taken(const struct route_facts *facts,
	const struct route_options *options, enum route_source source)
{
	for (int i = 0; i < options->n; i++) {
		const struct route_option *option = &options->options[i];
		bool plane = option->sink != SINK_COMPOSE;
		bool composed = !plane && option->source == source &&
				!(facts->dmabuf && (facts->failed || option->refused));
		bool taken = facts->barred == REASON_BEST ? plane : composed;
		if (taken || facts->color) {
			return option;
		}
	}
	return NULL;
}

/* Returns why the cheapest of all cheaper routes was not taken. */
static enum route_reason explain(
	const struct route_options *options, const struct route_option *taken)
{
	const struct route_option *best = taken;
	for (int i = 0; i < options->n; i++) {
		const struct route_option *option = &options->options[i];
		int64_t gain = best->cost.time - option->cost.time;
		/* At equal cost, a plane is still preferable. */
		if (gain > 0 || (gain == 0 && best == taken && option->sink != SINK_COMPOSE)) {
			best = option;
		}
	}
	return best == taken                  ? REASON_BEST
	       : best->refused == REASON_BEST ? REASON_STEADY
					      : best->refused;
}

/* Importing a buffer of another GPU is the fallback where it cannot be copied. */
static enum route_reason explain_taken(const struct route_facts *facts,
	const struct route_options *options, const struct route_option *taken)
{
	bool fallback = facts->foreign && !facts->copies && taken->source == SOURCE_IMPORT &&
			taken->sink == SINK_COMPOSE;
	return fallback ? REASON_NO_ENGINE : explain(options, taken);
}

/* Returns why no route was taken; copies are the last resort for buffers of other GPUs. */
static enum route_reason explain_none(
	const struct route_facts *facts, const struct route_options *options)
{
	enum route_reason reason = REASON_HIDDEN;
	if (!facts->has_content) {
		return REASON_NO_CONTENT;
	}
	if (facts->visible && facts->clear) {
		return REASON_CLEAR;
	}
	if (options->n > 0 && facts->failed) {
		return import_refusal(facts);
	}
	for (int i = 0; i < options->n; i++) {
		const struct route_option *option = &options->options[i];
		if (option->sink == SINK_COMPOSE &&
			(reason == REASON_HIDDEN || option->source == SOURCE_COPY)) {
			reason = option->refused;
		}
	}
	return reason;
}

struct route_choice route_finish(const struct route_facts *facts,
	const struct route_options *options, enum route_source source)
{
	const struct route_option *taken = find_taken(facts, options, source);
	if (!taken) {
		return (struct route_choice){.reason = explain_none(facts, options)};
	}
	struct route_choice choice = {
		.source = taken->source,
		.sink = taken->sink,
		.reason = explain_taken(facts, options, taken),
		.cost = taken->cost,
		.n_others = options->n - 1,
	};
	for (int i = options->n - 1; i >= 0; i--) {
		if (&options->options[i] != taken) {
			choice.other = options->options[i];
		}
	}
	return choice;
}

/* Names and texts */

const char *route_name(enum route_source source, enum route_sink sink)
{
	static const char *const composed[SOURCE_COUNT] = {
		[SOURCE_NONE] = "none",
		[SOURCE_COLOR] = "color",
		[SOURCE_IMPORT] = "import",
		[SOURCE_UDMABUF] = "zero-copy",
		[SOURCE_COPY] = "copy",
		[SOURCE_CPU_READ] = "shm",
		[SOURCE_UPLOAD] = "upload",
	};
	assert(source < SOURCE_COUNT);
	switch (sink) {
	case SINK_PLANE: return "scan-out";
	case SINK_CURSOR: return "cursor-plane";
	default: return composed[source];
	}
}

const char *route_reason_text(enum route_reason reason)
{
	static const char *const texts[REASON_COUNT] = {
		[REASON_BEST] = "no better route exists",
		[REASON_HIDDEN] = "it is not visible",
		[REASON_CLEAR] = "it is fully transparent",
		[REASON_NO_CONTENT] = "it has no content",
		[REASON_NOT_ALONE] = "other content overlaps it",
		[REASON_NOT_FULL] = "it does not cover the output",
		[REASON_TRANSLUCENT] = "it is translucent",
		[REASON_SHAPED] = "it is not rectangular",
		[REASON_TRANSFORM] = "it is scaled, cropped or rotated",
		[REASON_SYSTEM_MEMORY] = "the output cannot scan out shared memory",
		[REASON_PLANE_FORMAT] = "no plane supports its format and modifier",
		[REASON_REFUSED] = "the driver refused to show it on a plane",
		[REASON_DISABLED] = "direct scan-out is disabled for this output",
		[REASON_FOREIGN] = "its buffer belongs to another GPU",
		[REASON_QUIET] = "it changes too seldom to deserve a plane",
		[REASON_SIZE] = "it is larger than the cursor plane",
		[REASON_NO_PLANE] = "other content uses the planes",
		[REASON_LATER] = "a plane may show it in a later frame",
		[REASON_TOO_MANY] = "too much other content is above it",
		[REASON_NO_CURSOR] = "the output cannot show a cursor on a plane",
		[REASON_NO_IMPORT] = "the composing GPU cannot import it",
		[REASON_UNREADABLE] = "the CPU, which draws it, cannot read it",
		[REASON_NO_ENGINE] = "no copy engine supports it",
		[REASON_TARGET] = "the CPU cannot draw into the GPU's buffers",
		[REASON_STEADY] = "no other route is much cheaper",
		[REASON_ONLY_BUFFER] = "its client waits for the buffer",
	};
	assert(reason < REASON_COUNT && texts[reason]);
	return texts[reason];
}

const char *route_choice_text(const struct route_choice *choice, enum route_reason reason)
{
	return reason == REASON_NO_ENGINE && choice->uncopied ? choice->uncopied
							      : route_reason_text(reason);
}
