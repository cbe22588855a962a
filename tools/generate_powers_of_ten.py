#!/usr/bin/env python3
"""Writes src/value/powers_of_ten.inc: the leading 64 bits of 10^p, rounded down.

Every double x is m * 2^e with 2^63 <= m < 2^64. To get its first n (2 to 18) decimal digits it is
multiplied by 10^p for the p that brings it to between 10^(n-1) and 2 * 10^n; for the range of
doubles those p are the ones written here.
"""
from fractions import Fraction

FIRST, LAST = -308, 342


def leading_bits(p):
    power = Fraction(10) ** p
    exponent = power.numerator.bit_length() - power.denominator.bit_length()
    for candidate in (exponent - 1, exponent):
        if Fraction(2) ** candidate <= power < Fraction(2) ** (candidate + 1):
            return int(power / Fraction(2) ** (candidate - 63))
    raise AssertionError(p)


print("// Written by tools/generate_powers_of_ten.py: for p = %d ... %d, the leading 64 bits of" %
      (FIRST, LAST))
print("// 10^p, rounded down.")
words = ["0x%016X" % leading_bits(p) for p in range(FIRST, LAST + 1)]
for i in range(0, len(words), 4):
    print(", ".join(words[i:i + 4]) + ",")
