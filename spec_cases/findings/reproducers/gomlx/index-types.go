// SPDX-License-Identifier: Apache-2.0
// gomlx: element types of indices that the operator version does not list are taken: all integers.
// Case gather-index-negative-i16, onnx.Gather-13, runtime/static, on gomlx 0.3.4.
// accepted what must be rejected: expected the error unsupported_type, got i32 [2] = [10, 10]
// Rule onnx.gather-13.types.Tind (onnx/Gather, Type Constraints): Indices are i32 or i64.
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

// onnx.Gather-13, attributes {"axis":0}
const model = "08083a81015a120a0464617461120a0a08080612040a0208055a150a07696e6469636573120a0a08080512040a0208020a2c0a04646174610a07696e646963657312066f757470757422064761746865722a0b0a04617869731800a0010212086f6e655f63616c6c621c0a066f757470757412120a100806120c0a0a12086f75747075745f304202100d"

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
		{"data", dtypes.Int32, []int{5}, "0a0000000b0000000c0000000d0000000e000000"},
		{"indices", dtypes.Int16, []int{2}, "fffffbff"},
	}
	files := []string{
		"080510064204646174614a140a0000000b0000000c0000000d0000000e000000",
		"080210054207696e64696365734a04fffffbff",
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
