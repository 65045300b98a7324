// SPDX-License-Identifier: Apache-2.0
// gomlx: operands more than the operator has are taken, and left aside.
// Case gather-one-input-too-many, onnx.Gather-13, runtime/static, on gomlx 0.3.4.
// accepted what must be rejected: expected the error wrong_input_count, got f32 [2, 2] = [1, 2, 3, 4]
// Rule onnx.gather-13.inputs.count (onnx/Gather, Inputs): The operation has exactly two inputs, all of them required.
// shows: an output
// main.go of a module with the dependency github.com/gomlx/onnx-gomlx v0.3.4.
// Given a folder, it saves the model and its inputs there, laid out as ONNX's node tests.
package main

import (
	"encoding/hex"
	"fmt"
	"os"
	"strings"

	"github.com/gomlx/gomlx/backends/simplego"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/shapes"
	"github.com/gomlx/gomlx/pkg/core/tensors"
	"github.com/gomlx/gomlx/pkg/ml/context"
	"github.com/gomlx/onnx-gomlx/onnx"
)

// onnx.Gather-13, attributes {}
const model = "08083ab2015a160a0464617461120e0a0c080112080a0208030a0208025a150a07696e6469636573120a0a08080712040a0208025a0e0a046178697312060a04080712005a0f0a05657874726112060a04080712000a2c0a04646174610a07696e64696365730a04617869730a05657874726112066f7574707574220647617468657212086f6e655f63616c6c62280a066f7574707574121e0a1c080112180a0a12086f75747075745f300a0a12086f75747075745f314202100d"

type value struct {
	name  string
	dtype dtypes.DType
	shape []int
	hex   string
}

func must[T any](made T, err error) T {
	if err != nil {
		panic(err)
	}
	return made
}

func bytes(text string) []byte { return must(hex.DecodeString(text)) }

func save(folder string, files []string) {
	inputs := folder + "/test_data_set_0/"
	must(0, os.MkdirAll(inputs, 0o755))
	must(0, os.WriteFile(folder+"/model.onnx", bytes(model), 0o644))
	for k, text := range files {
		must(0, os.WriteFile(fmt.Sprintf("%sinput_%d.pb", inputs, k), bytes(text), 0o644))
	}
}

func main() {
	values := []value{
		{"data", dtypes.Float32, []int{3, 2}, "0000803f0000004000004040000080400000a0400000c040"},
		{"indices", dtypes.Int64, []int{2}, "00000000000000000100000000000000"},
		{"axis", dtypes.Int64, []int{}, "0000000000000000"},
		{"extra", dtypes.Int64, []int{}, "0000000000000000"},
	}
	files := []string{
		"0803080210014204646174614a180000803f0000004000004040000080400000a0400000c040",
		"080210074207696e64696365734a1000000000000000000100000000000000",
		"10074204617869734a080000000000000000",
		"1007420565787472614a080000000000000000",
	}
	if len(os.Args) > 1 {
		save(os.Args[1], files)
	}
	defer func() {
		if panicked := recover(); panicked != nil {
			fmt.Fprintf(os.Stderr, "panic: %v\n", panicked)
			os.Exit(1)
		}
	}()
	parsed := must(onnx.Parse(bytes(model)))
	variables := context.New()
	must(0, parsed.VariablesToContext(variables))
	var arguments []any
	for _, given := range values {
		argument := tensors.FromShape(shapes.Make(given.dtype, given.shape...))
		must(0, argument.MutableBytes(func(home []byte) { copy(home, bytes(given.hex)) }))
		arguments = append(arguments, argument)
	}
	backend := must(simplego.New(""))
	called := func(variables *context.Context, inputs []*graph.Node) []*graph.Node {
		named := map[string]*graph.Node{}
		for k, given := range values {
			named[given.name] = inputs[k]
		}
		return parsed.CallGraph(variables, inputs[0].Graph(), named)
	}
	exec := must(context.NewExec(backend, variables, called))
	if len(values) == 0 {
		exec = must(context.NewExec(backend, variables, func(variables *context.Context, built *graph.Graph) []*graph.Node {
			return parsed.CallGraph(variables, built, nil)
		}))
	}
	output := must(exec.Exec(arguments...))[0]
	must(0, output.ConstBytes(func(home []byte) {
		shape := strings.ReplaceAll(fmt.Sprint(output.Shape().Dimensions), " ", ", ")
		fmt.Println("output", shape, hex.EncodeToString(home))
	}))
}
