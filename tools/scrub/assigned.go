package scrub

import "strings"

// kindAssigned is a value whose name says that it is secret.
const kindAssigned = "value of a secret name"

// secretWords are what names of secrets hold, without the signs between their parts. The longest that fits counts.
var secretWords = []string{
	"password", "passphrase", "passwd", "passcode", "pwd", "secret", "token", "apikey", "accesskey", "privatekey",
	"signingkey", "encryptionkey", "authkey", "accountkey", "credential", "credentials", "sharedaccesskey",
}

// secretTails are what may stand behind such a word in a name, so that it still names a secret: token_type names none.
var secretTails = []string{
	"key", "value", "val", "text", "string", "raw", "plain", "base64", "base", "b64", "hash", "production", "prod",
	"staging", "dev", "test", "live", "old", "new", "secret", "token",
}

// secretTail tells whether the rest of a name is made of such words.
func secretTail(rest string) bool {
	if rest == "" {
		return true
	}
	for _, tail := range secretTails {
		if after, ok := strings.CutPrefix(rest, tail); ok && secretTail(after) {
			return true
		}
	}
	return false
}

// assigned is a value that a name of a secret is given: password=…, "api_key": "…", --token …, <secret>…</secret>.
func assigned(text string, i, _ int) (Found, bool) {
	n := secretWord(text, i)
	if n == 0 || i > 0 && (letterBefore(text, i) || text[i-1] == '/') { // /etc/passwd is a file
		return Found{}, false
	}
	tail := token.run(text, i+n, maxNamePart)
	if !secretTail(joined(strings.TrimRight(text[i+n:i+n+tail], "0123456789"))) {
		return Found{}, false
	}
	a := assignment{text: text, name: i, at: i + n + tail}
	if !a.separator() {
		return Found{}, false
	}
	a.value()
	if !a.secret() {
		return Found{}, false
	}
	return Found{a.start, a.end, kindAssigned}, true
}

const (
	maxNamePart = 40
	maxBlanks   = 4
	maxValue    = longest
)

// letterBefore tells whether the word at i is the rest of a longer word: "bypasswd", but not "dbPassword".
func letterBefore(text string, i int) bool {
	c := text[i-1]
	return c >= 'a' && c <= 'z' && text[i] >= 'a' && text[i] <= 'z'
}

// secretWord is how long a word at i is that names secrets; 0 when there is none.
func secretWord(text string, i int) int {
	longest := 0
	for _, w := range secretWords {
		if n := like(text, i, w); n > longest {
			longest = n
		}
	}
	return longest
}

// like is how long the text at i is that reads like a word, in small or capital letters, with or without _ and -
// between; 0 when it does not.
func like(text string, i int, w string) int {
	at := i
	for j := range len(w) {
		if j > 0 && at < len(text) && (text[at] == '_' || text[at] == '-') {
			at++
		}
		if at >= len(text) || lower(text[at]) != w[j] {
			return 0
		}
		at++
	}
	return at - i
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// joined is a part of a name without the signs between its words.
func joined(s string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s))
}

// assignment is a name and the value that it is given.
type assignment struct {
	text       string
	name       int // where the secret word begins
	at         int // how far it is read
	tight      bool
	quote      byte // 0 without
	start, end int  // of the value
}

func (a *assignment) blanks() int {
	n := 0
	for a.at < len(a.text) && n < maxBlanks && (a.text[a.at] == ' ' || a.text[a.at] == '\t') {
		a.at++
		n++
	}
	return n
}

// mark reads a quote, which may be escaped.
func (a *assignment) mark() byte {
	at := a.at
	for at < len(a.text) && a.text[at] == '\\' {
		at++
	}
	if at < len(a.text) && strings.IndexByte("\"'`", a.text[at]) >= 0 {
		a.at = at + 1
		return a.text[at]
	}
	return 0
}

// separator reads what stands between name and value.
func (a *assignment) separator() bool {
	a.mark()
	if a.at < len(a.text) && a.text[a.at] == ']' {
		a.at++
	}
	before := a.blanks()
	rest := a.text[a.at:]
	switch {
	case strings.HasPrefix(rest, "=="), strings.HasPrefix(rest, "!="), strings.HasPrefix(rest, "::"):
		return false
	case strings.HasPrefix(rest, ":="), strings.HasPrefix(rest, "=>"):
		a.at += 2
	case strings.HasPrefix(rest, "="), strings.HasPrefix(rest, ":"):
		a.tight = rest[0] == '=' && before == 0
		a.at++
	case strings.HasPrefix(rest, ">") && a.begins("<"):
		a.at++
		a.tight = true
	case before > 0 && a.begins("--"):
		a.tight = true
	default:
		return false
	}
	if a.blanks() > 0 && before == 0 && a.tight && a.at > 0 && !a.begins("--") {
		a.tight = false
	}
	return true
}

