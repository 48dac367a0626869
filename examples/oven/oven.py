"""A simulated oven under a PID controller: how badly does it follow its target of 200 degrees?

The three gains are arguments. The last line printed is the value, which is to be small: the mean distance from the target over ten
minutes, with overshoot counted five times.
"""

import sys

proportional, integral, derivative = (float(word) for word in sys.argv[1:])

TARGET, ROOM, SECONDS = 200.0, 20.0, 600
air = metal = shown = ROOM
total = cost = 0.0
error = TARGET - ROOM
for second in range(SECONDS):
    shown += 0.05 * (air - shown)  # the thermometer lags by 20 seconds
    error, before = TARGET - shown, error
    total += error
    power = proportional * error + integral * total + derivative * (error - before)
    metal += 0.06 * min(max(power, 0.0), 100.0) - 0.05 * (metal - air)
    air += 0.05 * (metal - air) - 0.008 * (air - ROOM)
    cost += 5 * (air - TARGET) if air > TARGET else TARGET - air
print(f"{air:.1f} degrees at the end")
print(cost / SECONDS)
