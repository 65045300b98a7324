// SPDX-License-Identifier: Apache-2.0
// A second, faultless implementation of all operator versions as a worker, written from the
// equations, the rules and the texts alone, to see that the suite accuses no fair reader; it shares
// nothing with the reference.
//
// Where no sentence decides, or where one allows several answers, it does the one or the other by
// its only argument:
//
//                                                               generous (default)       strict
//   a negative index, where the text gives no interval, one     counts from the end      is outside
//     without negatives but no error, or was revised
//   an index outside, where the text does not call it an error  zeros                    refused
//   onnx.GatherElements: indices smaller beside the axis        computed                 refused
//   openvino.GatherND: a batch dimension of 1 beside another    stretched                refused
//   openvino.GatherND: tuples of length 0                       name the whole batch     refused
//   onnx.GatherND: negative batch_dims                          count from indices' rank refused
//   attributes that a version does not define                   ignored                  refused
//   OpenVINO: a surplus input                                   ignored                  refused
//   OpenVINO: 1.0 for an attribute that is an integer           is 1                     refused
//   OpenVINO: complex data                                      gathered                 refused
//   OpenVINO: an axis of several elements                       the first                refused
//   OpenVINO: packed integers as indices or axis                taken                    refused
//   nf4 and f8e8m0 where openvino.Gather-8 fills with zeros     code 7 (is 0), NaN       code 0
//   a described call that must be rejected                      left to the run          refused
//   a described call with dynamic shapes                        its rank, if known       its shape
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using Json = nlohmann::json;
using Shape = std::vector<std::int64_t>;

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t most_bytes = std::int64_t{1} << 28;  // of an output; more is not computed

bool strict = false;  // which of the two readings; set once, by main

// The engine says no.
struct Rejected : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// ---- Element types -----------------------------------------------------------------------------

enum class Kind { integer, unsigned_integer, other };

struct Type {
    std::string_view name;
    unsigned bits;  // of an element; 0 for strings
    Kind kind;
    unsigned zero = 0;  // the bits of the value 0 for the generous, where these are not zeros
};

constexpr std::array types{
    Type{"boolean", 8, Kind::other},
    Type{"u1", 1, Kind::unsigned_integer},
    Type{"u2", 2, Kind::unsigned_integer},
    Type{"u3", 3, Kind::unsigned_integer},
    Type{"u4", 4, Kind::unsigned_integer},
    Type{"u6", 6, Kind::unsigned_integer},
    Type{"u8", 8, Kind::unsigned_integer},
    Type{"u16", 16, Kind::unsigned_integer},
    Type{"u32", 32, Kind::unsigned_integer},
    Type{"u64", 64, Kind::unsigned_integer},
    Type{"i2", 2, Kind::integer},
    Type{"i4", 4, Kind::integer},
    Type{"i8", 8, Kind::integer},
    Type{"i16", 16, Kind::integer},
    Type{"i32", 32, Kind::integer},
    Type{"i64", 64, Kind::integer},
    Type{"f4e2m1", 4, Kind::other},
    Type{"nf4", 4, Kind::other, 7},  // code 7 is 0, code 0 is -1
    Type{"f8e4m3", 8, Kind::other},
    Type{"f8e5m2", 8, Kind::other},
    Type{"f8e4m3fnuz", 8, Kind::other},
    Type{"f8e5m2fnuz", 8, Kind::other},
    Type{"f8e8m0", 8, Kind::other, 0xff},  // it has no 0: NaN
    Type{"f16", 16, Kind::other},
    Type{"bf16", 16, Kind::other},
    Type{"f32", 32, Kind::other},
    Type{"f64", 64, Kind::other},
    Type{"c64", 64, Kind::other},
    Type{"c128", 128, Kind::other},
    Type{"string", 0, Kind::other},
};

using Names = std::vector<std::string_view>;

const Names onnx_11{"boolean", "i8",  "i16", "i32", "i64", "u8",   "u16",   "u32",
                    "u64",     "f16", "f32", "f64", "c64", "c128", "string"};
const Names onnx_13{"boolean", "i8",  "i16", "i32",  "i64", "u8",  "u16",  "u32",
                    "u64",     "f16", "f32", "bf16", "f64", "c64", "c128", "string"};
const Names openvino{"boolean", "u1",     "u2",  "u3",   "u4",  "u6",  "u8",     "u16", "u32",
                     "u64",     "i4",     "i8",  "i16",  "i32", "i64", "f4e2m1", "nf4", "f8e4m3",
                     "f8e5m2",  "f8e8m0", "f16", "bf16", "f32", "f64", "string"};
const Names stablehlo{"boolean", "u2",   "u4",         "u8",        "u16",    "u32",    "u64",
                      "i2",      "i4",   "i8",         "i16",       "i32",    "i64",    "f16",
                      "bf16",    "f32",  "f64",        "f8e4m3",    "f8e5m2", "f8e8m0", "f4e2m1",
                      "c64",     "c128", "f8e4m3fnuz", "f8e5m2fnuz"};
