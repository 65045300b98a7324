// SPDX-License-Identifier: Apache-2.0
// OpenVINO in this process: its C functions by name, its own operators, tensors on our memory.
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "tools/bench/library.hpp"
#include "tools/bench/peers.hpp"

namespace gathercheck::bench {
namespace {

// What is used of the C API; its objects are opaque. An element type is a number that differs
// between versions, and is only ever passed on.
using Object = void*;
using Type = unsigned int;
struct Dims {
    std::int64_t rank;
    std::int64_t* dims;
};
struct Version {
    const char* build;
    const char* description;
};

struct Api {
    int (*version)(Version*);
    const char* (*last_error)();
    int (*core_create)(Object*);
    int (*read_model)(Object core, const char* model, std::size_t size, Object weights,
                      Object* read);
    int (*compile)(Object core, Object model, const char* device, std::size_t properties,
                   Object* compiled, ...);
    int (*create_request)(Object compiled, Object* request);
    int (*input_port)(Object model, std::size_t k, Object* port);
    int (*output_port)(Object model, std::size_t k, Object* port);
    int (*port_type)(Object port, Type* type);
    void (*free_port)(Object);
    int (*tensor)(Type type, Dims shape, void* contents, Object* tensor);
    int (*set_input)(Object request, std::size_t k, Object tensor);
    int (*set_output)(Object request, std::size_t k, Object tensor);
    int (*infer)(Object request);
    void (*free_tensor)(Object);
    void (*free_request)(Object);
    void (*free_compiled)(Object);
    void (*free_model)(Object);
};

void load(Api& api, Library& library) {
    library.load(api.version, "ov_get_openvino_version");
    library.load(api.last_error, "ov_get_last_err_msg");
    library.load(api.core_create, "ov_core_create");
    library.load(api.read_model, "ov_core_read_model_from_memory_buffer");
    library.load(api.compile, "ov_core_compile_model");
    library.load(api.create_request, "ov_compiled_model_create_infer_request");
    library.load(api.input_port, "ov_model_const_input_by_index");
    library.load(api.output_port, "ov_model_const_output_by_index");
    library.load(api.port_type, "ov_port_get_element_type");
    library.load(api.free_port, "ov_output_const_port_free");
    library.load(api.tensor, "ov_tensor_create_from_host_ptr");
    library.load(api.set_input, "ov_infer_request_set_input_tensor_by_index");
    library.load(api.set_output, "ov_infer_request_set_output_tensor_by_index");
    library.load(api.infer, "ov_infer_request_infer");
    library.load(api.free_tensor, "ov_tensor_free");
    library.load(api.free_request, "ov_infer_request_free");
    library.load(api.free_compiled, "ov_compiled_model_free");
    library.load(api.free_model, "ov_model_free");
}

std::string comma_list(const Shape& shape) {
    std::string text;
    for (const std::int64_t dim : shape) text += (text.empty() ? "" : ",") + std::to_string(dim);
    return text;
}

std::string port(int id, const Descriptor& tensor) {
    std::string text = "<port id=\"" + std::to_string(id) + "\" precision=\"" +
                       std::string(info(tensor.type).openvino_name) + "\">";
    for (const std::int64_t dim : tensor.shape) text += "<dim>" + std::to_string(dim) + "</dim>";
    return text + "</port>";
}

std::string layer(int id, const std::string& name, const std::string& type,
                  const std::string& opset, const std::string& attributes,
                  const std::string& inputs, const std::string& outputs) {
    return "<layer id=\"" + std::to_string(id) + "\" name=\"" + name + "\" type=\"" + type +
           "\" version=\"" + opset + "\"><data " + attributes + "/>" +
           (inputs.empty() ? "" : "<input>" + inputs + "</input>") +
           (outputs.empty() ? "" : "<output>" + outputs + "</output>") + "</layer>";
}

std::string edge(int from, int from_port, int to, int to_port) {
    const auto text = [](int number) { return "\"" + std::to_string(number) + "\""; };
    return "<edge from-layer=" + text(from) + " from-port=" + text(from_port) +
           " to-layer=" + text(to) + " to-port=" + text(to_port) + "/>";
}

/// A model of one operator as OpenVINO's own files say it. The value of axis is its only weight.
std::string model_of(const Workload& workload, const Descriptor& data, const Descriptor& output) {
    const OperatorInfo& row = info(workload.version);
    const Family family = workload.family();
    const int newest = family == Family::gather_elements ? 6 : 8;
    const int number = row.specification == "openvino" ? row.number : newest;
    const auto parameter = [](int id, const std::string& name, const Descriptor& tensor) {
        return layer(id, name, "Parameter", "opset1",
                     "shape=\"" + comma_list(tensor.shape) + "\" element_type=\"" +
                         std::string(info(tensor.type).openvino_name) + "\"",
                     "", port(0, tensor));
    };
    std::string layers = parameter(0, "data", data) + parameter(1, "indices", workload.indices);
    std::string edges = edge(0, 0, 3, 0) + edge(1, 0, 3, 1);
    std::string inputs = port(0, data) + port(1, workload.indices);
    std::string attributes;
    const Descriptor axis{ElementType::i64, {}};
    if (family == Family::gather) {
        layers +=
            layer(2, "axis", "Const", "opset1",
                  "element_type=\"i64\" shape=\"\" offset=\"0\" size=\"8\"", "", port(0, axis));
        edges += edge(2, 0, 3, 2);
        inputs += port(2, axis);
        if (number >= 7) attributes = "batch_dims=\"" + std::to_string(workload.batch_dims) + "\"";
    } else if (family == Family::gather_elements) {
        attributes = "axis=\"" + std::to_string(workload.axis) + "\"";
    } else {
        attributes = "batch_dims=\"" + std::to_string(workload.batch_dims) + "\"";
    }
    layers += layer(3, "gather", std::string(row.type), "opset" + std::to_string(number),
                    attributes, inputs, port(3, output));
    layers += layer(4, "output", "Result", "opset1", "", port(0, output), "");
    edges += edge(3, 3, 4, 0);
    return "<?xml version=\"1.0\"?><net name=\"workload\" version=\"11\"><layers>" + layers +
           "</layers><edges>" + edges + "</edges></net>";
}

/// The tensor seen as one of i32 with a last dimension of 2.
Descriptor as_pairs(const Descriptor& tensor) {
    Descriptor pairs{ElementType::i32, tensor.shape};
    pairs.shape.push_back(2);
    return pairs;
}

class Request final : public InProcess<Request> {
public:
    explicit Request(const Api& api) : api_(api) {}
    ~Request() override {
        if (request_ != nullptr) api_.free_request(request_);
        for (const Object tensor : tensors_) api_.free_tensor(tensor);
        if (compiled_ != nullptr) api_.free_compiled(compiled_);
        if (model_ != nullptr) api_.free_model(model_);
    }

