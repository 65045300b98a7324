// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime in this process: its C functions by their places in its table, input and output
// bound.
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

#include "tools/bench/library.hpp"
#include "tools/bench/peers.hpp"

namespace gathercheck::bench {
namespace {

// The C API is one table of functions that only ever grows at its end, so a place never changes.
// What is used of it is declared here; its objects are opaque.
using Status = void*;
using Object = void*;

struct ApiBase {
    const void* const* (*get_api)(std::uint32_t version);
    const char* (*version)();
};

struct Api {
    const char* (*message)(Status);
    void (*release_status)(Status);
    Status (*create_env)(int level, const char* id, Object* env);
    Status (*create_session)(Object env, const void* model, std::size_t size, Object options,
                             Object* session);
    Status (*create_options)(Object* options);
    Status (*set_threads)(Object options, int threads);
    Status (*set_graph_threads)(Object options, int threads);
    Status (*create_tensor)(Object memory, void* contents, std::size_t size,
                            const std::int64_t* dims, std::size_t rank, int type, Object* tensor);
    Status (*create_memory)(int allocator, int kind, Object* memory);
    void (*release_session)(Object);
    void (*release_tensor)(Object);
    void (*release_options)(Object);
    Status (*run)(Object session, Object options, Object binding);
    Status (*create_binding)(Object session, Object* binding);
    void (*release_binding)(Object);
    Status (*bind_input)(Object binding, const char* name, Object tensor);
    Status (*bind_output)(Object binding, const char* name, Object tensor);
};

Api api_of(const void* const* table) {
    Api api{};
    const auto at = [table](auto& function, int place) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
            const_cast<void*>(table[place]));
    };
    at(api.message, 2);
    at(api.create_env, 3);
    at(api.create_session, 8);
    at(api.create_options, 10);
    at(api.set_threads, 24);
    at(api.set_graph_threads, 25);
    at(api.create_tensor, 49);
    at(api.create_memory, 69);
    at(api.release_status, 93);
    at(api.release_session, 95);
    at(api.release_tensor, 96);
    at(api.release_options, 100);
    at(api.run, 133);
    at(api.create_binding, 134);
    at(api.release_binding, 135);
    at(api.bind_input, 136);
    at(api.bind_output, 137);
    return api;
}

/// The bytes of a protobuf message, field by field.
class Message {
public:
    Message& number(int field, std::uint64_t value) {
        varint(static_cast<std::uint64_t>(field) << 3);
        varint(value);
        return *this;
    }
    Message& text(int field, std::string_view bytes) {
        varint(static_cast<std::uint64_t>(field) << 3 | 2);
        varint(bytes.size());
        bytes_ += bytes;
        return *this;
    }
    Message& message(int field, const Message& inner) { return text(field, inner.bytes_); }
    const std::string& bytes() const { return bytes_; }

private:
    void varint(std::uint64_t value) {
        for (; value >= 128; value >>= 7) bytes_ += static_cast<char>(value | 128);
        bytes_ += static_cast<char>(value);
    }

    std::string bytes_;
};

Message value_info(const std::string& name, const Descriptor& tensor) {
    Message shape;
    for (const std::int64_t dim : tensor.shape) {
        shape.message(1, Message().number(1, static_cast<std::uint64_t>(dim)));
    }
    const Message type = Message()
                             .number(1, static_cast<std::uint64_t>(info(tensor.type).onnx_number))
                             .message(2, shape);
    return Message().text(1, name).message(2, Message().message(1, type));
}

/// A model of one node, as ONNX writes it.
std::string model_of(const Workload& workload) {
    const Family family = workload.family();
    Message node;
    node.text(1, "data").text(1, "indices").text(2, "output").text(4, info(workload.version).type);
    const auto attribute = [&](std::string_view name, std::int64_t value) {
        node.message(
            5, Message().text(1, name).number(3, static_cast<std::uint64_t>(value)).number(20, 2));
    };
    if (family != Family::gather_nd) attribute("axis", workload.axis);
    if (family == Family::gather_nd && workload.batch_dims != 0) {
        attribute("batch_dims", workload.batch_dims);
    }
    const Message graph = Message()
                              .message(1, node)
                              .text(2, "workload")
                              .message(11, value_info("data", workload.data))
                              .message(11, value_info("indices", workload.indices))
                              .message(12, value_info("output", workload.output));
    const bool is_onnx = info(workload.version).specification == "onnx";
    const auto opset = static_cast<std::uint64_t>(is_onnx ? info(workload.version).number : 13);
    return Message()
        .number(1, 8)
        .message(7, graph)
        .message(8, Message().text(1, "").number(2, opset))
        .bytes();
}

