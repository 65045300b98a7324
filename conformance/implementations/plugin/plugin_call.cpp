// SPDX-License-Identifier: Apache-2.0
// The struct's members in our words, and the order of its functions.
#include "conformance/implementations/plugin/plugin_call.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "conformance/implementations/in_process/guarded_call.hpp"

namespace gathercheck {
namespace {

constexpr std::int64_t highest_alignment = 4096;

/// What the struct had from the start; members behind are zero where a plug-in has none.
constexpr std::size_t size_of_first =
    offsetof(gathercheck_implementation, message) + sizeof(gathercheck_implementation::message);

// The numbers of the interface are those of the table of element types.
static_assert(GATHERCHECK_BOOLEAN == static_cast<int>(ElementType::boolean));
static_assert(GATHERCHECK_U64 == static_cast<int>(ElementType::u64));
static_assert(GATHERCHECK_I64 == static_cast<int>(ElementType::i64));
static_assert(GATHERCHECK_F64 == static_cast<int>(ElementType::f64));
static_assert(GATHERCHECK_F8E8M0 == static_cast<int>(ElementType::f8e8m0));
static_assert(GATHERCHECK_NF4 == static_cast<int>(ElementType::nf4));
static_assert(GATHERCHECK_STRING == static_cast<int>(ElementType::string));
static_assert(GATHERCHECK_STRING + 1 == element_type_count);
static_assert(sizeof(gathercheck_string) == sizeof(StringElement));
static_assert(std::size(decltype(gathercheck_descriptor::shape){}) == max_rank);

std::string_view text_or(const char* text, std::string_view fallback) {
    return text == nullptr ? fallback : std::string_view(text);
}

constexpr auto unknown_shape = [] {
    std::array<std::int64_t, static_cast<std::size_t>(max_rank)> dims{};
    dims.fill(-1);
    return dims;
}();

struct Fill {
    gathercheck_attribute& added;

    void operator()(std::int64_t value) const { added.integer = value; }
    void operator()(double value) const { added.decimal = value; }
    void operator()(bool value) const { added.integer = value ? 1 : 0; }
    void operator()(const std::string& value) const { set_text(value); }
    void operator()(const std::vector<std::int64_t>& value) const {
        added.integers = value.data();
        added.count = static_cast<std::int64_t>(value.size());
    }
    void operator()(const OtherValue& value) const { set_text(value.json); }
    void set_text(const std::string& text) const {
        added.text = {text.data(), static_cast<std::int64_t>(text.size())};
    }
};
static_assert(std::variant_size_v<AttributeValue> == GATHERCHECK_OTHER + 1);
static_assert(std::is_same_v<std::variant_alternative_t<GATHERCHECK_INTEGERS, AttributeValue>,
                             std::vector<std::int64_t>>);

/// Type and shape as a plug-in gives them; or what is wrong with them.
std::variant<Descriptor, std::string> read_plugin_shape(std::int64_t type, std::int64_t rank,
                                                        const std::int64_t* shape) {
    if (type < 0 || type >= static_cast<std::int64_t>(element_type_count)) {
        return "an element type of number " + std::to_string(type);
    }
    if (rank < 0 || rank > max_rank) return "a rank of " + std::to_string(rank);
    if (rank > 0 && shape == nullptr) return "no shape";
    Descriptor result;
    result.type = static_cast<ElementType>(type);
    for (std::int64_t k = 0; k < rank; ++k) {
        if (shape[k] < 0) return "a dimension of " + std::to_string(shape[k]);
        result.shape.push_back(shape[k]);
    }
    return result;
}

/// The output of one run: the buffer made ready for it, or one that the plug-in asks for.
class PluginOutput : public gathercheck_output {
public:
    explicit PluginOutput(const PlaceOutput& place) : gathercheck_output{}, place_(place) {
        gathercheck_output::allocate = [](gathercheck_output* self, std::int64_t type,
                                          std::int64_t rank, const std::int64_t* shape) {
            return static_cast<PluginOutput*>(self)->make_asked(type, rank, shape);
        };
    }

    /// Makes the buffer that the plug-in is given. False where there is no memory for it.
    bool make(const Descriptor& descriptor) {
        const auto size = byte_size(descriptor);
        const auto placed = size ? place_(static_cast<std::size_t>(*size)) : std::nullopt;
        if (!placed) {
            no_room_ = no_room_for(descriptor);
            return false;
        }
        descriptor_ = descriptor;
        bytes_ = *placed;
        contents = bytes_.data();
        bytes = static_cast<std::int64_t>(bytes_.size());
        return true;
    }

