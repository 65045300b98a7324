// SPDX-License-Identifier: Apache-2.0
// The equation language inside: a text becomes a small tree with resolved names, and a tree is
// evaluated for a call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conformance/oracle/equation.hpp"
#include "reference/call.hpp"

namespace gathercheck::equation {

/// Limits that the parser keeps, so that the evaluator needs fixed arrays only.
inline constexpr std::size_t max_names = 32;       ///< of integers, and of lists, in one scope
inline constexpr std::size_t max_bound_names = 8;  ///< on one left side
inline constexpr std::size_t max_nodes = 1000;     ///< of one expression
inline constexpr int max_nesting = 50;             ///< of one expression
inline constexpr std::int64_t max_list = 2 * 64;   ///< entries of a list, or of a bound name

enum class IntegerOperation : std::uint8_t {
    literal,       ///< `value`
    name,          ///< slot `value`
    data_rank,     ///< rank(data)
    indices_rank,  ///< rank(indices)
    negate,        ///< -first
    add,           ///< first + second
    subtract,      ///< first - second
    choose,        ///< first ? second : third
    item,          ///< first[second]
    bound_item,    ///< entry `first` of bound name `value`
    product,       ///< product(first)
    length,        ///< length(first)
    find,          ///< find(first, second)
    each,          ///< the variable `value` of a list comprehension
};

enum class ListOperation : std::uint8_t {
    name,           ///< slot `value`
    data_shape,     ///< data.shape
    indices_shape,  ///< indices.shape
    choose,         ///< first ? second : third
    join,           ///< first + second
    empty,          ///< []
    append,         ///< [first..., second]
    slice,          ///< first[second:third]; second and third may be absent
    bound_slice,    ///< entries first, ..., second - 1 of bound name `value`; first may be absent
    index_values,   ///< indices[first]
    unravel,        ///< unravel(first, second)
    broadcast,      ///< broadcast(first, second)
    within,         ///< within(first, second)
    axes,           ///< axes(first)
    comprehension,  ///< [first for `value` in second if third]; third may be absent
};

/// first < second and so on; in the last two second is a list.
enum class Comparison : std::uint8_t {
    less,
    less_or_equal,
    greater,
    greater_or_equal,
    equal,
    not_equal,
    in,
    not_in,
};

/// What a node computes; the alternative says the type of its value.
using Operation = std::variant<IntegerOperation, ListOperation, Comparison>;

enum class Type : std::uint8_t { integer, list, truth };  // in the order of the alternatives

inline constexpr std::int32_t no_node = -1;

struct Node {
    Operation operation;
    std::int32_t first = no_node;
    std::int32_t second = no_node;
    std::int32_t third = no_node;
    std::int64_t value = 0;
    std::uint32_t begin = 0;  ///< where it starts in the text

    Type type() const { return static_cast<Type>(operation.index()); }
};

/// A parsed expression; the last node is its root.
struct Expression {
    std::string text;  ///< the whole text in which it stands, for messages
    std::vector<Node> nodes;

    Type type() const { return nodes.back().type(); }
};

struct Definition {
    std::string text;
    std::string name;
    std::size_t slot = 0;  ///< of the integers or of the lists, as the expression's type says
    Expression expression;
};

/// What a call gives for a parameter.
enum class ParameterKind : std::uint8_t {
    integer,
    list,   ///< of integers
    truth,  ///< true or false, which are 1 and 0 here
};

struct Parameter {
    std::string name;
    bool from_input = false;  ///< else an attribute
    ParameterKind kind = ParameterKind::integer;
    std::optional<std::int64_t> default_value;
    std::size_t slot = 0;
};

/// `name[lo:hi]` on the left side.
struct Segment {
    std::size_t bound_name = 0;
    std::optional<Expression> low;
    Expression high;
};

struct Form {
    std::optional<Expression> when;
    Expression shape;
    std::vector<Segment> segments;
    std::vector<Definition> with;
    std::string equation;  ///< the whole text
    Expression source;     ///< the right side: a coordinate of data
};

struct IndexRange {
    std::optional<Expression> along;  ///< the dimension of indices along which sizes lie; else the
                                      ///< last
    Expression size;
    Expression lowest;
    Expression highest;
    Expression value;
    std::vector<Outside> outside;  ///< what a value outside does, the suite's reading first;
                                   ///< several where the text allows each
    std::size_t size_slot = 0;     ///< of the name s
    std::size_t value_slot = 0;    ///< of the name v
};

/// The equations of one operator version.
struct Program {
    std::vector<Parameter> parameters;
    std::vector<Definition> let;
    std::vector<Form> forms;
    IndexRange index;
};

/// Why a text is refused.
struct TextFault {
    std::size_t position = 0;  ///< of the first character that cannot stand there
    std::string reason;
};

enum class NameKind : std::uint8_t { integer, list, bound };

struct Name {
    NameKind kind;
    std::size_t slot;
};

/// The names that a text may use, and whether it may read index values.
class Scope {
public:
    const Name* find(std::string_view name) const;
    /// Takes the next slot of the kind; the reason where the name is taken, reserved, or one too
    /// many.
    std::variant<Name, std::string> define(std::string_view name, NameKind kind);
    /// Why no other thing can have the name; empty where it can.
    std::string unusable(std::string_view name) const;

    bool index_values = false;

private:
    std::map<std::string, Name, std::less<>> names_;
    std::array<std::size_t, 3> used_{};
};

/// Parses an expression of the type wanted.
std::variant<Expression, TextFault> parse_expression(const std::string& text, const Scope& scope,
                                                     Type wanted);

/// Parses `name = expression` and defines the name.
std::variant<Definition, TextFault> parse_definition(const std::string& text, Scope& scope);

/// Parses the left side of an equation and defines the names that it binds.
std::variant<std::vector<Segment>, TextFault> parse_left_side(const std::string& equation,
                                                              Scope& scope);

/// Parses the right side of an equation whose left side has been parsed.
std::variant<Expression, TextFault> parse_right_side(const std::string& equation,
                                                     const Scope& scope);

/// Evaluates a program for a call; the text is the reason where it has no meaning for the call.
std::variant<EquationAnswer, std::string> evaluate(const Program& program, const Call& call,
                                                   OutOfRange policy);

/// As Equations::picks().
std::vector<std::int64_t> picks(const Program& program, const Call& call);

}  // namespace gathercheck::equation
