package fs_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/agent/llm"
)

func TestReadFile(t *testing.T) {
	t.Parallel()
	s := holding(t, map[string]string{
		"five.md": "1\n2\n3\n4\n5\n", "open.txt": "a\nb", "empty.md": "", "data.bin": "\x00\x01", "dir/x": "x",
		"latin.txt": "caf\xe9",
	})
	for name, tc := range map[string]struct {
		in   args
		want string
	}{
		"the whole file":   {args{"path": "five.md"}, "five.md: 5 lines\n1\n2\n3\n4\n5"},
		"no last line end": {args{"path": "open.txt"}, "open.txt: 2 lines\na\nb"},
		"a part": {
			args{"path": "five.md", "offset": 2, "limit": 2}, "five.md: lines 2-3 of 5\n2\n3\n[go on with offset 4]",
		},
		"the end":           {args{"path": "five.md", "offset": 4, "limit": 100}, "five.md: lines 4-5 of 5\n4\n5"},
		"a negative offset": {args{"path": "five.md", "offset": -3, "limit": -1}, "five.md: 5 lines\n1\n2\n3\n4\n5"},
		"an empty file":     {args{"path": "empty.md"}, "empty.md is empty"},
		"a binary file": {
			args{"path": "data.bin"}, "data.bin: application/octet-stream, 2 bytes; it is not UTF-8 text",
		},
		"another encoding": {
			args{"path": "latin.txt"}, "latin.txt: application/octet-stream, 4 bytes; it is not UTF-8 text",
		},
		"an absolute path":    {args{"path": "/workspace/open.txt"}, "open.txt: 2 lines\na\nb"},
		"a path with a slash": {args{"path": "open.txt/"}, "open.txt: 2 lines\na\nb"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantText(t, use(t, s, "read_file", tc.in), tc.want)
		})
	}
	wantError(t, use(t, s, "read_file", args{"path": "five.md", "offset": 6}),
		"five.md has 5 lines; line 6 is past its end")
	wantError(t, use(t, s, "read_file", args{"path": "fiv.md"}), "no such file; the nearest are five.md")
	wantError(t, use(t, s, "read_file", args{"path": "zzzzzz"}), "no such file; list_files shows what there is")
	wantError(t, use(t, s, "read_file", args{"path": "dir"}), "dir is a folder")
	wantError(t, use(t, s, "read_file", args{"path": "five.md", "offset": "2"}), `offset: must be an integer, got "2"`)
}

func TestALongFileCanBeReadToItsEndInParts(t *testing.T) {
	t.Parallel()
	var want []string
	for i := range 3000 {
		want = append(want, fmt.Sprintf("line %d %s", i+1, strings.Repeat("é", i%40)))
	}
	s := holding(t, map[string]string{"long.txt": strings.Join(want, "\n") + "\n"})
	var got []string
	for len(got) < len(want) {
		r := use(t, s, "read_file", args{"path": "long.txt", "offset": len(got) + 1})
		lines := strings.Split(r.ForModel, "\n")[1:]
		if next := fmt.Sprintf("[go on with offset %d]", len(got)+len(lines)); lines[len(lines)-1] == next {
			lines = lines[:len(lines)-1]
		} else if len(got)+len(lines) < len(want) {
			t.Fatalf("no way on in %.300q", r.ForModel)
		}
		got = append(got, lines...)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestALineThatIsTooLongIsCut(t *testing.T) {
	t.Parallel()
	s := holding(t, map[string]string{"min.json": "{\n" + strings.Repeat("日", 9000) + "\n}\n"})
	wantText(t, use(t, s, "read_file", args{"path": "min.json"}), "min.json: lines 1-1 of 3\n{\n[go on with offset 2]")
	wantText(t, use(t, s, "read_file", args{"path": "min.json", "offset": 2}),
		"min.json: line 2 of 3 has 9000 characters; its first 7500 are\n"+strings.Repeat("日", 7500)+
			"\n[go on with offset 3]")
}

func TestPicturesAreShown(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 4))); err != nil {
		t.Fatal(err)
	}
	large := b.String() + strings.Repeat("\x00", 5<<20)
	s := holding(t, map[string]string{"chart.png": b.String(), "large.png": large, "not.png": "hello"})
	r := use(t, s, "read_file", args{"path": "chart.png"})
	wantText(t, r, fmt.Sprintf("chart.png: image/png, %d bytes", b.Len()))
	want := []llm.Image{{Name: "chart.png", MediaType: "image/png", Data: b.Bytes()}}
	if diff := cmp.Diff(want, r.Images); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	r = use(t, s, "read_file", args{"path": "large.png"})
	wantText(t, r, "large.png: image/png, 5 MB; pictures are shown up to 5 MB")
	if len(r.Images) != 0 {
		t.Error("a picture of more than 5 MB is shown")
	}
	wantText(t, use(t, s, "read_file", args{"path": "not.png"}), "not.png: 1 line\nhello")
}
