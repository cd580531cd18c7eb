package skill

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/nearest"
	"github.com/leadhand/leadhand/tools/workspace"
)

// Names of the tools, and of what policies call both.
const (
	useSkill     = "use_skill"
	searchSkills = "skill_search"
	group        = "skills"
)

// Tools read the skills that a scope may use.
func (l *Library) Tools() []tools.Tool {
	return []tools.Tool{
		tools.New(tools.Descriptor{
			Name: useSkill, Label: "reading a skill", Group: group, Effect: tools.ReadOnly,
			Description: "Read the instructions of a skill, or a file that they speak of. Long texts come in parts: go on " +
				"with offset.",
		}, l.use),
		tools.New(tools.Descriptor{
			Name: searchSkills, Label: "looking for a skill", Group: group, Effect: tools.ReadOnly,
			Description: "Find skills by words. The best come first.",
		}, l.search),
	}
}

// Gate hides the tools where there are no skills. Its error is that of Allowed.
func (l *Library) Gate(ctx context.Context, s tools.Scope) (tools.Gate, error) {
	all, err := l.For(ctx, s)
	v := tools.Verdict{Layer: "skills", Rule: "there are some"}
	switch {
	case errors.Is(err, ErrUnread):
		v.Hides, v.Rule = true, err.Error()
	case err != nil:
		return nil, err
	case len(all) == 0:
		v.Hides, v.Rule = true, "there are none for this agent here"
	}
	said := []tools.Verdict{v}
	return func(d *tools.Descriptor) []tools.Verdict {
		if d.Group != group {
			return nil
		}
		return said
	}, nil
}

type useParams struct {
	Name   string `json:"name" jsonschema:"name of the skill"`
	File   string `json:"file,omitempty" jsonschema:"path of a file of the skill; its instructions when left out"`
	Offset int    `json:"offset,omitempty" jsonschema:"first line to show, counted from 1"`
}

func (l *Library) use(ctx context.Context, call *tools.Call, in useParams) (*tools.Result, error) {
	all, err := l.For(ctx, call.Scope)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range all {
		if all[i].Name == in.Name {
			return l.show(&all[i], in)
		}
		names = append(names, all[i].Name)
	}
	if len(names) == 0 {
		return nil, errors.New("there are no skills here")
	}
	if near := nearest.Nearest(in.Name, names, 3); len(near) > 0 {
		names = near
	}
	return nil, fmt.Errorf("there is no such skill here; there is %s", listed(names))
}

// maxNames is how many names an error lists.
const maxNames = 50

func listed(names []string) string {
	if len(names) > maxNames {
		return strings.Join(names[:maxNames], ", ") + fmt.Sprintf(" and %d more", len(names)-maxNames)
	}
	return strings.Join(names, ", ")
}

func (l *Library) show(s *Skill, in useParams) (*tools.Result, error) {
	if in.File == "" || in.File == fileName {
		text := s.Body
		if list, more, err := l.files(s.Name); err == nil && len(list) > 0 {
			text += "\n\nFiles of this skill, to be read with " + useSkill + ": " + strings.Join(list, ", ")
			if more {
				text += " and more"
			}
		}
		return tools.Page("skill "+s.Name, text, in.Offset, 0)
	}
	data, err := l.file(s.Name, in.File)
	if errors.Is(err, fs.ErrNotExist) {
		list, _, _ := l.files(s.Name)
		if near := nearest.Nearest(in.File, list, 3); len(near) > 0 {
			list = near
		}
		if len(list) == 0 {
			return nil, fmt.Errorf("the skill %s has no files beside its instructions", s.Name)
		}
		return nil, fmt.Errorf("the skill %s has no such file; it has %s", s.Name, listed(list))
	}
	if err != nil {
		return nil, fmt.Errorf("%s of the skill %s: %w", in.File, s.Name, err)
	}
	if !workspace.IsText(data) {
		return nil, fmt.Errorf("%s of the skill %s is not UTF-8 text", in.File, s.Name)
	}
	return tools.Page(s.Name+"/"+in.File, string(data), in.Offset, 0)
}

type searchParams struct {
	Query string `json:"query" jsonschema:"what the skill should be about"`
	Limit int    `json:"limit,omitempty" jsonschema:"how many to show; 5 when left out, 20 at most"`
}

const (
	usualHits = 5
	mostHits  = 20
)

func (l *Library) search(ctx context.Context, call *tools.Call, in searchParams) (*tools.Result, error) {
	all, err := l.For(ctx, call.Scope)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(all))
	for i := range all {
		// What a skill is for counts more than how it goes about it.
		summary := all[i].Name + " " + all[i].Description
		texts[i] = summary + " " + summary + " " + all[i].Body
	}
	limit := usualHits
	if in.Limit > 0 {
		limit = min(in.Limit, mostHits)
	}
	hits := rank(in.Query, texts, limit)
	if len(hits) == 0 {
		return tools.Text(fmt.Sprintf("none of the %d skills here is about that", len(all))), nil
	}
	var b strings.Builder
	for _, i := range hits {
		fmt.Fprintf(&b, "- %s: %s\n", all[i].Name, all[i].Description)
	}
	return tools.Text(strings.TrimSpace(b.String())), nil
}
