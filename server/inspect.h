/* What the process and its machine tell about themselves. */
#ifndef SERVER_INSPECT_H
#define SERVER_INSPECT_H

#include "server/engine/engine.h"

/* Everything but the port. */
void inspect_process(struct process_facts *out);

#endif
