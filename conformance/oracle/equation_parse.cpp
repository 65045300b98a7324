// SPDX-License-Identifier: Apache-2.0
// Parsing the equation language: tokens, names, types; every refusal has a position.
#include <algorithm>
#include <charconv>
#include <utility>

#include "conformance/oracle/equation_program.hpp"
#include "conformance/util/json.hpp"

namespace gathercheck::equation {
namespace {

constexpr std::array<std::string_view, 8> reserved{"output",  "data",    "indices",   "rank",
                                                   "product", "unravel", "broadcast", "within"};

enum class TokenKind : std::uint8_t { name, integer, symbol, end };

struct Token {
    TokenKind kind;
    std::size_t position;
    std::string_view text;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool continues_name(char c) { return starts_name(c) || is_digit(c); }

/// Cuts a text into tokens; "data.shape" is one. A character outside the language becomes a symbol
/// of its own, which no rule of the grammar takes.
std::vector<Token> tokens_of(std::string_view text) {
    constexpr std::array<std::string_view, 4> long_symbols{"<=", ">=", "==", "!="};
    std::vector<Token> tokens;
    std::size_t k = 0;
    while (k < text.size()) {
        const char c = text[k];
        if (c == ' ') {
            ++k;
            continue;
        }
        const std::size_t begin = k;
        TokenKind kind = TokenKind::symbol;
        if (starts_name(c)) {
            kind = TokenKind::name;
            while (k < text.size() && (continues_name(text[k]) || text[k] == '.')) ++k;
        } else if (is_digit(c)) {
            kind = TokenKind::integer;
            while (k < text.size() && continues_name(text[k])) ++k;
        } else {
            const auto two = text.substr(k, 2);
            k += std::ranges::find(long_symbols, two) != long_symbols.end() ? 2 : 1;
            // The further bytes of a character beyond ASCII belong to it.
            while (k < text.size() && (static_cast<unsigned char>(text[k]) & 0xC0U) == 0x80) ++k;
        }
        tokens.push_back({kind, begin, text.substr(begin, k - begin)});
    }
    tokens.push_back({TokenKind::end, text.size(), {}});
    return tokens;
}

std::string type_text(Type type) {
    switch (type) {
        case Type::integer:
            return "an integer";
        case Type::truth:
            return "a truth value";
        case Type::list:
            return "a list";
    }
    return {};
}

/// Recursive descent over one text. After the first fault every step returns at once; a node number
/// is then no_node.
class Parser {
public:
    Parser(const std::string& text, const Scope& scope)
        : text_(text), scope_(scope), tokens_(tokens_of(text)) {}

    const std::optional<TextFault>& fault() const { return fault_; }
    bool failed() const { return fault_.has_value(); }
    const Token& token() const { return tokens_[next_]; }

    bool at(std::string_view symbol) const {
        return token().kind == TokenKind::symbol && token().text == symbol;
    }

    bool accept(std::string_view symbol) {
        if (failed() || !at(symbol)) return false;
        ++next_;
        return true;
    }

    void expect(std::string_view symbol) {
        if (!accept(symbol)) unexpected(in_quotes(symbol));
    }

    void skip_past(std::string_view symbol) {
        while (token().kind != TokenKind::end && !at(symbol)) ++next_;
        expect(symbol);
    }

    /// The name at hand; empty, and a fault, where there is none.
    Token take_name(const std::string& what) {
        if (failed()) return {TokenKind::end, 0, {}};
        const Token found = token();
        if (found.kind != TokenKind::name) {
            unexpected(what);
        } else {
            ++next_;
        }
        return found;
    }

    void expect_name(std::string_view name) {
        if (failed()) return;
        if (token().kind == TokenKind::name && token().text == name) {
            ++next_;
        } else {
            unexpected(in_quotes(name));
        }
    }

    void expect_end() {
        if (!failed() && token().kind != TokenKind::end) unexpected("the end");
    }

    void fail(std::size_t position, std::string reason) {
        if (!failed()) fault_ = TextFault{position, std::move(reason)};
    }

    /// An expression of the type wanted, complete in itself.
    Expression expression_of(Type wanted) {
        nodes_.clear();
        const std::size_t begin = token().position;
        const std::int32_t root = expression();
        check_type(root, wanted, begin);
        return {text_, std::move(nodes_)};
    }

    /// An expression that may be an integer or a list.
    Expression value() {
        nodes_.clear();
        const std::size_t begin = token().position;
        const std::int32_t root = expression();
        if (root != no_node && type(root) == Type::truth) {
            fail(begin, "a truth value can only stand in \"when\" and before \"?\"");
        }
        return {text_, std::move(nodes_)};
    }

private:
    Type type(std::int32_t node) const { return nodes_[static_cast<std::size_t>(node)].type(); }

