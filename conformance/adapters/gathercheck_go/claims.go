// SPDX-License-Identifier: Apache-2.0

package gathercheck_go

import (
	"errors"
	"strings"
)

var dataTypes = strings.Fields("boolean u8 u16 u32 u64 i8 i16 i32 i64 f16 f32 f64 c64 c128 string")

// hello says what the engine takes: it is asked a smallest call of each element type that ONNX allows, and of each route.
func hello(engine Engine, restart bool) object {
	claims, refusals := []object{}, []object{}
	for _, operator := range engine.Operators() {
		data, indices := dataTypes, []string{"i32", "i64"}
		if strings.HasSuffix(operator, "-13") {
			data = append([]string{"bf16"}, data...)
		}
		if strings.Contains(operator, "GatherND") {
			indices = []string{"i64"}
		}
		take := func(data, indices, operands, shapes string) error {
			if restart { // what the first process said holds
				return nil
			}
			_, err := engine.Run(smallestCall(operator, data, indices, operands, shapes))
			return err
		}
		types, refused := taken(data, func(name string) error { return take(name, "i64", "runtime", "static") })
		for why, names := range refused {
			refusals = append(refusals, object{"operators": []string{operator}, "data": names, "indices": indices, "why": why})
		}
		if len(types) == 0 {
			continue
		}
		picked, refused := taken(indices, func(name string) error { return take(types[0], name, "runtime", "static") })
		for why, names := range refused {
			refusals = append(refusals, object{"operators": []string{operator}, "data": types, "indices": names, "why": why})
		}
		if len(picked) == 0 {
			continue
		}
		for _, route := range [][]string{
			{"runtime", "static"}, {"runtime", "dynamic"}, {"constant", "static"}, {"constant", "dynamic"}, {"folded", "static"},
		} {
			entry := object{"operators": []string{operator}, "data": types, "indices": picked, "operands": route[:1], "shapes": route[1:]}
			var unsupported Unsupported // any other refusal of a route is for the run to show
			if err := take(types[0], picked[0], route[0], route[1]); errors.As(err, &unsupported) {
				entry["why"] = words(err)
				refusals = append(refusals, entry)
			} else {
				claims = append(claims, entry)
			}
		}
	}
	features := []string{"models"}
	if _, able := engine.(Reproducer); able {
		features = append(features, "reproduce")
	}
	return object{
		"message": "hello", "protocol": 1, "claims": claims, "not_implemented": refusals, "answers": []string{"run"}, "features": features,
		"implementation": object{"name": engine.Name(), "version": engine.Version(), "language": language, "device": "cpu"},
	}
}

// taken are those of the names that `take` has no error for, and the others by what it says.
func taken(names []string, take func(name string) error) (good []string, refused map[string][]string) {
	refused = map[string][]string{}
	for _, name := range names {
		if err := take(name); err != nil {
			refused[words(err)] = append(refused[words(err)], name)
		} else {
			good = append(good, name)
		}
	}
	return good, refused
}

// smallestCall is a legal call of one element: index 0 of a list of one.
func smallestCall(operator, data, indices, operands, shapes string) *Call {
	of := func(name string, element string, shape ...int) Operand {
		if element == "string" {
			return Operand{name, Tensor{Type: element, Shape: shape, Strings: []string{"a"}}}
		}
		return Operand{name, Tensor{Type: element, Shape: shape, Raw: make([]byte, elementTypes[element].bytes)}}
	}
	picked := of("indices", indices, 1)
	if strings.Contains(operator, "GatherND") {
		picked.Shape = []int{1, 1}
	}
	return &Call{operator, nil, []Operand{of("data", data, 1), picked}, operands, shapes, 0}
}

// words is the first line of what an engine says.
func words(err error) string {
	const longest = 160
	line, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	if len(line) > longest {
		return strings.ToValidUTF8(line[:longest], "") + " ..."
	}
	return line
}
