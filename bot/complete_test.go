package bot_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/bot"
	"github.com/leadhand/leadhand/channels"
)

func TestComplete(t *testing.T) {
	t.Parallel()
	for typed, want := range map[channels.Command][]string{
		{Name: "stop"}:              {"all"},
		{Name: "stop", Args: " A"}:  {"all"},
		{Name: "stop", Args: "now"}: nil,
		{Name: "help"}:              nil,
		{Name: "none"}:              nil,
	} {
		var got []string
		for _, o := range bot.Complete(t.Context(), &channels.Inbound{Command: &typed}) {
			got = append(got, o.Value)
		}
		if !cmp.Equal(got, want) {
			t.Errorf("%v: %q, want %q", typed, got, want)
		}
	}
	if got := bot.Complete(t.Context(), &channels.Inbound{}); got != nil {
		t.Errorf("without a command: %v", got)
	}
}
