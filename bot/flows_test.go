package bot_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/agent/llm/llmtest"
	"github.com/leadhand/leadhand/bot/store/storetest"
	"github.com/leadhand/leadhand/channels"
	"github.com/leadhand/leadhand/tools"
)

func TestWhatIsAnswered(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(in *channels.Inbound)
		want   bool
	}{
		"a mention":                {func(*channels.Inbound) {}, true},
		"a direct message":         {func(in *channels.Inbound) { in.Mentioned, in.Direct = false, true }, true},
		"talk between others":      {func(in *channels.Inbound) { in.Mentioned = false }, false},
		"a command of another bot": {func(in *channels.Inbound) { in.Mentioned, in.Text = false, "/new@otherbot" }, false},
		"nothing but white space":  {func(in *channels.Inbound) { in.Mentioned, in.Direct, in.Text = false, true, " \n\t" }, false},
		"no text at all":           {func(in *channels.Inbound) { in.Mentioned, in.Direct, in.Text = false, true, "" }, false},
		"a mention alone":          {func(in *channels.Inbound) { in.Text = "" }, true},
		"a file without words":     {withFile, true},
		"an empty file, no words":  {func(in *channels.Inbound) { withFile(in); in.Attachments[0].Data = nil }, true},
		"nothing but a nul byte":   {func(in *channels.Inbound) { in.Text = "\x00" }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, url string) {
				w := newWorld(t, url, setup{})
				in := w.message(room(), "501", "status?")
				tc.change(in)
				w.deliver(in)
				if tc.want {
					if got := w.shown(); got.Conversation != room() || got.ReplyTo != in.ID {
						t.Errorf("the answer is in %s and replies to %q", got.Conversation, got.ReplyTo)
					}
				}
				w.wantQuiet()
			})
		})
	}
}

func withFile(in *channels.Inbound) {
	in.Text = ""
	in.Attachments = []channels.Attachment{{Name: "notes.txt", Data: []byte("buy milk")}}
}

func TestBurstIsTakenIntoFewTurns(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		gate := newGate()
		w := newWorld(t, url, setup{model: llmtest.New(t, gate.then(echo)).Otherwise(echo)})
		first := w.says("501", "msg-0")
		<-gate.begun
		want := "re: msg-1"
		second := w.says("501", "msg-1")
		for i := 2; i < 20; i++ {
			w.says("501", fmt.Sprintf("msg-%d", i))
			want += fmt.Sprintf(" | msg-%d", i)
		}
		close(gate.open)
		w.wantShown(first, "re: msg-0")
		w.wantShown(second, want)
		w.wantQuiet()
	})
}

func TestMessageJoinsTheRunningTurn(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		gate := newGate()
		w := newWorld(t, url, setup{model: llmtest.New(t, gate.then(llmtest.Call("list_files", nil))).Otherwise(echo)})
		first := w.says("501", "one")
		<-gate.begun
		w.says("501", "two")
		w.says("501", "three")
		close(gate.open)
		w.wantShown(first, "re: one | two | three")
		w.wantQuiet()
	})
}

func TestQueuedMessagesAreAnsweredOneByOne(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		gate := newGate()
		w := newWorld(t, url, setup{queue: true, model: llmtest.New(t, gate.then(echo)).Otherwise(echo)})
		var ids []channels.MessageID
		for i := range 20 {
			ids = append(ids, w.says("501", fmt.Sprintf("msg-%d", i)))
		}
		<-gate.begun
		close(gate.open)
		for i, id := range ids {
			w.wantShown(id, fmt.Sprintf("re: msg-%d", i))
		}
		w.wantQuiet()
	})
}

func TestTurnIsOfOnePerson(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		gate := newGate()
		users := make(chan string, 10)
		whoami := tools.New(tools.Descriptor{Name: "whoami", Effect: tools.ReadOnly},
			func(_ context.Context, call *tools.Call, _ struct{}) (*tools.Result, error) {
				users <- call.Scope.User
				return tools.Text(call.Scope.User), nil
			})
		ask := llmtest.Call("whoami", nil)
		w := newWorld(t, url, setup{tools: []tools.Tool{whoami}, model: llmtest.New(t,
			gate.then(ask), echo, // ann-1 with ann-2
			ask, echo, // bob-1
			ask, echo, // ann-3, which comes after bob-1
			ask, echo, // bob-2 with bob-3
		)})
		a1 := w.says("501", "ann-1")
		<-gate.begun
		w.says("501", "ann-2")
		b1 := w.says("502", "bob-1")
		a3 := w.says("501", "ann-3")
		b2 := w.says("502", "bob-2")
		w.says("502", "bob-3")
		close(gate.open)
		w.wantShown(a1, "re: ann-1 | ann-2")
		w.wantShown(b1, "re: bob-1")
		w.wantShown(a3, "re: ann-3")
		w.wantShown(b2, "re: bob-2 | bob-3")
		for i, want := range []string{"fake:501", "fake:502", "fake:501", "fake:502"} {
			if got := <-users; got != want {
				t.Errorf("turn %d ran with the rights of %s, want %s", i+1, got, want)
			}
		}
		w.wantQuiet()
	})
}

