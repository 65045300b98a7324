// SPDX-License-Identifier: Apache-2.0
// Deprecated: include optimized/gather.hpp.
#pragma once

#include "optimized/gather.hpp"
