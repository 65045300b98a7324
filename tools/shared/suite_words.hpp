// SPDX-License-Identifier: Apache-2.0
// The words of a suite for reports of its records.
#pragma once

#include "conformance/report/report_data.hpp"
#include "tools/shared/suite.hpp"

namespace gathercheck {

/// What the suite tells of records, as far as it is theirs. The words borrow it.
SuiteWords words_of(const LoadedSuite& loaded);

}  // namespace gathercheck
