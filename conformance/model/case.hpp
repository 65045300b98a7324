// SPDX-License-Identifier: Apache-2.0
// Cases: a call with what each operator version must do with it, as values that no longer know
// JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "reference/call.hpp"
#include "reference/error.hpp"
#include "reference/tensor.hpp"

namespace gathercheck {

/// Contents described by a recipe, so that a large tensor costs nothing until it is needed.
struct Fill;

struct AddressFill {  ///< element k holds start + k
    std::int64_t start = 0;
};
struct CycleFill {  ///< element k is element k modulo n of `entries`, a 1-D tensor of n elements
    Tensor entries;
};
struct AffineFill {  ///< element k holds start + (k * step modulo `modulo`); 0: no reduction
    std::int64_t start = 0;
    std::int64_t step = 1;
    std::int64_t modulo = 0;
};
struct ExceptFill {  ///< `fill`, but some elements are elements of `entries`; from the end where
                     ///< negative
    std::shared_ptr<const Fill> fill;
    std::vector<std::int64_t> positions;
    Tensor entries;
};
struct MarkFill {  ///< like address, in a way that every element type can carry
    std::int64_t start = 0;
};
struct Fill {
    std::variant<AddressFill, CycleFill, AffineFill, ExceptFill, MarkFill> recipe;
};

/// What a case says of a tensor: element type, shape, and its contents if it gives any.
struct TensorSpec {
    Descriptor descriptor;
    std::variant<std::monostate, Tensor, Fill> contents;

    bool has_contents() const { return contents.index() != 0; }
};

/// The tensor with its contents; for a spec without contents, a tensor of that type and shape whose
/// `contents` is empty. The loader has made sure that it can be made.
Tensor materialise(const TensorSpec& spec);

struct NamedTensorSpec {
    std::string name;
    TensorSpec tensor;
};

/// What takes the place of an index outside the version's range.
enum class OutOfRange : std::uint8_t {
    as_stated,      ///< what the version says: no answer, zeros, or the nearest legal index
    zero,           ///< zeros
    clamp,          ///< the nearest legal index of [0, s-1]
    wrap,           ///< the index modulo s
    first_element,  ///< 0
};

/// The output comes from the equation oracle; in sweeps, and where the expectation is derived.
struct FromEquation {
    OutOfRange outside = OutOfRange::as_stated;

    friend bool operator==(const FromEquation&, const FromEquation&) = default;
};

struct ExpectedOutput {
    /// A spec (with or without contents), or what the equations say.
    std::variant<TensorSpec, FromEquation> output;
    std::string
        sha256;  ///< of the contents' raw bytes, in place of contents; lower-case hex or empty
};

struct ExpectedError {
    Category category;
    std::optional<Phase> phase;  ///< judged of what follows the suite
};

using Alternative = std::variant<ExpectedOutput, ExpectedError>;

/// What some operator versions must do with a case's call.
struct Expectation {
    std::vector<OperatorVersion> versions;
    std::vector<std::string> rules;  ///< ids; at least one of each version
    std::vector<Alternative>
        alternatives;         ///< the first is the suite's reading; empty: unspecified
    std::string unspecified;  ///< why no sentence decides; empty otherwise
    bool derived = false;     ///< not written: computed for a version that the case does not name
    bool in_sample = true;    ///< derived: the case is none of a sweep, or in its sample

    bool is_unspecified() const { return alternatives.empty(); }
    /// True where every alternative is an error: such a call is sent whatever is claimed.
    bool must_be_rejected() const;
    /// True where some alternative is an error: a rejection passes only if the control does.
    bool may_be_rejected() const;
};

struct Case {
    std::string id;
    std::string title;
    std::string why;
    std::string file;     ///< where the case stands
    std::string pointer;  ///< JSON pointer to it in the file
    std::string hash;     ///< SHA-256 of the case's canonical JSON, lower-case hex
    bool from_sweep = false;
    std::string written;               ///< of a retyped case the id of the written one; else empty
    std::optional<std::int64_t> axis;  ///< attribute or input, as the operator version takes it
    std::vector<Attribute> attributes;
    std::vector<NamedTensorSpec> inputs;
    std::vector<Expectation> expect;
    std::optional<Family> family;    ///< that it is a call of; nothing where that follows from the
                                     ///< versions that it names
    std::string control;             ///< id of a case that is the legal variant; empty: derived
    std::vector<std::string> after;  ///< ids of the cases whose calls are made just before this one
                                     ///< of the same model: a sequence, of which this is the last
    std::vector<std::shared_ptr<const Case>> earlier;  ///< those cases, in the same order

    /// True where data or indices has no contents: only shapes and types can be asked for.
    bool is_described() const;
    /// The input of that name; null where there is none.
    const TensorSpec* input(std::string_view name) const;
    /// The expectation for a version; null where the case is not for it.
    const Expectation* expectation(OperatorVersion version) const;
};

/// Finds cases by their ids, in time that does not grow with their number. Borrows the cases; of
/// several with one id it has the first.
class CasesById {
public:
    explicit CasesById(std::span<const Case> cases);

    /// Null where there is none.
    const Case* find(std::string_view id) const;

private:
    std::unordered_map<std::string_view, const Case*> cases_;
};

/// A call that owns the tensors it hands over.
struct OwnedCall {
    std::vector<std::pair<std::string, Tensor>> tensors;
    Call call;  ///< views into `tensors`; so an OwnedCall is moved, never copied

    OwnedCall() = default;
    OwnedCall(OwnedCall&&) = default;
    OwnedCall& operator=(OwnedCall&&) = default;
    OwnedCall(const OwnedCall&) = delete;
    OwnedCall& operator=(const OwnedCall&) = delete;
};

/// The call that a case makes of an operator version: a top-level axis becomes the attribute, or a
/// scalar i64 third input where the version takes an input. Of StableHLO's gather a case of another
/// operator asks by its dimension_numbers.
OwnedCall make_call(const Case& from, OperatorVersion version);

/// The same without contents but those of axis: it takes no memory, whatever the shapes are.
OwnedCall describe_call(const Case& from, OperatorVersion version);

}  // namespace gathercheck
