package strict

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// maxNodes bounds a configuration once its aliases are written out, so that a few lines cannot become gigabytes.
const maxNodes = 20_000

// resolver writes out aliases and merge keys, so that everything behind it meets only mappings, lists and scalars.
type resolver struct {
	nodes int
	open  map[*yaml.Node]bool // the anchors being written out
}

// resolve copies n without aliases and merge keys. It also rejects keys that are set twice.
func resolve(n *yaml.Node) (*yaml.Node, error) {
	r := &resolver{open: map[*yaml.Node]bool{}}
	return r.node(n)
}

func (r *resolver) node(n *yaml.Node) (*yaml.Node, error) {
	if r.nodes++; r.nodes > maxNodes {
		return nil, fmt.Errorf("line %d: the file is too large once its aliases are written out", n.Line)
	}
	switch n.Kind {
	case yaml.AliasNode:
		if r.open[n.Alias] {
			return nil, fmt.Errorf("line %d: this alias is inside of what it stands for", n.Line)
		}
		r.open[n.Alias] = true
		defer delete(r.open, n.Alias)
		return r.node(n.Alias)
	case yaml.MappingNode:
		return r.mapping(n)
	}
	out := *n
	out.Anchor, out.Content = "", nil
	var errs []error
	for _, c := range n.Content {
		sub, err := r.node(c)
		if r.nodes > maxNodes {
			return nil, err
		}
		out.Content, errs = append(out.Content, sub), append(errs, err)
	}
	return &out, errors.Join(errs...)
}

// mapping takes the mapping's own keys first; merged ones only add to them, earlier ones before later ones.
func (r *resolver) mapping(n *yaml.Node) (*yaml.Node, error) {
	out := *n
	out.Anchor, out.Content = "", nil
	set := map[string]int{} // key to its line
	var merged []*yaml.Node
	var errs []error
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		line, twice := set[key.Value]
		switch {
		case key.Kind != yaml.ScalarNode:
			errs = append(errs, fmt.Errorf("line %d: a key must be a plain word", key.Line))
		case key.Tag == "!!merge":
			merged = append(merged, value)
		case twice:
			errs = append(errs, fmt.Errorf("line %d: %q is already set in line %d", key.Line, key.Value, line))
		default:
			sub, err := r.node(value)
			if r.nodes > maxNodes {
				return nil, err
			}
			set[key.Value], errs = key.Line, append(errs, err)
			out.Content = append(out.Content, key, sub)
		}
	}
	for _, m := range merged {
		errs = append(errs, r.merge(m, &out, set))
	}
	return &out, errors.Join(errs...)
}

// merge adds the keys of a mapping, or of a list of mappings, that out has not set.
func (r *resolver) merge(from *yaml.Node, out *yaml.Node, set map[string]int) error {
	plain, err := r.node(from)
	if err != nil {
		return err
	}
	switch plain.Kind {
	case yaml.SequenceNode:
		for _, c := range plain.Content {
			if err := r.merge(c, out, set); err != nil {
				return err
			}
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(plain.Content); i += 2 {
			key := plain.Content[i]
			if _, ok := set[key.Value]; !ok {
				set[key.Value] = key.Line
				out.Content = append(out.Content, key, plain.Content[i+1])
			}
		}
	default:
		return fmt.Errorf("line %d: only mappings can be merged with <<", from.Line)
	}
	return nil
}