func TestAnswersStayInTheirConversation(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		const pairs = 50
		w := newWorld(t, url, setup{queue: true})
		here, there := room(), room()
		there.Topic = "1700.0002"
		var people sync.WaitGroup
		for _, c := range []channels.Conversation{here, there} {
			var ms []*channels.Inbound
			for i := range pairs {
				ms = append(ms, w.message(c, "501", fmt.Sprintf("%s-%d", c.Topic, i)))
			}
			people.Go(func() {
				for _, in := range ms {
					if err := w.router.Handle(t.Context(), in); err != nil {
						t.Error(err)
					}
				}
			})
		}
		people.Wait()
		got := map[channels.Conversation][]string{}
		for range 2 * pairs {
			m := w.shown()
			got[m.Conversation] = append(got[m.Conversation], m.Text)
		}
		for _, c := range []channels.Conversation{here, there} {
			var want []string
			for i := range pairs {
				want = append(want, fmt.Sprintf("re: %s-%d", c.Topic, i))
			}
			if diff := cmp.Diff(want, got[c]); diff != "" {
				t.Errorf("answers in %s (-want +got):\n%s", c, diff)
			}
		}
		for _, req := range w.model.Requests() {
			all := strings.Join(heard(req), " ")
			if strings.Contains(all, string(here.Topic)) && strings.Contains(all, string(there.Topic)) {
				t.Errorf("one request has messages of both conversations: %s", all)
			}
		}
	})
}

func TestDeliveredTwiceAnsweredOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url, setup{queue: true})
		for i := range 20 {
			in := w.message(room(), "501", fmt.Sprintf("msg-%d", i))
			var deliveries sync.WaitGroup
			for range 3 {
				copied := *in
				deliveries.Go(func() {
					if err := w.router.Handle(t.Context(), &copied); err != nil {
						t.Error(err)
					}
				})
			}
			deliveries.Wait()
			w.wantShown(in.ID, "re: "+in.Text)
		}
		w.wantQuiet()
	})
}

func TestAddressSurvivesQueueAndRestart(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		gate := newGate()
		w := newWorld(t, url, setup{queue: true, model: llmtest.New(t, gate.then(echo)).Otherwise(echo)})
		want := map[string]channels.MessageID{}
		first := w.says("501", "msg-0")
		want["re: msg-0"] = first
		<-gate.begun
		for i := 1; i < 4; i++ {
			want[fmt.Sprintf("re: msg-%d", i)] = w.says("501", fmt.Sprintf("msg-%d", i))
		}
		w.stop()
		select {
		case m := <-w.sent:
			t.Fatalf("%q was sent although its turn was cut off", m.Text)
		default:
		}

		again := newWorld(t, url, setup{queue: true})
		again.n = w.n
		for i := range 4 {
			text := fmt.Sprintf("re: msg-%d", i)
			again.wantShown(want[text], text)
		}
		again.wantQuiet()
	})
}

func TestToolThatIsNotOfferedIsRefused(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, url string) {
		exec := tools.New(tools.Descriptor{Name: "exec"},
			func(context.Context, *tools.Call, struct{}) (*tools.Result, error) {
				t.Error("the tool ran")
				return tools.Text("done"), nil
			})
		w := newWorld(t, url, setup{
			tools: []tools.Tool{exec},
			gates: []tools.Gate{tools.CapGate(tools.Allowlist{Limited: true, Names: []string{"read_file"}})},
			model: llmtest.New(t, llmtest.Call("exec", nil), echo),
		})
		id := w.says("501", "run it")
		w.wantShown(id, "re: run it")
		last := w.model.Last()
		offered := slices.Collect(func(yield func(string) bool) {
			for _, tool := range last.Tools {
				if !yield(tool.Name) {
					return
				}
			}
		})
		if diff := cmp.Diff([]string{"read_file"}, offered); diff != "" {
			t.Errorf("tools that the model saw (-want +got):\n%s", diff)
		}
		result := last.Messages[len(last.Messages)-1].Results()[0]
		if want := "this place allows only read_file"; !result.IsError || !strings.Contains(result.Text, want) {
			t.Errorf("the model was told %q, want it to hear %q", result.Text, want)
		}
	})
}

func TestOddTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("all work and no play\n", 50_000) + "the very end"
	for name, tc := range map[string]struct{ text, want string }{
		"nul bytes":     {"a\x00b\x00", "a\uFFFDb\uFFFD"},
		"broken UTF-8":  {"caf\xe9 \xff", "caf\uFFFD \uFFFD"},
		"emoji":         {"👋 привет", "👋 привет"},
		"very long":     {long, "all work and no play"},
		"one long line": {strings.Repeat("x", 1<<20), "xxxxxxxx"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, url string) {
				w := newWorld(t, url, setup{model: llmtest.New(t, echo, readKept).Otherwise(echo)})
				in := w.message(room(), "501", tc.text)
				in.Sender.Name = "Ann\x00\xff"
				w.deliver(in)
				if got := w.shown(); !strings.Contains(got.Text, tc.want) || len(got.Text) > 100_000 {
					t.Errorf("the model was told %.200q, want %q", got.Text, tc.want)
				}
				if len(tc.text) <= 100_000 {
					return
				}
				w.says("501", "read it")
				w.shown()
				last := w.model.Last().Messages
				if got := last[len(last)-1].Results()[0]; got.IsError || !strings.Contains(got.Text, tc.want) {
					t.Errorf("the file holds %.200q", got.Text)
				}
			})
		})
	}
}

// readKept reads the file that the newest note about a kept message names.
func readKept(ctx context.Context, req *llm.Request) (*llm.Answer, error) {
	for _, m := range slices.Backward(req.Messages) {
		if _, rest, ok := strings.Cut(m.Text(), "is the file "); ok && m.Role == llm.User {
			path, _, _ := strings.Cut(rest, "]")
			return llmtest.Call("read_file", map[string]string{"path": strings.TrimSuffix(path, ".")})(ctx, req)
		}
	}
	return llmtest.Text("no file")(ctx, req)
}