    /// The text is the engine's reason.
    std::string prepare(Object core, Type u8, const Tensors& tensors, bool pairs) {
        const Workload& workload = *tensors.workload;
        const Descriptor data = pairs ? as_pairs(workload.data) : workload.data;
        const Descriptor output = pairs ? as_pairs(workload.output) : workload.output;
        const std::string text = model_of(workload, data, output);
        std::int64_t axis = workload.axis;
        std::int64_t axis_size = sizeof axis;
        const std::string threads = std::to_string(tensors.threads);
        Object weights = nullptr;
        if (failed(api_.tensor(u8, {1, &axis_size}, &axis, &weights))) return why_;
        tensors_.push_back(weights);
        if (failed(api_.read_model(core, text.data(), text.size(), weights, &model_)) ||
            failed(api_.compile(core, model_, "CPU", 10, &compiled_, "INFERENCE_NUM_THREADS",
                                threads.c_str(), "NUM_STREAMS", "1", "ENABLE_CPU_PINNING", "NO",
                                "INFERENCE_PRECISION_HINT", "dynamic", "PERFORMANCE_HINT",
                                "LATENCY")) ||
            failed(api_.create_request(compiled_, &request_))) {
            return why_;
        }
        if (!bind(api_.input_port, api_.set_input, 0, data, tensors.data) ||
            !bind(api_.input_port, api_.set_input, 1, workload.indices, tensors.indices) ||
            !bind(api_.output_port, api_.set_output, 0, output, tensors.output)) {
            return why_;
        }
        return {};
    }

