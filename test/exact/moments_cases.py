#!/usr/bin/env python3
"""Cases for the exact sums of squares and products, with answers by integers.

    test/exact/moments_cases.py SEED ROUNDS

Writes one case after another to standard output, little-endian.  Sums:

    uint32 1, uint32 n, n pairs of float8 (finite), then the sums of x, of x x,
    of y, of y y and of x y as integers of 72 limbs in two's complement: times
    2^-1100 those of values, 2^-2200 those of products

Quotients and roots of long integers:

    uint32 2, int32 exponent, two integers (num, den) as above, then
    num / den * 2^exponent and its root as the bits of float8
"""
import math
import random
import struct
import sys

LIMBS = 72
INF = 0x7FF0000000000000
OUT = sys.stdout.buffer


def integer(x, scale):
    n, d = x.as_integer_ratio()
    return n * (scale // d)


def put(x):
    OUT.write(x.to_bytes(8 * LIMBS, "little", signed=True))


def emit_sums(pairs):
    xs = [integer(x, 1 << 1100) for x, _ in pairs]
    ys = [integer(y, 1 << 1100) for _, y in pairs]
    OUT.write(struct.pack("<II", 1, len(pairs)))
    for x, y in pairs:
        OUT.write(struct.pack("<dd", x, y))
    put(sum(xs))
    put(sum(x * x for x in xs))
    put(sum(ys))
    put(sum(y * y for y in ys))
    put(sum(x * y for x, y in zip(xs, ys)))


def scaled(num, den, exponent):
    return (num << exponent, den) if exponent >= 0 else (num, den << -exponent)


def ratio(num, den, exponent):
    """Python rounds the quotient of two integers once, to nearest-even."""
    num, den = scaled(num, den, exponent)
    try:
        return num / den
    except OverflowError:
        return -math.inf if num < 0 else math.inf


def root(num, den, exponent):
    num, den = scaled(abs(num), abs(den), exponent)
    extra = max(0, 300 - num.bit_length() + den.bit_length() + 1) // 2
    q, rest = divmod(num << 2 * extra, den)
    r = math.isqrt(q)
    sticky = rest != 0 or r * r != q
    return ratio(2 * r + sticky, 1, -extra - 1)


def emit_quotient(num, den, exponent):
    OUT.write(struct.pack("<Ii", 2, exponent))
    put(num)
    put(den)
    OUT.write(struct.pack("<dd", ratio(num, den, exponent), root(num, den, exponent)))


def any_finite(rng):
    while True:
        x = struct.unpack("<d", struct.pack("<Q", rng.getrandbits(64)))[0]
        if math.isfinite(x):
            return x


def wide(rng):
    return math.ldexp(rng.uniform(-1, 1), rng.randrange(-300, 300))


DRAWS = (
    lambda r: r.random(), lambda r: r.gauss(0, 1), lambda r: r.randrange(10**8) / 100, wide, any_finite,
    lambda r: r.choice([1, -1]) * math.ldexp(1.0, r.randrange(-1074, 1024)),
    lambda r: r.choice([0.0, -0.0, 1.5, -1.5, 3.0]), lambda r: r.choice([1, -1]) * sys.float_info.max,
    lambda r: r.choice([5e-324, -5e-324, 2.0**-1022, 0.0]), lambda r: 1e9 + r.random(),
)


def random_integer(rng):
    bits = rng.choice((1, 10, 63, 64, 65, 128, 200, rng.randrange(1, 4000)))
    x = rng.getrandbits(bits) | 1 << (bits - 1)
    kind = rng.random()
    if kind < 0.2:
        x = (1 << bits) - rng.randrange(1, 3)              # all ones
    elif kind < 0.4:
        x = 1 << bits | rng.getrandbits(2)
    return x or 1


def near_half(rng):
    """A quotient next to, or in, the middle between two doubles, and such a root."""
    den = random_integer(rng) >> rng.randrange(3) or 1
    middle = 2 * rng.getrandbits(53) + 1
    off = rng.choice((-1, 0, 0, 1))
    if rng.random() < 0.5:
        return middle * den + off, den
    return middle * middle * den + off, den


def main():
    rng = random.Random(int(sys.argv[1]))
    rounds = int(sys.argv[2])
    for x in (0.0, -0.0, 1.0, -1.0, 5e-324, sys.float_info.max, 2.0**1000, 2.0**-24, 2.0**40):
        for y in (0.0, 1.0, -5e-324, -sys.float_info.max):
            emit_sums([(x, y)])
            emit_sums([(x, y), (y, x), (-x, -y)])
    for _ in range(rounds):
        for draw_x in DRAWS:
            for draw_y in DRAWS:
                emit_sums([(draw_x(rng), draw_y(rng)) for _ in range(rng.choice((1, 2, 5, 40, 200)))])
    # the lowest bits of squares cancel sooner than those of values: n odd squares
    emit_sums([(2.0**-700 + i, 3 * 2.0**-700) for i in range(256)])
    for _ in range(2000 * rounds):
        num, den = near_half(rng) if rng.random() < 0.5 else (random_integer(rng), random_integer(rng))
        if rng.random() < 0.02:
            num = 0
        exponent = rng.choice((0, rng.randrange(-20, 20), rng.randrange(-4400, 4400),
                               den.bit_length() - num.bit_length() - rng.randrange(1015, 1085),
                               den.bit_length() - num.bit_length() + rng.randrange(1015, 1030)))
        emit_quotient(num * rng.choice((1, -1)), den, exponent)


if __name__ == "__main__":
    main()
