"""Checks an export of the audit with nothing of the product: Python's standard library, from RFC 6962, RFC 8032 and C2SP
signed-note alone. Prints what it found as JSON. With `tlog` as second argument it uses the package aics-tlog instead."""

import base64
import hashlib
import json
import sys


def read(path):
    entries, checkpoints = [], []
    with open(path, "rb") as file:
        for line in file:
            value = json.loads(line)
            if "checkpoint" in value:
                checkpoints.append((value["checkpoint"], value["verifier"]))
            else:
                assert value["seq"] == len(entries), f"entry {value['seq']} at place {len(entries)}"
                canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
                assert canonical.encode() + b"\n" == line, f"entry {value['seq']} is not canonical"
                entries.append(line[:-1])
    return entries, checkpoints


def sha256(data):
    return hashlib.sha256(data).digest()


def tree_hash(leaves):
    """MTH of RFC 6962, section 2.1."""
    if not leaves:
        return sha256(b"")
    if len(leaves) == 1:
        return sha256(b"\x00" + leaves[0])
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return sha256(b"\x01" + tree_hash(leaves[:split]) + tree_hash(leaves[split:]))


P = 2**255 - 19
D = -121665 * pow(121666, -1, P) % P
ORDER = 2**252 + 27742317777372353535851937790883648493


def add(a, b):
    """Two points of the curve, in affine coordinates."""
    (x1, y1), (x2, y2) = a, b
    product = D * x1 * x2 * y1 * y2 % P
    return (
        (x1 * y2 + x2 * y1) * pow(1 + product, -1, P) % P,
        (y1 * y2 + x1 * x2) * pow(1 - product, -1, P) % P,
    )


def times(factor, point):
    result = (0, 1)
    while factor:
        if factor & 1:
            result = add(result, point)
        point = add(point, point)
        factor >>= 1
    return result


def decompressed(data):
    number = int.from_bytes(data, "little")
    sign, y = number >> 255, number & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    assert x * x % P == square and y < P, "no point of the curve"
    return (P - x if x & 1 != sign else x, y)


BASE = decompressed((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def is_signed(message, signature, public_key):
    """Ed25519 of RFC 8032, section 5.1.7."""
    r, s = signature[:32], int.from_bytes(signature[32:], "little")
    if s >= ORDER:
        return False
    digest = hashlib.sha512(r + public_key + message).digest()
    challenge = int.from_bytes(digest, "little") % ORDER
    return times(s, BASE) == add(decompressed(r), times(challenge, decompressed(public_key)))


def by_standard_library(entries, note, verifier):
    name, key_id, key = verifier.split("+", 2)
    key = base64.b64decode(key)
    text, signatures = note.split("\n\n")
    origin, size, root = text.split("\n")
    # Of several signatures the one of this key.
    lines = [line.split(" ") for line in signatures.strip().split("\n")]
    dash, signer, signature = next(
        (dash, signer, found)
        for dash, signer, found in ((dash, signer, base64.b64decode(text)) for dash, signer, text in lines)
        if found[:4].hex() == key_id
    )
    assert dash == "\u2014" and signer == name == origin and key[0] == 1, "another name or kind of key"
    assert sha256(name.encode() + b"\n" + key)[:4].hex() == key_id == signature[:4].hex(), "another key id"
    computed = base64.b64encode(tree_hash(entries[: int(size)])).decode()
    return computed == root and is_signed((text + "\n").encode(), signature[4:], key[1:])


def by_package(entries, note, verifier):
    import aics_tlog

    key = aics_tlog.parse_vkey(verifier)
    checkpoint = aics_tlog.parse_checkpoint(note.split("\n\n")[0] + "\n")
    tree = aics_tlog.MerkleTree(entries[: checkpoint.size])
    parsed = aics_tlog.parse_note(note)
    return tree.root() == checkpoint.root and aics_tlog.verify_note(parsed, [key])


check = by_package if "tlog" in sys.argv[2:] else by_standard_library
entries, checkpoints = read(sys.argv[1])
agree = [check(entries, note, verifier) for note, verifier in checkpoints]
print(json.dumps({"entries": len(entries), "agree": agree}))
