#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""findbtf.py IMAGE BTF: the BTF inside an uncompressed kernel image (arm64 Image), found by its
magic (0xeb9f, version 1, 24-byte head) and the lengths in its head."""
import gzip
import struct
import sys


def main():
    data = open(sys.argv[1], "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    at = -1
    while (at := data.find(b"\x9f\xeb\x01\x00\x18\x00\x00\x00", at + 1)) >= 0:
        type_off, type_len, str_off, str_len = struct.unpack_from("<4I", data, at + 8)
        end = at + 24 + str_off + str_len
        if type_off == 0 and type_len == str_off and str_len > 100000 and end <= len(data):
            open(sys.argv[2], "wb").write(data[at:end])
            return
    sys.exit(f"findbtf.py: no BTF in {sys.argv[1]}")


main()
