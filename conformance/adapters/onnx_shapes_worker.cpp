// SPDX-License-Identifier: Apache-2.0
// Worker that describes calls of the ONNX gather operators by the shape inference of libonnx.
//
// Each call becomes a model of one node in the operator's own opset (IR 8), on which InferShapes
// runs with checks of types, strict mode and data propagation. It computes nothing: it answers
// describe messages only.
#include <google/protobuf/text_format.h>
#include <onnx/common/version.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <cstdint>
#include <exception>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "reference/element_type.hpp"
#include "reference/operator_version.hpp"

namespace {

namespace gc = gathercheck;
using Json = nlohmann::ordered_json;

/// The call cannot be said as an ONNX model.
struct Unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

Json names(const gc::TypeSet& types) {
    Json list = Json::array();
    for (const gc::ElementTypeInfo& type : gc::element_types()) {
        if (types.contains(type.type)) list.push_back(type.name);
    }
    return list;
}

Json hello() {
    Json claims = Json::array();
    for (const gc::OperatorInfo& version : gc::operator_versions()) {
        if (version.specification != "onnx") continue;
        claims.push_back({{"operators", {version.name}},
                          {"data", names(version.data_types)},
                          {"indices", names(version.indices_types)},
                          {"operands", {"runtime"}},
                          {"shapes", {"static", "dynamic"}}});
    }
    return {{"message", "hello"},
            {"protocol", 1},
            {"implementation",
             {{"name", "onnx-shapes"},
              {"version", onnx::LAST_RELEASE_VERSION},
              {"language", "c++"},
              {"device", "cpu"}}},
            {"claims", claims},
            {"answers", {"describe"}},
            {"features", {"reproduce"}}};
}

bool is_integer(const Json& value) {
    if (value.is_number_unsigned()) {
        return value.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max();
    }
    return value.is_number_integer();
}

/// An attribute of the kind that the JSON value has.
onnx::AttributeProto attribute(const std::string& name, const Json& value) {
    onnx::AttributeProto made;
    made.set_name(name);
    const Json items = value.is_array() ? value : Json::array({value});
    bool integers = true;
    bool decimals = true;
    bool texts = true;
    for (const Json& item : items) {
        integers = integers && is_integer(item);
        decimals = decimals && item.is_number();
        texts = texts && item.is_string();
    }
    if (!integers && !decimals && !texts) {
        throw Unsupported("attribute " + name + ": ONNX has no attribute of the kind of " +
                          value.dump());
    }
    using Kind = onnx::AttributeProto;
    for (const Json& item : items) {
        if (integers) {
            made.add_ints(item.get<std::int64_t>());
        } else if (decimals) {
            made.add_floats(item.get<float>());
        } else {
            made.add_strings(item.get<std::string>());
        }
    }
    made.set_type(integers ? Kind::INTS : decimals ? Kind::FLOATS : Kind::STRINGS);
    if (value.is_array()) return made;
    onnx::AttributeProto single;
    single.set_name(name);
    single.set_type(integers ? Kind::INT : decimals ? Kind::FLOAT : Kind::STRING);
    if (integers) {
        single.set_i(made.ints(0));
    } else if (decimals) {
        single.set_f(made.floats(0));
    } else {
        single.set_s(made.strings(0));
    }
    return single;
}

void add_input(onnx::GraphProto& graph, const std::string& name, const Json& operand,
               bool dynamic) {
    const auto type = gc::element_type(operand.at("type").get<std::string>());
    if (!type || gc::info(*type).onnx_number == 0) {
        throw Unsupported("ONNX has no element type " + operand.at("type").dump());
    }
    onnx::ValueInfoProto& input = *graph.add_input();
    input.set_name(name);
    auto& tensor = *input.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(gc::info(*type).onnx_number);
    auto& shape = *tensor.mutable_shape();
    int place = 0;
    for (const Json& extent : operand.at("shape")) {
        auto& dimension = *shape.add_dim();
        if (!is_integer(extent)) {
            throw Unsupported("input " + name + ": an ONNX dimension has 63 bits");
        }
        if (dynamic) {
            dimension.set_dim_param(name + "_" + std::to_string(place++));
        } else {
            dimension.set_dim_value(extent.get<std::int64_t>());
        }
    }
}

onnx::ModelProto model_of(const Json& call) {
    const auto version = gc::operator_version(call.at("operator").get<std::string>());
    if (!version || gc::info(*version).specification != "onnx") {
        throw Unsupported("ONNX has no operator " + call.at("operator").dump());
    }
    const gc::OperatorInfo& info = gc::info(*version);
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(info.number);
    onnx::GraphProto& graph = *model.mutable_graph();
    graph.set_name("one_call");
    graph.add_output()->set_name("output");
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type(std::string(info.type));
    node.add_output("output");
    for (const auto& [name, value] : call.at("attributes").items()) {
        *node.add_attribute() = attribute(name, value);
    }
    const bool dynamic = call.at("route").at("shapes") == "dynamic";
    const Json& inputs = call.at("inputs");
    // The operands by place, an absent one before a present one as "", then what else there is.
    if (inputs.contains("data") || inputs.contains("indices")) {
        node.add_input(inputs.contains("data") ? "data" : "");
    }
    if (inputs.contains("indices")) node.add_input("indices");
    for (const auto& [name, operand] : inputs.items()) {
        if (name != "data" && name != "indices") node.add_input(name);
        add_input(graph, name, operand, dynamic);
    }
    return model;
}

/// What InferShapes says of the output.
Json descriptor_of(const onnx::ModelProto& inferred) {
    const auto& tensor = inferred.graph().output(0).type().tensor_type();
    const auto type = gc::element_type_of_onnx(tensor.elem_type());
    if (!type) throw Unsupported("shape inference does not tell the type of the output");
    Json shape = nullptr;  // an unknown rank
    if (tensor.has_shape()) {
        shape = Json::array();
        for (const auto& dimension : tensor.shape().dim()) {
            shape.push_back(dimension.has_dim_value() ? Json(dimension.dim_value())
                                                      : Json(nullptr));
        }
    }
    return {{"type", gc::name(*type)}, {"shape", shape}};
}

Json described(const Json& call) {
    onnx::ModelProto model = model_of(call);
    try {
        onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(),
                                           onnx::ShapeInferenceOptions(true, 1, true));
    } catch (const std::exception& error) {
        const std::string text = error.what();
        Json rejected = {{"message", text}};
        if (text.find("ShapeInferenceError") != std::string::npos) rejected["phase"] = "shape";
        if (text.find("typestr") != std::string::npos)
            rejected["phase"] = "build";  // of an operand
        return {{"rejected", rejected}};
    }
    return {{"descriptor", descriptor_of(model)}};
}

