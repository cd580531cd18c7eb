package script

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// abilities are the lines to try, shown when somebody says hello or says something else.
const abilities = "- `what time is it`\n" +
	"- `write a haiku to notes.md`, then `read notes.md`\n" +
	"- `plan a small release party`"

func hello(*turn, []string) move {
	return say("Hello! I am the **scripted demo model**: a handful of rules, offline, not an AI. " +
		"The tools I use are the real ones, though. Three things to try:\n\n" + abilities)
}

func lost(t *turn) move {
	if t.said == "" {
		return say("I see no words in that message. I am the scripted demo model and can only read text. Try:\n\n" +
			abilities)
	}
	return say("That is beyond me: I am the scripted demo model, offline, not an AI, and know only a few requests. "+
		"I can tell the time, write, read, list and edit files, and draft a plan. For example:\n\n%s\n"+
		"- `list files`\n- `replace old words with new words in notes.md`\n\n"+
		"With a real model configured, leadhand answers freely.", abilities)
}

// zones are cities that people ask for, as the tool knows them.
var zones = map[string]string{
	"berlin": "Europe/Berlin", "london": "Europe/London", "paris": "Europe/Paris", "madrid": "Europe/Madrid",
	"new york": "America/New_York", "san francisco": "America/Los_Angeles", "sao paulo": "America/Sao_Paulo",
	"tokyo": "Asia/Tokyo", "singapore": "Asia/Singapore", "delhi": "Asia/Kolkata", "sydney": "Australia/Sydney",
	"utc": "UTC",
}

func datetime(t *turn, groups []string) move {
	args := map[string]any{}
	where := ""
	if asked := strings.ToLower(strings.TrimSpace(groups[1])); asked != "" {
		zone, known := zones[asked]
		if !known {
			zone = strings.TrimSpace(groups[1])
		}
		args["zone"] = zone
		where = " in " + zone
	}
	return t.use(0, "datetime", args, func(result string) move {
		lines := strings.Split(strings.TrimSpace(result), "\n")
		now := lines[0]
		if len(lines) > 1 { // the first line is for machines
			now = lines[1]
		}
		now, _, _ = strings.Cut(now, " (week")
		return say("The `datetime` tool says it is **%s**%s.", now, where)
	})
}

const haiku = "Rules, not thoughts, reply.\n" +
	"A small script counts its own lines;\n" +
	"the tools here are real.\n"

var poem = regexp.MustCompile(`(?i)\b(?:haiku|poem|verse)\b`)

func write(t *turn, groups []string) move {
	file, content := clean(groups[2]), unquote(groups[1])
	if poem.MatchString(content) && len(strings.Fields(content)) < 8 {
		content = haiku
	}
	if !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	args := map[string]any{"path": file, "content": content}
	return t.use(0, "write_file", args, func(string) move {
		return say("Done. **%s** now holds:\n\n%s\n\nSay `read %s` to see it from the file itself.",
			file, fence(content, ""), file)
	})
}

func read(t *turn, groups []string) move {
	file := clean(groups[1])
	return t.use(0, "read_file", map[string]any{"path": file}, func(result string) move {
		text, shown := content(file, result)
		if !shown {
			return say("The `read_file` tool says: %s.", strings.TrimSuffix(text, "."))
		}
		return say("This is in **%s**:\n\n%s", file, fence(text, language(file)))
	})
}

var countPattern = regexp.MustCompile(`^(?:\d+ lines?|lines \d+-\d+ of \d+)$`)

// content is a file's text without the line that read_file puts above it. Of an empty file or a picture the tool gives
// only a remark, which is not shown as content.
func content(file, result string) (text string, shown bool) {
	head, rest, more := strings.Cut(result, "\n")
	if count, ok := strings.CutPrefix(head, file+": "); ok && more && countPattern.MatchString(count) {
		return rest, true
	}
	remark := !more && (result == "" || strings.HasPrefix(result, file+": ") || strings.HasPrefix(result, file+" is "))
	return result, !remark
}

func language(file string) string {
	switch ext := strings.TrimPrefix(path.Ext(file), "."); ext {
	case "md":
		return "markdown"
	case "go", "py", "js", "json", "yaml", "sh", "sql":
		return ext
	}
	return ""
}

func list(t *turn, groups []string) move {
	args := map[string]any{}
	if dir := clean(groups[1]); dir != "" {
		args["path"] = dir
	}
	return t.use(0, "list_files", args, func(result string) move {
		if result == "" || result == "the workspace is empty" {
			return say("There are no files yet. Try `write a haiku to notes.md`.")
		}
		return say("These files are here:\n\n%s", fence(result, ""))
	})
}

func replace(t *turn, groups []string) move {
	before, after, file := unquote(groups[1]), unquote(groups[2]), clean(groups[3])
	args := map[string]any{"path": file, "old": before, "new": after}
	return t.use(0, "edit", args, func(string) move {
		return say("Done: in **%s** it now says “%s” instead of “%s”.", file, after, before)
	})
}

const planFile = "plan.md"

func plan(t *turn, groups []string) move {
	goal := clean(groups[1])
	args := map[string]any{"path": planFile, "content": outline(goal)}
	return t.use(0, "write_file", args, func(string) move {
		if !t.offered["read_file"] {
			return say("I wrote a plan for **%s** into **%s**. To show it I would need the `read_file` tool, "+
				"which this conversation does not offer.", goal, planFile)
		}
		return t.use(1, "read_file", map[string]any{"path": planFile}, func(result string) move {
			text, _ := content(planFile, result)
			return say("Here is a draft for **%s**, kept in **%s**:\n\n%s\n\n"+
				"It is a template around your words, not the thoughts of an AI. To change it, say for example "+
				"`replace share it with celebrate in %s`.",
				goal, planFile, fence(text, "markdown"), planFile)
		})
	})
}

var between = regexp.MustCompile(`\s*(?:,\s*and\s|,|;|\band then\b|\bthen\b|\band\b)\s*`)

// outline is a numbered plan: a step per thing that was named, or the usual stages for a single one.
func outline(goal string) string {
	var things []string
	for _, s := range between.Split(goal, -1) {
		if s != "" {
			things = append(things, s)
		}
	}
	steps := []string{"Agree on what “done” means for " + goal + "."}
	if len(things) > 1 {
		for _, s := range things {
			steps = append(steps, "Take care of "+s+": who, and until when.")
		}
	} else {
		steps = append(steps,
			"List what is there already, what is missing, and who can help.",
			"Make the first step of "+goal+" small enough for today.",
			"Show it to somebody and mend what is off.",
		)
	}
	steps = append(steps, "Check the result against point 1 and share it.")
	var b strings.Builder
	fmt.Fprintf(&b, "# Plan: %s\n\n", goal)
	for i, s := range steps {
		fmt.Fprintf(&b, "%d. %s\n", i+1, s)
	}
	return b.String()
}
