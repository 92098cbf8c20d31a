#!/usr/bin/env python3
"""Cases for the exact sums, with answers by integer arithmetic.

Writes one case after another to standard output, little-endian:

    uint32 is_float4, uint32 n, n values (float4 or float8), then the sum as
    float8 and as float4 (both as bits), the mean as float8, and the n prefix
    sums in the type of the values.

The oracle is Python's own: every finite double is an integer times 2^-1074, a
sum of integers is exact, and the quotient of two integers is rounded once, to
nearest-even, by the interpreter.
"""
import math
import random
import struct
import sys

SCALE = 1 << 1074
NAN = 0x7FF8000000000000
INF = 0x7FF0000000000000
SIGN = 1 << 63


def bits_of(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def of_bits(b):
    return struct.unpack("<d", struct.pack("<Q", b))[0]


def float4(x):
    """The nearest float4 of a float8, as a float8; infinite if out of range."""
    try:
        return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def to_integer(x):
    n, d = x.as_integer_ratio()
    return n * (SCALE // d)


def round8(numerator, denominator):
    try:
        return bits_of(numerator / denominator)
    except OverflowError:
        return INF | (SIGN if numerator < 0 else 0)


def round4(numerator):
    """An integer times 2^-1074, to nearest-even float4, as its bits."""
    m = abs(numerator)
    lowest = max(m.bit_length() - 24, 1074 - 149)
    q, rest = m >> lowest, m & ((1 << lowest) - 1)
    half = 1 << (lowest - 1)
    if rest > half or (rest == half and q & 1):
        q += 1
    bits = q + ((lowest - (1074 - 149)) << 23)
    return min(bits, 0x7F800000) | (0x80000000 if numerator < 0 else 0)


class Running:
    """A sum so far."""

    def __init__(self):
        self.total = 0
        self.nan = self.pinf = self.ninf = False
        self.only_negzero = True

    def add(self, x):
        if math.isnan(x):
            self.nan = True
        elif math.isinf(x):
            self.pinf |= x > 0
            self.ninf |= x < 0
        elif x:
            self.total += to_integer(x)
        self.only_negzero &= bits_of(x) == SIGN

    def special(self):
        if self.nan or (self.pinf and self.ninf):
            return NAN
        if self.pinf:
            return INF
        if self.ninf:
            return INF | SIGN
        return None

    def as8(self):
        s = self.special()
        if s is not None:
            return s
        if self.total == 0:
            return SIGN if self.only_negzero else 0
        return round8(self.total, SCALE)

    def as4(self):
        s = self.special()
        if s is not None:
            return (s >> 32 & SIGN >> 32) | {NAN: 0x7FC00000}.get(s, 0x7F800000)
        if self.total == 0:
            return 0x80000000 if self.only_negzero else 0
        return round4(self.total)

    def mean(self, n):
        s = self.special()
        if s is not None:
            return s
        if self.total == 0:
            return 0
        return round8(self.total, SCALE * n)


def emit(values, single):
    if single:
        values = [float4(v) for v in values]
    kind = "f" if single else "d"
    run = Running()
    prefixes = []
    for v in values:
        run.add(v)
        prefixes.append(run.as4() if single else run.as8())
    n = len(values)
    out = sys.stdout.buffer
    out.write(struct.pack("<II", single, n))
    out.write(struct.pack("<%d%s" % (n, kind), *values))
    out.write(struct.pack("<QIQ", run.as8(), run.as4(), run.mean(n)))
    out.write(struct.pack("<%d%s" % (n, "I" if single else "Q"), *prefixes))


def any_finite(rng):
    while True:
        x = of_bits(rng.getrandbits(64))
        if math.isfinite(x):
            return x


def shuffled(rng, values):
    rng.shuffle(values)
    return values


def half_ulps(rng):
    """Sums next to, and right in, the middle between two results."""
    x = math.ldexp(1 + rng.getrandbits(52) * 2.0**-52, rng.randrange(-400, 400))
    half = math.ulp(x) / 2
    tiny = math.ldexp(rng.choice([-1, 0, 1]), rng.randrange(-1074, -600))
    sign = rng.choice([-1, 1])
    parts = [x, half / 2, half / 4, half / 4, tiny]
    return shuffled(rng, [sign * p for p in parts])


def float_half_ulps(rng):
    """The same for float4, seen through a float8 that is in the middle, too."""
    e = rng.randrange(-90, 90)
    x = math.ldexp(1 + rng.getrandbits(23) * 2.0**-23, e)
    half = math.ldexp(1, e - 24)
    tiny = math.ldexp(rng.choice([-1, 0, 1]), rng.randrange(-149, e - 54))
    sign = rng.choice([-1, 1])
    return shuffled(rng, [sign * p for p in (x, half, tiny)])


def cancelling(rng, n, draw):
    values = [draw(rng) for _ in range(n // 2)]
    values += [-v for v in values] + [draw(rng) * 2.0**-60]
    return shuffled(rng, values)


def below_the_unit(rng, n):
    """Values far below the prefix, all of one sign; at last they are left alone."""
    k, digits = rng.randrange(-300, 300), rng.randrange(36, 50)
    top = 1 << (digits - 1)
    small = [math.ldexp(top - rng.randrange(1, top >> 6), k - 48 - digits) for _ in range(n)]
    return [2.0**k] + small + [-(2.0**k)]


def normal(rng):
    return rng.gauss(0, 1)


def wide(rng):
    return math.ldexp(rng.uniform(-1, 1), rng.randrange(-300, 300))


GENERATORS = [
    lambda r, n: [r.random() for _ in range(n)],
    lambda r, n: [normal(r) for _ in range(n)],
    lambda r, n: [r.randrange(10**8) / 100 for _ in range(n)],
    lambda r, n: [wide(r) for _ in range(n)],
    lambda r, n: [any_finite(r) for _ in range(n)],
    lambda r, n: cancelling(r, n, normal),
    lambda r, n: cancelling(r, n, any_finite),
    lambda r, n: [normal(r)] * n,
    below_the_unit,
    lambda r, n: [r.random() * 1e-9] * (n // 2) + [1e6 / 3] * (n // 2) + [-1e15 / 7],
    lambda r, n: [v for x in range(n // 2) for v in (-r.random(), r.random())] + [1.0],
    lambda r, n: [math.ldexp(r.uniform(-1, 1), i * 2000 // n - 1000) for i in range(n)],
    lambda r, n: [math.ldexp(r.uniform(-1, 1), 1000 - i * 2000 // n) for i in range(n)],
    lambda r, n: [r.choice([1, -1]) * of_bits(r.getrandbits(52)) for _ in range(n)],
    lambda r, n: [r.choice([0.0, -0.0, 0.0, 1.5, -1.5]) for _ in range(n)],
    lambda r, n: [r.choice([1e300, -1e300, 1e-300, -1e-300]) for _ in range(n)],
    lambda r, n: [float4(r.uniform(-1, 1) * 10.0 ** r.randrange(-45, 38)) for _ in range(n)],
    lambda r, n: [sys.float_info.max * r.choice([1, 1, -1]) for _ in range(n)],
    lambda r, n: [float4(3.4028235e38) * r.choice([1, 1, -1]) for _ in range(n)],
    lambda r, n: [r.random() for _ in range(n)] + [r.choice([math.inf, -math.inf, math.nan, -math.nan])],
]

SPECIAL = [
    [-0.0], [0.0], [-0.0, -0.0], [-0.0, 0.0], [1.0, -1.0], [1.0, -1.0, -0.0],
    [5e-324], [-5e-324], [5e-324, -0.0], [-5e-324, 0.0, 0.0], [5e-324, 5e-324, -5e-324],
    [2.2250738585072014e-308, -5e-324], [2.225073858507201e-308, 5e-324],
    [sys.float_info.max], [sys.float_info.max] * 2, [sys.float_info.max] * 2 + [-sys.float_info.max],
    [sys.float_info.max, 2.0**969], [sys.float_info.max, 2.0**970], [sys.float_info.max, 2.0**970, -5e-324],
    [-sys.float_info.max, -(2.0**970)], [-sys.float_info.max, -(2.0**970), 5e-324],
    [2.0**127 * (2 - 2.0**-23), 2.0**102], [2.0**127 * (2 - 2.0**-23), 2.0**103],
    [2.0**127 * (2 - 2.0**-23), 2.0**103, -(2.0**-149)], [2.0**-149], [2.0**-150], [3 * 2.0**-150],
    [math.inf], [-math.inf], [math.inf, -math.inf], [math.nan], [math.inf, math.nan], [math.inf, 1.0, -0.0],
    [math.inf, -sys.float_info.max, -sys.float_info.max], [1.0, 2.0**-53], [1.0, 2.0**-53, 5e-324],
    [1.0 + 2.0**-52, 2.0**-53], [1.0 + 2.0**-52, 2.0**-53, -5e-324], [-1.0, -(2.0**-53)], [-(2.0**52), -0.5],
    [2.0**i for i in range(-1074, 1024)], [-(2.0**i) for i in range(1023, -1075, -1)],
    [s * 2.0**i for i in range(-1074, 1024, 7) for s in (1, -1)], [2.0**64 - 2048] * 5, [-(2.0**52)] * 9,
]


def main():
    rng = random.Random(int(sys.argv[1]))
    rounds = int(sys.argv[2])
    for values in SPECIAL:
        for single in (0, 1):
            emit(values, single)
    for _ in range(60 * rounds):
        emit(half_ulps(rng), 0)
        emit(float_half_ulps(rng), rng.randrange(2))
    for _ in range(rounds):
        for generate in GENERATORS:
            for n in (3, rng.randrange(5, 60), rng.randrange(100, 2500)):
                emit(generate(rng, n), rng.random() < 0.35)
    for generate in GENERATORS:
        emit(generate(rng, rng.randrange(5000, 9000)), rng.randrange(2))


if __name__ == "__main__":
    main()
