#!/usr/bin/env python3
"""Reads a container following docs/FORMAT.md and nothing else; only checksums are left out, because
XXH3 is not in Python's library. Prints what the filter says about itself, then which of the integers
0..N-1 it may contain, then, if the filter has hash 2, which of the texts "absent-0".."absent-N-1".

usage: read_format.py FILE N
"""
import struct
import sys

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def expect(holds, sentence):
    if not holds:
        sys.exit(sentence)


def align(n):
    return (n + 63) // 64 * 64


def read(data):
    expect(len(data) >= 64, "truncated")
    magic, version, family, engine, layout, hash_id, reduction, flags = struct.unpack_from("<8sHBBBBBB", data)
    seed, origin, resolution, parameter_bytes, sections, total, _ = struct.unpack_from("<QqqIIQQ", data, 16)
    expect(magic == b"\x89BLMT\r\n\x1a", "not a container")
    expect(version == 1, "not version 1")
    expect(sections <= 4096 and parameter_bytes <= 1 << 20, "beyond the limits")
    expect(total == len(data), "not the length it says")
    expect(hash_id in (1, 2) and reduction == 1, "unknown hash or reduction")
    expect(flags == 0 and origin == 0 and resolution == 0, "a Bloom filter has no clock")

    used = 64 + 32 * sections + parameter_bytes
    end = align(used)
    expect(not any(data[used:end]), "bytes after the parameters")
    bodies = {}
    for i in range(sections):
        section, reserved, offset, length, _ = struct.unpack_from("<IIQQQ", data, 64 + 32 * i)
        expect(not bodies or section > max(bodies), "section ids do not ascend")
        expect(reserved == 0 and offset == end, "a section is not where it should be")
        end = offset + align(length + 8)
        expect(end <= len(data) and not any(data[offset + length : end]), "a section does not fit")
        bodies[section] = data[offset : offset + length]
    expect(end == len(data), "bytes after the last section")
    return family, engine, layout, hash_id, seed, data[64 + 32 * sections : used], bodies


def high(a, b):
    return a * b >> 64


def fold(a, b):
    return (a * b & MASK) ^ high(a, b)


def premix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    return x ^ x >> 27


def postmix(x):
    x = x * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def other(x):
    x = x * 0xE7037ED1A0B428DB & MASK
    return x ^ x >> 32


def pairs(item):
    n = len(item)
    word = lambda at, size=8: int.from_bytes(item[at : at + size], "little")
    if n == 0:
        return [(0, 0)]
    if n < 4:
        a = item[0] | item[n // 2] << 8 | item[n - 1] << 16
        return [(a, a)]
    if n < 8:
        return [(word(0, 4), word(n - 4, 4))]
    if n <= 16:
        return [(word(0), word(n - 8))]
    ends = [(word(0), word(8)), (word(n - 16), word(n - 8))]
    return ends if n <= 32 else ends + [(word(16), word(24)), (word(n - 32), word(n - 24))]


def short_digest(item, seed):
    expect(len(item) <= 64, "XXH3 is not in Python's library")
    key = [postmix(premix((seed ^ 0x243F6A8885A308D3) + (i + 1) * GOLDEN & MASK)) for i in range(8)]
    total = sum((a + key[2 * i] & MASK) * (b + key[2 * i + 1] & MASK) for i, (a, b) in enumerate(pairs(item)))
    p, q = total & MASK, (total >> 64 & MASK) ^ len(item)
    return fold(p ^ key[0], q ^ key[1]), fold(p + key[1] & MASK, q + key[0] & MASK)


def integer_digest(v, seed):
    x = premix(v + (seed + 1) * GOLDEN & MASK)
    return postmix(x), other(x)


def positions(digest, layout, bits, k):
    lo, hi = digest
    probe = lambda i: fold(lo ^ (i * GOLDEN & MASK), hi | 1)
    if layout == 1:
        return [high(probe(i), bits) for i in range(k)]
    line = high(hi, bits // 512) * 512
    start = lo >> 61
    distance = lambda w: (w - start) % 8
    first = [line + 64 * w + (lo >> 6 * w & 63) for w in range(8) if distance(w) < min(k, 8)]
    second = [line + 64 * w + (probe(1) >> 6 * w & 63) for w in range(8) if distance(w) < k - 8]
    return first + second


def main():
    with open(sys.argv[1], "rb") as file:
        family, engine, layout, hash_id, seed, parameters, bodies = read(file.read())
    expect((family, engine) == (1, 1) and layout in (1, 3), "not a Bloom filter")
    expect(len(parameters) == 40 and list(bodies) == [1], "not what a Bloom filter holds")
    bits, k, capacity, insertions, ones = struct.unpack("<5Q", parameters)
    body = bodies[1]
    expect(len(body) * 8 == bits, "not as many bits as it says")
    expect(sum(bin(b).count("1") for b in body) == ones, "not as many ones as it says")
    print(f"layout {layout} bits {bits} k {k} hash {hash_id} seed {seed} capacity {capacity} insertions {insertions} ones {ones}")
    is_set = lambda p: body[p // 8] >> p % 8 & 1
    maybe = lambda digest: all(map(is_set, positions(digest, layout, bits, k)))
    asked = range(int(sys.argv[2]))
    print(*(v for v in asked if maybe(integer_digest(v, seed))))
    if hash_id == 2:
        print(*(v for v in asked if maybe(short_digest(b"absent-%d" % v, seed))))


main()
