package nearest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/leadhand/leadhand/tools/nearest"
)

var names = []string{
	"create_image", "datetime", "edit", "exec", "list_files", "read_file", "read_spreadsheet", "sessions_send",
	"team_tasks", "web_fetch", "web_search", "write_file",
}

func TestNearestPutsWhatWasMeantFirst(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		"read_file":     "read_file",
		"file_read":     "read_file",
		"readfile":      "read_file",
		"raed_file":     "read_file",
		"ReadFile":      "read_file",
		"READ-FILE":     "read_file",
		"read_files":    "read_file",
		"files_list":    "list_files",
		"search_web":    "web_search",
		"websearch":     "web_search",
		"date_time":     "datetime",
		"teamTask":      "team_tasks",
		"exce":          "exec",
		"image_create":  "create_image",
		"spreadsheet":   "read_spreadsheet",
		"send_sessions": "sessions_send",
	} {
		if got := nearest.Nearest(written, names, 3); len(got) == 0 || got[0] != want {
			t.Errorf("Nearest(%q) = %q, want %q first", written, got, want)
		}
	}
}

func TestNearestLeavesOutWhatIsNotAlike(t *testing.T) {
	t.Parallel()
	for _, written := range []string{"", "   ", "zzz", "delete_everything", strings.Repeat("x", 1<<20), "\xff\x00"} {
		if got := nearest.Nearest(written, names, 3); len(got) != 0 {
			t.Errorf("Nearest(%.20q) = %q, want nothing", written, got)
		}
	}
}

func TestNearestGivesAtMostN(t *testing.T) {
	t.Parallel()
	among := []string{"a_file", "b_file", "c_file", "file"}
	if diff := cmp.Diff([]string{"file", "a_file"}, nearest.Nearest("file", among, 2)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := nearest.Nearest("file", among, 0); len(got) != 0 {
		t.Errorf("n = 0 gives %q", got)
	}
	if got := nearest.Nearest("file", nil, 3); len(got) != 0 {
		t.Errorf("nothing known gives %q", got)
	}
}