const Names integers{"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};
const Names signed_32_64{"i32", "i64"};
const Names signed_64{"i64"};

const Names window_attributes{"offset_dims",           "collapsed_slice_dims",
                              "operand_batching_dims", "start_indices_batching_dims",
                              "start_index_map",       "index_vector_dim",
                              "slice_sizes",           "indices_are_sorted"};

bool holds(const Names& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

// ---- Operator versions -------------------------------------------------------------------------

enum class Family { gather, elements, nd, windows };
enum class Negative { wraps, open };        // a negative index
enum class Outside { error, zeros, open };  // an index outside its range

struct Version {
    std::string_view name;
    Family family;
    const Names* data;
    const Names* indices;
    bool has_axis;        // an attribute, or for OpenVINO's Gather an input
    bool has_batch_dims;  // an attribute
    Negative negative;
    Outside outside;

    bool onnx() const { return name.starts_with("onnx."); }
    bool openvino() const { return name.starts_with("openvino."); }
    bool axis_is_input() const { return openvino() && family == Family::gather; }
    bool fuses_batches() const { return name == "openvino.GatherND-5"; }
};

const std::array versions{
    Version{"openvino.Gather-1", Family::gather, &openvino, &integers, true, false, Negative::open,
            Outside::open},
    Version{"openvino.Gather-7", Family::gather, &openvino, &integers, true, true, Negative::open,
            Outside::open},
    Version{"openvino.Gather-8", Family::gather, &openvino, &integers, true, true, Negative::wraps,
            Outside::zeros},
    Version{"openvino.GatherElements-6", Family::elements, &openvino, &signed_32_64, true, false,
            Negative::open, Outside::error},
    Version{"openvino.GatherND-5", Family::nd, &openvino, &integers, false, true, Negative::open,
            Outside::open},
    Version{"openvino.GatherND-8", Family::nd, &openvino, &integers, false, true, Negative::wraps,
            Outside::open},
    Version{"onnx.Gather-1", Family::gather, &onnx_11, &signed_32_64, true, false, Negative::open,
            Outside::error},
    Version{"onnx.Gather-11", Family::gather, &onnx_11, &signed_32_64, true, false, Negative::wraps,
            Outside::error},
    Version{"onnx.Gather-13", Family::gather, &onnx_13, &signed_32_64, true, false, Negative::wraps,
            Outside::error},
    Version{"onnx.GatherElements-11", Family::elements, &onnx_11, &signed_32_64, true, false,
            Negative::wraps, Outside::error},
    Version{"onnx.GatherElements-13", Family::elements, &onnx_13, &signed_32_64, true, false,
            Negative::wraps, Outside::error},
    Version{"onnx.GatherND-11", Family::nd, &onnx_11, &signed_64, false, false, Negative::wraps,
            Outside::error},
    Version{"onnx.GatherND-12", Family::nd, &onnx_11, &signed_64, false, true, Negative::wraps,
            Outside::error},
    Version{"onnx.GatherND-13", Family::nd, &onnx_13, &signed_64, false, true, Negative::wraps,
            Outside::error},
    Version{"stablehlo.gather", Family::windows, &stablehlo, &integers, false, false,
            Negative::open, Outside::open},
};

// ---- Tensors -----------------------------------------------------------------------------------

// The product of sizes; a size of 0 makes it 0 whatever the others are, and `largest` stands for
// all that is more.
std::int64_t count(const Shape& shape) {
    std::int64_t product = 1;
    for (const std::int64_t size : shape) {
        if (size == 0) {
            return 0;
        }
        product = product > largest / size ? largest : product * size;
    }
    return product;
}

struct Tensor {
    const Type* type = nullptr;
    Shape shape;
    std::string bytes;                 // of all types but strings
    std::vector<std::string> strings;  // of strings
};

constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string decode_base64(std::string_view text) {
    static const auto values = [] {
        std::array<unsigned, 256> table{};
        for (unsigned i = 0; i < digits.size(); ++i) {
            table[static_cast<unsigned char>(digits[i])] = i;
        }
        return table;
    }();
    std::string bytes(text.size() / 4 * 3, '\0');
    for (std::size_t at = 0, to = 0; at + 4 <= text.size(); at += 4, to += 3) {
        unsigned group = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            group = group << 6U | values[static_cast<unsigned char>(text[at + i])];
        }
        bytes[to] = static_cast<char>(group >> 16U & 0xffU);
        bytes[to + 1] = static_cast<char>(group >> 8U & 0xffU);
        bytes[to + 2] = static_cast<char>(group & 0xffU);
    }
    bytes.resize(bytes.size() - (text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0));
    return bytes;
}

std::string encode_base64(const std::string& bytes) {
    std::string text((bytes.size() + 2) / 3 * 4, '=');
    for (std::size_t at = 0, to = 0; at < bytes.size(); at += 3, to += 4) {
        const std::size_t there = std::min<std::size_t>(3, bytes.size() - at);
        unsigned group = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            group = group << 8U | (i < there ? static_cast<unsigned char>(bytes[at + i]) : 0U);
        }
        for (std::size_t i = 0; i <= there; ++i) {
            text[to + i] = digits[group >> (18 - 6 * i) & 0x3fU];
        }
    }
    return text;
}

// A message, and the contents of its tensors: these are taken out of the line before the rest is
// parsed, for they are long. In their place stands a number, by which they are found. (Inside of
// strings a line has no such key: their quotes are escaped.)
struct Message {
    Json json;
    std::vector<std::string_view> contents;
};

