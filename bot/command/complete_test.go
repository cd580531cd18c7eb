package command_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/channels"
)

func TestComplete(t *testing.T) {
	t.Parallel()
	for typed, want := range map[channels.Command][]string{
		{Name: "stop"}: {"all"}, {Name: "stop", Args: " A"}: {"all"}, {Name: "stop", Args: "now"}: nil,
		{Name: "tools", Args: "w"}: {"why"}, {Name: "tools"}: {"why", "allow"}, {Name: "help", Args: "t"}: {"tools"},
		{Name: "none"}: nil,
	} {
		var got []string
		for _, o := range registry().Complete(t.Context(), &channels.Inbound{Command: &typed}) {
			got = append(got, o.Value)
		}
		if !cmp.Equal(got, want) {
			t.Errorf("%v: %q, want %q", typed, got, want)
		}
	}
	if got := registry().Complete(t.Context(), &channels.Inbound{}); got != nil {
		t.Errorf("without a command: %v", got)
	}
}
