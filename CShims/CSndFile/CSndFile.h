// The system's libsndfile, as it is.
#pragma once

#include <sndfile.h>
