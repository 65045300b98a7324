// SPDX-License-Identifier: Apache-2.0
// What mutants are made of: the steps of the reference, each of which a bug may change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/mutants/mutants.hpp"
#include "reference/check.hpp"

namespace gathercheck::mutant {

/// A copy of a call that can be changed; what it adds it owns.
class EditedCall {
public:
    explicit EditedCall(const Call& original) : call(original) {}

    Call call;

    const OperatorInfo& op() const { return info(call.version); }
    /// Ranks of data and indices; 0 where there is none.
    std::int64_t N() const { return rank("data"); }
    std::int64_t M() const { return rank("indices"); }

    TensorView* input(std::string_view name);
    void remove_input(std::string_view name);

    /// An integer attribute's value; nothing where it is absent or of another kind.
    std::optional<std::int64_t> attribute(std::string_view name) const;
    void set_attribute(std::string_view name, std::int64_t value);
    void remove_attribute(std::string_view name);

    /// The axis, whichever way the version takes it, its default included; nothing where it is of
    /// no use.
    std::optional<std::int64_t> axis() const;
    void set_axis(std::int64_t value);

    /// A tensor of i64 that lives as long as this.
    TensorView integers(const Shape& shape, std::span<const std::int64_t> values);

private:
    std::int64_t rank(std::string_view name) const;

    std::deque<std::vector<std::byte>> owned_;
};

/// Where an index stands: element k of indices, picking from a dimension of size s.
struct IndexPlace {
    const CheckedCall& call;
    std::int64_t k;
    std::int64_t count;
    std::int64_t s;

    ElementType type() const { return call.indices.type; }
    /// The lowest legal index of the version.
    std::int64_t first() const { return info(call.version).negative_indices ? -s : 0; }
    bool legal(std::int64_t index) const { return first() <= index && index < s; }
};

/// An index value outside every range.
inline constexpr std::int64_t beyond = std::numeric_limits<std::int64_t>::max();
/// An output element that is all-zero bits.
inline constexpr std::int64_t nowhere = -1;

/// Where an output element comes from: element k of the output; `sources` says for each the flat
/// position in data, or `nowhere`.
struct SourcePlace {
    const CheckedCall& call;
    std::int64_t k;
    std::span<const std::int64_t> sources;
};

/// A finished answer: the call, and the output's contents as they should be.
struct Finished {
    const CheckedCall& call;
    std::span<std::byte> contents;
};

/// Steps that differ from the reference's; an empty one does not.
struct Bug {
    /// Changes the call before anything is checked, or refuses it.
    std::function<std::optional<Error>(EditedCall&)> call = {};
    /// True: a call that breaks this rule is answered with an output all the same.
    std::function<bool(const Call&, const Error&)> accepts = {};
    /// The error that is given in place of the right one.
    std::function<Error(const Call&, Error)> error = {};
    /// Changes a call that passed the static checks, or refuses it.
    std::function<std::optional<Error>(CheckedCall&)> checked = {};
    /// The index that is read in place of the right one.
    std::function<std::int64_t(std::int64_t, const IndexPlace&)> index = {};
    /// True: the index values of this call are not checked.
    std::function<bool(const CheckedCall&)> unchecked = {};
    /// Changes the output's descriptor, not its contents.
    std::function<void(Descriptor&, const CheckedCall&)> descriptor = {};
    /// The flat position in data that is copied in place of the right one, or `nowhere`.
    std::function<std::int64_t(std::int64_t, const SourcePlace&)> source = {};
    /// Changes the flat positions in data of all output elements at once.
    std::function<void(std::span<std::int64_t>, const CheckedCall&)> sources = {};
    /// Changes the pattern of an element of these types, which have at most 64 bits.
    TypeSet types = {};
    std::function<std::uint64_t(std::uint64_t)> bits = {};
    /// Changes the finished contents.
    std::function<void(const Finished&)> contents = {};
    /// Hands the contents over, in place of a plain copy.
    std::function<void(const Finished&, std::span<std::byte>)> write = {};
    /// Forgets what was kept for the model before.
    std::function<void()> new_model = {};
};

using Versions = std::vector<OperatorVersion>;

/// Those of the versions whose data, or whose indices, may have a type.
Versions with_data_type(Versions versions, ElementType type);
Versions with_index_type(Versions versions, ElementType type);
/// All versions for which `holds` does, e.g. is_gather.
Versions versions_where(bool (*holds)(const OperatorInfo&));
Versions all_versions();
/// The latest version of each operator of each specification.
Versions newest_versions();
bool is_gather(const OperatorInfo& op);
bool is_gather_elements(const OperatorInfo& op);
bool is_gather_nd(const OperatorInfo& op);
bool has_axis(const OperatorInfo& op);
bool has_axis_input(const OperatorInfo& op);
bool has_batch_dims(const OperatorInfo& op);
/// batch_dims may be negative: Gather-7 and -8.
bool counts_batch_dims_back(const OperatorInfo& op);
bool takes_negative(const OperatorInfo& op);
bool rejects_bad_indices(const OperatorInfo& op);

/// Mutants of one theme, in the order in which they are added.
class Theme {
public:
    explicit Theme(std::string name) : name_(std::move(name)) {}

    void add(std::string name, std::string idea, Versions versions, Bug bug);
    /// A mutant that must be caught in each of its versions.
    Mutant& add_in_each(std::string name, std::string idea, Versions versions, Bug bug);
    std::vector<Mutant> take() { return std::move(mutants_); }

private:
    std::string name_;
    std::vector<Mutant> mutants_;
};

/// The error of a check, as the reference gives it.
Error broken(OperatorVersion version, Check check, Category category);
/// True where the error is that of this check.
bool is_of(const Call& call, const Error& error, Check check);

/// Elements in one slice: those behind the axis, or behind a tuple's dimensions.
std::int64_t slice_elements(const CheckedCall& call);
/// Number of elements; 0 where it does not fit.
std::int64_t elements(const Shape& shape);

std::vector<Mutant> bounds_mutants();
std::vector<Mutant> sign_and_width_mutants();
std::vector<Mutant> rounding_mutants();
/// Those of floats as machines have them, which change the bits of a NaN, too. As mutants they
/// would be caught by any NaN, and not by what is rounded.
std::vector<Mutant> float_rounding_mutants();
std::vector<Mutant> counter_mutants();
std::vector<Mutant> axis_mutants();
std::vector<Mutant> window_mutants();
std::vector<Mutant> batch_mutants();
std::vector<Mutant> shape_mutants();
std::vector<Mutant> layout_mutants();
std::vector<Mutant> tail_mutants();
std::vector<Mutant> element_mutants();
std::vector<Mutant> error_mutants();
std::vector<Mutant> confusion_mutants();
std::vector<Mutant> state_mutants();
std::vector<Mutant> memory_mutants();

}  // namespace gathercheck::mutant
