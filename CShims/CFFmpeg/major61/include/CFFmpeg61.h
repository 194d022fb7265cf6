// Nothing: the module is reached by way of ffmpeg_load, see CFFmpeg.h.
#pragma once
