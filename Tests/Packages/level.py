"""Prints the level of what the default sink plays, in dBFS as a whole number, over a fifth of a second."""

import array
import math
import subprocess

RATE = 44_100
command = ["parec", "-d", "@DEFAULT_MONITOR@", "--raw", "--format=float32le", "--channels=1", f"--rate={RATE}"]
with subprocess.Popen([*command, "--latency-msec=20"], stdout=subprocess.PIPE) as recorder:
    assert recorder.stdout is not None
    samples = array.array("f", recorder.stdout.read(RATE // 5 * 4))
    recorder.kill()
power = sum(sample * sample for sample in samples) / max(1, len(samples))
print(round(10 * math.log10(max(power, 1e-12))))
