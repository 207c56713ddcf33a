#include "store/event.h"

const struct event_info event_infos[EV_COUNT] = {
#define X(id, name, class) [EV_##id] = {{name, sizeof(name) - 1}, NOTIFY_##class},
    KEY_EVENTS(X)
#undef X
};