/// A program that makes the call with libonnx alone.
std::string reproducer(const Json& call) {
    std::string model;
    if (!google::protobuf::TextFormat::PrintToString(model_of(call), &model)) {
        throw std::runtime_error("the model has no text");
    }
    return R"source(// g++ -DONNX_ML=1 -DONNX_NAMESPACE=onnx THIS_FILE -lonnx -lonnx_proto -lprotobuf
// Given the name of a file, it saves the model there.
#include <google/protobuf/text_format.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include <fstream>
#include <iostream>

int main(int argc, char** argv) {
    onnx::ModelProto model;
    google::protobuf::TextFormat::ParseFromString(R"model(
)source" + model +
           R"source()model", &model);
    if (argc > 1) {
        std::ofstream file(argv[1], std::ios::binary);
        model.SerializeToOstream(&file);
    }
    try {
        onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(),
                                           onnx::ShapeInferenceOptions(true, 1, true));
        std::cout << "output " << model.graph().output(0).ShortDebugString() << '\n';
    } catch (const std::exception& error) {
        std::cout << "rejected " << error.what() << '\n';
    }
}
)source";
}

Json answer(const Json& message) {
    try {
        if (message.at("message") == "reproduce") {
            if (message.value("language", "") != "c++") throw Unsupported("no language but c++");
            return {{"source", reproducer(message)}};
        }
        if (message.at("message") != "describe") {
            return {{"unsupported", "shape inference describes calls and does not run them"}};
        }
        return described(message);
    } catch (const Unsupported& why) {
        return {{"unsupported", why.what()}};
    } catch (const std::exception& fault) {
        return {{"broken", fault.what()}};
    }
}

}  // namespace

int main() {
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
        const Json message = Json::parse(line, nullptr, false);
        Json reply;
        if (!message.is_object()) {
            reply = {{"broken", "malformed message: no JSON object"}};
        } else if (message.value("message", "") == "hello") {
            reply = hello();
        } else if (message.value("message", "") == "goodbye") {
            break;
        } else {
            reply["seq"] = message.value("seq", Json());
            reply.update(answer(message));
        }
        using Handler = Json::error_handler_t;
        std::cout << reply.dump(-1, ' ', true, Handler::replace) << std::endl;
    }
}