Message parse(const std::string& line) {
    constexpr std::string_view key = R"("base64":")";
    Message message;
    const std::string_view all = line;
    std::string rest;
    std::size_t from = 0;
    for (std::size_t at = all.find(key); at != all.npos; at = all.find(key, from)) {
        const std::size_t first = at + key.size();
        const std::size_t end = all.find('"', first);
        rest.append(all.substr(from, first - 1 - from));
        rest.append(std::to_string(message.contents.size()));
        message.contents.push_back(all.substr(first, end - first));
        from = end + 1;
    }
    message.json = Json::parse(rest.append(all.substr(from)));
    return message;
}

Tensor read_tensor(const Json& json, const Message& message) {
    Tensor tensor;
    const auto& name = json.at("type").get_ref<const std::string&>();
    const auto type = std::ranges::find(types, name, &Type::name);
    if (type == types.end()) {
        throw Rejected("no such element type: " + name);
    }
    tensor.type = &*type;
    tensor.shape = json.at("shape").get<Shape>();
    if (json.contains("values")) {
        tensor.strings = json["values"].get<std::vector<std::string>>();
    } else if (json.contains("base64")) {
        tensor.bytes = decode_base64(message.contents.at(json["base64"].get<std::size_t>()));
    }
    return tensor;
}

std::string write_tensor(const Tensor& tensor) {
    const Json json{{"type", tensor.type->name}, {"shape", tensor.shape}};
    std::string text = json.dump();
    text.pop_back();
    if (tensor.type->bits == 0) {
        return text + R"(,"values":)" + Json(tensor.strings).dump() + "}";
    }
    return text + R"(,"base64":")" + encode_base64(tensor.bytes) + "\"}";
}

// `bits` bits, 64 at most, from bit `first` of a little-endian stream of bits.
std::uint64_t read_bits(const std::string& bytes, std::size_t first, unsigned bits) {
    std::uint64_t value = 0;
    if (first % 8 == 0 && bits % 8 == 0) {
        for (unsigned i = 0; i < bits / 8; ++i) {
            value |= std::uint64_t{static_cast<unsigned char>(bytes.at(first / 8 + i))} << (8 * i);
        }
        return value;
    }
    for (unsigned done = 0; done < bits;) {
        const std::size_t bit = first + done;
        const auto shift = static_cast<unsigned>(bit % 8);
        const unsigned taken = std::min(8 - shift, bits - done);
        const std::uint64_t part =
            (static_cast<unsigned char>(bytes.at(bit / 8)) >> shift) & ((1U << taken) - 1);
        value |= part << done;
        done += taken;
    }
    return value;
}

void write_bits(std::string& bytes, std::size_t first, unsigned bits, std::uint64_t value) {
    for (unsigned i = 0; i < bits; ++i) {
        if ((value >> i & 1U) != 0) {
            char& byte = bytes.at((first + i) / 8);
            byte = static_cast<char>(static_cast<unsigned char>(byte) | 1U << ((first + i) % 8));
        }
    }
}

// The elements of a tensor of integers. What is more than an i64 holds is its largest value: no
// size is as large.
std::vector<std::int64_t> read_integers(const Tensor& tensor) {
    const Type& type = *tensor.type;
    std::vector<std::int64_t> values(static_cast<std::size_t>(count(tensor.shape)));
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint64_t bits = read_bits(tensor.bytes, i * type.bits, type.bits);
        if (type.kind == Kind::integer) {
            const std::uint64_t sign = std::uint64_t{1} << (type.bits - 1);
            values[i] = static_cast<std::int64_t>((bits ^ sign) - sign);
        } else {
            const auto most = static_cast<std::uint64_t>(largest);
            values[i] = static_cast<std::int64_t>(std::min(bits, most));
        }
    }
    return values;
}

// An output without contents yet: all its elements are zeros.
Tensor make_zeros(const Type& type, Shape shape) {
    const std::int64_t elements = count(shape);
    if (elements > most_bytes / 16) {
        throw Rejected("an output of " + std::to_string(elements) + " elements does not fit");
    }
    Tensor zeros{&type, std::move(shape), {}, {}};
    const auto n = static_cast<std::size_t>(elements);
    if (type.bits == 0) {
        zeros.strings.resize(n);
    } else {
        zeros.bytes.resize((n * type.bits + 7) / 8);
    }
    return zeros;
}

// Element `from` of data becomes element `to` of the output; one that is nowhere becomes the type's
// zero.
void put(Tensor& output, std::size_t to, const Tensor& data, std::optional<std::size_t> from) {
    const unsigned bits = output.type->bits;
    if (bits == 0) {
        output.strings.at(to) = from ? data.strings.at(*from) : std::string();
    } else if (bits % 8 != 0 || !from) {
        const std::uint64_t zero = strict ? 0 : output.type->zero;
        write_bits(output.bytes, to * bits, std::min(bits, 64U),
                   from ? read_bits(data.bytes, *from * bits, bits) : zero);
    } else {
        const std::size_t size = bits / 8;
        output.bytes.replace(to * size, size, data.bytes, *from * size, size);
    }
}

// ---- Models: what is known when a call is built ------------------------------------------------

