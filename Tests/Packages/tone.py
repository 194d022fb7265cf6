"""Writes a tone of 440 Hz at -9 dBFS (root mean square): tone.py FILE SECONDS"""

import array
import math
import sys
import wave

RATE = 16_000
period = array.array("h", (round(16_384 * math.sin(2 * math.pi * 440 * index / RATE)) for index in range(RATE)))
with wave.open(sys.argv[1], "wb") as file:
    file.setnchannels(1)
    file.setsampwidth(2)
    file.setframerate(RATE)
    for _ in range(int(sys.argv[2])):
        file.writeframes(period.tobytes())
