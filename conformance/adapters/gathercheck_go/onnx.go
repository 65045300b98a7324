// SPDX-License-Identifier: Apache-2.0

package gathercheck_go

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// elementTypes: element type -> its number in ONNX, and its bytes, 0 for those of other lengths.
var elementTypes = map[string]struct {
	onnx  uint64
	bytes int
}{
	"boolean": {9, 1}, "u8": {2, 1}, "u16": {4, 2}, "u32": {12, 4}, "u64": {13, 8}, "i8": {3, 1}, "i16": {5, 2}, "i32": {6, 4}, "i64": {7, 8},
	"f16": {10, 2}, "bf16": {16, 2}, "f32": {1, 4}, "f64": {11, 8}, "c64": {14, 8}, "c128": {15, 16}, "string": {8, 0},
	"f8e4m3": {17, 1}, "f8e4m3fnuz": {18, 1}, "f8e5m2": {19, 1}, "f8e5m2fnuz": {20, 1}, "f8e8m0": {24, 1},
	"u4": {21, 0}, "i4": {22, 0}, "f4e2m1": {23, 0}, "u2": {25, 0}, "i2": {26, 0},
}

// OnnxOperators are ONNX's gather operators.
var OnnxOperators = []string{
	"onnx.Gather-1", "onnx.Gather-11", "onnx.Gather-13", "onnx.GatherElements-11", "onnx.GatherElements-13",
	"onnx.GatherND-11", "onnx.GatherND-12", "onnx.GatherND-13",
}

// proto is a serialized message of protocol buffers.
type proto []byte

func (made proto) varint(field int, value uint64) proto {
	return binary.AppendUvarint(binary.AppendUvarint(made, uint64(field)<<3), value)
}

func (made proto) bytes(field int, value []byte) proto {
	made = binary.AppendUvarint(binary.AppendUvarint(made, uint64(field)<<3|2), uint64(len(value)))
	return append(made, value...)
}

func (made proto) string(field int, value string) proto { return made.bytes(field, []byte(value)) }

func (made proto) float(field int, value float32) proto {
	return binary.LittleEndian.AppendUint32(binary.AppendUvarint(made, uint64(field)<<3|5), math.Float32bits(value))
}

// attribute is an ONNX attribute of the kind that the JSON value has: 1 is an integer, and 1.0 is none.
func attribute(name string, value any) (proto, error) {
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	integers, floats, texts := proto{}, proto{}, proto{}
	var counts [3]int
	field := func(single, many int) int {
		if isList {
			return many
		}
		return single
	}
	for _, item := range list {
		switch item := item.(type) {
		case json.Number:
			if !strings.ContainsAny(item.String(), ".eE") {
				integer, err := strconv.ParseInt(item.String(), 10, 64)
				if err != nil {
					return nil, Unsupported{"attribute " + name + ": an ONNX integer has 64 bits"}
				}
				integers = integers.varint(field(3, 8), uint64(integer))
				counts[0]++
			}
			float, _ := item.Float64()
			floats = floats.float(field(2, 7), float32(float))
			counts[1]++
		case string:
			texts = texts.string(field(4, 9), item)
			counts[2]++
		}
	}
	made := proto{}.string(1, name)
	kinds := []struct {
		items proto
		kind  int // FLOAT, INT, STRING; of lists FLOATS, INTS, STRINGS
	}{{integers, 2}, {floats, 1}, {texts, 3}}
	for k, entry := range kinds {
		if counts[k] == len(list) {
			return append(made, entry.items...).varint(20, uint64(field(entry.kind, entry.kind+5))), nil
		}
	}
	return nil, Unsupported{fmt.Sprintf("attribute %s: ONNX has no attribute of the kind of %v", name, value)}
}

// Initializer is an operand as a TensorProto.
func (operand *Operand) Initializer() proto {
	made := proto{}
	for _, extent := range operand.Shape {
		made = made.varint(1, uint64(extent))
	}
	made = made.varint(2, elementTypes[operand.Type].onnx)
	for _, text := range operand.Strings {
		made = made.string(6, text)
	}
	made = made.string(8, operand.Name)
	if operand.Type != "string" {
		made = made.bytes(9, operand.Raw)
	}
	return made
}

