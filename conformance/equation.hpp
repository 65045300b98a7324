// SPDX-License-Identifier: Apache-2.0
// The equation oracle: evaluates the specifications' index equations, given as text, coordinate by
// coordinate.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "reference/call.hpp"
#include "reference/tensor.hpp"

namespace gathercheck {

struct Problem;

/// What takes the place of an index outside the version's range.
enum class OutOfRange : std::uint8_t {
    as_stated,      ///< what the version says: no answer, or zeros
    zero,           ///< zeros
    clamp,          ///< the nearest legal index of [0, s-1]
    wrap,           ///< the index modulo s
    first_element,  ///< 0
};

/// Where one element of the output comes from.
struct Source {
    std::int64_t position = 0;  ///< flat position in data; -1: zero bits
    bool out_of_range = false;  ///< an index that picked it is outside the version's range
};

/// What the equations say of a call.
struct EquationAnswer {
    Descriptor output;
    std::vector<Source>
        sources;  ///< one for each element of the output, row-major; empty if described
    std::optional<std::int64_t> bad_index;  ///< flat position in indices of the first index outside
                                            ///< the version's range, where it has no answer to it
};

/// The equations of every operator version. Immutable, so it may be shared by threads.
class Equations {
public:
    /// Reads and parses equations.json.
    static std::variant<Equations, std::vector<Problem>> load(const std::filesystem::path& file);

    /// Evaluates the equations of a legal call's version; data needs no contents. Where indices has
    /// no contents only `output` is given. The text is the reason where the equations have no
    /// meaning for the call (a rank or an attribute that they do not cover): the oracle does not
    /// check rules.
    std::variant<EquationAnswer, std::string> evaluate(
        const Call& call, OutOfRange policy = OutOfRange::as_stated) const;

    /// The equation text of a version for people, one line a definition.
    std::vector<std::string> text(OperatorVersion version) const;

    Equations(Equations&&) noexcept;
    Equations& operator=(Equations&&) noexcept;
    ~Equations();

private:
    struct Content;
    explicit Equations(std::unique_ptr<const Content> content);
    std::unique_ptr<const Content> content_;
};

/// The output tensor that an answer describes, with elements copied from `data`.
Tensor assemble(const EquationAnswer& answer, const TensorView& data);

}  // namespace gathercheck