// What StableHLO's gather says of dimensions.
struct Lists {
    Shape offset;             // dimensions of the output
    Shape collapsed;          // of data
    Shape batching;           // of data
    Shape index_batching;     // of indices, each beside that of data
    Shape map;                // of data, for each component of an index vector
    Shape sizes;              // of a window
    std::int64_t vector = 0;  // the dimension of indices along which a vector lies
};

struct Model {
    const Version* version = nullptr;
    std::int64_t axis = 0;  // as it is written; for OpenVINO's Gather it comes with the call
    std::int64_t batch_dims = 0;
    std::map<std::string, Tensor> constants;
    Lists lists;
};

using Inputs = std::map<std::string, Tensor>;

std::int64_t read_attribute(const Version& version, const Json& attributes, const char* name) {
    if (!attributes.contains(name)) {
        return 0;  // the default of all of them
    }
    const Json& value = attributes[name];
    if (value.is_number_float() && version.openvino() && !strict) {
        const auto number = value.get<double>();
        if (std::abs(number) < 1e9 && std::trunc(number) == number) {
            return static_cast<std::int64_t>(number);
        }
    }
    if (!value.is_number_integer()) {
        throw Rejected(std::string(name) + " is not an integer: " + value.dump());
    }
    if (value.is_number_unsigned() &&
        value.get<std::uint64_t>() > static_cast<std::uint64_t>(largest)) {
        return largest;
    }
    return value.get<std::int64_t>();
}

Shape read_list(const Json& attributes, const char* name) {
    const auto found = attributes.find(name);
    const bool integers_alone =
        found != attributes.end() && found->is_array() &&
        std::ranges::all_of(*found, [](const Json& each) { return each.is_number_integer(); });
    if (!integers_alone) {
        throw Rejected(std::string(name) + " is no list of integers");
    }
    return found->get<Shape>();
}

Lists read_lists(const Version& version, const Json& attributes) {
    if (!attributes.contains("index_vector_dim")) {
        throw Rejected("index_vector_dim is needed");
    }
    if (attributes.contains("indices_are_sorted") &&
        !attributes["indices_are_sorted"].is_boolean()) {
        throw Rejected("indices_are_sorted is neither true nor false");
    }
    return {read_list(attributes, "offset_dims"),
            read_list(attributes, "collapsed_slice_dims"),
            read_list(attributes, "operand_batching_dims"),
            read_list(attributes, "start_indices_batching_dims"),
            read_list(attributes, "start_index_map"),
            read_list(attributes, "slice_sizes"),
            read_attribute(version, attributes, "index_vector_dim")};
}

void check_types(const Version& version, const Inputs& inputs) {
    const std::string_view data = inputs.at("data").type->name;
    if ((!version.openvino() || strict) && !holds(*version.data, data)) {
        throw Rejected("data must not be " + std::string(data));
    }
    const auto check_integer = [&](const char* name) {
        const Type& type = *inputs.at(name).type;
        if (type.kind == Kind::other || (strict && !holds(integers, type.name))) {
            throw Rejected(std::string(name) + " is no tensor of integers but " +
                           std::string(type.name));
        }
    };
    check_integer("indices");
    if (version.axis_is_input()) {
        check_integer("axis");
    }
    const std::string_view indices = inputs.at("indices").type->name;
    if (version.indices != &integers && !holds(*version.indices, indices)) {
        throw Rejected("indices must not be " + std::string(indices));
    }
}

Model build(const Version& version, const Json& call, const Inputs& inputs) {
    Names needed{"data", "indices"};
    if (version.axis_is_input()) {
        needed.push_back("axis");
    }
    const bool all = std::ranges::all_of(
        needed, [&](std::string_view name) { return inputs.contains(std::string(name)); });
    const bool surplus = inputs.size() > needed.size() && (!version.openvino() || strict);
    if (!all || surplus) {
        throw Rejected(std::to_string(needed.size()) + " inputs are needed");
    }
    Model model;
    model.version = &version;
    const Json& attributes = call.at("attributes");
    for (const auto& [name, value] : attributes.items()) {
        const bool known = (name == "axis" && version.has_axis && !version.axis_is_input()) ||
                           (name == "batch_dims" && version.has_batch_dims) ||
                           (holds(window_attributes, name) && version.family == Family::windows);
        if (!known && strict) {
            throw Rejected("there is no attribute " + name);
        }
    }
    if (version.family == Family::windows) {
        model.lists = read_lists(version, attributes);
    }
    if (version.has_axis && !version.axis_is_input()) {
        model.axis = read_attribute(version, attributes, "axis");
    }
    if (version.has_batch_dims) {
        model.batch_dims = read_attribute(version, attributes, "batch_dims");
    }
    check_types(version, inputs);
    return model;
}

// What the route takes for constants: later calls of the model have them from here.
void keep_constants(Model& model, const Json& call, const Inputs& inputs) {
    const std::string operands = call.at("route").value("operands", "runtime");
    if (operands != "runtime") {
        model.constants["indices"] = inputs.at("indices");
    }
    if (operands == "folded") {
        model.constants["data"] = inputs.at("data");
    }
    if (model.version->axis_is_input() &&
        call.at("route").value("axis", "constant") == "constant") {
        model.constants["axis"] = inputs.at("axis");
    }
}

