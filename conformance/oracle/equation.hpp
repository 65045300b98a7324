// SPDX-License-Identifier: Apache-2.0
// The equation oracle: evaluates the specifications' index equations, given as text, coordinate by
// coordinate.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/model/case.hpp"
#include "conformance/util/problem.hpp"
#include "reference/call.hpp"
#include "reference/tensor.hpp"

namespace gathercheck {

/// What a version says of an index outside its range.
enum class Outside : std::uint8_t { error, unspecified, zero, clamp };

/// "error".
std::string_view name(Outside outside);

/// Where one element of the output comes from.
struct Source {
    std::int64_t position = 0;  ///< flat position in data; -1: zero bits, or no answer
    bool out_of_range = false;  ///< an index that picked it is outside the version's range

    friend bool operator==(const Source&, const Source&) = default;
};

/// What the equations say of a call.
struct EquationAnswer {
    Descriptor output;
    std::vector<Source>
        sources;  ///< one for each element of the output, row-major; empty if described
    std::optional<std::int64_t> bad_index;  ///< flat position in indices of the first index outside
                                            ///< the version's range, where it has no answer to it
};

/// Sources of more elements of an output are not computed, nor more values of indices looked at.
inline constexpr std::int64_t max_sources = std::int64_t{1} << 26;

/// The equations of every operator version. May be shared by threads once all are added.
class Equations {
public:
    /// Reads and parses equations.json.
    static std::variant<Equations, std::vector<Problem>> load(const std::filesystem::path& file);

    /// Parses one document, as if it stood in `file`.
    static std::variant<Equations, std::vector<Problem>> load_text(std::string_view json,
                                                                   const std::string& file);

    /// Evaluates the equations of a legal call's version; data needs no contents. Where indices has
    /// no contents only `output` is given; so it is where data has none and the output has more
    /// than max_sources elements. The text is the reason where the equations have no meaning for
    /// the call (a rank, an input or an attribute that they do not cover) or it has too many
    /// elements: the oracle does not check rules.
    ///
    /// The policy decides the position where an index is outside the range, never `out_of_range` or
    /// `bad_index`. Where s is 0 no index is legal: clamp, wrap and first_element give zero bits.
    std::variant<EquationAnswer, std::string> evaluate(
        const Call& call, OutOfRange policy = OutOfRange::as_stated) const;

    /// For each element of the output where in indices the value lies that picks it (of a tuple the
    /// first one), as a flat position; -1 where none does. Empty where evaluate() gives no sources.
    std::vector<std::int64_t> picks(const Call& call) const;

    /// Takes the equation of a version that has none, as JSON (an entry of equations.json without
    /// "operator"). `file` and `pointer`: where it stands, for the problems.
    std::vector<Problem> add(OperatorVersion version, std::string_view json,
                             const std::string& file, const std::string& pointer);

    /// What an index outside the range of a version does, the suite's reading first; several where
    /// the text allows each.
    std::span<const Outside> outside(OperatorVersion version) const;

    /// The equation text of a version for people, one line a definition.
    std::vector<std::string> text(OperatorVersion version) const;

    Equations(Equations&&) noexcept;
    Equations& operator=(Equations&&) noexcept;
    ~Equations();

private:
    struct Content;
    explicit Equations(std::unique_ptr<Content> content);
    std::unique_ptr<Content> content_;
};

/// The output tensor that an answer describes, with elements copied from `data`; it owns its
/// strings. Without contents where the answer has no sources although the output has elements.
Tensor assemble(const EquationAnswer& answer, const TensorView& data);

}  // namespace gathercheck
