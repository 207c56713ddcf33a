/*
 * What the machine, or the control group that the process is held in, allows.
 */
#ifndef SERVER_MACHINE_H
#define SERVER_MACHINE_H

#include <stdint.h>

/* Bytes of memory that the process may use before the kernel ends it. */
int64_t machine_memory(void);

/* Raises the limit on open files so that `clients` connections and our own files fit. Returns how
 * many clients fit after that: `clients`, or fewer when the system does not allow it, or 0. */
int64_t machine_room_for(int64_t clients);

#endif