    const std::optional<Descriptor>& descriptor() const { return descriptor_; }
    std::span<const std::byte> written() const { return bytes_; }
    const std::string& no_room() const { return no_room_; }
    const std::string& fault() const { return fault_; }

private:
    void* make_asked(std::int64_t type, std::int64_t rank, const std::int64_t* shape) {
        if (asked_) {
            fault_ = "allocate was called twice";
            return nullptr;
        }
        asked_ = true;
        const auto descriptor = read_plugin_shape(type, rank, shape);
        if (const auto* why = std::get_if<std::string>(&descriptor)) {
            fault_ = "allocate was given " + *why;
            return nullptr;
        }
        return make(std::get<Descriptor>(descriptor)) ? contents : nullptr;
    }

    const PlaceOutput& place_;
    std::optional<Descriptor> descriptor_;
    std::span<std::byte> bytes_;
    std::string no_room_;
    std::string fault_;
    bool asked_ = false;
};

std::optional<std::string> fault_of(const gathercheck_implementation& implementation) {
    if (text_or(implementation.name, "").empty()) return "its name is missing";
    if (implementation.prepare == nullptr) return "its function prepare is missing";
    if (implementation.run == nullptr) return "its function run is missing";
    if (implementation.claim_count < 0 ||
        (implementation.claim_count > 0 && implementation.claims == nullptr)) {
        return "its claims are missing";
    }
    const std::int64_t alignment = implementation.alignment;
    if (alignment < 0 || alignment > highest_alignment || (alignment & (alignment - 1)) != 0) {
        return "its alignment is " + std::to_string(alignment) +
               ", not 0 or a power of two up to " + std::to_string(highest_alignment);
    }
    return std::nullopt;
}

/// What a function that did not return GATHERCHECK_OK said.
PluginAnswer failed(const gathercheck_implementation& implementation, std::string_view function,
                    int status, void* handle, const gathercheck_error& error) {
    std::string message;
    if (implementation.message != nullptr) {
        message = text_or(call_plugin(implementation.message, handle), "");
    }
    switch (status) {
        case GATHERCHECK_REJECTED:
            break;
        case GATHERCHECK_UNSUPPORTED:
            return Unsupported{message};
        case GATHERCHECK_BROKEN:
            return Broken{message};
        default:
            return Broken{std::string(function) + " returned " + std::to_string(status) +
                          ", which is none of GATHERCHECK_OK, _REJECTED, _UNSUPPORTED and _BROKEN"};
    }
    PluginRejected rejected{message, std::nullopt, std::string(text_or(error.category, ""))};
    if (error.phase == GATHERCHECK_PHASE_BUILD) rejected.phase = Phase::build;
    if (error.phase == GATHERCHECK_PHASE_SHAPE) rejected.phase = Phase::shape;
    if (error.phase == GATHERCHECK_PHASE_RUN) rejected.phase = Phase::run;
    if (!rejected.phase && error.phase != GATHERCHECK_PHASE_UNKNOWN) {
        return Broken{std::string(function) + " gave an error the phase " +
                      std::to_string(error.phase)};
    }
    return rejected;
}

}  // namespace

std::variant<gathercheck_implementation, std::string> read_implementation(
    const gathercheck_implementation* given) {
    if (given == nullptr) {
        return "it does not know version " + std::to_string(GATHERCHECK_PLUGIN_VERSION) +
               " of the plug-in interface, which is the one spoken here; build it with this "
               "gathercheck's plugin.h";
    }
    std::uint64_t size = 0;
    std::memcpy(&size, given, sizeof size);
    if (size < size_of_first) {
        return "its struct says that it has " + std::to_string(size) + " bytes, it must have " +
               std::to_string(size_of_first) + "; set size to sizeof(gathercheck_implementation)";
    }
    gathercheck_implementation implementation{};
    std::memcpy(&implementation, given, std::min<std::uint64_t>(size, sizeof implementation));
    if (auto why = fault_of(implementation)) return std::move(*why);
    return implementation;
}

WorkerHello hello_of(const gathercheck_implementation& implementation) {
    WorkerHello hello;
    hello.name = implementation.name;
    hello.version = text_or(implementation.version, "");
    hello.language = text_or(implementation.language, "c");
    hello.device = text_or(implementation.device, "cpu");
    hello.describes = implementation.describe != nullptr;
    hello.reports_unsafe = true;
    for (std::int64_t k = 0; k < implementation.claim_count; ++k) {
        const gathercheck_claim& claim = implementation.claims[k];
        hello.claims.push_back({text_or(claim.operators, ""), text_or(claim.data, ""),
                                text_or(claim.indices, ""), text_or(claim.operands, ""),
                                text_or(claim.shapes, ""), text_or(claim.axis, ""),
                                implementation.claim_attributes == nullptr
                                    ? std::string_view()
                                    : text_or(implementation.claim_attributes[k], "")});
    }
    return hello;
}

PluginCall::PluginCall(const char* operator_version, const Route& route, const Call& call) {
    for (const Attribute& attribute : call.attributes) add(attribute);
    for (const Input& input : call.inputs) add(input, is_constant(input.name, route));
    call_.operator_version = operator_version;
    call_.attributes = attributes_.data();
    call_.attribute_count = static_cast<std::int64_t>(attributes_.size());
    call_.inputs = inputs_.data();
    call_.input_count = static_cast<std::int64_t>(inputs_.size());
    call_.dynamic_shapes = route.shapes == Shapes::dynamic ? 1 : 0;
    at_build_ = inputs_;
    for (gathercheck_tensor& tensor : at_build_) {
        if (tensor.constant != 0) continue;
        tensor.contents = nullptr;
        tensor.bytes = 0;
        if (call_.dynamic_shapes != 0) tensor.shape = unknown_shape.data();
    }
    build_call_ = call_;
    build_call_.inputs = at_build_.data();
}

void PluginCall::add(const Attribute& attribute) {
    gathercheck_attribute& added = attributes_.emplace_back();
    added.name = attribute.name.c_str();
    added.kind = static_cast<std::int64_t>(attribute.value.index());
    std::visit(Fill{added}, attribute.value);
}

void PluginCall::add(const Input& input, bool constant) {
    gathercheck_tensor& added = inputs_.emplace_back();
    added.name = input.name.c_str();
    added.type = static_cast<std::int64_t>(input.tensor.type);
    added.rank = input.tensor.shape.rank();
    added.shape = input.tensor.shape.begin();
    added.contents = input.tensor.contents;
    if (added.contents != nullptr) {
        added.bytes = byte_size({input.tensor.type, input.tensor.shape}).value_or(0);
    }
    added.constant = constant ? 1 : 0;
}

PluginAnswer ask_plugin(const gathercheck_implementation& implementation, const PluginCall& call,
                        bool describe, const PlaceOutput& place_output, PluginHandle& handle) {
    gathercheck_error error{};
    int status = call_plugin(implementation.prepare, call.at_build(), &handle.value, &error);
    if (status != GATHERCHECK_OK) return failed(implementation, "prepare", status, nullptr, error);
    handle.prepared = true;
    PluginOutput output(place_output);
    gathercheck_descriptor described{};
    described.type = -1;
    described.rank = -1;
    if (implementation.describe != nullptr) {
        error = {};
        status = call_plugin(implementation.describe, handle.value, &described, &error);
        if (status != GATHERCHECK_OK) {
            return failed(implementation, "describe", status, handle.value, error);
        }
    }
    DescriptorOutcome known;
    known.known_rank = described.rank >= 0;
    if (described.rank > max_rank || described.rank < -1) {
        return Broken{"describe gave a rank of " + std::to_string(described.rank)};
    }
    bool complete = known.known_rank && described.type >= 0;
    for (std::int64_t k = 0; k < described.rank; ++k) {
        const std::int64_t dim = described.shape[k];
        known.shape.push_back(dim == -1 ? std::nullopt : std::optional(dim));
        complete = complete && dim != -1;
    }
    // What is known must be sound; unknown dimensions are looked at as if they were 0.
    std::array<std::int64_t, static_cast<std::size_t>(max_rank)> dims{};
    for (std::size_t k = 0; k < known.shape.size(); ++k) dims[k] = known.shape[k].value_or(0);
    const auto sound = read_plugin_shape(described.type == -1 ? 0 : described.type,
                                         std::max(described.rank, std::int64_t{0}), dims.data());
    if (const auto* why = std::get_if<std::string>(&sound)) {
        return Broken{"describe gave " + *why};
    }
    if (describe) {
        if (described.type < 0) return Broken{"describe did not give the element type"};
        known.type = std::get<Descriptor>(sound).type;
        return known;
    }
    if (complete && !output.make(std::get<Descriptor>(sound))) {
        return Unsupported{output.no_room()};
    }
    error = {};
    status = call_plugin(implementation.run, handle.value, call.at_run(),
                         static_cast<gathercheck_output*>(&output), &error);
    if (!output.fault().empty()) return Broken{output.fault()};
    if (!output.no_room().empty()) return Unsupported{output.no_room()};
    if (status != GATHERCHECK_OK) {
        return failed(implementation, "run", status, handle.value, error);
    }
    if (!output.descriptor()) {
        return Broken{
            "run made no output: describe left its shape open, and allocate was not called"};
    }
    return PluginWrote{*output.descriptor(), output.written()};
}

}  // namespace gathercheck
