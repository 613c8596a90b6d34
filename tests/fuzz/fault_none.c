/* No faults: for players whose emulated devices stand in for the same calls. */

#include "fuzz/fault.h"

void fault_set(struct random *random, int percent)
{
}

void fault_spare(struct wl_client *client)
{
}
