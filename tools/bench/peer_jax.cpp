// SPDX-License-Identifier: Apache-2.0
// JAX in a process of its own: jax_peer.py compiles and times, and hands its answers back to be
// judged.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <utility>

#include "tools/bench/exchange.hpp"
#include "tools/bench/peers.hpp"

namespace gathercheck::bench {
namespace {

constexpr double patience = 120;  // seconds for one answer

/// Memory that another process can open as a file while this one lives.
class SharedFile {
public:
    SharedFile() : file_(memfd_create("gathercheck", MFD_CLOEXEC)) {}

    bool write(const std::byte* from, std::size_t size) {
        if (!file_ || ftruncate(file_.number(), 0) != 0 ||
            lseek(file_.number(), 0, SEEK_SET) != 0) {
            return false;
        }
        for (std::size_t done = 0; done < size;) {
            const ssize_t count = ::write(file_.number(), from + done, size - done);
            if (count <= 0) return false;
            done += static_cast<std::size_t>(count);
        }
        return true;
    }
    bool read(std::byte* to, std::size_t size) const {
        for (std::size_t done = 0; done < size;) {
            const ssize_t count =
                pread(file_.number(), to + done, size - done, static_cast<off_t>(done));
            if (count <= 0) return false;
            done += static_cast<std::size_t>(count);
        }
        return true;
    }
    void clear() {
        if (file_ && ftruncate(file_.number(), 0) != 0) return;  // only memory is lost
    }
    std::string path() const {
        return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_.number());
    }

private:
    FileHandle file_;
};

/// The process, and the member of an answer or why there is none.
class Child {
public:
    explicit Child(Exchange exchange) : exchange_(std::move(exchange)) {}

    std::variant<Json, std::string> ask(const Json& question) {
        if (!dead_.empty()) return dead_;
        auto answer = exchange_.ask(question, patience);
        if (const auto* why = std::get_if<std::string>(&answer)) {
            dead_ = *why;
            return *why;
        }
        const Json& told = std::get<Json>(answer);
        if (const Json* error = find_member(told, "error");
            error != nullptr && error->is_string()) {
            return error->get<std::string>();
        }
        return answer;
    }

private:
    Exchange exchange_;
    std::string dead_;  ///< why it answers no more
};

class Way final : public Contender {
public:
    Way(std::shared_ptr<Child> child, const Tensors& tensors, int k)
        : child_(std::move(child)), tensors_(tensors), k_(k) {}

    std::string run() override {
        SharedFile answer;
        const auto said = child_->ask({{"do", "run"}, {"way", k_}, {"output", answer.path()}});
        if (const auto* why = std::get_if<std::string>(&said)) return *why;
        if (!answer.read(tensors_.output, tensors_.output_bytes)) {
            return "its answer has too few bytes";
        }
        return {};
    }

    double time(std::int64_t calls) override {
        const auto said = child_->ask({{"do", "time"}, {"way", k_}, {"calls", calls}});
        const auto* answer = std::get_if<Json>(&said);
        const Json* interrupted = answer == nullptr ? nullptr : find_member(*answer, "interrupted");
        interrupted_ =
            interrupted != nullptr && interrupted->is_boolean() && interrupted->get<bool>();
        const Json* seconds = answer == nullptr ? nullptr : find_member(*answer, "seconds");
        return seconds != nullptr && seconds->is_number() ? seconds->get<double>() : 0;
    }

    void flush() override { child_->ask({{"do", "flush"}}); }
    bool was_interrupted(bool) const override { return interrupted_; }

private:
    std::shared_ptr<Child> child_;
    Tensors tensors_;
    int k_;
    bool interrupted_ = false;
};

Json described(const Descriptor& tensor, const SharedFile& file) {
    return {{"type", name(tensor.type)},
            {"shape", std::vector<std::int64_t>(tensor.shape.begin(), tensor.shape.end())},
            {"path", file.path()}};
}

class Jax final : public Peer {
public:
    Jax(std::shared_ptr<Child> child, std::string version)
        : child_(std::move(child)), version_(std::move(version)) {}

    std::string version() const override { return version_; }
    bool clamps() const override { return true; }

    std::vector<Entry> prepare(const Tensors& tensors) override {
        const Workload& workload = *tensors.workload;
        std::vector<Entry> entries;
        const auto refused = [&](std::string why) {
            entries.push_back({"jax", Kind::peer, nullptr, std::move(why)});
        };
        SharedFile data;
        SharedFile indices;
        if (!data.write(tensors.data, tensors.data_bytes) ||
            !indices.write(tensors.indices, tensors.indices_bytes)) {
            refused("no memory to hand the tensors over");
            return entries;
        }
        const char* const family = workload.family() == Family::gather            ? "Gather"
                                   : workload.family() == Family::gather_elements ? "GatherElements"
                                                                                  : "GatherND";
        const auto said = child_->ask({{"do", "prepare"},
                                       {"family", family},
                                       {"data", described(workload.data, data)},
                                       {"indices", described(workload.indices, indices)},
                                       {"axis", workload.axis},
                                       {"batch_dims", workload.batch_dims},
                                       {"negative", workload.negative > 0}});
        if (const auto* why = std::get_if<std::string>(&said)) {
            refused(*why);
            return entries;
        }
        const Json* ways = find_member(std::get<Json>(said), "ways");
        for (std::size_t k = 0; ways != nullptr && ways->is_array() && k < ways->size(); ++k) {
            entries.push_back({(*ways)[k].is_string() ? (*ways)[k].get<std::string>() : "jax",
                               Kind::peer,
                               std::make_unique<Way>(child_, tensors, static_cast<int>(k)), ""});
        }
        if (entries.empty()) refused("it has no way to do this");
        return entries;
    }

private:
    std::shared_ptr<Child> child_;
    std::string version_;
};

}  // namespace

PeerResult open_jax(const PeerSettings& settings) {
    const PythonFacts& python = settings.python;
    if (!python.problem.empty()) return python.problem;
    if (python.jax.empty()) return python.program + " has no package jax";
    auto started = Exchange::start({python.program, "-B", settings.script_jax});
    if (auto* why = std::get_if<std::string>(&started)) return std::move(*why);
    const auto child = std::make_shared<Child>(std::get<Exchange>(std::move(started)));
    const auto greeting = child->ask({{"do", "hello"}});
    if (const auto* why = std::get_if<std::string>(&greeting)) return *why;
    const Json* version = find_member(std::get<Json>(greeting), "version");
    return std::make_unique<Jax>(child, version != nullptr && version->is_string()
                                            ? version->get<std::string>()
                                            : python.jax);
}

}  // namespace gathercheck::bench
