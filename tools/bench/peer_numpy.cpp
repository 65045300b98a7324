// SPDX-License-Identifier: Apache-2.0
// numpy in this process: an embedded interpreter, whose library is opened at run time, calls it on
// our memory.
#include <cstdlib>
#include <memory>
#include <utility>

#include "tools/bench/library.hpp"
#include "tools/bench/peers.hpp"

namespace gathercheck::bench {
namespace {

// What is used of Python's stable interface; objects are opaque.
using Object = void;

struct Api {
    void (*initialize)(int signals);
    int (*is_initialized)();
    int (*run)(const char* code);
    Object* (*add_module)(const char* name);
    Object* (*attribute)(Object*, const char* name);
    Object* (*call)(Object* function, Object* arguments, Object* keywords);
    Object* (*build)(const char* format, ...);
    Object* (*memory)(char* bytes, std::ptrdiff_t size, int flags);
    std::ptrdiff_t (*list_size)(Object*);
    Object* (*list_item)(Object*, std::ptrdiff_t);
    Object* (*tuple_item)(Object*, std::ptrdiff_t);
    const char* (*text)(Object*, std::ptrdiff_t* size);
    Object* (*describe)(Object*);
    void (*take_error)(Object** type, Object** value, Object** trace);
    void (*retain)(Object*);
    void (*release)(Object*);
};

void load(Api& api, Library& library) {
    library.load(api.initialize, "Py_InitializeEx");
    library.load(api.is_initialized, "Py_IsInitialized");
    library.load(api.run, "PyRun_SimpleString");
    library.load(api.add_module, "PyImport_AddModule");
    library.load(api.attribute, "PyObject_GetAttrString");
    library.load(api.call, "PyObject_Call");
    library.load(api.build, "Py_BuildValue");
    library.load(api.memory, "PyMemoryView_FromMemory");
    library.load(api.list_size, "PyList_Size");
    library.load(api.list_item, "PyList_GetItem");
    library.load(api.tuple_item, "PyTuple_GetItem");
    library.load(api.text, "PyUnicode_AsUTF8AndSize");
    library.load(api.describe, "PyObject_Str");
    library.load(api.take_error, "PyErr_Fetch");
    library.load(api.retain, "Py_IncRef");
    library.load(api.release, "Py_DecRef");
}

// prepare() gives (name, function, arguments, keywords) for each way to do a workload. Elements are
// unsigned integers of their width: numpy moves bytes.
constexpr const char* program = R"(
import numpy as np

WIDTHS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64, 16: np.complex128}

def dims(text):
    return tuple(int(dim) for dim in text.split(",")) if text else ()

def columns(idx, batch_dims):
    grids = np.ogrid[tuple(slice(dim) for dim in idx.shape[:-1])] if idx.ndim > 1 else []
    return tuple(grids[:batch_dims]) + tuple(idx[..., k] for k in range(idx.shape[-1]))

def prepare(family, data_bytes, width, data_dims, idx_bytes, idx_type, idx_dims, out_bytes, out_dims,
            axis, batch_dims, has_negative, clamps):
    data = np.frombuffer(data_bytes, WIDTHS[width]).reshape(dims(data_dims))
    idx = np.frombuffer(idx_bytes, np.dtype(idx_type)).reshape(dims(idx_dims))
    out = np.frombuffer(out_bytes, WIDTHS[width]).reshape(dims(out_dims))
    ways = []
    if family == "Gather" and batch_dims == 0:
        modes = ("clip",) if clamps else ("raise",) if has_negative else ("raise", "clip")
        for mode in modes:
            ways.append(("numpy:take-" + mode, np.take, (data, idx, axis, out, mode), {}))
    elif clamps:
        pass  # numpy.take alone does
    elif family == "Gather" and axis == batch_dims:
        grids = np.ogrid[tuple(slice(dim) for dim in idx.shape)]
        place = tuple(grids[:batch_dims]) + (idx,)
        ways.append(("numpy:index", lambda: np.copyto(out, data[place]), (), {}))
    elif family == "GatherElements":
        ways.append(("numpy:take_along_axis", lambda: np.copyto(out, np.take_along_axis(data, idx, axis)), (), {}))
    elif family == "GatherND":
        place = columns(idx, batch_dims)
        shaped = out.reshape(idx.shape[:-1] + data.shape[batch_dims + idx.shape[-1]:])
        ways.append(("numpy:index", lambda: np.copyto(shaped, data[place]), (), {}))
    return ways
)";

std::string comma_list(const Shape& shape) {
    std::string text;
    for (const std::int64_t dim : shape) text += (text.empty() ? "" : ",") + std::to_string(dim);
    return text;
}

/// Why Python raised, taken from it.
std::string take_error(const Api& api) {
    Object* type = nullptr;
    Object* value = nullptr;
    Object* trace = nullptr;
    api.take_error(&type, &value, &trace);
    std::string why = "Python raised";
    if (value != nullptr) {
        if (Object* text = api.describe(value)) {
            if (const char* said = api.text(text, nullptr)) why += std::string(": ") + said;
            api.release(text);
        }
    }
    for (Object* object : {type, value, trace}) {
        if (object != nullptr) api.release(object);
    }
    return why;
}

