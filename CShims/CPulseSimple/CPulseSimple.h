// The system's libpulse-simple, as it is. A module of its own, so that only programs with blocking streams link it.
#pragma once

#include <pulse/simple.h>
