/* SPDX-License-Identifier: MIT */
#pragma once

struct scene_output;
struct wl_client;
struct wl_resource;

/**
 * Sends output_enter for a new wl_output `resource` of `output` to the client's workspace groups of
 * it.
 */
void ext_workspace_groups_enter(
	struct wl_client *client, struct wl_resource *resource, const struct scene_output *output);