// ---- Shapes: the numbers of the equations ------------------------------------------------------

// The names are those of the equations.
struct Plan {
    std::size_t N = 0;  // the rank of data
    std::size_t M = 0;  // the rank of indices
    std::size_t a = 0;  // the axis, counted from 0
    std::size_t b = 0;  // the number of batch dimensions
    std::size_t n = 1;  // the length of a tuple
    Shape batches;      // of GatherND
    Shape output;
    Shape sizes;  // the values of indices are checked against these in turn
};

// A number that may count from the end, as a place among `rank` ones.
std::int64_t from_the_end(std::int64_t number, std::size_t rank) {
    return number < 0 ? number + static_cast<std::int64_t>(rank) : number;
}

void append(Shape& to, const Shape& from, std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
        to.push_back(from.at(k));
    }
}

std::size_t plan_axis(std::int64_t axis, std::size_t rank) {
    const auto r = static_cast<std::int64_t>(rank);
    if (axis < -r || axis >= r) {
        throw Rejected("axis " + std::to_string(axis) + " of " + std::to_string(rank) +
                       " dimensions");
    }
    return static_cast<std::size_t>(from_the_end(axis, rank));
}

void plan_gather(Plan& plan, const Model& model, std::int64_t axis, const Shape& data,
                 const Shape& indices) {
    plan.a = plan_axis(axis, plan.N);
    const auto limit = static_cast<std::int64_t>(std::min(plan.N, plan.M));
    if (model.batch_dims < -limit || model.batch_dims > limit) {
        throw Rejected("batch_dims " + std::to_string(model.batch_dims) + " is out of range");
    }
    plan.b = static_cast<std::size_t>(from_the_end(model.batch_dims, plan.M));
    if (plan.b > plan.a) {
        throw Rejected("batch_dims is larger than axis");
    }
    const auto batches_end = data.begin() + static_cast<std::ptrdiff_t>(plan.b);
    if (!std::equal(data.begin(), batches_end, indices.begin())) {
        throw Rejected("the batch dimensions differ");
    }
    append(plan.output, data, 0, plan.a);
    append(plan.output, indices, plan.b, plan.M);
    append(plan.output, data, plan.a + 1, plan.N);
    plan.sizes = {data[plan.a]};
}

void plan_elements(Plan& plan, const Model& model, const Shape& data, const Shape& indices) {
    if (plan.N == 0 || plan.N != plan.M) {
        throw Rejected("data and indices have as many dimensions, one at least");
    }
    plan.a = plan_axis(model.axis, plan.N);
    for (std::size_t k = 0; k < plan.N; ++k) {
        const bool taken = model.version->onnx() && !strict && indices[k] < data[k];
        if (k != plan.a && data[k] != indices[k] && !taken) {
            throw Rejected("dimension " + std::to_string(k) + " of data and of indices differ");
        }
    }
    plan.output = indices;
    plan.sizes = {data[plan.a]};
}

void plan_nd(Plan& plan, const Model& model, const Shape& data, const Shape& indices) {
    if (plan.N == 0 || plan.M == 0) {
        throw Rejected("data and indices have one dimension at least");
    }
    const bool onnx = model.version->onnx();
    const std::int64_t b =
        onnx && !strict ? from_the_end(model.batch_dims, plan.M) : model.batch_dims;
    if (b < 0 || b >= static_cast<std::int64_t>(std::min(plan.N, plan.M))) {
        throw Rejected("batch_dims " + std::to_string(model.batch_dims) + " is out of range");
    }
    plan.b = static_cast<std::size_t>(b);
    for (std::size_t k = 0; k < plan.b; ++k) {
        const bool stretched = !onnx && !strict && (data[k] == 1 || indices[k] == 1);
        if (data[k] != indices[k] && !stretched) {
            throw Rejected("batch dimension " + std::to_string(k) +
                           " of data and of indices differ");
        }
        plan.batches.push_back(data[k] == 1 ? indices[k] : data[k]);
    }
    const std::int64_t n = indices.back();
    if (n > static_cast<std::int64_t>(plan.N - plan.b) || (n == 0 && (onnx || strict))) {
        throw Rejected("a tuple of length " + std::to_string(n));
    }
    plan.n = static_cast<std::size_t>(n);
    if (model.version->fuses_batches() && plan.b > 0) {
        plan.output = {count(plan.batches)};
    } else {
        plan.output = plan.batches;
    }
    append(plan.output, indices, plan.b, plan.M - 1);
    append(plan.output, data, plan.b + plan.n, plan.N);
    append(plan.sizes, data, plan.b, plan.b + plan.n);
}

bool is_in(std::int64_t number, const Shape& list) {
    return std::ranges::find(list, number) != list.end();
}

// Every entry is a dimension of a tensor of that rank, none stands twice.
void check_dims(const char* name, const Shape& list, std::size_t rank, bool ascending) {
    for (std::size_t k = 0; k < list.size(); ++k) {
        const bool there = list[k] >= 0 && list[k] < static_cast<std::int64_t>(rank);
        const bool again = std::ranges::count(list, list[k]) > 1;
        if (!there || again || (ascending && k > 0 && list[k] < list[k - 1])) {
            throw Rejected(std::string(name) + " has no place for " + std::to_string(list[k]));
        }
    }
}

