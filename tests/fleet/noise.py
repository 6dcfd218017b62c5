# SPDX-License-Identifier: GPL-2.0-or-later
"""How far healthy GPUs of one model differ, and how far one measurement is off.

A part differs from its kind for as long as it lives; a run adds noise of its own, which the report gives as mad and n.
The spread of parts is published as the range of most good ones (arXiv 2208.11035: 8 % of the compute rate under a power
cap, on the average of five clusters; 22 % on the worst). Here it is the range from the 5th to the 95th percentile.
"""
import math
from collections import namedtuple

# spread: of good parts, 5th to 95th percentile. floor: how far below its kind a part is no longer a good one.
Family = namedtuple("Family", "spread floor run_mad samples")
FAMILIES = {
    "memory": Family(0.02, 0.05, 0.002, 31),
    "transfer": Family(0.03, 0.05, 0.003, 10),
    # Copies that the processor takes part in: what else it does is in them, too.
    "pageable": Family(0.08, 0.15, 0.02, 10),
    "compute": Family(0.08, 0.15, 0.003, 31),
    "latency": Family(0.20, 0.50, 0.03, 300),
}
# The widest range of good parts that is published, by the usual one.
WIDEST = 22 / 8
# One measurement of so many was disturbed by other load; its report says that it is noisy.
DISTURBED = 1000


def t4(rng):
    """Student's t with four degrees of freedom, by its quantile function (W. Shaw, 2006)."""
    u = rng.random()
    a = 4 * u * (1 - u)
    if a <= 0:
        return 0.0
    root = math.sqrt(a)
    q = math.cos(math.acos(min(root, 1.0)) / 3) / root
    return math.copysign(2 * math.sqrt(max(q - 1, 0)), u - 0.5)


def t5(rng):
    """Student's t with five: a normal value by the root of a chi-square one."""
    return rng.gauss(0, 1) / math.sqrt(rng.gammavariate(2.5, 2) / 5)


# A value, its 95th percentile, and what is beyond no good part (in the same unit; such parts are not sold).
TAILS = {
    "binned": (t4, 2.1318, 2.1318 * WIDEST),
    "normal": (lambda rng: rng.gauss(0, 1), 1.6449, math.inf),
    "t5": (t5, 2.0150, math.inf),
    "t4": (t4, 2.1318, math.inf),
}


def part(rng, tails, spread):
    """How far one part is from its kind, as a factor."""
    draw, percentile, beyond = TAILS[tails]
    x = draw(rng)
    while not -beyond <= x <= beyond:
        x = draw(rng)
    return math.exp(x * spread / (2 * percentile))


def run(rng, family):
    """How far one measurement is off: a factor, its relative mad, and whether it calls itself noisy."""
    mad = family.run_mad * (0.6 + 0.8 * rng.random())
    if rng.random() * DISTURBED < 1:
        loss = 0.05 + 0.25 * rng.random()
        return 1 - loss, loss * (0.5 + rng.random()), True
    # The error of a median is 1.25 of a mean's.
    return 1 + rng.gauss(0, 1.25 * 1.4826 * mad / math.sqrt(family.samples)), mad, False
