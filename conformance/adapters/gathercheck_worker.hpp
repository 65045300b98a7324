// SPDX-License-Identifier: Apache-2.0
// Speaks the worker protocol for workers written in C++, so that a worker holds only what its
// engine needs. One header for any program: C++17, POSIX and nlohmann/json.
//
//     gathercheck_worker::serve(hello, [](const gathercheck_worker::Call& call) { ... });
//
// The function returns a Tensor, or throws Rejected (the engine said no) or Unsupported (its
// interface cannot express the call). Any other exception is a fault of the worker: `broken`.
// `hello` is the message of ../protocol.md; its claims may hold {"attributes", {{"batch_dims",
// {0}}}}.
// ../../tools/examples/my_worker.cpp is a whole worker.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace gathercheck_worker {

using Json = nlohmann::ordered_json;

/// An operand or a result. `bytes` as the protocol has them: row-major, little-endian, packed.
struct Tensor {
    std::string type;  ///< "f32"
    std::vector<std::int64_t> shape;
    std::vector<unsigned char> bytes;
    std::vector<std::string> strings;  ///< in place of bytes where the type is "string"

    std::int64_t count() const {
        std::int64_t product = 1;
        for (const std::int64_t extent : shape) product *= extent;
        return product;
    }

    /// Element k, of a type of T's size.
    template <class T>
    T at(std::int64_t k) const {
        std::array<unsigned char, sizeof(T)> element;
        std::memcpy(element.data(), bytes.data() + static_cast<std::size_t>(k) * sizeof(T),
                    sizeof(T));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        std::reverse(element.begin(), element.end());
#endif
        T value;
        std::memcpy(&value, element.data(), sizeof value);
        return value;
    }
};

/// What the worker is asked. `inputs` are in the order sent.
struct Call {
    std::string operator_version;  ///< "onnx.Gather-13"
    Json route;                    ///< "operands", "shapes", "axis"; what is absent is the default
    Json attributes;
    std::vector<std::pair<std::string, Tensor>> inputs;
    /// Calls with the same number are to be asked of one built model; 0: this one stands alone.
    /// Only where the hello has the feature "models". KeptModel sees to it.
    std::int64_t model = 0;
    /// Each call is asked twice, perhaps of two processes; this is the second time. Outputs that
    /// are filled with other bytes then show what is never written.
    bool asked_before = false;

    /// The operand of that name; null where there is none.
    const Tensor* input(const std::string& name) const {
        for (const auto& [other, tensor] : inputs) {
            if (other == name) return &tensor;
        }
        return nullptr;
    }
};

/// The engine refused the call. `phase` is "build", "shape" or "run"; empty where it does not tell.
struct Rejected : std::runtime_error {
    explicit Rejected(const std::string& message, std::string at = {})
        : std::runtime_error(message), phase(std::move(at)) {}
    std::string phase;
};

/// The engine's interface cannot express the call, or the engine has not implemented it.
struct Unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The model of the sequence at hand:
///
///     Engine::Model& model = kept.of(call, [&] { return build(call); });
///
/// builds one for each call that stands alone, and one for all calls of a sequence, for the first
/// of them.
template <class Model>
class KeptModel {
public:
    template <class Build>
    Model& of(const Call& call, const Build& build) {
        if (call.model == 0 || call.model != number_ || !model_) {
            model_.reset();
            model_ = std::make_unique<Model>(build());
            number_ = call.model;
        }
        return *model_;
    }

private:
    std::int64_t number_ = 0;
    std::unique_ptr<Model> model_;
};

