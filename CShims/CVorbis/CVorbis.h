// The system's libvorbisenc, libvorbis and libogg, as they are: libsndfile brings them along.
#pragma once

#include <vorbis/vorbisenc.h>
