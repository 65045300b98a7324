// SPDX-License-Identifier: Apache-2.0
// gomlx: an initializer without elements is refused: "has no supported format of data in the ONNX model".
// Case gather-empty-no-indices, onnx.Gather-13, constant/static, on gomlx 0.3.4.
// rejected what must be accepted: expected an output, got rejected at build: Model.VariablesToContext(): tensor "indices" shaped (Int64)[0] has no supported format of data in the ONNX model!?
// Rule onnx.gather-13.output.rank (onnx/Gather, Outputs): The output has q + r - 1 dimensions.
// shows: refused: Model.VariablesToContext(): tensor "indices" shaped (Int64)[0] has no supported format of data in the ONNX model!?
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
const model = "08083a8b015a160a0464617461120e0a0c080612080a0208030a0208022a0f080010074207696e64696365734a000a2c0a04646174610a07696e646963657312066f757470757422064761746865722a0b0a04617869731800a0010212086f6e655f63616c6c62280a066f7574707574121e0a1c080612180a0a12086f75747075745f300a0a12086f75747075745f314202100d"

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
		{"data", dtypes.Int32, []int{3, 2}, "000000000100000002000000030000000400000005000000"},
	}
	files := []string{
		"0803080210064204646174614a18000000000100000002000000030000000400000005000000",
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