    void unexpected(const std::string& wanted) {
        const Token& found = token();
        fail(found.position,
             "expected " + wanted + ", found " +
                 (found.kind == TokenKind::end ? "the end" : in_quotes(found.text)));
    }

    std::int32_t add(Node node, std::size_t begin) {
        if (failed()) return no_node;
        if (nodes_.size() == max_nodes) {
            fail(begin, "the expression has more than " + std::to_string(max_nodes) + " terms");
            return no_node;
        }
        node.begin = static_cast<std::uint32_t>(begin);
        nodes_.push_back(node);
        return static_cast<std::int32_t>(nodes_.size()) - 1;
    }

    void check_type(std::int32_t node, Type wanted, std::size_t begin) {
        if (failed() || type(node) == wanted) return;
        fail(begin, type_text(wanted) + " is needed here, this is " + type_text(type(node)));
    }

    std::int32_t expression() {
        if (failed()) return no_node;
        if (nesting_ == max_nesting) {
            fail(token().position,
                 "nested more than " + std::to_string(max_nesting) + " levels deep");
            return no_node;
        }
        ++nesting_;
        const std::int32_t node = choice();
        --nesting_;
        return failed() ? no_node : node;
    }

    std::int32_t choice() {
        const std::size_t begin = token().position;
        const std::int32_t condition = comparison();
        if (!accept("?")) return condition;
        check_type(condition, Type::truth, begin);
        const std::size_t begin_first = token().position;
        const std::int32_t first = expression();
        expect(":");
        const std::size_t begin_second = token().position;
        const std::int32_t second = expression();
        if (failed()) return no_node;
        if (type(first) == Type::truth) {
            fail(begin_first, "a truth value can only stand in \"when\" and before \"?\"");
            return no_node;
        }
        check_type(second, type(first), begin_second);
        const bool lists = type(first) == Type::list;
        return add({lists ? Operation(ListOperation::choose) : IntegerOperation::choose, condition,
                    first, second},
                   begin);
    }

    std::int32_t comparison() {
        constexpr std::array<std::pair<std::string_view, Comparison>, 6> comparisons{{
            {"<", Comparison::less},
            {"<=", Comparison::less_or_equal},
            {">", Comparison::greater},
            {">=", Comparison::greater_or_equal},
            {"==", Comparison::equal},
            {"!=", Comparison::not_equal},
        }};
        const std::size_t begin = token().position;
        const std::int32_t left = sum();
        for (const auto& [symbol, comparison] : comparisons) {
            if (!accept(symbol)) continue;
            check_type(left, Type::integer, begin);
            const std::size_t begin_right = token().position;
            const std::int32_t right = sum();
            check_type(right, Type::integer, begin_right);
            for (const auto& [another, unused] : comparisons) {
                if (at(another)) fail(token().position, "comparisons cannot be chained");
            }
            return add({comparison, left, right}, begin);
        }
        return left;
    }

    std::int32_t sum() {
        const std::size_t begin = token().position;
        std::int32_t left = unary();
        while (!failed() && (at("+") || at("-"))) {
            const bool plus = accept("+");
            if (!plus) expect("-");
            if (!plus || type(left) == Type::truth) check_type(left, Type::integer, begin);
            const std::size_t begin_right = token().position;
            const std::int32_t right = unary();
            if (failed()) return no_node;
            check_type(right, type(left), begin_right);
            Operation operation = plus ? IntegerOperation::add : IntegerOperation::subtract;
            if (type(left) == Type::list) operation = ListOperation::join;
            left = add({operation, left, right}, begin);
        }
        return left;
    }

    std::int32_t unary() {
        const std::size_t begin = token().position;
        std::size_t signs = 0;
        while (accept("-")) ++signs;
        const std::size_t begin_operand = token().position;
        std::int32_t node = postfix();
        if (signs != 0) check_type(node, Type::integer, begin_operand);
        for (std::size_t k = 0; k < signs; ++k) {
            node = add({IntegerOperation::negate, node}, begin);
        }
        return node;
    }

    /// What stands in brackets: `[k]`, or `[low:high]` with either absent.
    struct Brackets {
        bool is_slice = false;
        std::int32_t low = no_node;
        std::int32_t high = no_node;
    };

    Brackets brackets() {
        Brackets found;
        expect("[");
        if (!at(":")) found.low = integer();
        if (accept(":")) {
            found.is_slice = true;
            if (!at("]")) found.high = integer();
        }
        expect("]");
        return found;
    }

