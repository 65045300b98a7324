// SPDX-License-Identifier: Apache-2.0

// Worker that runs the ONNX gather operators on GoMLX, by onnx-gomlx, in Go alone.
//
// Each call becomes an ONNX model of one node, which onnx-gomlx makes a graph of and GoMLX's backend simplego runs. The graph
// is built when it is called, as it is for known shapes: phases are not to be told. A panic, which is how GoMLX
// refuses what it builds, is a rejection that says so.
package main

import (
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"

	worker "gathercheck_go"

	"github.com/gomlx/gomlx/backends"
	"github.com/gomlx/gomlx/backends/simplego"
	"github.com/gomlx/gomlx/pkg/core/dtypes"
	"github.com/gomlx/gomlx/pkg/core/graph"
	"github.com/gomlx/gomlx/pkg/core/shapes"
	"github.com/gomlx/gomlx/pkg/core/tensors"
	"github.com/gomlx/gomlx/pkg/ml/context"
	"github.com/gomlx/onnx-gomlx/onnx"
)

const version = "0.3.4" // of onnx-gomlx, as in go.mod

var types = map[string]dtypes.DType{
	"boolean": dtypes.Bool, "u8": dtypes.Uint8, "u16": dtypes.Uint16, "u32": dtypes.Uint32, "u64": dtypes.Uint64, "i8": dtypes.Int8,
	"i16": dtypes.Int16, "i32": dtypes.Int32, "i64": dtypes.Int64, "f16": dtypes.Float16, "bf16": dtypes.BFloat16,
	"f32": dtypes.Float32, "f64": dtypes.Float64, "c64": dtypes.Complex64, "c128": dtypes.Complex128,
}

type model struct {
	call  *context.Exec
	given []string
}

type engine struct {
	backend backends.Backend
	kept    worker.KeptModel[*model]
}

func (*engine) Name() string        { return "gomlx" }
func (*engine) Version() string     { return version }
func (*engine) Operators() []string { return worker.OnnxOperators }

func (gomlx *engine) built(call *worker.Call) (*model, error) {
	text, given, err := worker.OnnxModel(call)
	if err != nil {
		return nil, err
	}
	made := &model{}
	for _, operand := range given {
		made.given = append(made.given, operand.Name)
	}
	return made, worker.EngineAtWork("build", func() error {
		parsed, err := onnx.Parse(text)
		if err != nil {
			return err
		}
		variables := context.New()
		if err := parsed.VariablesToContext(variables); err != nil {
			return err
		}
		if len(given) == 0 {
			made.call, err = context.NewExec(gomlx.backend, variables, func(variables *context.Context, built *graph.Graph) []*graph.Node {
				return parsed.CallGraph(variables, built, nil)
			})
			return err
		}
		made.call, err = context.NewExec(gomlx.backend, variables, func(variables *context.Context, inputs []*graph.Node) []*graph.Node {
			named := map[string]*graph.Node{}
			for k, name := range made.given {
				named[name] = inputs[k]
			}
			return parsed.CallGraph(variables, inputs[0].Graph(), named)
		})
		return err
	})
}

func (gomlx *engine) Run(call *worker.Call) (worker.Tensor, error) {
	output, err := gomlx.ran(call)
	return output, refusal(err)
}

func (gomlx *engine) ran(call *worker.Call) (output worker.Tensor, err error) {
	for _, operand := range call.Inputs {
		if _, known := types[operand.Type]; !known {
			return output, worker.Unsupported{Why: "GoMLX has no element type " + operand.Type}
		}
	}
	made, err := gomlx.kept.Of(call, func() (*model, error) { return gomlx.built(call) })
	if err != nil {
		return output, err
	}
	var result *tensors.Tensor
	err = worker.EngineAtWork("", func() error {
		var values []any
		for _, name := range made.given {
			operand := call.Input(name)
			value := tensors.FromShape(shapes.Make(types[operand.Type], operand.Shape...))
			if err := value.MutableBytes(func(home []byte) { copy(home, operand.Raw) }); err != nil {
				return err
			}
			values = append(values, value)
		}
		results, err := made.call.Exec(values...)
		if err == nil {
			result = results[0]
		}
		return err
	})
	if err != nil {
		return output, err
	}
	for name, dtype := range types {
		if dtype == result.DType() {
			output.Type = name
		}
	}
	if output.Type == "" {
		return output, fmt.Errorf("an output of %s", result.DType())
	}
	output.Shape = append([]int{}, result.Shape().Dimensions...)
	err = result.ConstBytes(func(home []byte) { output.Raw = append([]byte{}, home...) })
	return output, err
}

// sayings are how GoMLX says that it does not implement something.
var sayings = []string{"unimplemented", "not supported", "unsupported/unknown ONNX data type"}

// refusal is the error of a call, Unsupported where the engine says so.
func refusal(err error) error {
	var rejected worker.Rejected
	if errors.As(err, &rejected) {
		for _, saying := range sayings {
			if strings.Contains(rejected.Message, saying) {
				return worker.Unsupported{Why: rejected.Message}
			}
		}
	}
	return err
}

// Reproduce writes a program that makes the call with onnx-gomlx alone.
func (*engine) Reproduce(call *worker.Call) (string, error) {
	model, given, err := worker.OnnxModel(call)
	if err != nil {
		return "", err
	}
	values, files := "", ""
	for _, operand := range given {
		dtype, shape := types[operand.Type], strings.Trim(fmt.Sprintf("%#v", operand.Shape), "[]int{}")
		values += fmt.Sprintf("\t\t{%q, dtypes.%s, []int{%s}, %q},\n", operand.Name, dtype, shape, hex.EncodeToString(operand.Raw))
		files += fmt.Sprintf("\t\t%q,\n", hex.EncodeToString(operand.Initializer()))
	}
	attributes, _ := json.Marshal(call.Attributes)
	return strings.NewReplacer(
		"VERSION", version, "CALL", call.Operator+", attributes "+string(attributes), "MODEL", hex.EncodeToString(model),
		"VALUES", values, "FILES", files,
	).Replace(program), nil
}

//go:embed reproducer.go.txt
var program string

func main() {
	runtime.GOMAXPROCS(1) // onnx-gomlx collects garbage three times a graph, which more threads make ten times as slow
	backend, err := simplego.New("")
	if err != nil {
		panic(err)
	}
	worker.Serve(&engine{backend: backend})
}
