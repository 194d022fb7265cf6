"""Prints the level of what the default sink plays, in dBFS as a whole number, over a fifth of a second.

level.py FREQUENCY measures a tone of that frequency alone.
"""

import array
import math
import subprocess
import sys

RATE = 44_100
COUNT = RATE // 5
# By its name: PipeWire 0.3 takes @DEFAULT_MONITOR@ for the default source, which may be another sink's monitor.
sink = subprocess.run(["pactl", "get-default-sink"], stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
command = ["parec", "-d", f"{sink}.monitor", "--raw", "--format=float32le", "--channels=1", f"--rate={RATE}"]
with subprocess.Popen([*command, "--latency-msec=20"], stdout=subprocess.PIPE) as recorder:
    assert recorder.stdout is not None
    samples = array.array("f", recorder.stdout.read(COUNT * 4))
    recorder.kill()
if len(sys.argv) > 1:
    # Goertzel's filter, with a window that keeps neighbouring tones out.
    step = 2 * math.pi * float(sys.argv[1]) / RATE
    near = before = 0.0
    for index, sample in enumerate(samples):
        window = 1 - math.cos(2 * math.pi * index / len(samples))
        near, before = sample * window + 2 * math.cos(step) * near - before, near
    energy = near * near + before * before - 2 * math.cos(step) * near * before
    power = 2 * energy / max(1, len(samples)) ** 2
else:
    power = sum(sample * sample for sample in samples) / max(1, len(samples))
print(round(10 * math.log10(max(power, 1e-12))))
