/* SPDX-License-Identifier: MIT */
/* Protocol errors of output management and output power. */

#include "harness/client/protocol_errors.h"
#include "wlr-output-management-unstable-v1-client-protocol.h"
#include "wlr-output-power-management-unstable-v1-client-protocol.h"

static struct wl_output *output(struct peer *peer)
{
	return peer_bind(peer, &wl_output_interface, 0);
}

static void unknown_power_mode(struct peer *peer)
{
	struct zwlr_output_power_manager_v1 *manager =
		peer_bind(peer, &zwlr_output_power_manager_v1_interface, 0);
	zwlr_output_power_v1_set_mode(
		zwlr_output_power_manager_v1_get_output_power(manager, output(peer)), 2);
}

/* Most recently announced. */
struct announced {
	struct zwlr_output_manager_v1 *manager;
	struct zwlr_output_head_v1 *head;
	struct zwlr_output_configuration_v1 *configuration;
	uint32_t serial;
};

static void handle_head(
	void *data, struct zwlr_output_manager_v1 *manager, struct zwlr_output_head_v1 *head)
{
	struct announced *announced = data;
	announced->head = head;
}

static void handle_done(void *data, struct zwlr_output_manager_v1 *manager, uint32_t serial)
{
	struct announced *announced = data;
	announced->serial = serial;
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

static struct announced begin(struct peer *peer)
{
	struct announced announced = {
		.manager = peer_bind(peer, &zwlr_output_manager_v1_interface, 0)};
	zwlr_output_manager_v1_add_listener(announced.manager, &manager_listener, &announced);
	fixture_pump(peer->fixture);
	assert_non_null(announced.head);
	announced.configuration =
		zwlr_output_manager_v1_create_configuration(announced.manager, announced.serial);
	zwlr_output_configuration_v1_add_listener(
		announced.configuration, &configuration_listener, NULL);
	/* Ends the events, because the listener's data ends with this call. */
	zwlr_output_manager_v1_destroy(announced.manager);
	return announced;
}

static struct zwlr_output_configuration_head_v1 *enabled(struct peer *peer)
{
	struct announced announced = begin(peer);
	return zwlr_output_configuration_v1_enable_head(announced.configuration, announced.head);
}

static void head_twice(struct peer *peer)
{
	struct announced announced = begin(peer);
	zwlr_output_configuration_v1_enable_head(announced.configuration, announced.head);
	zwlr_output_configuration_v1_disable_head(announced.configuration, announced.head);
}

static void head_left_out(struct peer *peer)
{
	zwlr_output_configuration_v1_test(begin(peer).configuration);
}

static void used_twice(struct peer *peer)
{
	struct announced announced = begin(peer);
	zwlr_output_configuration_v1_enable_head(announced.configuration, announced.head);
	zwlr_output_configuration_v1_test(announced.configuration);
	zwlr_output_configuration_v1_apply(announced.configuration);
}

static void head_set_after_use(struct peer *peer)
{
	struct announced announced = begin(peer);
	struct zwlr_output_configuration_head_v1 *head =
		zwlr_output_configuration_v1_enable_head(announced.configuration, announced.head);
	zwlr_output_configuration_v1_test(announced.configuration);
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
	ERROR_CASE(
		unknown_power_mode, zwlr_output_power_v1, ZWLR_OUTPUT_POWER_V1_ERROR_INVALID_MODE),
};

int main(void)
{
	return ERRORS_RUN("output/errors", cases, false);
}
