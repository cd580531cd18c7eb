package app

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/leadhand/leadhand/bot/app/strict"
)

const savedComment = "# leadhand wrote this. It may hold a key: keep this file private.\n" +
	"# A model that the environment names (OPENAI_API_KEY, LEADHAND_MODEL, ...) is used instead of the default one here.\n"

// save writes the model into the configuration in the data directory, which only its owner can read, and keeps
// everything else that is there. It returns the path.
func save(dir string, m Module) (path string, err error) {
	path = filepath.Join(dir, savedFile)
	if err := storable(&m.Settings); err != nil {
		return path, err
	}
	return path, change(path, func(root *yaml.Node) error {
		var models yaml.Node
		if err := models.Encode(map[string]Module{defaultModel: m}); err != nil {
			return fmt.Errorf("write the model's settings: %w", err)
		}
		set(root, "models", &models)
		return nil
	})
}

// change lets edit change the configuration at path, which it makes when it is missing.
func change(path string, edit func(root *yaml.Node) error) error {
	root, err := saved(path)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if err := edit(root.Content[0]); err != nil {
		return err
	}
	var b bytes.Buffer
	if !commented(root) {
		b.WriteString(savedComment)
	}
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := errors.Join(enc.Encode(root), enc.Close()); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	return replace(path, b.Bytes())
}

// commented tells whether a file begins with a comment, which belongs to whatever stands below it.
func commented(root *yaml.Node) bool {
	top := root.Content[0]
	return root.HeadComment != "" || top.HeadComment != "" || len(top.Content) > 0 && top.Content[0].HeadComment != ""
}

// entry is the value of a key; nil when it is not there, or null.
func entry(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if v := mapping.Content[i+1]; mapping.Content[i].Value == key && v.ShortTag() != "!!null" {
			return v
		}
	}
	return nil
}

// add sets a key below those of path, whose mappings it makes when they are missing. What is there is left alone.
func add(root *yaml.Node, value any, path ...string) error {
	last := len(path) - 1
	for _, key := range path[:last] {
		sub := entry(root, key)
		if sub == nil {
			sub = &yaml.Node{Kind: yaml.MappingNode}
			set(root, key, sub)
		}
		if sub.Kind != yaml.MappingNode {
			return fmt.Errorf("%s is written in a way that nothing can be added to: write %s there yourself",
				key, strings.Join(path, "."))
		}
		root = sub
	}
	if entry(root, path[last]) != nil {
		return nil
	}
	var n yaml.Node
	if err := n.Encode(value); err != nil {
		return fmt.Errorf("write %s: %w", strings.Join(path, "."), err)
	}
	set(root, path[last], &n)
	return nil
}

// storable refuses values that would be taken for references when they are read again.
func storable(settings *yaml.Node) error {
	for _, n := range settings.Content {
		if strict.Refers(n.Value) {
			return errors.New(`a value with "${NAME}", "file:" or "secret:" in it cannot stand in a configuration file`)
		}
	}
	return nil
}

// saved is the document that is there now, or an empty one.
func saved(path string) (*yaml.Node, error) {
	empty := &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode}}}
	raw, err := strict.ReadBounded(path)
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	if err != nil {
		return nil, err
	}
	var root yaml.Node
	if err := yaml.Unmarshal(raw, &root); err != nil {
		return nil, strict.Plain(err)
	}
	if root.Kind != yaml.DocumentNode || root.Content[0].Kind != yaml.MappingNode {
		return empty, nil
	}
	return &root, nil
}

func set(mapping *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			mapping.Content[i+1] = value
			return
		}
	}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, value)
}

// replace writes a private file whole or not at all.
func replace(path string, content []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+savedFile+"-*") // mode 0600
	if err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("write the configuration: %w", errors.Join(err, os.Remove(f.Name())))
		}
	}()
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