class Way final : public InProcess<Way> {
public:
    /// Takes a tuple (name, function, arguments, keywords) over.
    Way(const Api& api, Object* way)
        : api_(api),
          way_(way),
          function_(api.tuple_item(way, 1)),
          arguments_(api.tuple_item(way, 2)),
          keywords_(api.tuple_item(way, 3)) {}
    ~Way() override { api_.release(way_); }

    bool call() {
        Object* const result = api_.call(function_, arguments_, keywords_);
        if (result == nullptr) {
            why_ = take_error(api_);
            return false;
        }
        api_.release(result);
        return true;
    }
    std::string why() const { return why_; }

private:
    const Api& api_;
    Object* way_;
    Object* function_;
    Object* arguments_;
    Object* keywords_;
    std::string why_;
};

class NumPy final : public Peer {
public:
    NumPy(const Api& api, std::string version, Object* prepare)
        : api_(api), version_(std::move(version)), prepare_(prepare) {}

    std::string version() const override { return version_; }
    bool clamps() const override { return true; }

    std::vector<Entry> prepare(const Tensors& tensors) override {
        const Workload& workload = *tensors.workload;
        const char* const family = workload.family() == Family::gather            ? "Gather"
                                   : workload.family() == Family::gather_elements ? "GatherElements"
                                                                                  : "GatherND";
        const int width = bits(workload.data.type) / 8;
        const bool is_signed = info(workload.indices.type).kind == ElementKind::signed_integer;
        const std::string index_type =
            (is_signed ? "i" : "u") + std::to_string(bits(workload.indices.type) / 8);
        const auto view = [&](const std::byte* bytes, std::size_t size, bool writable) {
            return api_.memory(reinterpret_cast<char*>(const_cast<std::byte*>(bytes)),
                               static_cast<std::ptrdiff_t>(size), writable ? 0x200 : 0x100);
        };
        const auto number = [](std::int64_t value) { return static_cast<long long>(value); };
        Object* const arguments = api_.build(
            "(sNisNssNsLLii)", family, view(tensors.data, tensors.data_bytes, false), width,
            comma_list(workload.data.shape).c_str(),
            view(tensors.indices, tensors.indices_bytes, false), index_type.c_str(),
            comma_list(workload.indices.shape).c_str(),
            view(tensors.output, tensors.output_bytes, true),
            comma_list(workload.output.shape).c_str(), number(workload.axis),
            number(workload.batch_dims), workload.negative > 0 ? 1 : 0, workload.clamps() ? 1 : 0);
        std::vector<Entry> entries;
        const auto refused = [&](std::string why) {
            entries.push_back({"numpy", Kind::peer, nullptr, std::move(why)});
        };
        Object* const ways =
            arguments == nullptr ? nullptr : api_.call(prepare_, arguments, nullptr);
        if (arguments != nullptr) api_.release(arguments);
        if (ways == nullptr) {
            refused(take_error(api_));
            return entries;
        }
        for (std::ptrdiff_t k = 0; k < api_.list_size(ways); ++k) {
            Object* const way = api_.list_item(ways, k);
            api_.retain(way);
            const char* const way_name = api_.text(api_.tuple_item(way, 0), nullptr);
            entries.push_back({way_name, Kind::peer, std::make_unique<Way>(api_, way), ""});
        }
        api_.release(ways);
        if (entries.empty()) refused("numpy has no one call for this");
        return entries;
    }

private:
    Api api_;
    std::string version_;
    Object* prepare_;
};

}  // namespace

PeerResult open_numpy(const PeerSettings& settings) {
    const PythonFacts& python = settings.python;
    if (!python.problem.empty()) return python.problem;
    if (python.numpy.empty()) return python.program + " has no package numpy";
    if (python.library.empty()) {
        return python.program +
               " has no shared library to embed (Debian: apt-get install libpython3-dev)";
    }
    // Extension modules look for Python's symbols in the whole process.
    Library library(python.library, RTLD_GLOBAL);
    Api api{};
    load(api, library);
    if (!library) return library.why();
    // Where its standard library is, for the start only: children of this process are not to see
    // it.
    setenv("PYTHONHOME", python.prefix.c_str(), 1);
    // numpy's own threads have nothing to do with gathers.
    setenv("OPENBLAS_NUM_THREADS", "1", 0);
    api.initialize(0);
    unsetenv("PYTHONHOME");
    if (api.is_initialized() == 0) return "Python could not be initialised";
    const std::string path = "import sys; sys.path.append(r'''" + python.site_packages + "''')";
    if (api.run(path.c_str()) != 0 || api.run(program) != 0) {
        return "numpy could not be imported (its reason stands above)";
    }
    Object* const prepare = api.attribute(api.add_module("__main__"), "prepare");
    if (prepare == nullptr) return "Python could not be prepared";
    return std::make_unique<NumPy>(api, python.numpy, prepare);
}

}  // namespace gathercheck::bench
