package skill

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/leadhand/leadhand/tools"
)

// Library is the skills in a directory, each in a folder of its own. What is put there or changed counts from the next
// run on. Nothing outside of the directory is read, whatever links are in it.
type Library struct {
	Dir string // need not be there
	// Allowed tells which skills a scope may use; nil: all.
	Allowed func(ctx context.Context, s tools.Scope) (func(name string) bool, error)

	mu    sync.Mutex
	known map[string]parsed // by folder
}

// parsed is what a SKILL.md said when it was read last.
type parsed struct {
	data  string
	skill *Skill
	err   error
}

// ErrUnread is that the directory is there and can't be read.
var ErrUnread = errors.New("the folder of skills can't be read")

// All lists what is installed, by name, and the folders that are no skills. Folders that begin with a dot are left out.
func (l *Library) All() ([]Skill, []Fault, error) {
	root, err := os.OpenRoot(l.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrUnread, pathless(err))
	}
	defer func() { _ = root.Close() }()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrUnread, pathless(err))
	}
	var found []Skill
	var faults []Fault
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") || e.Type().IsRegular() {
			continue
		}
		s, err := l.read(root, name)
		switch {
		case err == nil && len(found) == maxSkills:
			faults = append(faults, Fault{name, fmt.Errorf("there are more than %d", maxSkills)})
		case err == nil:
			found = append(found, *s)
		default:
			faults = append(faults, Fault{name, err})
		}
	}
	return found, faults, nil
}

// read reads the skill in a folder. What says the same as the last time is not parsed again.
func (l *Library) read(root *os.Root, folder string) (*Skill, error) {
	data, err := readFile(root, path.Join(folder, fileName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("it has no " + fileName)
	}
	if err != nil {
		return nil, fmt.Errorf("%s can't be read: %w", fileName, err)
	}
	l.mu.Lock()
	p, ok := l.known[folder]
	l.mu.Unlock()
	if ok && p.data == string(data) {
		return p.skill, p.err
	}
	p = parsed{data: string(data)}
	if p.skill, p.err = parse(folder, data); p.err != nil {
		p.err = fmt.Errorf("%s: %w", fileName, p.err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known == nil || len(l.known) > 2*maxSkills {
		l.known = map[string]parsed{}
	}
	l.known[folder] = p
	return p.skill, p.err
}

var errLarge = fmt.Errorf("it is larger than %d KB", maxFile>>10)

// readFile reads a regular file of bounded size. Its errors name no path of the machine.
func readFile(root *os.Root, name string) ([]byte, error) {
	if info, err := root.Stat(name); err != nil {
		return nil, pathless(err)
	} else if !info.Mode().IsRegular() { // opening a pipe would wait for ever
		return nil, errors.New("it is no file")
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, pathless(err)
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, pathless(err)
	}
	if len(data) > maxFile {
		return nil, errLarge
	}
	return data, nil
}

// pathless is an error without the path that it was about.
func pathless(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// For lists the skills that a scope may use.
func (l *Library) For(ctx context.Context, s tools.Scope) ([]Skill, error) {
	all, _, err := l.All()
	if err != nil || l.Allowed == nil || len(all) == 0 {
		return all, err
	}
	allows, err := l.Allowed(ctx, s)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(s Skill) bool { return !allows(s.Name) }), nil
}

// files lists what is beside the SKILL.md of a skill, and tells whether there is more.
func (l *Library) files(name string) (list []string, more bool, err error) {
	root, err := os.OpenRoot(l.Dir)
	if err != nil {
		return nil, false, pathless(err)
	}
	defer func() { _ = root.Close() }()
	err = fs.WalkDir(root.FS(), name, func(at string, e fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(at, name+"/")
		switch {
		case err != nil:
			return err
		case strings.HasPrefix(e.Name(), ".") && e.IsDir():
			return fs.SkipDir
		case e.IsDir() || rel == fileName || strings.HasPrefix(e.Name(), "."):
			return nil
		case len(list) == maxFiles:
			more = true
			return fs.SkipAll
		}
		list = append(list, rel)
		return nil
	})
	return list, more, pathless(err)
}

// file reads a file beside the SKILL.md of a skill.
func (l *Library) file(name, rel string) ([]byte, error) {
	if !fs.ValidPath(rel) || rel == "." {
		return nil, errors.New("it is no path inside of the skill")
	}
	if strings.HasPrefix(rel, ".") || strings.Contains(rel, "/.") { // .git may hold credentials
		return nil, errors.New("it is hidden")
	}
	root, err := os.OpenRoot(l.Dir)
	if err != nil {
		return nil, pathless(err)
	}
	defer func() { _ = root.Close() }()
	folder, err := root.OpenRoot(name)
	if err != nil {
		return nil, pathless(err)
	}
	defer func() { _ = folder.Close() }()
	return readFile(folder, rel)
}