// The dimensions of a tensor that no list names.
Shape dims_beside(std::size_t rank, const Shape& one, const Shape& other) {
    Shape dims;
    for (std::int64_t d = 0; d < static_cast<std::int64_t>(rank); ++d) {
        if (!is_in(d, one) && !is_in(d, other)) {
            dims.push_back(d);
        }
    }
    return dims;
}

void plan_windows(Plan& plan, const Lists& of, const Shape& data, const Shape& indices) {
    if (of.vector < 0 || of.vector > static_cast<std::int64_t>(plan.M)) {
        throw Rejected("there is no such dimension for index vectors");
    }
    const bool along = of.vector < static_cast<std::int64_t>(plan.M);
    const std::int64_t components = along ? indices[static_cast<std::size_t>(of.vector)] : 1;
    if (static_cast<std::int64_t>(of.map.size()) != components) {
        throw Rejected("start_index_map does not fit the index vectors");
    }
    Shape gone = of.collapsed;
    append(gone, of.batching, 0, of.batching.size());
    check_dims("collapsed and batching dimensions", gone, plan.N, false);
    check_dims("collapsed_slice_dims", of.collapsed, plan.N, true);
    check_dims("operand_batching_dims", of.batching, plan.N, true);
    check_dims("start_indices_batching_dims", of.index_batching, plan.M, false);
    Shape moved = of.map;
    append(moved, of.batching, 0, of.batching.size());
    check_dims("moved and batching dimensions", moved, plan.N, false);
    const Shape window = dims_beside(plan.N, gone, {});
    const Shape vectors = dims_beside(plan.M, {of.vector}, {});
    plan.output.resize(vectors.size() + window.size());
    check_dims("offset_dims", of.offset, plan.output.size(), true);
    if (of.offset.size() != window.size() || of.sizes.size() != plan.N ||
        of.batching.size() != of.index_batching.size() || is_in(of.vector, of.index_batching)) {
        throw Rejected("the lists of dimensions do not fit each other");
    }
    for (std::size_t d = 0; d < plan.N; ++d) {
        const bool one = is_in(static_cast<std::int64_t>(d), gone);
        if (of.sizes[d] < 0 || of.sizes[d] > (one ? std::min<std::int64_t>(1, data[d]) : data[d])) {
            throw Rejected("a window does not fit dimension " + std::to_string(d));
        }
    }
    for (std::size_t k = 0; k < of.batching.size(); ++k) {
        if (data[static_cast<std::size_t>(of.batching[k])] !=
            indices[static_cast<std::size_t>(of.index_batching[k])]) {
            throw Rejected("batching dimensions differ");
        }
    }
    std::size_t next_vector = 0;
    std::size_t next_offset = 0;
    for (std::size_t d = 0; d < plan.output.size(); ++d) {
        const bool offset = is_in(static_cast<std::int64_t>(d), of.offset);
        plan.output[d] = offset ? of.sizes[static_cast<std::size_t>(window[next_offset++])]
                                : indices[static_cast<std::size_t>(vectors[next_vector++])];
    }
}

// The numbers of elements and of bytes fit 63 bits.
void check_size(const Type& type, const Shape& shape) {
    const std::int64_t elements = count(shape);
    if (elements == largest || elements > largest / std::max<std::int64_t>(1, type.bits / 8)) {
        throw Rejected("a tensor is too large");
    }
}

Plan make_plan(const Model& model, const Inputs& inputs) {
    const Shape& data = inputs.at("data").shape;
    const Shape& indices = inputs.at("indices").shape;
    Plan plan;
    plan.N = data.size();
    plan.M = indices.size();
    std::int64_t axis = model.axis;
    if (model.version->axis_is_input()) {
        const Tensor& input = inputs.at("axis");
        const std::int64_t elements = count(input.shape);
        if (input.shape.size() > 1 || elements < 1 || (elements > 1 && strict)) {
            throw Rejected("axis is neither a scalar nor a vector of one element");
        }
        axis = read_integers(input).front();
    }
    switch (model.version->family) {
        case Family::gather:
            plan_gather(plan, model, axis, data, indices);
            break;
        case Family::elements:
            plan_elements(plan, model, data, indices);
            break;
        case Family::nd:
            plan_nd(plan, model, data, indices);
            break;
        case Family::windows:
            plan_windows(plan, model.lists, data, indices);
            break;
    }
    check_size(*inputs.at("data").type, data);
    check_size(*inputs.at("indices").type, indices);
    check_size(*inputs.at("data").type, plan.output);
    return plan;
}

// ---- The equations -----------------------------------------------------------------------------

// The place that each index value stands for, none where it is outside its range.
std::vector<std::optional<std::int64_t>> read_indices(const Version& version, const Plan& plan,
                                                      const Tensor& indices) {
    const std::vector<std::int64_t> values = read_integers(indices);
    std::vector<std::optional<std::int64_t>> places(values.size());
    const bool wraps =
        version.negative == Negative::wraps || (version.negative == Negative::open && !strict);
    const bool refuses =
        version.outside == Outside::error || (version.outside == Outside::open && strict);
    for (std::size_t f = 0; f < values.size(); ++f) {
        const std::int64_t s = plan.sizes[f % plan.sizes.size()];
        const std::int64_t lowest = wraps ? -s : 0;
        if (values[f] >= lowest && values[f] < s) {
            places[f] = values[f] < 0 ? values[f] + s : values[f];
        } else if (refuses) {
            throw Rejected("index " + std::to_string(values[f]) + " is outside of " +
                           std::to_string(lowest) + " to " + std::to_string(s - 1));
        }
    }
    return places;
}