// begins tells whether the whole name begins with a sign.
func (a *assignment) begins(sign string) bool {
	start := a.name - token.back(a.text, a.name, 0, maxNamePart)
	if strings.HasPrefix(a.text[start:], sign) {
		return true
	}
	return strings.HasSuffix(a.text[:start], sign)
}

var endsValue = classOf("\t\n\r ,;&\"'`<>(){}[]|")

// value finds where the value begins and ends.
func (a *assignment) value() {
	a.quote = a.mark()
	a.start, a.end = a.at, a.at
	most := min(len(a.text), a.start+maxValue)
	for a.end < most {
		c := a.text[a.end]
		if a.quote != 0 && (c == a.quote || c == '\n') || a.quote == 0 && endsValue[c] || c < ' ' {
			break
		}
		if a.quote != 0 && c == '\\' && a.end+1 < most && a.text[a.end+1] == a.quote {
			break // the quote was escaped as the first one was, or the value holds one: what is before it is hidden
		}
		a.end++
	}
	for a.quote == 0 && a.end > a.start && strings.IndexByte(".:!?", a.text[a.end-1]) >= 0 {
		a.end--
	}
}

const (
	leastQuoted   = 6
	leastUnquoted = 8
	longWord      = 24 // of small and capital letters, without a digit
)

// secret tells whether the value looks like a secret and not like a word, a placeholder or code.
func (a *assignment) secret() bool {
	v := a.text[a.start:a.end]
	if placeholder(v) || strings.ContainsAny(v, " \t") || strings.Contains(v, "://") ||
		strings.IndexByte("/.~", first(v)) >= 0 {
		return false
	}
	k := kindsOf(v)
	if k.digits == len(v) || k.digits+k.dashes == len(v) { // a number, a date, a version
		return false
	}
	if a.quote != 0 {
		return len(v) >= leastQuoted && (k.digits > 0 && k.letters() > 0 || k.signs > 0 && k.letters() > 0 && !path(v)) ||
			len(v) >= longWord && k.lower > 0 && k.upper > 0
	}
	followed := byte(0)
	if a.end < len(a.text) {
		followed = a.text[a.end]
	}
	switch {
	case followed == '(' || followed == '[' || followed == '{', path(v):
		return false
	case !a.tight && identifier(v):
		return false
	case len(v) < leastUnquoted:
		return false
	}
	return k.digits > 0 && k.letters() > 0 || k.lower > 0 && k.upper > 0 && (k.signs > 0 || len(v) >= longWord)
}

func first(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}

// kinds counts the kinds of characters in a value.
type kinds struct{ lower, upper, digits, dashes, signs int }

func (k kinds) letters() int { return k.lower + k.upper }

func kindsOf(s string) (k kinds) {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
			k.lower++
		case c >= 'A' && c <= 'Z':
			k.upper++
		case digits[c]:
			k.digits++
		case c == '-' || c == '.' || c == '_' || c == ':':
			k.dashes++
		default:
			k.signs++
		}
	}
	return k
}

// path tells whether a value is names with dots between, as in code: cfg.Auth.Token2.
func path(v string) bool {
	if !strings.Contains(v, ".") {
		return false
	}
	for part := range strings.SplitSeq(v, ".") {
		if !identifier(part) {
			return false
		}
	}
	return true
}

// identifier tells whether a value is a name in code: letters and _, and at most two digits at the end.
func identifier(v string) bool {
	const mostDigits = 2
	base := strings.TrimRight(v, "0123456789")
	if base == "" || len(v)-len(base) > mostDigits {
		return false
	}
	return word.run(base, 0, len(base)) == len(base) && digits.run(base, 0, 1) == 0 && kindsOf(base).digits == 0
}

// placeholders are what stands where a secret would.
var placeholders = []string{
	"${", "{{", "$(", "...", "…", "xxx", "***", "your", "example", "changeme", "change_me", "change-me", "redacted",
	"placeholder", "replace", "<", "process.env", "os.environ", "getenv", "secret:", "file:", "vault:", "env:", "hidden",
	"masked", "[secret", "dummy", "undefined", "required", "optional",
}

// placeholder tells whether a value only stands for a secret.
func placeholder(v string) bool {
	if v == "" || strings.IndexByte("$%*@<[{", v[0]) >= 0 {
		return true
	}
	const longestHint = 80 // what is longer is no hint
	if len(v) > longestHint {
		return false
	}
	small := strings.ToLower(v)
	for _, p := range placeholders {
		if strings.Contains(small, p) {
			return true
		}
	}
	return false
}
