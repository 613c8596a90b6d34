/* Errors of setting outputs up. */

#include "errors.h"
#include "wlr-output-management-unstable-v1-client-protocol.h"

/* The last that was told of. */
struct told {
	struct zwlr_output_manager_v1 *manager;
	struct zwlr_output_head_v1 *head;
	struct zwlr_output_configuration_v1 *configuration;
	uint32_t serial;
};

static void handle_head(
	void *data, struct zwlr_output_manager_v1 *manager, struct zwlr_output_head_v1 *head)
{
	struct told *told = data;
	told->head = head;
}

static void handle_done(void *data, struct zwlr_output_manager_v1 *manager, uint32_t serial)
{
	struct told *told = data;
	told->serial = serial;
}

static void handle_finished(void *data, struct zwlr_output_manager_v1 *manager)
{
}

static const struct zwlr_output_manager_v1_listener manager_listener = {
	.head = handle_head,
	.done = handle_done,
	.finished = handle_finished,
};

static void handle_answer(void *data, struct zwlr_output_configuration_v1 *configuration)
{
}

static const struct zwlr_output_configuration_v1_listener configuration_listener = {
	.succeeded = handle_answer,
	.failed = handle_answer,
	.cancelled = handle_answer,
};

static struct told begin(struct peer *peer)
{
	struct told told = {.manager = peer_bind(peer, &zwlr_output_manager_v1_interface, 0)};
	zwlr_output_manager_v1_add_listener(told.manager, &manager_listener, &told);
	fixture_pump(peer->fixture);
	assert_non_null(told.head);
	told.configuration = zwlr_output_manager_v1_create_configuration(told.manager, told.serial);
	zwlr_output_configuration_v1_add_listener(
		told.configuration, &configuration_listener, NULL);
	/* Nothing more is listened to: what listens goes with this call. */
	zwlr_output_manager_v1_destroy(told.manager);
	return told;
}

static struct zwlr_output_configuration_head_v1 *enabled(struct peer *peer)
{
	struct told told = begin(peer);
	return zwlr_output_configuration_v1_enable_head(told.configuration, told.head);
}

static void head_twice(struct peer *peer)
{
	struct told told = begin(peer);
	zwlr_output_configuration_v1_enable_head(told.configuration, told.head);
	zwlr_output_configuration_v1_disable_head(told.configuration, told.head);
}

static void head_left_out(struct peer *peer)
{
	zwlr_output_configuration_v1_test(begin(peer).configuration);
}

static void used_twice(struct peer *peer)
{
	struct told told = begin(peer);
	zwlr_output_configuration_v1_enable_head(told.configuration, told.head);
	zwlr_output_configuration_v1_test(told.configuration);
	zwlr_output_configuration_v1_apply(told.configuration);
}

static void head_set_after_use(struct peer *peer)
{
	struct told told = begin(peer);
	struct zwlr_output_configuration_head_v1 *head =
		zwlr_output_configuration_v1_enable_head(told.configuration, told.head);
	zwlr_output_configuration_v1_test(told.configuration);
	zwlr_output_configuration_head_v1_set_position(head, 1, 1);
}

static void set_twice(struct peer *peer)
{
	struct zwlr_output_configuration_head_v1 *head = enabled(peer);
	zwlr_output_configuration_head_v1_set_position(head, 1, 1);
	zwlr_output_configuration_head_v1_set_position(head, 1, 1);
}

static void custom_mode_of_no_size(struct peer *peer)
{
	zwlr_output_configuration_head_v1_set_custom_mode(enabled(peer), 0, 240, 60000);
}

static void custom_mode_of_negative_rate(struct peer *peer)
{
	zwlr_output_configuration_head_v1_set_custom_mode(enabled(peer), 320, 240, -1);
}

static void unknown_transform(struct peer *peer)
{
	zwlr_output_configuration_head_v1_set_transform(enabled(peer), 8);
}

static void no_scale(struct peer *peer)
{
	zwlr_output_configuration_head_v1_set_scale(enabled(peer), 0);
}

static void unknown_adaptive_sync(struct peer *peer)
{
	zwlr_output_configuration_head_v1_set_adaptive_sync(enabled(peer), 2);
}

static const struct error_case cases[] = {
	ERROR_CASE(head_twice, zwlr_output_configuration_v1,
		ZWLR_OUTPUT_CONFIGURATION_V1_ERROR_ALREADY_CONFIGURED_HEAD),
	ERROR_CASE(head_left_out, zwlr_output_configuration_v1,
		ZWLR_OUTPUT_CONFIGURATION_V1_ERROR_UNCONFIGURED_HEAD),
	ERROR_CASE(used_twice, zwlr_output_configuration_v1,
		ZWLR_OUTPUT_CONFIGURATION_V1_ERROR_ALREADY_USED),
	ERROR_CASE(head_set_after_use, zwlr_output_configuration_v1,
		ZWLR_OUTPUT_CONFIGURATION_V1_ERROR_ALREADY_USED),
	ERROR_CASE(set_twice, zwlr_output_configuration_head_v1,
		ZWLR_OUTPUT_CONFIGURATION_HEAD_V1_ERROR_ALREADY_SET),
	ERROR_CASE(custom_mode_of_no_size, zwlr_output_configuration_head_v1,
		ZWLR_OUTPUT_CONFIGURATION_HEAD_V1_ERROR_INVALID_CUSTOM_MODE),
	ERROR_CASE(custom_mode_of_negative_rate, zwlr_output_configuration_head_v1,
		ZWLR_OUTPUT_CONFIGURATION_HEAD_V1_ERROR_INVALID_CUSTOM_MODE),
	ERROR_CASE(unknown_transform, zwlr_output_configuration_head_v1,
		ZWLR_OUTPUT_CONFIGURATION_HEAD_V1_ERROR_INVALID_TRANSFORM),
	ERROR_CASE(no_scale, zwlr_output_configuration_head_v1,
		ZWLR_OUTPUT_CONFIGURATION_HEAD_V1_ERROR_INVALID_SCALE),
	ERROR_CASE(unknown_adaptive_sync, zwlr_output_configuration_head_v1,
		ZWLR_OUTPUT_CONFIGURATION_HEAD_V1_ERROR_INVALID_ADAPTIVE_SYNC_STATE),
};

int main(void)
{
	return ERRORS_RUN("output-errors", cases, false);
}
