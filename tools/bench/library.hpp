// SPDX-License-Identifier: Apache-2.0
// Shared libraries that are opened at run time, so that the command needs none of them.
#pragma once

#include <dlfcn.h>

#include <string>
#include <vector>

namespace gathercheck::bench {

/// An opened library. It stays open to the end of the process: engines do not survive more.
class Library {
public:
    /// `more_flags` beside RTLD_NOW; the reason of a failure is `why()`.
    explicit Library(const std::string& path, int more_flags = RTLD_LOCAL)
        : handle_(dlopen(path.c_str(), RTLD_NOW | more_flags)) {
        if (handle_ == nullptr) why_ = dlerror();
    }

    explicit operator bool() const { return handle_ != nullptr && why_.empty(); }
    const std::string& why() const { return why_; }

    /// Sets `function` to the symbol; where it is missing the library is no good.
    template <class Function>
    void load(Function*& function, const char* name) {
        if (handle_ == nullptr) return;
        function = reinterpret_cast<Function*>(dlsym(handle_, name));
        if (function == nullptr && why_.empty()) why_ = std::string("it lacks ") + name;
    }

private:
    void* handle_ = nullptr;
    std::string why_;
};

}  // namespace gathercheck::bench
