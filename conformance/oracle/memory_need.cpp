// SPDX-License-Identifier: Apache-2.0
#include "conformance/oracle/memory_need.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

namespace gathercheck {
namespace {

/// What needs less is not looked at any closer.
constexpr double small_need = double{1 << 26};

/// Copies of an input: in the call, beside guard pages, and on its way there.
constexpr double copies_of_input = 3;
/// Copies of an output: expected, beside guard pages, and as the answer of each pass, one of them
/// on its way.
constexpr double copies_of_output = 5;
/// A string element: its text, the string that owns it, and the element that refers to it.
constexpr double bytes_of_string = 128;

std::int64_t number_in(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::int64_t number = -1;
    return stream >> number ? number : -1;  // "max" is none
}

/// The number behind a key; -1 where there is none.
std::int64_t number_of(const std::filesystem::path& file, const std::string& key) {
    std::ifstream stream(file);
    for (std::string word; stream >> word;) {
        if (word != key) continue;
        std::int64_t number = -1;
        return stream >> number ? number : -1;
    }
    return -1;
}

/// What a control group leaves; its cache of files can be given back.
std::int64_t left_by_group(const std::filesystem::path& group, const char* limit_file,
                           const char* used_file, const char* cache_key) {
    constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
    const std::int64_t limit = number_in(group / limit_file);
    const std::int64_t used = number_in(group / used_file);
    if (limit < 0 || used < 0) return no_limit;
    const std::int64_t cache =
        std::max<std::int64_t>(number_of(group / "memory.stat", cache_key), 0);
    return std::max<std::int64_t>(limit - used + std::min(cache, used), 0);
}

std::int64_t left_by_groups() {
    namespace fs = std::filesystem;
    std::int64_t left = left_by_group("/sys/fs/cgroup/memory", "memory.limit_in_bytes",
                                      "memory.usage_in_bytes", "total_inactive_file");
    std::ifstream stream("/proc/self/cgroup");
    constexpr std::string_view unified = "0::/";
    for (std::string line; std::getline(stream, line);) {
        if (!line.starts_with(unified)) continue;
        const fs::path root = "/sys/fs/cgroup";
        for (fs::path group = root / line.substr(unified.size());; group = group.parent_path()) {
            left = std::min(left,
                            left_by_group(group, "memory.max", "memory.current", "inactive_file"));
            if (group == root || group.string().size() <= root.string().size()) break;
        }
    }
    return left;
}

double bytes_of(const Descriptor& descriptor) {
    double count = 1;
    for (const std::int64_t dim : descriptor.shape) count *= static_cast<double>(dim);
    return descriptor.type == ElementType::string ? count * bytes_of_string
                                                  : count * bits(descriptor.type) / 8;
}

double bytes_of_inputs(const Case& tested) {
    double bytes = 0;
    for (const NamedTensorSpec& input : tested.inputs) {
        if (input.tensor.has_contents()) bytes += bytes_of(input.tensor.descriptor);
    }
    return bytes;
}

const Descriptor* descriptor_of(const Case& tested, std::string_view name) {
    const TensorSpec* input = tested.input(name);
    return input == nullptr ? nullptr : &input->descriptor;
}

/// The output that the equations give a call of which no contents are made but the axis.
std::optional<Descriptor> output_of(const Case& tested, OperatorVersion version,
                                    const Equations& equations) {
    const OwnedCall described = describe_call(tested, version);
    const auto answer = equations.evaluate(described.call);
    const auto* known = std::get_if<EquationAnswer>(&answer);
    if (known == nullptr) return std::nullopt;
    return known->output;
}

std::string sentence(double need, std::int64_t available) {
    const auto in_megabytes = [](double bytes) {
        char text[64];
        std::snprintf(text, sizeof text, "%.0f MB", bytes / 1e6);
        return std::string(text);
    };
    return "it needs about " + in_megabytes(need) + " of memory and " +
           in_megabytes(static_cast<double>(available)) +
           " are available; make its tensors smaller, or free memory or raise the limit";
}

std::optional<std::string> lacking(double need) {
    if (need <= small_need) return std::nullopt;
    const std::int64_t available = memory_left();
    if (need <= static_cast<double>(available)) return std::nullopt;
    return sentence(need, available);
}

}  // namespace

std::int64_t memory_left() {
    std::int64_t left = left_by_groups();
    const std::int64_t kilobytes = number_of("/proc/meminfo", "MemAvailable:");
    if (kilobytes >= 0) left = std::min(left, kilobytes << 10U);
    struct rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
        const std::int64_t pages = std::max<std::int64_t>(number_in("/proc/self/statm"), 0);
        const auto used = pages * static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE));
        left = std::min(
            left, std::max<std::int64_t>(static_cast<std::int64_t>(limit.rlim_cur) - used, 0));
    }
    return left;
}

double memory_need(const Case& tested, OperatorVersion version, const Equations& equations) {
    double need = copies_of_input * bytes_of_inputs(tested);
    for (const auto& each : tested.earlier) need += copies_of_input * bytes_of_inputs(*each);
    double output = 0;
    double listed = 0;
    if (const Expectation* expectation = tested.expectation(version)) {
        for (const Alternative& alternative : expectation->alternatives) {
            const auto* expected = std::get_if<ExpectedOutput>(&alternative);
            const auto* spec =
                expected == nullptr ? nullptr : std::get_if<TensorSpec>(&expected->output);
            if (spec == nullptr || !spec->has_contents()) continue;
            const double bytes = bytes_of(spec->descriptor);
            listed += bytes;
            output = std::max(output, bytes);
        }
    }
    need += listed;
    const Descriptor* data = descriptor_of(tested, "data");
    const Descriptor* indices = descriptor_of(tested, "indices");
    if (data == nullptr || indices == nullptr || tested.is_described()) return need;
    // No output has more elements than this; most are small by that alone. A dimension of 0 is no
    // bound: where an index out of bounds means a zero, indices take its place in the output.
    double most = 1;
    for (const Descriptor* each : {data, indices}) {
        for (const std::int64_t dim : each->shape) {
            most *= static_cast<double>(std::max<std::int64_t>(1, dim));
        }
    }
    const double of_element = bytes_of({data->type, {}});
    const double of_source = static_cast<double>(sizeof(Source));
    if (most * (copies_of_output * of_element + of_source) > small_need) {
        const auto known = output_of(tested, version, equations);
        // What cannot be counted is refused, and never made.
        const double bytes = known && byte_size(*known) ? bytes_of(*known) : 0;
        output = std::max(output, bytes);
        const double elements = bytes / of_element;
        if (elements <= static_cast<double>(max_sources)) need += elements * of_source;
    } else {
        output = std::max(output, most * of_element);
    }
    return need + copies_of_output * output;
}

std::optional<std::string> lacks_memory(const Case& tested, OperatorVersion version,
                                        const Equations& equations) {
    return lacking(memory_need(tested, version, equations));
}

std::optional<std::string> lacks_memory(const TensorSpec& spec) {
    return spec.has_contents() ? lacking(copies_of_input * bytes_of(spec.descriptor))
                               : std::nullopt;
}

}  // namespace gathercheck