std::size_t flat(const Shape& coordinate, const Shape& shape) {
    std::int64_t place = 0;
    for (std::size_t k = 0; k < coordinate.size(); ++k) {
        place = place * shape[k] + coordinate[k];
    }
    return static_cast<std::size_t>(place);
}

// The coordinate after this one, in row-major order.
void advance(Shape& coordinate, const Shape& shape) {
    for (std::size_t k = shape.size(); k-- > 0;) {
        if (++coordinate[k] < shape[k]) {
            return;
        }
        coordinate[k] = 0;
    }
}

Shape unravel(std::int64_t place, const Shape& shape) {
    Shape coordinate(shape.size());
    for (std::size_t k = shape.size(); k-- > 0;) {
        coordinate[k] = place % shape[k];
        place /= shape[k];
    }
    return coordinate;
}

// Where an output element comes from: the coordinate of its index value (of its tuple, for
// GatherND), and the coordinate of data with 0 where the `n` entries from `hole` on are to be
// filled in.
struct Source {
    Shape index;
    Shape data;
    std::size_t hole = 0;
};

void find_source(Source& source, const Plan& plan, Family family, const Shape& o, const Shape& data,
                 const Shape& indices) {
    source.index.clear();
    source.data.clear();
    if (family == Family::elements) {
        source.index = o;
        source.data = o;
        source.data[plan.a] = 0;
        source.hole = plan.a;
    } else if (family == Family::gather) {
        const std::size_t after = plan.a + plan.M - plan.b;  // where the coordinates of data go on
        append(source.index, o, 0, plan.b);
        append(source.index, o, plan.a, after);
        append(source.data, o, 0, plan.a);
        source.data.push_back(0);
        append(source.data, o, after, o.size());
        source.hole = plan.a;
    } else {
        const bool fused = plan.output.size() != plan.M - 1 + plan.N - plan.b - plan.n;
        const auto batch_end = o.begin() + static_cast<std::ptrdiff_t>(fused ? 0 : plan.b);
        const Shape batch = fused ? unravel(o[0], plan.batches) : Shape(o.begin(), batch_end);
        for (std::size_t k = 0; k < plan.b; ++k) {
            source.index.push_back(indices[k] == 1 ? 0 : batch[k]);
            source.data.push_back(data[k] == 1 ? 0 : batch[k]);
        }
        const std::size_t first = fused ? 1 : plan.b;
        const std::size_t after = first + plan.M - 1 - plan.b;
        append(source.index, o, first, after);
        source.index.push_back(0);
        source.data.resize(plan.b + plan.n);
        append(source.data, o, after, o.size());
        source.hole = plan.b;
    }
}

// Each element of the output by itself: the window of its index vector, moved as far as it has to
// be to lie within data, and the place in it.
Tensor compute_windows(const Lists& of, const Plan& plan, const Inputs& inputs) {
    const Tensor& data = inputs.at("data");
    const Tensor& indices = inputs.at("indices");
    const std::vector<std::int64_t> values = read_integers(indices);
    Tensor output = make_zeros(*data.type, plan.output);
    const bool along = of.vector < static_cast<std::int64_t>(plan.M);
    for (std::int64_t to = 0; to < count(plan.output); ++to) {
        const Shape coordinate = unravel(to, plan.output);
        Shape from(plan.N, 0);
        Shape vector;  // the coordinate of its first component in indices
        std::int64_t window = 0;
        for (std::size_t d = 0; d < coordinate.size(); ++d) {
            if (is_in(static_cast<std::int64_t>(d), of.offset)) {
                while (is_in(window, of.collapsed) || is_in(window, of.batching)) {
                    ++window;
                }
                from[static_cast<std::size_t>(window++)] = coordinate[d];
            } else {
                vector.push_back(coordinate[d]);
            }
        }
        if (along) {
            vector.insert(vector.begin() + of.vector, 0);
        }
        for (std::size_t k = 0; k < of.batching.size(); ++k) {
            from[static_cast<std::size_t>(of.batching[k])] =
                vector[static_cast<std::size_t>(of.index_batching[k])];
        }
        for (std::size_t t = 0; t < of.map.size(); ++t) {
            if (along) {
                vector[static_cast<std::size_t>(of.vector)] = static_cast<std::int64_t>(t);
            }
            const auto d = static_cast<std::size_t>(of.map[t]);
            const std::int64_t wanted = values[flat(vector, indices.shape)];
            from[d] += std::max<std::int64_t>(0, std::min(wanted, data.shape[d] - of.sizes[d]));
        }
        bool there = true;
        for (std::size_t d = 0; d < plan.N; ++d) {
            there = there && from[d] < data.shape[d];
        }
        put(output, static_cast<std::size_t>(to), data,
            there ? std::optional(flat(from, data.shape)) : std::nullopt);
    }
    return output;
}

