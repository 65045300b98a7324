// SPDX-License-Identifier: Apache-2.0
// Sweeps: one case with named lists that multiply, expanded into cases without placeholders.
#include <algorithm>
#include <cstddef>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "conformance/load/load_json.hpp"

namespace gathercheck {
namespace {

/// What a list's entry puts in the place of "$list" or "$list.field".
struct Entry {
    std::string name;  ///< its part of the id
    const Json* value = nullptr;
    std::unordered_map<std::string_view, const Json*> fields = {};  ///< of an object

    const Json* field(std::string_view key) const {
        const auto found = fields.find(key);
        return found == fields.end() ? nullptr : found->second;
    }
};

/// A string of the case that is replaced.
struct Slot {
    Json* target = nullptr;
    std::string field;  ///< empty: the entry itself
};

struct List {
    std::string name;
    std::vector<Entry> entries;
    std::vector<Slot> slots;
    std::map<std::string, std::optional<std::string>> checked = {};  ///< refused_slot() of a field
};

/// The lists of a sweep in their order, and each by its name.
struct Lists {
    std::vector<List> all;
    std::unordered_map<std::string, std::size_t> places;
};

bool is_scalar(const Json& value) {
    return value.is_string() || value.is_number() || value.is_boolean() || is_odd_number(value);
}

bool is_name(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '_' || c == '+' || c == '-';
    });
}

bool is_list_name(std::string_view text) {
    return is_name(text) && text.find('.') == std::string_view::npos;
}

bool is_placeholder(const Json& value) {
    return value.is_string() && value.get_ref<const std::string&>().starts_with('$');
}

/// Placeholders inside the lists themselves would stay as they are.
void refuse_placeholders(const Json& value, const Place& at, Problems& problems) {
    if (is_placeholder(value)) {
        problems.add(at, describe_json(value) +
                             " is a placeholder inside a sweep's list, where nothing is replaced; "
                             "write the value");
    } else if (value.is_object()) {
        for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
            refuse_placeholders(member, at.child(key), problems);
        }
    } else if (value.is_array()) {
        for (std::size_t k = 0; k < value.size(); ++k) {
            refuse_placeholders(value[k], at.child(k), problems);
        }
    }
}

std::optional<Entry> read_entry(const Json& value, const Place& at, Problems& problems) {
    refuse_placeholders(value, at, problems);
    Entry entry{{}, &value};
    if (value.is_object()) {
        const std::string* name = string_at(value, at, "name", problems);
        if (name == nullptr) {
            if (find_member(value, "name") == nullptr) {
                problems.add(at, "the key \"name\" is missing; add the entry's part of the id");
            }
            return std::nullopt;
        }
        entry.name = *name;
        for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
            entry.fields.emplace(key, &member);
        }
    } else if (is_scalar(value)) {
        entry.name =
            value.is_string() ? value.get_ref<const std::string&>() : canonical_json(value);
    } else {
        problems.add(at, "is " + describe_json(value) +
                             "; write a scalar, or an object with \"name\" and other fields");
        return std::nullopt;
    }
    if (!is_name(entry.name)) {
        problems.add(at, "the name " + in_quotes(entry.name) +
                             " cannot be part of an id; use letters, digits, dots, hyphens, "
                             "underscores and plus signs");
        return std::nullopt;
    }
    return entry;
}

std::optional<List> read_list(const std::string& name, const Json& value, const Place& at,
                              Problems& problems) {
    if (!is_list_name(name)) {
        problems.add(at, in_quotes(name) +
                             " is no name of a list; use letters, digits, hyphens and underscores");
        return std::nullopt;
    }
    if (!value.is_array() || value.empty()) {
        const std::string what = value.is_array() ? "an empty list" : describe_json(value);
        problems.add(at, "is " + what + "; write a list of at least one entry");
        return std::nullopt;
    }
    List list{name, {}, {}};
    std::unordered_set<std::string> names;
    for (std::size_t k = 0; k < value.size(); ++k) {
        const Place here = at.child(k);
        auto entry = read_entry(value[k], here, problems);
        if (!entry) continue;
        if (!names.insert(entry->name).second) {
            problems.add(here, "the name " + in_quotes(entry->name) +
                                   " stands twice in this list; names become ids, so change one");
            continue;
        }
        list.entries.push_back(std::move(*entry));
    }
    return list;
}

/// Why the entries of a list cannot fill a slot; nothing where they can.
std::optional<std::string> refused_slot(const List& list, const std::string& field) {
    for (const Entry& entry : list.entries) {
        if (field.empty() && !is_scalar(*entry.value)) {
            return "the entry " + in_quotes(entry.name) + " of " + in_quotes(list.name) +
                   " is an object; name one of its fields, like $" + list.name + ".field";
        }
        if (!field.empty() && entry.field(field) == nullptr) {
            return "the entry " + in_quotes(entry.name) + " of " + in_quotes(list.name) +
                   " has no field " + in_quotes(field) + "; add it to every entry";
        }
    }
    return std::nullopt;
}

