package app

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/leadhand/leadhand/agent/skill"
	"github.com/leadhand/leadhand/bot/place"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
	"github.com/leadhand/leadhand/tools/nearest"
)

// library is what is installed in the folder skills of the data. Which of it a run may use its agent and its place say.
func (c *Config) library(book *place.Book) *skill.Library {
	return &skill.Library{
		Dir: filepath.Join(c.Data, "skills"),
		Allowed: func(ctx context.Context, s tools.Scope) (func(string) bool, error) {
			e, err := book.At(ctx, s.Conversation)
			if err != nil {
				return nil, err
			}
			own := c.Agents[s.Agent].Skills
			here, limited := e.Skills()
			return func(name string) bool {
				return (own == nil || slices.Contains(*own, name)) && (!limited || slices.Contains(here, name))
			}, nil
		},
	}
}

// skillNames are the names of the skills that are installed.
func skillNames(l *skill.Library) ([]string, error) {
	all, _, err := l.All()
	var found []string
	for i := range all {
		found = append(found, all[i].Name)
	}
	return found, err
}

// skills looks at the folder of skills, and whether those that the configuration names are in it. It says nothing where
// there are none.
func (d *doctor) skills() []channels.Finding {
	l := d.cfg.library(nil)
	all, faults, err := l.All()
	if err != nil {
		return []channels.Finding{failed("skills: "+err.Error(), "let the bot read "+l.Dir)}
	}
	var found []channels.Finding
	if len(all) > 0 {
		found = append(found, fine(fmt.Sprintf("skills: %d in %s", len(all), l.Dir)))
	}
	for _, f := range faults {
		found = append(found, worry(fmt.Sprintf("skills: the folder %s is left out: %v", f.Folder, f.Err),
			"correct it, or move it out of "+l.Dir))
	}
	var installed []string
	for i := range all {
		installed = append(installed, all[i].Name)
	}
	missing := func(key string, names []string) {
		for _, name := range names {
			if slices.Contains(installed, name) {
				continue
			}
			fix := "correct the name, or put the skill into " + l.Dir
			if near := nearest.Nearest(name, installed, 1); len(near) > 0 {
				fix = "did you mean " + near[0] + "?"
			}
			found = append(found, worry(fmt.Sprintf("skills: %s names %s, which is not installed", key, name), fix))
		}
	}
	for _, name := range names(d.cfg.Agents) {
		if s := d.cfg.Agents[name].Skills; s != nil {
			missing("agents."+name+".skills", *s)
		}
	}
	for i, p := range d.cfg.Places {
		if p.Skills != nil {
			missing(fmt.Sprintf("places[%d].skills", i), *p.Skills)
		}
	}
	return found
}

// skillList checks the names in a list of skills; whether they are installed is for doctor, since that may change.
func (p *problems) skillList(key string, list *[]string) {
	if list == nil {
		return
	}
	for _, name := range *list {
		p.add(key, skill.CheckName(name))
	}
}
