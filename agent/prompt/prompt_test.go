package prompt_test

import (
	"strings"
	"testing"

	"github.com/leadhand/leadhand/agent"
	"github.com/leadhand/leadhand/agent/prompt"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
)

func render(t *testing.T, spec *agent.Spec, s tools.Scope) string {
	t.Helper()
	var all []string
	for _, section := range prompt.Default() {
		text, err := section.Render(t.Context(), &agent.Briefing{Spec: spec, Scope: s})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, text)
	}
	return strings.Join(all, "\n\n")
}

func TestDefaultSections(t *testing.T) {
	t.Parallel()
	topic := tools.Scope{Conversation: channels.Conversation{Channel: "slack-eng", Chat: "C01", Topic: "1700.0001"}}
	tests := map[string]struct {
		spec        agent.Spec
		scope       tools.Scope
		want, lacks []string
	}{
		"a named agent with instructions": {
			agent.Spec{Name: "ops", Instructions: "You look after servers."}, topic,
			[]string{
				"Your name is ops.", "You look after servers.", "[from NAME · id ID", "topic 1700.0001", "slack-eng", "chat C01",
			},
			[]string{"lead of a team chat"},
		},
		"one without instructions is a lead": {
			agent.Spec{Name: "lead", Instructions: " \n"}, topic, []string{"lead of a team chat", "## How you work"}, nil,
		},
		"a chat without topics": {
			agent.Spec{}, tools.Scope{Conversation: channels.Conversation{Channel: "tg", Chat: "501"}},
			[]string{"a conversation on the messenger connection tg (chat 501)"}, []string{"topic", "Your name"},
		},
		"a run without a conversation": {
			agent.Spec{Name: "lead"}, tools.Scope{}, []string{"Your name is lead."}, []string{"Where you are"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := render(t, &tt.spec, tt.scope)
			for _, part := range tt.want {
				if !strings.Contains(got, part) {
					t.Errorf("lacks %q in %q", part, got)
				}
			}
			for _, part := range tt.lacks {
				if strings.Contains(got, part) {
					t.Errorf("has %q in %q", part, got)
				}
			}
			if again := render(t, &tt.spec, tt.scope); again != got {
				t.Error("two renderings differ")
			}
		})
	}
}