/// Finds the placeholders below a value and gives each to its list.
void find_slots(Json& value, const Place& at, Lists& lists, Problems& problems) {
    if (value.is_object()) {
        for (auto& [key, member] : value.get_ref<Json::object_t&>()) {
            find_slots(member, at.child(key), lists, problems);
        }
        return;
    }
    if (value.is_array()) {
        for (std::size_t k = 0; k < value.size(); ++k) {
            find_slots(value[k], at.child(k), lists, problems);
        }
        return;
    }
    if (!is_placeholder(value)) return;
    const std::string text = value.get_ref<const std::string&>().substr(1);
    const std::size_t dot = std::min(text.find('.'), text.size());
    const auto place = lists.places.find(text.substr(0, dot));
    if (place == lists.places.end() || dot + 1 == text.size()) {
        problems.add(at, describe_json(value) +
                             " is the placeholder of no list of the sweep; add " +
                             "the list, or correct the name");
        return;
    }
    List& list = lists.all[place->second];
    Slot slot{&value, dot == text.size() ? std::string() : text.substr(dot + 1)};
    const auto [checked, is_new] = list.checked.try_emplace(slot.field);
    if (is_new) checked->second = refused_slot(list, slot.field);
    if (checked->second) {
        problems.add(at, *checked->second);
        return;
    }
    list.slots.push_back(std::move(slot));
}

/// Every list, and every field of its entries, must be used.
void check_use(const List& list, const Place& at, Problems& problems) {
    if (list.slots.empty()) {
        problems.add(at, "no $" + list.name +
                             " stands in axis, attributes, inputs or expect; use " +
                             "the list or remove it");
        return;
    }
    std::unordered_set<std::string_view> used{"name"};
    for (const Slot& slot : list.slots) used.insert(slot.field);
    for (const Entry& entry : list.entries) {
        if (!entry.value->is_object()) continue;
        for (const auto& [field, member] : entry.value->get_ref<const Json::object_t&>()) {
            if (used.contains(field)) continue;
            problems.add(at, "no $" + list.name + "." + field +
                                 " stands in axis, attributes, inputs or expect; use the field or "
                                 "remove it");
        }
    }
}

void fill_slots(const List& list, std::size_t entry) {
    const Entry& from = list.entries[entry];
    for (const Slot& slot : list.slots) {
        *slot.target = slot.field.empty() ? *from.value : *from.field(slot.field);
    }
}

/// The case without its sweep.
Json without_sweep(const Json& value) {
    Json result = Json::object();
    auto& members = result.get_ref<Json::object_t&>();
    members.reserve(value.size());
    for (const auto& [key, member] : value.get_ref<const Json::object_t&>()) {
        if (key != "sweep") members.emplace_back(key, member);
    }
    return result;
}

/// The lists of a sweep, in order; nothing where one is refused.
std::optional<Lists> read_lists(const Json& sweep, const Place& at, Problems& problems) {
    if (!sweep.is_object() || sweep.empty()) {
        const std::string what = sweep.is_object() ? "an empty object" : describe_json(sweep);
        problems.add(at, "is " + what + "; write an object of at least one named list");
        return std::nullopt;
    }
    Lists lists;
    std::size_t combinations = 1;
    for (const auto& [name, value] : sweep.get_ref<const Json::object_t&>()) {
        auto list = read_list(name, value, at.child(name), problems);
        if (!list) continue;
        const std::size_t count = std::max<std::size_t>(list->entries.size(), 1);
        combinations =
            combinations > max_combinations / count ? max_combinations + 1 : combinations * count;
        lists.places.emplace(list->name, lists.all.size());
        lists.all.push_back(std::move(*list));
    }
    if (combinations > max_combinations) {
        problems.add(at, "has more than " + std::to_string(max_combinations) +
                             " combinations; make several smaller sweeps of it");
        return std::nullopt;
    }
    return lists;
}

}  // namespace

void expand_sweep(const Json& value, const Place& at, Problems& problems,
                  const std::function<bool(const Json& expanded, const std::string& id)>& each) {
    if (problems.full()) return;
    const std::size_t before = problems.added();
    const Place sweep_place = at.child("sweep");
    auto read = read_lists(*find_member(value, "sweep"), sweep_place, problems);
    if (!read || problems.added() != before) return;
    std::vector<List>& lists = read->all;

    Json expanded = without_sweep(value);
    for (auto& [key, member] : expanded.get_ref<Json::object_t&>()) {
        if (key == "axis" || key == "attributes" || key == "inputs" || key == "expect") {
            find_slots(member, at.child(key), *read, problems);
        }
    }
    if (problems.added() != before) return;
    for (const List& list : lists) check_use(list, sweep_place.child(list.name), problems);
    if (problems.added() != before) return;

    auto& members = expanded.get_ref<Json::object_t&>();
    const auto id_member = std::ranges::find(
        members, "id", [](const auto& member) -> std::string_view { return member.first; });
    if (id_member == members.end() || !id_member->second.is_string()) return;
    const std::string base = id_member->second.get<std::string>();

    // An odometer whose last list turns fastest.
    std::vector<std::size_t> entry(lists.size(), 0);
    for (const List& list : lists) fill_slots(list, 0);
    for (;;) {
        std::string id = base;
        for (std::size_t k = 0; k < lists.size(); ++k) {
            const List& list = lists[k];
            id += "/" + list.name + "=" + list.entries[entry[k]].name;
        }
        id_member->second = id;
        if (!each(expanded, id)) return;
        std::size_t turning = lists.size();
        while (turning > 0) {
            --turning;
            const bool over = ++entry[turning] == lists[turning].entries.size();
            if (over) entry[turning] = 0;
            fill_slots(lists[turning], entry[turning]);
            if (!over) break;
            if (turning == 0) return;
        }
    }
}

}  // namespace gathercheck