class Session final : public InProcess<Session> {
public:
    explicit Session(const Api& api) : api_(api) {}
    ~Session() override {
        if (binding_ != nullptr) api_.release_binding(binding_);
        for (const Object tensor : tensors_) {
            if (tensor != nullptr) api_.release_tensor(tensor);
        }
        if (session_ != nullptr) api_.release_session(session_);
        if (options_ != nullptr) api_.release_options(options_);
    }

    /// The text is the engine's reason.
    std::string prepare(Object env, Object memory, const Tensors& tensors) {
        const Workload& workload = *tensors.workload;
        const std::string model = model_of(workload);
        if (failed(api_.create_options(&options_)) ||
            failed(api_.set_threads(options_, tensors.threads)) ||
            failed(api_.set_graph_threads(options_, 1)) ||
            failed(api_.create_session(env, model.data(), model.size(), options_, &session_)) ||
            failed(api_.create_binding(session_, &binding_))) {
            return why_;
        }
        const auto tensor = [&](int k, const Descriptor& described, const std::byte* contents,
                                std::size_t size) {
            return api_.create_tensor(
                memory, const_cast<std::byte*>(contents), size, described.shape.begin(),
                static_cast<std::size_t>(described.shape.rank()), info(described.type).onnx_number,
                &tensors_[static_cast<std::size_t>(k)]);
        };
        if (failed(tensor(0, workload.data, tensors.data, tensors.data_bytes)) ||
            failed(tensor(1, workload.indices, tensors.indices, tensors.indices_bytes)) ||
            failed(tensor(2, workload.output, tensors.output, tensors.output_bytes)) ||
            failed(api_.bind_input(binding_, "data", tensors_[0])) ||
            failed(api_.bind_input(binding_, "indices", tensors_[1])) ||
            failed(api_.bind_output(binding_, "output", tensors_[2]))) {
            return why_;
        }
        return {};
    }

    bool call() { return !failed(api_.run(session_, nullptr, binding_)); }
    std::string why() const { return why_; }

private:
    bool failed(Status status) {
        if (status == nullptr) return false;
        why_ = api_.message(status);
        api_.release_status(status);
        return true;
    }

    Api api_;
    Object options_ = nullptr;
    Object session_ = nullptr;
    Object binding_ = nullptr;
    std::array<Object, 3> tensors_{};
    std::string why_;
};

class OnnxRuntime final : public Peer {
public:
    OnnxRuntime(const Api& api, std::string version, Object env, Object memory)
        : api_(api), version_(std::move(version)), env_(env), memory_(memory) {}

    std::string version() const override { return version_; }

    std::vector<Entry> prepare(const Tensors& tensors) override {
        std::vector<Entry> entries(1);
        Entry& entry = entries.front();
        entry.name = "onnxruntime";
        const Workload& workload = *tensors.workload;
        if (workload.family() == Family::gather && workload.batch_dims != 0) {
            entry.unsupported = "ONNX Gather has no batch_dims";
            return entries;
        }
        if (info(workload.version).fuses_batch_dims && workload.batch_dims > 1) {
            entry.unsupported = "ONNX GatherND does not fuse batch dimensions";
            return entries;
        }
        auto session = std::make_unique<Session>(api_);
        entry.unsupported = session->prepare(env_, memory_, tensors);
        if (entry.unsupported.empty()) entry.contender = std::move(session);
        return entries;
    }

private:
    Api api_;
    std::string version_;
    Object env_;
    Object memory_;
};

}  // namespace

PeerResult open_onnxruntime(const PeerSettings& settings) {
    if (settings.python.onnxruntime.empty()) {
        return settings.python.problem.empty()
                   ? settings.python.program + " has no package onnxruntime"
                   : settings.python.problem;
    }
    Library library(settings.python.onnxruntime);
    const ApiBase* (*base_of)() = nullptr;
    library.load(base_of, "OrtGetApiBase");
    if (!library) return library.why();
    // The table of version 8 has everything that is used here; every later library offers it.
    const void* const* table = base_of()->get_api(8);
    if (table == nullptr) return "its C API is older than version 8";
    const Api api = api_of(table);
    Object env = nullptr;
    Object memory = nullptr;
    constexpr int errors_only = 3;
    if (api.create_env(errors_only, "gathercheck", &env) != nullptr ||
        api.create_memory(0, 0, &memory) != nullptr) {
        return "it cannot be initialised";
    }
    return std::make_unique<OnnxRuntime>(api, base_of()->version(), env, memory);
}

}  // namespace gathercheck::bench