    std::int32_t integer() {
        const std::size_t begin = token().position;
        const std::int32_t node = expression();
        check_type(node, Type::integer, begin);
        return node;
    }

    std::int32_t list() {
        const std::size_t begin = token().position;
        const std::int32_t node = expression();
        check_type(node, Type::list, begin);
        return node;
    }

    std::int32_t postfix() {
        const std::size_t begin = token().position;
        std::int32_t node = primary();
        while (!failed() && at("[")) {
            check_type(node, Type::list, begin);
            const Brackets found = brackets();
            node = found.is_slice ? add({ListOperation::slice, node, found.low, found.high}, begin)
                                  : add({IntegerOperation::item, node, found.low}, begin);
        }
        return node;
    }

    std::int32_t primary() {
        if (failed()) return no_node;
        const Token found = token();
        if (found.kind == TokenKind::integer) return literal();
        if (found.kind == TokenKind::name) return named();
        if (accept("(")) {
            const std::int32_t node = expression();
            expect(")");
            return node;
        }
        if (at("[")) return list_of_expressions();
        unexpected("a value");
        return no_node;
    }

    std::int32_t literal() {
        const Token found = token();
        std::int64_t value = 0;
        const char* last = found.text.data() + found.text.size();
        const auto [end, error] = std::from_chars(found.text.data(), last, value);
        if (error != std::errc() || end != last) {
            fail(found.position, in_quotes(found.text) + " is no integer of 64 bits");
            return no_node;
        }
        ++next_;
        Node node{IntegerOperation::literal};
        node.value = value;
        return add(node, found.position);
    }

    std::int32_t list_of_expressions() {
        const std::size_t begin = token().position;
        expect("[");
        std::int32_t node = add({ListOperation::empty}, begin);
        if (accept("]")) return node;
        do {
            const std::int32_t entry = integer();
            node = add({ListOperation::append, node, entry}, begin);
        } while (accept(","));
        expect("]");
        return node;
    }

    std::int32_t named() {
        const Token name = take_name("a name");
        const std::size_t begin = name.position;
        if (name.text == "data.shape") return add({ListOperation::data_shape}, begin);
        if (name.text == "indices.shape") return add({ListOperation::indices_shape}, begin);
        if (name.text == "rank") return rank(begin);
        if (name.text == "product") {
            expect("(");
            const std::int32_t argument = list();
            expect(")");
            return add({IntegerOperation::product, argument}, begin);
        }
        if (name.text == "unravel") {
            expect("(");
            const std::int32_t position = integer();
            expect(",");
            const std::int32_t shape = list();
            expect(")");
            return add({ListOperation::unravel, position, shape}, begin);
        }
        if (name.text == "broadcast") return of_two_lists(ListOperation::broadcast, begin);
        if (name.text == "within") return of_two_lists(ListOperation::within, begin);
        if (name.text == "indices") return index_values(begin);
        if (name.text == "data" || name.text == "output") {
            fail(begin, in_quotes(name.text) + " cannot be read here");
            return no_node;
        }
        const Name* known = scope_.find(name.text);
        if (known == nullptr) {
            fail(begin, in_quotes(name.text) + " is not defined");
            return no_node;
        }
        if (known->kind == NameKind::bound) return bound(name, *known);
        const bool is_list = known->kind == NameKind::list;
        Node node{is_list ? Operation(ListOperation::name) : IntegerOperation::name};
        node.value = static_cast<std::int64_t>(known->slot);
        return add(node, begin);
    }

    std::int32_t of_two_lists(ListOperation operation, std::size_t begin) {
        expect("(");
        const std::int32_t first = list();
        expect(",");
        const std::int32_t second = list();
        expect(")");
        return add({operation, first, second}, begin);
    }

    std::int32_t rank(std::size_t begin) {
        expect("(");
        const Token operand = take_name("\"data\" or \"indices\"");
        if (failed()) return no_node;
        const bool of_data = operand.text == "data";
        if (!of_data && operand.text != "indices") {
            fail(operand.position,
                 "expected \"data\" or \"indices\", found " + in_quotes(operand.text));
        }
        expect(")");
        return add({of_data ? IntegerOperation::data_rank : IntegerOperation::indices_rank}, begin);
    }

    std::int32_t index_values(std::size_t begin) {
        if (!scope_.index_values) {
            fail(begin, "index values can be read in \"with\" and on the right side only");
            return no_node;
        }
        expect("[");
        const std::int32_t coordinate = list();
        expect("]");
        return add({ListOperation::index_values, coordinate}, begin);
    }

