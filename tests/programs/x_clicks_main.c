/* SPDX-License-Identifier: MIT */
/* x_clicks: fails if clicks go to other X windows than those that are seen. */

#include "x_clicks.h"
#include <stdlib.h>

int main(void)
{
	/* Without X windows, this starts no X server. */
	if (x_clicks_are_answered()) {
		struct x_client *client = x_connect();
		x_check_clicks(client);
		x_disconnect(client);
	}
	return EXIT_SUCCESS;
}
