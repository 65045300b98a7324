# SPDX-License-Identifier: Apache-2.0
# torch: index_select of data of rank 0 with several indices writes past its output, and the process dies; dim names no dimension of it, and no sentence lets the process die.
# Case gather-data-scalar-many-indices, torch.index_select, runtime/static, on torch:native 1.13.0a0.
# crash: killed by SIGABRT
# Rule torch.index-select.data.rank (torch/index_select, Args): Input has a dimension.
# shows: a crash
import ctypes, torch

input = torch.frombuffer(bytearray.fromhex('0000e040'), dtype=torch.float32).reshape([])
index = torch.frombuffer(bytearray.fromhex('000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000'), dtype=torch.int64).reshape([9])
output = torch.index_select(input=input, index=index, dim=0).contiguous()
print('declared', output.dtype, list(output.shape))
length = output.numel() * output.element_size()
print('output', list(output.shape), ctypes.string_at(output.data_ptr(), length).hex() if length else '')
