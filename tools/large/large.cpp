// SPDX-License-Identifier: Apache-2.0
// Runs the calls of a file, whose tensors are zero but for a few elements, on the reference and on
// every optimized target: each in a process of its own, with its time and its peak of memory.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "optimized/executor.hpp"
#include "optimized/gather.hpp"
#include "reference/reference.hpp"

namespace {

using namespace gathercheck;
using Json = nlohmann::json;

/// Zeros that take memory where they are written only.
class Zeros {
public:
    explicit Zeros(std::size_t size) : size_(std::max<std::size_t>(size, 1)) {
        constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        void* mapped = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, flags, -1, 0);
        if (mapped == MAP_FAILED) throw std::runtime_error("no address space for a tensor");
        // Else a whole large page is taken where one byte is written.
        ::madvise(mapped, size_, MADV_NOHUGEPAGE);
        bytes_ = static_cast<std::byte*>(mapped);
    }
    Zeros(const Zeros&) = delete;
    Zeros& operator=(const Zeros&) = delete;
    ~Zeros() { ::munmap(bytes_, size_); }

    std::byte* data() const { return bytes_; }

private:
    std::size_t size_;
    std::byte* bytes_ = nullptr;
};

/// Elements by their positions.
using Elements = std::vector<std::pair<std::int64_t, std::int64_t>>;

struct Sparse {
    Descriptor descriptor;
    Elements nonzero;

    std::size_t bytes() const { return static_cast<std::size_t>(byte_size(descriptor).value()); }
    std::uint64_t bits_of(std::int64_t value) const {
        return static_cast<std::uint64_t>(value) &
               ~std::uint64_t{0} >> (64 - bits(descriptor.type));
    }
};

Sparse read_tensor(const Json& json) {
    Sparse tensor;
    tensor.descriptor.type = element_type(json.at("type").get<std::string>()).value();
    for (const Json& size : json.at("shape")) tensor.descriptor.shape.push_back(size);
    for (const Json& element : json.at("nonzero"))
        tensor.nonzero.emplace_back(element[0], element[1]);
    return tensor;
}

std::unique_ptr<Zeros> contents_of(const Sparse& tensor) {
    auto contents = std::make_unique<Zeros>(tensor.bytes());
    for (const auto& [position, value] : tensor.nonzero) {
        set_element_bits(tensor.descriptor.type, contents->data(), position, tensor.bits_of(value));
    }
    return contents;
}

/// What is wrong with an output; nothing where it is zero but for the elements expected, in order.
std::string difference(const Sparse& expected, std::byte* output) {
    const ElementType type = expected.descriptor.type;
    for (const auto& [position, value] : expected.nonzero) {
        const std::uint64_t got = element_bits(type, output, position);
        if (got != expected.bits_of(value)) {
            return "element " + std::to_string(position) + " is " + std::to_string(got) + ", not " +
                   std::to_string(value);
        }
        set_element_bits(type, output, position, 0);
    }
    // All others are zero, which the first is and each is like the one before it.
    const std::size_t size = expected.bytes();
    if (output[0] == std::byte{0} && std::memcmp(output, output + 1, size - 1) == 0) return {};
    const auto* end = output + size;
    const auto* other =
        std::find_if(output, output + size, [](std::byte b) { return b != std::byte{0}; });
    return "byte " + std::to_string(other - output) + " of " + std::to_string(end - output) +
           " is not zero";
}

struct Implementation {
    std::string name;
    std::function<Result<Descriptor>(const Call&)> describe;
    std::function<Result<void>(const Call&, std::span<std::byte>)> run;
};

std::vector<Implementation> implementations() {
    std::vector<Implementation> all{{"reference", reference::output_descriptor, reference::run}};
    for (const optimized::Target& target : optimized::targets()) {
        if (!target.available()) continue;
        all.push_back(
            {"optimized:" + std::string(target.name), target.output_descriptor, target.run});
    }
    all.push_back({"optimized:threads",
                   [](const Call& call) { return optimized::output_descriptor(call); },
                   [](const Call& call, std::span<std::byte> output) {
                       return optimized::run(call, output, optimized::make_executor(2).get());
                   }});
    return all;
}