    std::int32_t bound(const Token& name, const Name& known) {
        if (!at("[")) {
            unexpected("\"[\": a name bound on the left side is read entry by entry");
            return no_node;
        }
        const std::size_t begin_brackets = token().position;
        const Brackets found = brackets();
        if (found.is_slice && found.high == no_node) {
            fail(begin_brackets, "a name bound on the left side has no length: say where " +
                                     in_quotes(name.text) + " ends");
            return no_node;
        }
        Node node{
            found.is_slice ? Operation(ListOperation::bound_slice) : IntegerOperation::bound_item,
            found.low, found.high};
        node.value = static_cast<std::int64_t>(known.slot);
        return add(node, name.position);
    }

    const std::string& text_;
    const Scope& scope_;
    std::vector<Token> tokens_;
    std::size_t next_ = 0;
    int nesting_ = 0;
    std::vector<Node> nodes_;
    std::optional<TextFault> fault_;
};

}  // namespace

const Name* Scope::find(std::string_view name) const {
    const auto found = names_.find(name);
    return found == names_.end() ? nullptr : &found->second;
}

std::variant<Name, std::string> Scope::define(std::string_view name, NameKind kind) {
    const std::string quoted = in_quotes(name);
    if (name.empty() || !starts_name(name.front()) || !std::ranges::all_of(name, continues_name)) {
        return quoted + " is no name: a letter or \"_\", then letters, digits and \"_\"";
    }
    if (std::ranges::find(reserved, name) != reserved.end()) {
        return quoted + " is a word of the language; choose another name";
    }
    if (find(name) != nullptr) return quoted + " is defined twice";
    std::size_t& used = used_[static_cast<std::size_t>(kind)];
    const std::size_t limit = kind == NameKind::bound ? max_bound_names : max_names;
    if (used == limit) {
        return quoted + " is one name too many: there is room for " + std::to_string(limit);
    }
    const Name defined{kind, used++};
    names_.emplace(name, defined);
    return defined;
}

std::variant<Expression, TextFault> parse_expression(const std::string& text, const Scope& scope,
                                                     Type wanted) {
    Parser parser(text, scope);
    Expression expression = parser.expression_of(wanted);
    parser.expect_end();
    if (parser.failed()) return *parser.fault();
    return expression;
}

std::variant<Definition, TextFault> parse_definition(const std::string& text, Scope& scope) {
    Parser parser(text, scope);
    const Token name = parser.take_name("a name");
    parser.expect("=");
    Definition definition{text, std::string(name.text), 0, parser.value()};
    parser.expect_end();
    if (parser.failed()) return *parser.fault();
    const bool is_list = definition.expression.type() == Type::list;
    const auto defined = scope.define(name.text, is_list ? NameKind::list : NameKind::integer);
    if (const auto* reason = std::get_if<std::string>(&defined)) {
        return TextFault{name.position, *reason};
    }
    definition.slot = std::get<Name>(defined).slot;
    return definition;
}

std::variant<std::vector<Segment>, TextFault> parse_left_side(const std::string& equation,
                                                              Scope& scope) {
    // The bounds of a segment cannot use what the left side binds, so names are defined at the end.
    Parser parser(equation, scope);
    std::vector<Segment> segments;
    std::vector<Token> names;
    parser.expect_name("output");
    parser.expect("[");
    do {
        Segment segment;
        names.push_back(parser.take_name("a name"));
        parser.expect("[");
        if (!parser.at(":")) segment.low = parser.expression_of(Type::integer);
        parser.expect(":");
        segment.high = parser.expression_of(Type::integer);
        parser.expect("]");
        segments.push_back(std::move(segment));
    } while (parser.accept("+"));
    parser.expect("]");
    parser.expect("=");
    if (parser.failed()) return *parser.fault();

    for (std::size_t k = 0; k < segments.size(); ++k) {
        const Name* known = scope.find(names[k].text);
        if (known == nullptr || known->kind != NameKind::bound) {
            const auto defined = scope.define(names[k].text, NameKind::bound);
            if (const auto* reason = std::get_if<std::string>(&defined)) {
                return TextFault{names[k].position, *reason};
            }
            known = scope.find(names[k].text);
        }
        segments[k].bound_name = known->slot;
    }
    return segments;
}

std::variant<Expression, TextFault> parse_right_side(const std::string& equation,
                                                     const Scope& scope) {
    Parser parser(equation, scope);
    parser.skip_past("=");
    parser.expect_name("data");
    parser.expect("[");
    Expression source = parser.expression_of(Type::list);
    parser.expect("]");
    parser.expect_end();
    if (parser.failed()) return *parser.fault();
    return source;
}

}  // namespace gathercheck::equation