Tensor compute(const Model& model, const Inputs& inputs) {
    const Plan plan = make_plan(model, inputs);
    if (model.version->family == Family::windows) {
        return compute_windows(model.lists, plan, inputs);
    }
    const Tensor& data = inputs.at("data");
    const Tensor& indices = inputs.at("indices");
    const auto places = read_indices(*model.version, plan, indices);
    Tensor output = make_zeros(*data.type, plan.output);
    const auto elements = static_cast<std::size_t>(count(plan.output));
    Shape coordinate(plan.output.size());
    Source source;
    for (std::size_t to = 0; to < elements; ++to) {
        find_source(source, plan, model.version->family, coordinate, data.shape, indices.shape);
        const std::size_t first = plan.n == 0 ? 0 : flat(source.index, indices.shape);
        bool inside = true;
        for (std::size_t k = 0; k < plan.n; ++k) {
            inside = inside && places[first + k].has_value();
            source.data[source.hole + k] = places[first + k].value_or(0);
        }
        put(output, to, data, inside ? std::optional(flat(source.data, data.shape)) : std::nullopt);
        advance(coordinate, plan.output);
    }
    return output;
}

// ---- The protocol ------------------------------------------------------------------------------

Json hello() {
    Json claims = Json::array();
    for (const Version& version : versions) {
        Json claim{{"operators", {version.name}},
                   {"data", *version.data},
                   {"indices", *version.indices},
                   {"operands", {"runtime", "constant", "folded"}},
                   {"shapes", {"static", "dynamic"}}};
        if (version.axis_is_input()) {
            claim["axis"] = {"constant", "runtime"};
        }
        claims.push_back(std::move(claim));
    }
    return {{"message", "hello"},
            {"protocol", 1},
            {"implementation",
             {{"name", strict ? "second implementation, strict" : "second implementation"},
              {"version", "1"},
              {"language", "c++"},
              {"device", "cpu"}}},
            {"claims", std::move(claims)},
            {"answers", {"run", "describe"}},
            {"features", {"models"}}};
}

Inputs read_inputs(const Message& call) {
    Inputs inputs;
    for (const auto& [name, tensor] : call.json.at("inputs").items()) {
        inputs[name] = read_tensor(tensor, call);
    }
    return inputs;
}

const Version& find_version(const Json& call) {
    const auto& name = call.at("operator").get_ref<const std::string&>();
    const auto version = std::ranges::find(versions, name, &Version::name);
    if (version == versions.end()) {
        throw std::runtime_error("no such operator version: " + name);
    }
    return *version;
}

class Worker {
public:
    // The answer to a line; none to goodbye.
    std::optional<std::string> answer(const std::string& line) {
        const Message message = parse(line);
        const Json& json = message.json;
        const std::string kind = json.at("message");
        if (kind == "hello") {
            return hello().dump();
        }
        if (kind == "goodbye") {
            return std::nullopt;
        }
        std::string form;
        try {
            form = kind == "describe" ? R"("descriptor":)" + describe(message).dump()
                                      : R"("output":)" + run(message);
        } catch (const Rejected& no) {
            form = R"("rejected":)" + Json{{"message", no.what()}}.dump();
        } catch (const std::exception& fault) {
            form = R"("broken":)" + Json(fault.what()).dump();
        }
        return R"({"seq":)" + json.at("seq").dump() + "," + form + "}";
    }

private:
    std::string run(const Message& message) {
        const Json& call = message.json;
        Inputs inputs = read_inputs(message);
        const std::int64_t number = call.value("model", std::int64_t{0});
        if (number == 0 || number != number_) {
            number_ = 0;
            model_ = build(find_version(call), call, inputs);
            number_ = number;
            if (number != 0) {
                keep_constants(model_, call, inputs);
            }
        }
        for (const auto& [name, constant] : model_.constants) {
            inputs[name] = constant;
        }
        return write_tensor(compute(model_, inputs));
    }

    static Json describe(const Message& message) {
        const Json& call = message.json;
        const Inputs inputs = read_inputs(message);
        Json shape;
        try {
            const Version& version = find_version(call);
            const Plan plan = make_plan(build(version, call, inputs), inputs);
            if (strict || call.at("route").value("shapes", "static") == "static") {
                shape = plan.output;
            } else if (version.family != Family::nd) {  // its rank depends on sizes of indices
                shape = std::vector<Json>(plan.output.size());
            }
        } catch (const Rejected&) {
            if (strict) {
                throw;
            }
        }
        const auto data = inputs.find("data");
        return {{"type", data == inputs.end() ? "u8" : data->second.type->name},
                {"shape", std::move(shape)}};
    }

    std::int64_t number_ = 0;  // of the sequence that the model is kept for; 0: none
    Model model_;
};

}  // namespace

int main(int argc, char** argv) {
    strict = argc == 2 && std::string_view(argv[1]) == "strict";
    if (argc > 2 || (argc == 2 && !strict)) {
        std::cerr << "its only argument is \"strict\" or none\n";
        return 4;
    }
    std::ios::sync_with_stdio(false);
    Worker worker;
    for (std::string line; std::getline(std::cin, line);) {
        const std::optional<std::string> answer = worker.answer(line);
        if (!answer) {
            break;
        }
        std::cout << *answer << std::endl;
    }
}
