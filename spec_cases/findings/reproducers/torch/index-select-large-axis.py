# SPDX-License-Identifier: Apache-2.0
# torch: an axis of 2^31 elements or more is cut to 32 bits where indices are i32, and the legal indices are refused: "INDICES element is out of DATA bounds, id=0 axis_dim=-2147483648"; an index is from 0 to the size of the dimension.
# Case take-large-axis-i32-indices, torch.index_select, runtime/static, on torch:native 1.13.0a0.
# rejected what must be accepted: expected an output, got rejected: RuntimeError: INDICES element is out of DATA bounds, id=0 axis_dim=-2147483648
# Rule torch.index-select.output.shape (torch/index_select, description): The output has the length of index along dim, and the sizes of input elsewhere.
# Rule torch.index-select.indices.range (torch/index_select, Args): An index lies in [0, s - 1], s being the size of the dimension it selects from.
# shows: refused: RuntimeError: INDICES element is out of DATA bounds, id=0 axis_dim=-2147483648
import ctypes, torch

input = torch.empty(0, dtype=torch.float32).reshape([2147483648, 0])
index = torch.frombuffer(bytearray.fromhex('00000000ffffff7f'), dtype=torch.int32).reshape([2])
output = torch.index_select(input=input, index=index, dim=0).contiguous()
print('declared', output.dtype, list(output.shape))
length = output.numel() * output.element_size()
print('output', list(output.shape), ctypes.string_at(output.data_ptr(), length).hex() if length else '')
