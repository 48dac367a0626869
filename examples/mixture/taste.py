"""A simulated tasting of a fruit juice: three shares on stdin as JSON, a score on the last line."""

import json
import sys

shares = json.load(sys.stdin)
apple, cherry, lemon = shares["apple"], shares["cherry"], shares["lemon"]
assert abs(apple + cherry + lemon - 1) < 1e-9, "a juice is made of nothing else"
sweet = 0.9 * apple + 0.6 * cherry
sour = 0.2 * apple + 0.4 * cherry + 2.0 * lemon
print(10 - 30 * (sweet - 0.72) ** 2 - 25 * (sour - 0.42) ** 2 - 4 * (cherry - 0.35) ** 2)