/// Makes a call; empty where it goes as expected. `seconds`: of the run alone.
std::string outcome(const Json& json, OperatorVersion version, const Implementation& implementation,
                    double& seconds) {
    const Sparse data = read_tensor(json.at("data"));
    const Sparse indices = read_tensor(json.at("indices"));
    const auto data_contents = contents_of(data);
    const auto indices_contents = contents_of(indices);
    Call call;
    call.version = version;
    call.inputs = {
        {"data", {data.descriptor.type, data.descriptor.shape, data_contents->data()}},
        {"indices", {indices.descriptor.type, indices.descriptor.shape, indices_contents->data()}}};
    const std::int64_t axis = json.value("axis", std::int64_t{0});
    if (info(version).axis == AxisSource::input) {
        call.inputs.push_back(
            {"axis", {ElementType::i64, {}, std::as_bytes(std::span(&axis, 1)).data()}});
    } else if (json.contains("axis")) {
        call.attributes.push_back({"axis", axis});
    }
    const auto described = implementation.describe(call);
    if (!described) return "it was refused: " + to_string(described.error());
    const auto size = static_cast<std::size_t>(byte_size(*described).value());
    const Zeros output(size);
    std::memset(output.data(), 0xEE, size);  // so that what is not written shows
    const auto start = std::chrono::steady_clock::now();
    const auto done = implementation.run(call, {output.data(), size});
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (json.contains("error")) {
        if (done) return "it was not refused";
        const std::string_view category = name(done.error().category);
        return category == json.at("error") ? "" : "it was refused as " + std::string(category);
    }
    if (!done) return "it was refused: " + to_string(done.error());
    const Sparse expected = read_tensor(json.at("output"));
    if (*described != expected.descriptor) return "the output is of another type or shape";
    return difference(expected, output.data());
}

/// Makes a call in a child and prints what came of it; false where that is not what is expected.
bool shown(const Json& json, OperatorVersion version, const Implementation& implementation) {
    std::printf("%-48s %-24s %-22s ", json.at("name").get<std::string>().c_str(),
                std::string(name(version)).c_str(), implementation.name.c_str());
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("no process for a call");
    if (child == 0) {
        double seconds = 0;
        std::string wrong;
        try {
            wrong = outcome(json, version, implementation, seconds);
        } catch (const std::exception& fault) {
            wrong = fault.what();
        }
        std::printf("%-6s %7.2f s", wrong.empty() ? "pass" : "fail", seconds);
        if (!wrong.empty()) std::printf("  %s", wrong.c_str());
        std::fflush(stdout);
        ::_exit(wrong.empty() ? 0 : 1);
    }
    int status = 0;
    struct rusage usage{};
    ::wait4(child, &status, 0, &usage);
    if (WIFSIGNALED(status)) std::printf("crash: signal %d", WTERMSIG(status));
    std::printf(" %8ld MB\n", usage.ru_maxrss / 1000);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main(int count, char** words) {
    if (count != 2) {
        std::fprintf(stderr, "usage: gathercheck_large CALLS.json\n");
        return 4;
    }
    try {
        std::ifstream file(words[1]);
        const Json document = Json::parse(file);
        int failed = 0;
        int calls = 0;
        for (const Json& call : document.at("calls")) {
            for (const Json& version : call.at("operators")) {
                for (const Implementation& implementation : implementations()) {
                    ++calls;
                    if (!shown(call, operator_version(version.get<std::string>()).value(),
                               implementation))
                        ++failed;
                }
            }
        }
        std::printf("%d passed, %d failed\n", calls - failed, failed);
        return failed == 0 && calls > 0 ? 0 : 1;
    } catch (const std::exception& fault) {
        std::fprintf(stderr, "large: %s\n", fault.what());
        return 3;
    }
}
