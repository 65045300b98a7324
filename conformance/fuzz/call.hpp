// SPDX-License-Identifier: Apache-2.0
// Generated calls: any sequence of choices becomes a call, legal or not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/fuzz/choices.hpp"
#include "conformance/model/case.hpp"
#include "conformance/model/route.hpp"
#include "reference/call.hpp"
#include "reference/tensor.hpp"

namespace gathercheck {

/// What calls of one operator version are made of.
struct CallsOfVersion {
    OperatorVersion version = OperatorVersion::onnx_gather_13;
    std::vector<ElementType> data;     ///< element types, the simplest first; at least one
    std::vector<ElementType> indices;  ///< the same
    std::vector<Route> routes{Route{}};
};

/// What calls are made of.
struct CallSpace {
    std::vector<CallsOfVersion> versions;  ///< at least one
    /// Sizes at which an implementation may change what it does. Dimensions are often one of them,
    /// or one less or more.
    std::vector<std::int64_t> thresholds;
    std::int64_t largest = 4096;  ///< elements of data and of the output, of few calls
    bool legal_only = false;      ///< no rule is broken, and no index is out of bounds
    bool described = false;       ///< calls may be described ones
    bool sequences = false;       ///< calls may have earlier ones of the same model
    bool keeps_models = true;     ///< false: no model is kept, so that the calls of a sequence may
                                  ///< differ in all that a model would know
    bool open_contents = false;   ///< contents of which texts leave open what comes out, too: bytes
                                  ///< of booleans other than 0 and 1, strings that end in NUL
};

/// Sizes around vector widths, counters of 8 and 16 bits, and blocks, whatever the implementation.
std::vector<std::int64_t> usual_thresholds();

/// A generated call, with contents unless it is a described one.
struct GeneratedCall {
    using Inputs = std::vector<std::pair<std::string, Tensor>>;

    OperatorVersion version = OperatorVersion::onnx_gather_13;
    Route route;
    std::vector<Attribute> attributes;
    Inputs inputs;
    std::vector<Inputs> earlier;  ///< of a sequence: the inputs of the calls before it
    bool described = false;       ///< data and indices have no contents

    /// The input of that name; null where there is none.
    const Tensor* input(std::string_view name) const;
    /// The call; it borrows the inputs.
    Call view() const { return view(inputs); }
    Call view(const Inputs& of) const;
};

/// Decodes choices. Precondition: the space has versions, types and routes.
GeneratedCall generate(Choices& choices, const CallSpace& space);

}  // namespace gathercheck
