// The system's libsoxr, as it is.
#pragma once

#include <soxr.h>
