// SPDX-License-Identifier: Apache-2.0
// Node tests made, mutated and imported.
#include "tools/fuzz/node_tests.hpp"

#if GATHERCHECK_ONNX

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/load/load.hpp"
#include "conformance/tests/temporary.hpp"
#include "tools/import/import_onnx.hpp"
#include "tools/tests/import_node_tests.hpp"

namespace gathercheck::fuzz {
namespace {

namespace fs = std::filesystem;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

using Bundle = std::map<std::string, std::string>;

constexpr std::string_view digits = "0123456789abcdef";

std::string text_of(const Bundle& bundle) {
    std::string text;
    for (const auto& [path, bytes] : bundle) {
        text += path + " ";
        for (const char byte : bytes) {
            const auto value = static_cast<unsigned char>(byte);
            text += digits[value >> 4U];
            text += digits[value & 15U];
        }
        text += "\n";
    }
    return text;
}

/// Whether a file of a bundle may be written: bytes of a fuzzer name any path.
bool is_of_node_test(std::string_view path) {
    constexpr std::string_view set = "test_data_set_";
    if (path == "model.onnx") return true;
    if (!path.starts_with(set)) return false;
    const std::size_t slash = path.find('/');
    if (slash == std::string_view::npos || path.find('/', slash + 1) != std::string_view::npos) {
        return false;
    }
    return path.ends_with(".pb") && path.find('\0') == std::string_view::npos && path.size() < 100;
}

Bundle bundle_of(const std::string& text) {
    Bundle bundle;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t space = line.find(' ');
        if (space == std::string::npos || !is_of_node_test(line.substr(0, space))) continue;
        std::string& bytes = bundle[line.substr(0, space)];
        for (std::size_t k = space + 1; k + 1 < line.size(); k += 2) {
            bytes += static_cast<char>(digits.find(line[k]) << 4U | digits.find(line[k + 1]));
        }
    }
    return bundle;
}

Bundle seed(Random& random) {
    using onnx::TensorProto;
    const int opsets[] = {1, 10, 11, 12, 13, 21};
    test::NodeTestFiles files = test::two_rows(opsets[random.below(6)]);
    if (random.below(3) == 0) {
        files.node().set_op_type(random.below(2) == 0 ? "GatherND" : "GatherElements");
    }
    if (random.below(4) == 0) {
        auto& data = files.sets[0].inputs[0];
        data.clear_raw_data();
        for (int k = 0; k < 6; ++k) data.add_float_data(static_cast<float>(k));
    }
    Bundle bundle{{"model.onnx", files.model.SerializeAsString()}};
    const std::string set = "test_data_set_0/";
    for (int k = 0; k < 2; ++k) {
        bundle[set + "input_" + std::to_string(k) + ".pb"] =
            files.sets[0].inputs[static_cast<std::size_t>(k)].SerializeAsString();
    }
    bundle[set + "output_0.pb"] = files.sets[0].outputs[0].SerializeAsString();
    return bundle;
}

template <class Number>
Number odd_number(Random& random) {
    const Number all[] = {0,
                          1,
                          static_cast<Number>(-1),
                          2,
                          16,
                          std::numeric_limits<Number>::max(),
                          std::numeric_limits<Number>::lowest()};
    return all[random.below(std::size(all))];
}

std::string odd_text(Random& random) {
    const std::string all[] = {"",
                               "x",
                               "indices",
                               "axis",
                               "Gather",
                               "ai.onnx",
                               "con..trol",
                               "\xff\xfe",
                               "\x1b[31m",
                               "<script>",
                               std::string("\0\1", 2),
                               std::string(100'000, 'a')};
    return all[random.below(std::size(all))];
}

/// Sets, adds, takes away or doubles one field somewhere below a message.
void mutate_field(Message& message, Random& random) {
    const auto* descriptor = message.GetDescriptor();
    const auto* reflection = message.GetReflection();
    if (descriptor->field_count() == 0) return;
    std::vector<const FieldDescriptor*> set;
    reflection->ListFields(message, &set);
    const FieldDescriptor* field = !set.empty() && random.below(4) != 0
                                       ? set[random.below(set.size())]
                                       : descriptor->field(static_cast<int>(random.below(
                                             static_cast<std::size_t>(descriptor->field_count()))));
    const int size = field->is_repeated() ? reflection->FieldSize(message, field) : 0;
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && random.below(5) != 0) {
        if (!field->is_repeated()) {
            mutate_field(*reflection->MutableMessage(&message, field), random);
        } else if (size > 0) {
            mutate_field(*reflection->MutableRepeatedMessage(
                             &message, field,
                             static_cast<int>(random.below(static_cast<std::size_t>(size)))),
                         random);
        } else {
            reflection->AddMessage(&message, field);
        }
        return;
    }
    const std::size_t what = random.below(4);
    if (what == 0) {
        reflection->ClearField(&message, field);
        return;
    }
    const bool add = field->is_repeated();
    if (add && size > 0 && what == 1) {
        reflection->RemoveLast(&message, field);
        return;
    }
    switch (field->cpp_type()) {
        case FieldDescriptor::CPPTYPE_INT32: {
            const auto value = odd_number<std::int32_t>(random);
            add ? reflection->AddInt32(&message, field, value)
                : reflection->SetInt32(&message, field, value);
            break;
        }
        case FieldDescriptor::CPPTYPE_INT64: {
            const auto value = odd_number<std::int64_t>(random);
            add ? reflection->AddInt64(&message, field, value)
                : reflection->SetInt64(&message, field, value);
            break;
        }
        case FieldDescriptor::CPPTYPE_UINT64: {
            const auto value = odd_number<std::uint64_t>(random);
            add ? reflection->AddUInt64(&message, field, value)
                : reflection->SetUInt64(&message, field, value);
            break;
        }
        case FieldDescriptor::CPPTYPE_FLOAT: {
            const auto value = odd_number<float>(random);
            add ? reflection->AddFloat(&message, field, value)
                : reflection->SetFloat(&message, field, value);
            break;
        }
        case FieldDescriptor::CPPTYPE_DOUBLE: {
            const auto value = odd_number<double>(random);
            add ? reflection->AddDouble(&message, field, value)
                : reflection->SetDouble(&message, field, value);
            break;
        }
        case FieldDescriptor::CPPTYPE_ENUM: {
            const int value = static_cast<int>(random.below(25));
            if (field->enum_type()->FindValueByNumber(value) == nullptr) break;
            add ? reflection->AddEnumValue(&message, field, value)
                : reflection->SetEnumValue(&message, field, value);
            break;
        }
        case FieldDescriptor::CPPTYPE_STRING: {
            const std::string value = odd_text(random);
            add ? reflection->AddString(&message, field, value)
                : reflection->SetString(&message, field, value);
            break;
        }
        case FieldDescriptor::CPPTYPE_MESSAGE:
            if (add) {
                Message* added = reflection->AddMessage(&message, field);
                if (size > 0) added->CopyFrom(reflection->GetRepeatedMessage(message, field, 0));
            } else {
                reflection->MutableMessage(&message, field);
            }
            break;
        case FieldDescriptor::CPPTYPE_UINT32:
        case FieldDescriptor::CPPTYPE_BOOL:
            break;
    }
}

std::string mutate_message(const std::string& path, const std::string& bytes, Random& random) {
    onnx::ModelProto model;
    onnx::TensorProto tensor;
    Message& message =
        path == "model.onnx" ? static_cast<Message&>(model) : static_cast<Message&>(tensor);
    if (!message.ParseFromString(bytes)) return bytes;
    mutate_field(message, random);
    return message.SerializeAsString();
}

std::string mutate_bytes(std::string bytes, Random& random) {
    if (bytes.empty()) return bytes;
    const std::size_t place = random.below(bytes.size());
    switch (random.below(4)) {
        case 0:
            bytes[place] = static_cast<char>(random.below(256));
            break;
        case 1:
            bytes.erase(place, random.below(10) + 1);
            break;
        case 2:
            bytes.insert(place, bytes.substr(place, random.below(20) + 1));
            break;
        default:
            bytes.resize(place);
            break;
    }
    return bytes;
}

}  // namespace

bool has_import() { return true; }

std::string mutate_node_test(Random& random) { return mutate_bundle({}, random); }

std::string mutate_bundle(const std::string& text, Random& random) {
    Bundle bundle = bundle_of(text);
    if (bundle.empty()) bundle = seed(random);
    for (std::size_t times = random.below(4) + 1; times > 0 && !bundle.empty(); --times) {
        auto chosen = bundle.begin();
        std::advance(chosen, static_cast<std::ptrdiff_t>(random.below(bundle.size())));
        const std::size_t what = random.below(12);
        if (what == 0) {
            bundle.erase(chosen);
        } else if (what < 4) {
            chosen->second = mutate_bytes(chosen->second, random);
        } else {
            chosen->second = mutate_message(chosen->first, chosen->second, random);
        }
    }
    return text_of(bundle);
}

std::string import_bundle(const std::string& text, const RuleCatalogue& rules) {
    const test::TemporaryFolder folder;
    const fs::path node_test = folder.path() / "test_any";
    for (const auto& [path, bytes] : bundle_of(text)) test::write_file(node_test / path, bytes);
    const ImportResult result = import_onnx({node_test});
    if (result.json().empty()) {
        return result.refused.empty() ? "neither a case nor a refusal" : std::string();
    }
    const auto loaded = load_cases_text(result.json(), "imported.json", rules);
    const auto* problems = std::get_if<std::vector<Problem>>(&loaded);
    return problems == nullptr ? std::string()
                               : "the loader refuses its case: " + to_string(problems->front());
}

}  // namespace gathercheck::fuzz

#else

namespace gathercheck::fuzz {

bool has_import() { return false; }
std::string mutate_node_test(Random& /*random*/) { return {}; }
std::string mutate_bundle(const std::string& bundle, Random& /*random*/) { return bundle; }
std::string import_bundle(const std::string& /*bundle*/, const RuleCatalogue& /*rules*/) {
    return {};
}

}  // namespace gathercheck::fuzz

#endif