// valueInfo is a ValueInfoProto; a shape whose extents are below 0 has names for them.
func valueInfo(name string, number uint64, shape []int) proto {
	dimensions := proto{}
	for k, extent := range shape {
		dimension := proto{}.varint(1, uint64(extent))
		if extent < 0 {
			dimension = proto{}.string(2, fmt.Sprintf("%s_%d", name, k))
		}
		dimensions = dimensions.bytes(1, dimension)
	}
	return proto{}.string(1, name).bytes(2, proto{}.bytes(1, proto{}.varint(1, number).bytes(2, dimensions)))
}

func unknown(rank int) []int {
	shape := make([]int, max(rank, 0))
	for k := range shape {
		shape[k] = -1
	}
	return shape
}

// outputRank is the number of dimensions of a legal call's output; of others it may be anything.
func outputRank(call *Call, operator string) int {
	data, indices := call.Input("data"), call.Input("indices")
	if data == nil || indices == nil {
		return 1
	}
	switch rank := len(indices.Shape); operator {
	case "Gather":
		return rank + len(data.Shape) - 1
	case "GatherND":
		batchDims := int64(0)
		if number, is := call.Attributes["batch_dims"].(json.Number); is {
			batchDims, _ = number.Int64()
		}
		if rank == 0 || batchDims < 0 || batchDims > int64(rank) {
			return 1
		}
		return min(rank+len(data.Shape)-1-indices.Shape[rank-1]-int(batchDims), rank+len(data.Shape))
	default:
		return rank
	}
}

// OnnxModel is the model of a call, of one node in the operator's own opset (IR 8), and the operands that are its inputs.
// An operand given at run time is a graph input, a fixed one an initializer; dynamic shapes are symbolic dimensions of known
// rank. Element type and rank of the output are declared.
func OnnxModel(call *Call) ([]byte, []Operand, error) {
	name, is := strings.CutPrefix(call.Operator, "onnx.")
	operator, version, _ := strings.Cut(name, "-")
	opset, err := strconv.ParseUint(version, 10, 8)
	if !is || err != nil {
		return nil, nil, Unsupported{"ONNX has no operator " + call.Operator}
	}
	names := []string{"data", "indices"}
	for _, operand := range call.Inputs {
		if operand.Name != "data" && operand.Name != "indices" {
			names = append(names, operand.Name)
		}
	}
	for len(names) > 0 && call.Input(names[len(names)-1]) == nil {
		names = names[:len(names)-1]
	}
	node, graph, number := proto{}, proto{}, uint64(1)
	var given []Operand
	for _, name := range names {
		operand := call.Input(name)
		if operand == nil {
			node = node.string(1, "")
			continue
		}
		entry, known := elementTypes[operand.Type]
		if !known {
			return nil, nil, Unsupported{"ONNX has no element type " + operand.Type}
		}
		if name == "data" {
			number = entry.onnx
		}
		node = node.string(1, name)
		if call.Fixed(name) {
			graph = graph.bytes(5, operand.Initializer())
			continue
		}
		shape := operand.Shape
		if call.Shapes == "dynamic" {
			shape = unknown(len(shape))
		}
		graph = graph.bytes(11, valueInfo(name, entry.onnx, shape))
		given = append(given, *operand)
	}
	node = node.string(2, "output").string(4, operator)
	for name, value := range call.Attributes {
		made, err := attribute(name, value)
		if err != nil {
			return nil, nil, err
		}
		node = node.bytes(5, made)
	}
	graph = graph.bytes(1, node).string(2, "one_call").bytes(12, valueInfo("output", number, unknown(outputRank(call, operator))))
	return proto{}.varint(1, 8).bytes(7, graph).bytes(8, proto{}.varint(2, opset)), given, nil
}
