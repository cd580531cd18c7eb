// Package skill gives agents instructions that they read when a task calls for them.
//
// A skill is a folder with a file SKILL.md, in the open format of https://agentskills.io: front matter with a name and
// a description, then instructions, and beside it any files that those speak of. The system prompt holds the
// descriptions only, see [Section]; the rest is read with the tools of [Library.Tools]. Nothing of a skill is run.
package skill

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/leadhand/leadhand/channels"
)

// fileName is the file that makes a folder a skill.
const fileName = "SKILL.md"

const (
	maxName        = 64   // characters
	maxDescription = 1024 // characters
	maxFile        = 256 << 10
	maxFront       = 16 << 10 // bytes of front matter
	maxFiles       = 200      // of one skill that are listed
	maxSkills      = 1000
)

// Skill is instructions for one kind of task.
type Skill struct {
	Name        string // also that of its folder
	Description string // what it does and when to use it, on one line
	Body        string // the instructions, in Markdown
}

// Fault is a folder that is no skill, and why.
type Fault struct {
	Folder string
	Err    error
}

var nameForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// CheckName tells what is wrong with the name of a skill.
func CheckName(name string) error {
	if len(name) > maxName || !nameForm.MatchString(name) {
		return fmt.Errorf("%q is no name of a skill: those are lower-case letters, digits and single hyphens, at most %d",
			name, maxName)
	}
	return nil
}

// parse reads a SKILL.md. Keys that the format does not know are other programs' business.
func parse(folder string, data []byte) (*Skill, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("it is not UTF-8 text")
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
	head, body, ok := cutFrontMatter(text)
	if !ok {
		return nil, errors.New("it must begin with front matter of at most 16 KB: " +
			"a line ---, name and description, a line ---")
	}
	var front struct {
		Name        string `yaml:"name"`
		Description string `yaml:"description"`
	}
	if err := yaml.NewDecoder(bytes.NewReader([]byte(head))).Decode(&front); err != nil {
		return nil, fmt.Errorf("front matter: %w", err)
	}
	s := &Skill{
		Name: strings.TrimSpace(front.Name), Description: channels.OneLine(front.Description), Body: strings.TrimSpace(body),
	}
	if err := CheckName(s.Name); err != nil {
		return nil, err
	}
	switch n := utf8.RuneCountInString(s.Description); {
	case s.Name != folder:
		return nil, fmt.Errorf("it is called %s, so its folder must be, too", s.Name)
	case n == 0:
		return nil, errors.New("it has no description, which says what it does and when to use it")
	case n > maxDescription:
		return nil, fmt.Errorf("its description has %d characters; %d are allowed", n, maxDescription)
	}
	return s, nil
}

// cutFrontMatter parts a text into what stands between its first two lines "---", and the rest.
func cutFrontMatter(text string) (head, body string, ok bool) {
	const mark = "---"
	first, rest, _ := strings.Cut(text, "\n")
	if strings.TrimRight(first, " \t") != mark {
		return "", "", false
	}
	at := 0
	for line := range strings.Lines(rest[:min(len(rest), maxFront)]) {
		if strings.TrimRight(line, " \t\n") == mark {
			return rest[:at], rest[at+len(line):], true
		}
		at += len(line)
	}
	return "", "", false
}