namespace detail {

inline const char* const letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The place of each letter; 64 for what is none.
inline std::array<unsigned char, 256> places_of_letters() {
    std::array<unsigned char, 256> places{};
    places.fill(64);
    for (unsigned char k = 0; k < 64; ++k) places[static_cast<unsigned char>(letters[k])] = k;
    return places;
}

inline std::vector<unsigned char> from_base64(const std::string& text) {
    static const std::array<unsigned char, 256> places = places_of_letters();
    std::vector<unsigned char> bytes;
    bytes.reserve(text.size() / 4 * 3);
    unsigned bits = 0;
    int count = 0;
    for (const char letter : text) {
        if (letter == '=') break;
        const unsigned place = places[static_cast<unsigned char>(letter)];
        if (place == 64) throw std::runtime_error("not base64");
        bits = bits << 6 | place;
        if ((count += 6) < 8) continue;
        count -= 8;
        bytes.push_back(static_cast<unsigned char>(bits >> count));
    }
    return bytes;
}

inline std::string to_base64(const std::vector<unsigned char>& bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t k = 0; k < bytes.size(); k += 3) {
        unsigned bits = 0;
        for (std::size_t j = 0; j < 3; ++j)
            bits = bits << 8 | (k + j < bytes.size() ? bytes[k + j] : 0U);
        for (int j = 0; j < 4; ++j) text += letters[bits >> (18 - 6 * j) & 63];
    }
    for (std::size_t k = 0; k < (3 - bytes.size() % 3) % 3; ++k) text[text.size() - 1 - k] = '=';
    return text;
}

inline Call call_of(const Json& message) {
    Call call{message.at("operator"),
              message.value("route", Json::object()),
              message.value("attributes", Json::object()),
              {},
              message.value("model", std::int64_t{0}),
              message.value("pass", 0) == 1};
    for (const auto& [name, value] : message.at("inputs").items()) {
        Tensor tensor;
        tensor.type = value.at("type");
        tensor.shape = value.at("shape").get<std::vector<std::int64_t>>();
        if (tensor.type == "string") {
            tensor.strings = value.at("values").get<std::vector<std::string>>();
        } else {
            tensor.bytes = from_base64(value.at("base64"));
        }
        call.inputs.emplace_back(name, std::move(tensor));
    }
    return call;
}

inline Json json_of(const Tensor& tensor) {
    Json json{{"type", tensor.type}, {"shape", tensor.shape}};
    if (tensor.type == "string") {
        json["values"] = tensor.strings;
    } else {
        json["base64"] = to_base64(tensor.bytes);
    }
    return json;
}

inline Json answer(const Json& message, const std::function<Tensor(const Call&)>& run) {
    Json answer{{"seq", message.at("seq")}};
    try {
        if (message.at("message") != "run") throw Unsupported("only run is answered");
        answer["output"] = json_of(run(call_of(message)));
    } catch (const Rejected& no) {
        answer["rejected"] = {{"message", no.what()}};
        if (!no.phase.empty()) answer["rejected"]["phase"] = no.phase;
    } catch (const Unsupported& why) {
        answer["unsupported"] = why.what();
    } catch (const std::exception& fault) {
        answer["broken"] = fault.what();
    }
    return answer;
}

}  // namespace detail

/// Answers messages until goodbye or the end of the input. Call it before the engine is used: what
/// that prints goes to standard error from here on. Returns main's exit code.
inline int serve(const Json& hello, const std::function<Tensor(const Call&)>& run) {
    std::FILE* answers = ::fdopen(::dup(1), "w");
    if (answers == nullptr || ::dup2(2, 1) < 0) return 1;
    for (std::string line; std::getline(std::cin, line);) {
        const Json message = Json::parse(line, nullptr, false);
        if (!message.is_object()) {
            std::fprintf(stderr, "not a message, which is a JSON object: %.200s\n", line.c_str());
            return 1;
        }
        const std::string kind = message.value("message", "");
        if (kind == "goodbye") break;
        const Json said = kind == "hello" ? hello : detail::answer(message, run);
        const std::string text = said.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
        if (std::fwrite(text.data(), 1, text.size(), answers) != text.size()) return 1;
        if (std::fflush(answers) != 0) return 1;
    }
    return 0;
}

}  // namespace gathercheck_worker
