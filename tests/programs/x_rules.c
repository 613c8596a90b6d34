/* SPDX-License-Identifier: MIT */
/*
 * x_rules [NAME|columns]: checks the window manager's rules towards X programs, or a single one, or
 * those that hold for tiles.
 */

#include "x_rules.h"
#include "x_clicks.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each rule has a client of its own, whose windows end with it. */
static void check_rule(const struct x_rule *rule)
{
	fprintf(stderr, "%s\n", rule->name);
	struct x_client *client = x_connect();
	rule->check(client);
	x_check_clicks(client);
	x_disconnect(client);
}

int main(int argc, char **argv)
{
	static const struct x_rule *const tables[] = {x_rules_windows, x_rules_geometry,
		x_rules_focus, x_rules_states, x_rules_iconic, x_rules_sync, x_rules_hostile,
		x_rules_monitors, x_rules_requests, x_rules_stack, x_rules_announced,
		x_rules_typing, x_rules_outputs};
	const bool columns = argc > 1 && strcmp(argv[1], "columns") == 0;
	for (size_t i = 0; i < N(tables); i++) {
		const bool named = tables[i] == x_rules_typing || tables[i] == x_rules_outputs;
		for (const struct x_rule *rule = tables[i]; rule->name; rule++) {
			if (argc < 2 || columns ? !named && !(columns && rule->floating)
						: strcmp(argv[1], rule->name) == 0) {
				check_rule(rule);
			}
		}
	}
	return EXIT_SUCCESS;
}
