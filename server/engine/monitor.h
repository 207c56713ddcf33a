/* MONITOR: sessions that are shown every command that is run. */
#ifndef SERVER_ENGINE_MONITOR_H
#define SERVER_ENGINE_MONITOR_H

#include "server/engine/call.h"

void monitor_begin(struct session *s);
void monitor_end(struct session *s); /* harmless when it is none */

/* Shows the call to all of them, with secrets left out. */
void monitor_show(struct call *c);

#endif
