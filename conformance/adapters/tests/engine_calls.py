# SPDX-License-Identifier: Apache-2.0
# Literal calls and their answers, shared by the tests of the workers of real engines.
from worker_process import tensor

REJECTED = "rejected"
F32, I32, I64 = "f32", "i32", "i64"
NAN_BITS = bytes.fromhex("017c0080ff7f")  # f16: a signalling NaN, -0.0, a quiet NaN with a payload
TABLE = (F32, [3, 2], [1.0, 1.2, 2.3, 3.4, 4.5, 5.7])
SQUARE = (F32, [3, 3], [1.0, 1.2, 1.9, 2.3, 3.4, 3.9, 4.5, 5.7, 5.9])
CUBE = ("u8", [2, 3, 2], list(range(12)))
LARGE = (I64, [3], [-(2**63), 2**53 + 1, 2**63 - 1])

# name, axis (None: absent), data, indices, expected output
GATHER = [
    ("the example along axis 0", 0, TABLE, (I64, [2, 2], [0, 1, 1, 2]),
     (F32, [2, 2, 2], [1.0, 1.2, 2.3, 3.4, 2.3, 3.4, 4.5, 5.7])),
    ("the example along axis 1", 1, SQUARE, (I64, [1, 2], [0, 2]), (F32, [3, 1, 2], [1.0, 1.9, 2.3, 3.9, 4.5, 5.9])),
    ("a negative axis counts from the last", -1, SQUARE, (I64, [1], [1]), (F32, [3, 1], [1.2, 3.4, 5.7])),
    ("indices of 32 bits", 0, TABLE, (I32, [1], [2]), (F32, [1, 2], [4.5, 5.7])),
    ("the middle axis of three", 1, CUBE, (I64, [2], [2, 0]), ("u8", [2, 2, 2], [4, 5, 0, 1, 10, 11, 6, 7])),
    ("a scalar index drops the axis", 0, TABLE, (I64, [], [1]), (F32, [2], [2.3, 3.4])),
    ("a scalar from a vector", 0, (F32, [3], [1.0, 2.0, 3.0]), (I64, [], [2]), (F32, [], [3.0])),
    ("no indices", 0, TABLE, (I64, [0], []), (F32, [0, 2], [])),
    ("bits of f16", 0, ("f16", [3], NAN_BITS), (I64, [4], [2, 1, 0, 2]),
     ("f16", [4], bytes.fromhex("ff7f0080017cff7f"))),
    ("integers of 64 bits", 0, LARGE, (I64, [3], [2, 1, 0]), (I64, [3], [2**63 - 1, 2**53 + 1, -(2**63)])),
    ("strings with U+0000", 0, ("string", [3], ["a", "b\0", "\0"]), (I64, [3], [2, 1, 1]),
     ("string", [3], ["\0", "b\0", "b\0"])),
    ("an axis out of range", 2, TABLE, (I64, [1], [0]), REJECTED),
]  # fmt: skip
GATHER_ELEMENTS = [
    ("the example along axis 1", 1, (F32, [2, 2], [1.0, 2.0, 3.0, 4.0]), (I64, [2, 2], [0, 0, 1, 0]),
     (F32, [2, 2], [1.0, 1.0, 4.0, 3.0])),
    ("the example along axis 0", 0, (F32, [3, 3], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]),
     (I64, [2, 3], [1, 2, 0, 2, 0, 0]), (F32, [2, 3], [4.0, 8.0, 3.0, 7.0, 2.0, 3.0])),
    ("more indices than data along the axis", 1, (I32, [2, 2], [1, 7, 4, 3]), (I64, [2, 3], [1, 1, 0, 1, 0, 1]),
     (I32, [2, 3], [7, 7, 1, 3, 4, 3])),
    ("a negative axis counts from the last", -1, (F32, [1, 3], [1.0, 2.0, 3.0]), (I64, [1, 1], [2]),
     (F32, [1, 1], [3.0])),
    ("no axis is axis 0", None, (F32, [2, 2], [1.0, 2.0, 3.0, 4.0]), (I64, [1, 2], [1, 0]), (F32, [1, 2], [3.0, 2.0])),
    ("indices of 32 bits", 0, (F32, [3], [1.0, 2.0, 3.0]), (I32, [2], [2, 0]), (F32, [2], [3.0, 1.0])),
    ("the middle axis of three", 1, CUBE, (I64, [2, 1, 2], [2, 0, 1, 1]), ("u8", [2, 1, 2], [4, 1, 8, 9])),
    ("no indices", 0, TABLE, (I64, [0, 2], []), (F32, [0, 2], [])),
    ("bits of f16", 0, ("f16", [3], NAN_BITS), (I64, [2], [2, 1]), ("f16", [2], bytes.fromhex("ff7f0080"))),
    ("integers of 64 bits", 0, LARGE, (I64, [2], [2, 1]), (I64, [2], [2**63 - 1, 2**53 + 1])),
    ("ranks that differ", 0, TABLE, (I64, [2], [0, 1]), REJECTED),
    ("an axis out of range", -3, TABLE, (I64, [1, 2], [0, 0]), REJECTED),
]  # fmt: skip
# name, batch_dims (None: absent), data, indices, expected output
GATHER_ND = [
    ("elements", None, (F32, [2, 2], [0.0, 1.0, 2.0, 3.0]), (I64, [2, 2], [0, 0, 1, 1]), (F32, [2], [0.0, 3.0])),
    ("slices", None, (F32, [2, 2], [0.0, 1.0, 2.0, 3.0]), (I64, [2, 1], [1, 0]), (F32, [2, 2], [2.0, 3.0, 0.0, 1.0])),
    ("slices of a cube", None, CUBE, (I64, [2, 1, 2], [0, 1, 1, 0]), ("u8", [2, 1, 2], [2, 3, 6, 7])),
    ("slices of two dimensions", None, CUBE, (I64, [1, 1], [1]), ("u8", [1, 3, 2], [6, 7, 8, 9, 10, 11])),
    ("one tuple gives a scalar", None, SQUARE, (I64, [2], [1, 2]), (F32, [], [3.9])),
    ("a batch", 1, CUBE, (I64, [2, 1], [1, 0]), ("u8", [2, 2], [2, 3, 6, 7])),
    ("a batch of elements", 1, (F32, [2, 3], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), (I64, [2, 1], [1, 2]),
     (F32, [2], [2.0, 6.0])),
    ("no indices", None, TABLE, (I64, [0, 2], []), (F32, [0], [])),
    ("bits of f16", None, ("f16", [3], NAN_BITS), (I64, [2, 1], [2, 1]), ("f16", [2], bytes.fromhex("ff7f0080"))),
    ("integers of 64 bits", None, LARGE, (I64, [2, 1], [2, 1]), (I64, [2], [2**63 - 1, 2**53 + 1])),
    ("a tuple longer than the data's rank", None, TABLE, (I64, [1, 3], [0, 0, 0]), REJECTED),
    ("batch sizes that differ", 1, CUBE, (I64, [3, 1], [0, 0, 0]), REJECTED),
]  # fmt: skip
# name, axis or (axis, batch_dims), data, indices, expected output
GATHER_V2 = GATHER + [
    ("a matrix of indices", 1, CUBE, (I32, [1, 2], [2, 0]), ("u8", [2, 1, 2, 2], [4, 5, 0, 1, 10, 11, 6, 7])),
    ("a batch", (1, 1), SQUARE, (I32, [3, 2], [0, 1, 2, 0, 1, 1]), (F32, [3, 2], [1.0, 1.2, 3.9, 2.3, 5.7, 5.7])),
    ("a batch, and a scalar of each", (1, 1), SQUARE, (I64, [3], [2, 0, 1]), (F32, [3], [1.9, 2.3, 5.7])),
    ("a batch before the last axis", (2, 1), CUBE, (I64, [2, 1], [1, 0]), ("u8", [2, 3, 1], [1, 3, 5, 6, 8, 10])),
    ("batch_dims of 0", (0, 0), TABLE, (I32, [1], [2]), (F32, [1, 2], [4.5, 5.7])),
    ("batch sizes that differ", (1, 1), TABLE, (I32, [2, 1], [0, 0]), REJECTED),
    ("an index equal to the size of the axis", 0, TABLE, (I32, [2], [3, 0]), REJECTED),
    ("a negative index", 0, TABLE, (I32, [1], [-1]), REJECTED),
]  # fmt: skip
LETTER_TABLE = ("string", [2, 2], ["a", "b", "c", "d"])
LETTER_CUBE = ("string", [2, 2, 2], ["a0", "b0", "c0", "d0", "a1", "b1", "c1", "d1"])
# The examples of its document, and more.
GATHER_ND_OF_TENSORFLOW = [call for call in GATHER_ND if call[1] is None] + [
    ("simple indexing", None, LETTER_TABLE, (I32, [2, 2], [0, 0, 1, 1]), ("string", [2], ["a", "d"])),
    ("slice indexing", None, LETTER_TABLE, (I32, [2, 1], [1, 0]), ("string", [2, 2], ["c", "d", "a", "b"])),
    ("a slice of a cube", None, LETTER_CUBE, (I32, [1, 1], [1]), ("string", [1, 2, 2], ["a1", "b1", "c1", "d1"])),
    ("rows of a cube", None, LETTER_CUBE, (I32, [2, 2], [0, 1, 1, 0]), ("string", [2, 2], ["c0", "d0", "a1", "b1"])),
    ("elements of a cube", None, LETTER_CUBE, (I32, [2, 3], [0, 0, 1, 1, 0, 1]), ("string", [2], ["b0", "b1"])),
    ("batched indexing", None, LETTER_TABLE, (I32, [2, 1, 2], [0, 0, 0, 1]), ("string", [2, 1], ["a", "b"])),
    ("batched slices", None, LETTER_TABLE, (I64, [2, 1, 1], [1, 0]), ("string", [2, 1, 2], ["c", "d", "a", "b"])),
    ("batched rows of a cube", None, LETTER_CUBE, (I32, [2, 2, 2], [0, 1, 1, 0, 0, 0, 1, 1]),
     ("string", [2, 2, 2], ["c0", "d0", "a1", "b1", "a0", "b0", "c1", "d1"])),
    ("batched elements of a cube", None, LETTER_CUBE, (I32, [2, 2, 3], [0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 0]),
     ("string", [2, 2], ["b0", "b1", "d0", "c1"])),
    ("an index equal to a size", None, TABLE, (I32, [1, 2], [0, 2]), REJECTED),
    ("a negative index", None, TABLE, (I32, [1, 2], [0, -1]), REJECTED),
]  # fmt: skip


def check(case, process, operator, route, calls, known):
    """Runs every call of a table but those in `known`: departures of the engine, not of the adapter."""
    for name, number, data, indices, expected in calls:
        if name in known:
            continue
        with case.subTest(operator=operator, call=name, route=route):
            inputs = {"data": tensor(*data), "indices": tensor(*indices)}
            attributes = {}
            if "GatherND" in operator:
                attributes = {} if number is None else {"batch_dims": number}
            elif operator.startswith("openvino.Gather-"):
                inputs["axis"] = tensor(I64, [], [number])
            elif operator == "tensorflow.GatherV2":
                axis, *batch_dims = number if isinstance(number, tuple) else (number,)
                inputs["axis"] = tensor(I64, [], [axis])
                attributes = {"batch_dims": batch_dims[0]} if batch_dims else {}
            elif number is not None:
                attributes = {"axis": number}
            answer = process.call(operator, inputs, attributes, route)
            if expected == REJECTED:
                case.assertIn("rejected", answer)
            else:
                case.assertEqual(answer, {"output": tensor(*expected)})
