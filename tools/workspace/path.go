package workspace

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Limits of a path in bytes. 255 is what common file systems take as a name; a checkout must be possible.
const (
	maxPath = 512
	maxName = 255
)

// root is where commands see a workspace, so models also write absolute paths below it.
const root = "/workspace"

// Clean gives the one spelling of the path of a file, "notes/plan.md"; the error wraps [ErrPath].
//
// "./a", "a//b" and "/workspace/a" are other spellings of a good path, and letters that Unicode can write in two ways
// become one (NFC). Whatever could mean a place outside, or look like another path to a person, is refused and never
// mended: "..", even where it would stay inside or is percent-encoded; other absolute paths; drive letters and
// backslashes; control characters, line separators and marks that change the direction of text; invalid UTF-8.
func Clean(path string) (string, error) {
	clean, err := CleanDir(path)
	if err == nil && clean == "" {
		return "", fmt.Errorf("%w: the name of a file is missing", ErrPath)
	}
	return clean, err
}

// CleanDir is [Clean] for a folder: "", ".", "/" and "/workspace" are the whole workspace, which is "".
func CleanDir(path string) (string, error) {
	if err := checkLetters(path); err != nil {
		return "", err
	}
	path = norm.NFC.String(path)
	if path == "/" || path == root {
		return "", nil
	}
	path = strings.TrimPrefix(path, root+"/")
	if strings.HasPrefix(path, "/") {
		return "", fmt.Errorf("%w: write it relative to the workspace, without a leading /", ErrPath)
	}
	var names []string
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." {
			continue
		}
		if err := checkName(name, len(names) == 0); err != nil {
			return "", err
		}
		names = append(names, name)
	}
	clean := strings.Join(names, "/")
	if len(clean) > maxPath {
		return "", fmt.Errorf("%w: it is longer than %d bytes", ErrPath, maxPath)
	}
	return clean, nil
}

func checkLetters(path string) error {
	if len(path) > 4*maxPath { // far too long: don't even look at it
		return fmt.Errorf("%w: it is longer than %d bytes", ErrPath, maxPath)
	}
	if !utf8.ValidString(path) {
		return fmt.Errorf("%w: it is not UTF-8", ErrPath)
	}
	for _, r := range path {
		switch {
		case r == '\\':
			return fmt.Errorf("%w: write / between folders, not \\", ErrPath)
		case unicode.IsControl(r), unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control):
			return fmt.Errorf("%w: it has the invisible character %U", ErrPath, r)
		}
	}
	return nil
}

func checkName(name string, first bool) error {
	if len(name) > maxName {
		return fmt.Errorf("%w: a name in it is longer than %d bytes", ErrPath, maxName)
	}
	if isParent(name) {
		return fmt.Errorf("%w: .. is not allowed", ErrPath)
	}
	if first && len(name) >= 2 && name[1] == ':' && unicode.IsLetter(rune(name[0])) {
		return fmt.Errorf("%w: it names a drive", ErrPath)
	}
	return nil
}

// isParent tells whether name is "." or "..", or becomes one, or a path with one, where it is percent-decoded.
func isParent(name string) bool {
	decoded := name
	for {
		next, err := url.PathUnescape(decoded)
		if err != nil || next == decoded {
			break
		}
		decoded = next
	}
	parts := strings.FieldsFunc(decoded, func(r rune) bool { return r == '/' || r == '\\' })
	return slices.Contains(parts, "..") || slices.Contains(parts, ".")
}
