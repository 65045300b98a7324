// SPDX-License-Identifier: Apache-2.0

// Package gathercheck_go speaks the worker protocol for adapters written in Go, and builds the ONNX models of one node
// for those of engines that run ONNX.
//
// An adapter calls Serve with an Engine. Its Run returns a Tensor, or an error: Rejected (the engine said no), Unsupported
// (the engine's interface cannot express the call); any other error, and a panic outside EngineAtWork, is a fault of the
// adapter and is answered "broken".
package gathercheck_go

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
)

// Tensor is an operand or a result: Raw holds the protocol's bytes, Strings the elements of a string tensor.
type Tensor struct {
	Type    string
	Shape   []int
	Raw     []byte
	Strings []string
}

// Operand is a named input of a call.
type Operand struct {
	Name string
	Tensor
}

// Call is one call; Inputs are in the order sent. Model is not 0 where calls are to be asked of one model.
type Call struct {
	Operator         string
	Attributes       map[string]any // numbers are json.Number
	Inputs           []Operand
	Operands, Shapes string
	Model            int64
}

// Input is the operand of a name; nil where there is none.
func (call *Call) Input(name string) *Operand {
	for k := range call.Inputs {
		if call.Inputs[k].Name == name {
			return &call.Inputs[k]
		}
	}
	return nil
}

// Fixed tells whether an operand is fixed when the model is built.
func (call *Call) Fixed(name string) bool {
	return call.Operands == "folded" || call.Operands == "constant" && name == "indices"
}

// Rejected says that the engine refused the call. Phase is build, shape or run; "" where the engine does not tell.
type Rejected struct{ Message, Phase string }

func (no Rejected) Error() string { return no.Message }

// Unsupported says that the call cannot be expressed, or that the engine does not implement it.
type Unsupported struct{ Why string }

func (no Unsupported) Error() string { return no.Why }

// EngineAtWork does what only the engine can fail at: its errors and its panics are rejections.
func EngineAtWork(phase string, work func() error) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = Rejected{fmt.Sprintf("panic: %v", panicked), phase}
		}
	}()
	if err = work(); err != nil {
		err = Rejected{err.Error(), phase}
	}
	return err
}

// Engine is what an adapter implements. Takes lists the operator versions that are asked for at the first hello.
type Engine interface {
	Name() string
	Version() string
	Operators() []string
	Run(call *Call) (Tensor, error)
}

// Reproducer is an Engine that writes programs which make a call without it.
type Reproducer interface {
	Reproduce(call *Call) (string, error)
}

const language = "go"

// Serve answers messages until goodbye or the end of the input. What the engine prints goes to standard error.
func Serve(engine Engine) {
	sink, err := syscall.Dup(1)
	if err == nil {
		err = syscall.Dup3(2, 1, 0)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	source, answers := bufio.NewReader(os.Stdin), os.NewFile(uintptr(sink), "answers")
	for {
		line, err := source.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			answer := answered(engine, line)
			if answer == nil {
				return
			}
			text, _ := json.Marshal(answer)
			if _, failed := answers.Write(append(text, '\n')); failed != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

type object = map[string]any

// message is what the runner sends; what stands in no field here is ignored.
type message struct {
	Message, Operator, Language string
	Seq                         json.RawMessage
	Restart                     bool
	Route                       struct{ Operands, Shapes string }
	Attributes                  map[string]any
	Inputs                      operands
	Model                       int64
}

// operands keep the order in which they were sent.
type operands []Operand

func (list *operands) UnmarshalJSON(text []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if start, err := decoder.Token(); err != nil || start != json.Delim('{') {
		return errors.New("inputs are no object")
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return err
		}
		var sent struct {
			Type   string
			Shape  []int
			Base64 []byte
			Values []string
		}
		if err := decoder.Decode(&sent); err != nil {
			return fmt.Errorf("input %v: %w", name, err)
		}
		*list = append(*list, Operand{name.(string), Tensor{sent.Type, sent.Shape, sent.Base64, sent.Values}})
	}
	return nil
}

// answered is the answer to a line; nil to a goodbye.
func answered(engine Engine, line []byte) (answer object) {
	var asked message
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	if err := decoder.Decode(&asked); err != nil {
		return object{"broken": "malformed message: " + err.Error()}
	}
	switch asked.Message {
	case "hello":
		return hello(engine, asked.Restart)
	case "goodbye":
		return nil
	}
	answer = object{"seq": asked.Seq}
	defer func() {
		if panicked := recover(); panicked != nil {
			fmt.Fprintf(os.Stderr, "%v\n%s", panicked, debug.Stack())
			answer = object{"seq": asked.Seq, "broken": shortened(fmt.Sprint(panicked))}
		}
	}()
	what, value, err := asked.answer(engine)
	var rejected Rejected
	var unsupported Unsupported
	switch {
	case err == nil:
		answer[what] = value
	case errors.As(err, &rejected):
		no := object{"message": shortened(rejected.Message)}
		if rejected.Phase != "" {
			no["phase"] = rejected.Phase
		}
		answer["rejected"] = no
	case errors.As(err, &unsupported):
		answer["unsupported"] = shortened(unsupported.Why)
	default:
		answer["broken"] = shortened(err.Error())
	}
	return answer
}

func (asked *message) answer(engine Engine) (what string, value any, err error) {
	call := &Call{asked.Operator, asked.Attributes, asked.Inputs, asked.Route.Operands, asked.Route.Shapes, asked.Model}
	switch asked.Message {
	case "run":
		output, err := engine.Run(call)
		if output.Type == "string" {
			return "output", object{"type": output.Type, "shape": output.Shape, "values": output.Strings}, err
		}
		encoded := base64.StdEncoding.EncodeToString(output.Raw)
		return "output", object{"type": output.Type, "shape": output.Shape, "base64": encoded}, err
	case "reproduce":
		reproducer, able := engine.(Reproducer)
		if !able || asked.Language != language {
			return "", nil, Unsupported{"no reproducer in " + asked.Language}
		}
		source, err := reproducer.Reproduce(call)
		return "source", source, err
	}
	return "", nil, fmt.Errorf("malformed message: unknown message %q", asked.Message)
}

func shortened(text string) string {
	const longest = 4000
	if len(text) <= longest {
		return text
	}
	return strings.ToValidUTF8(text[:longest], "") + " ..."
}

// KeptModel is the model of the calls of one sequence.
type KeptModel[Model any] struct {
	number int64
	model  Model
}

// Of is the model for a call: the one of its sequence, or a new one.
func (kept *KeptModel[Model]) Of(call *Call, build func() (Model, error)) (Model, error) {
	if call.Model != 0 && call.Model == kept.number {
		return kept.model, nil
	}
	model, err := build()
	kept.number = 0
	if err == nil {
		kept.number, kept.model = call.Model, model
	}
	return model, err
}