    bool call() { return !failed(api_.infer(request_)); }
    std::string why() const { return why_; }

private:
    bool failed(int status) {
        if (status == 0) return false;
        const char* message = api_.last_error();
        why_ =
            message != nullptr && *message != '\0' ? message : "status " + std::to_string(status);
        return true;
    }

    bool bind(int (*port_of)(Object, std::size_t, Object*), int (*set)(Object, std::size_t, Object),
              std::size_t k, const Descriptor& described, const std::byte* contents) {
        Object port = nullptr;
        if (failed(port_of(model_, k, &port))) return false;
        Type type = 0;
        const bool known = !failed(api_.port_type(port, &type));
        api_.free_port(port);
        if (!known) return false;
        Shape dims = described.shape;
        Object tensor = nullptr;
        std::int64_t none = 0;
        const Dims shape{dims.rank(), dims.rank() == 0 ? &none : &dims[0]};
        if (failed(api_.tensor(type, shape, const_cast<std::byte*>(contents), &tensor))) {
            return false;
        }
        tensors_.push_back(tensor);
        return !failed(set(request_, k, tensor));
    }

    Api api_;
    Object model_ = nullptr;
    Object compiled_ = nullptr;
    Object request_ = nullptr;
    std::vector<Object> tensors_;
    std::string why_;
};

class OpenVino final : public Peer {
public:
    OpenVino(const Api& api, std::string version, Object core, Type u8)
        : api_(api), version_(std::move(version)), core_(core), u8_(u8) {}

    std::string version() const override { return version_; }

    std::vector<Entry> prepare(const Tensors& tensors) override {
        // Its CPU plug-in computes 64-bit data in 32 bits. A last dimension of two halves keeps the
        // bits, where the operator moves whole rows.
        const bool pairs = bits(tensors.workload->data.type) == 64 &&
                           tensors.workload->family() != Family::gather_elements;
        std::vector<Entry> entries(1);
        Entry& entry = entries.front();
        entry.name = pairs ? "openvino:i32-pairs" : "openvino";
        if (info(tensors.workload->data.type).openvino_name.empty() && !pairs) {
            entry.unsupported = "OpenVINO has no such element type";
            return entries;
        }
        auto request = std::make_unique<Request>(api_);
        entry.unsupported = request->prepare(core_, u8_, tensors, pairs);
        if (entry.unsupported.empty()) entry.contender = std::move(request);
        return entries;
    }

private:
    Api api_;
    std::string version_;
    Object core_;
    Type u8_;
};

/// The number of u8 in this version: that of a parameter of a model.
bool find_u8(const Api& api, Object core, Type& u8) {
    const Descriptor one{ElementType::u8, {1}};
    const std::string text = "<?xml version=\"1.0\"?><net name=\"type\" version=\"11\"><layers>" +
                             layer(0, "data", "Parameter", "opset1",
                                   "shape=\"1\" element_type=\"u8\"", "", port(0, one)) +
                             layer(1, "output", "Result", "opset1", "", port(0, one), "") +
                             "</layers><edges>" + edge(0, 0, 1, 0) + "</edges></net>";
    Object model = nullptr;
    if (api.read_model(core, text.data(), text.size(), nullptr, &model) != 0) return false;
    Object port = nullptr;
    bool found = api.input_port(model, 0, &port) == 0;
    if (found) {
        found = api.port_type(port, &u8) == 0;
        api.free_port(port);
    }
    api.free_model(model);
    return found;
}

}  // namespace

PeerResult open_openvino(const PeerSettings& settings) {
    if (settings.python.openvino.empty()) {
        return settings.python.problem.empty()
                   ? settings.python.program + " has no package openvino with a C library"
                   : settings.python.problem;
    }
    Library library(settings.python.openvino);
    Api api{};
    load(api, library);
    if (!library) return library.why();
    Version version{};
    Object core = nullptr;
    Type u8 = 0;
    if (api.version(&version) != 0 || api.core_create(&core) != 0 || !find_u8(api, core, u8)) {
        const char* message = api.last_error();
        return std::string("it cannot be initialised: ") + (message == nullptr ? "" : message);
    }
    const std::string build = version.build;
    return std::make_unique<OpenVino>(api, build.substr(0, build.find('-')), core, u8);
}

}  // namespace gathercheck::bench
