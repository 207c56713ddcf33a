#include "base/glob.h"
