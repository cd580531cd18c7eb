package text

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"github.com/leadhand/leadhand/tools"
)

const (
	longestFormula = 4000 // bytes; much longer ones overflow the parser's stack
	mostNodes      = 2000 // parts of a formula
	calcBudget     = 10_000
	calcTime       = 2 * time.Second
	shownDigits    = 15
)

type calcParams struct {
	Expression string `json:"expression" jsonschema:"formula such as (1.19 * 250) / 3 or round(sqrt(2), 4)"`
}

func calc() tools.Tool {
	return tools.New(tools.Descriptor{
		Name: "calc", Label: "calculating", Group: group, Effect: tools.ReadOnly, Timeout: calcTime,
		Description: "Calculate a formula: + - * / % ** and brackets, comparisons and a ? b : c, " + formulaWords() +
			"; lists are [1, 2, 3]. Numbers have 15 digits.",
	}, func(_ context.Context, _ *tools.Call, in calcParams) (*tools.Result, error) {
		v, err := calculate(in.Expression)
		if err != nil {
			return nil, err
		}
		return tools.Text(strings.TrimSpace(in.Expression) + " = " + v), nil
	})
}

// formulas are the functions of one number.
var formulas = map[string]func(float64) float64{
	"sqrt": math.Sqrt, "cbrt": math.Cbrt, "exp": math.Exp, "ln": math.Log, "log10": math.Log10, "log2": math.Log2,
	"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
	"floor": math.Floor, "ceil": math.Ceil, "trunc": math.Trunc, "abs": math.Abs,
}

// ofLists are the functions of several numbers, or of a list of them.
var ofLists = map[string]func([]float64) float64{
	"sum": sum, "min": slices.Min[[]float64], "max": slices.Max[[]float64],
	"mean": func(v []float64) float64 { return sum(v) / float64(len(v)) }, "median": median,
}

func sum(v []float64) (total float64) {
	for _, x := range v {
		total += x
	}
	return total
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	half := len(v) / 2
	if len(v)%2 == 1 {
		return v[half]
	}
	return (v[half-1] + v[half]) / 2
}

func formulaWords() string {
	var all []string
	for name := range formulas {
		all = append(all, name)
	}
	for name := range ofLists {
		all = append(all, name)
	}
	slices.Sort(all)
	return strings.Join(append(all, "round(x, digits)", "mod(a, b)", "pi", "e"), ", ")
}

// calculate gives the value of a formula as people write it.
func calculate(formula string) (string, error) {
	if len(formula) > longestFormula {
		return "", fmt.Errorf("the formula has more than %d characters", longestFormula)
	}
	options := []expr.Option{
		expr.Env(map[string]any{"pi": math.Pi, "e": math.E}), expr.DisableAllBuiltins(), expr.MaxNodes(mostNodes),
		expr.Patch(exact{}), expr.Function("mod", func(p ...any) (any, error) { return apply(p, 2, modulo) }),
		expr.Function("round", func(p ...any) (any, error) {
			if len(p) == 1 {
				p = append(p, 0.0)
			}
			return apply(p, 2, func(v []float64) float64 { return rounded(v[0], v[1]) })
		}),
	}
	for name, f := range formulas {
		options = append(options, expr.Function(name, func(p ...any) (any, error) {
			return apply(p, 1, func(v []float64) float64 { return f(v[0]) })
		}))
	}
	for name, f := range ofLists {
		options = append(options, expr.Function(name, func(p ...any) (any, error) { return apply(p, 0, f) }))
	}
	program, err := expr.Compile(formula, options...)
	if err != nil {
		return "", plainly(err)
	}
	machine := vm.VM{MemoryBudget: calcBudget}
	v, err := machine.Run(program, map[string]any{"pi": math.Pi, "e": math.E})
	if err != nil {
		return "", plainly(err)
	}
	return shown(v)
}

// exact makes every number a fraction: whole numbers would wrap around. The rest of a division is then a function.
type exact struct{}

// Visit implements ast.Visitor.
func (exact) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IntegerNode:
		ast.Patch(node, &ast.FloatNode{Value: float64(n.Value)})
	case *ast.BinaryNode:
		if n.Operator == "%" {
			ast.Patch(node, &ast.CallNode{Callee: &ast.IdentifierNode{Value: "mod"}, Arguments: []ast.Node{n.Left, n.Right}})
		}
	}
}

func modulo(v []float64) float64 { return math.Mod(v[0], v[1]) }

func rounded(x, digits float64) float64 {
	s := math.Pow(10, math.Trunc(digits))
	if r := math.Round(x*s) / s; !math.IsNaN(r) && !math.IsInf(r, 0) {
		return r
	}
	return x
}

// apply calls f with numbers, and with those of lists among them. n is how many there must be; 0: at least one.
func apply(params []any, n int, f func([]float64) float64) (any, error) {
	var v []float64
	for _, p := range params {
		switch p := p.(type) {
		case float64:
			v = append(v, p)
		case int:
			v = append(v, float64(p))
		case []any:
			for _, item := range p {
				x, ok := item.(float64)
				if !ok {
					return nil, errors.New("a list must hold numbers")
				}
				v = append(v, x)
			}
		default:
			return nil, errors.New("it takes numbers")
		}
	}
	if n > 0 && len(v) != n || len(v) == 0 {
		return nil, fmt.Errorf("it takes %s, got %d", takes(n), len(v))
	}
	return f(v), nil
}

func takes(n int) string {
	switch n {
	case 0:
		return "at least one number"
	case 1:
		return "one number"
	}
	return fmt.Sprintf("%d numbers", n)
}

// plainly is what is wrong with a formula, on one line.
func plainly(err error) error {
	if e, ok := errors.AsType[*file.Error](err); ok {
		return fmt.Errorf("column %d: %s", e.Column+1, strings.ToLower(e.Message))
	}
	return errors.New(strings.TrimSpace(strings.SplitN(err.Error(), "\n", 2)[0]))
}

func shown(v any) (string, error) {
	switch v := v.(type) {
	case float64:
		switch {
		case math.IsNaN(v):
			return "", errors.New("that has no value, as 0/0 or the root of a negative number")
		case math.IsInf(v, 0):
			return "", errors.New("that is too large, or a division by zero")
		}
		s := strconv.FormatFloat(v, 'g', shownDigits, 64)
		if x, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(x) < 1e15 && math.Abs(x) >= 1e-6 || v == 0 {
			s = strconv.FormatFloat(x, 'f', -1, 64)
		}
		return s, nil
	case bool:
		return strconv.FormatBool(v), nil
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			s, err := shown(item)
			if err != nil {
				return "", err
			}
			parts[i] = s
		}
		return "[" + strings.Join(parts, ", ") + "]", nil
	}
	return "", errors.New("the formula gives no number")
}
