package scrub

import "strings"

// Kinds of secrets with a structure.
const (
	kindTelegram    = "Telegram bot token"
	kindDiscord     = "Discord bot token"
	kindJWT         = "JSON web token"
	kindPEM         = "private key"
	kindPassword    = "password in a URL"
	kindURLToken    = "token in a URL"
	kindHeader      = "credentials in a header"
	kindSlackHook   = "Slack webhook"
	kindDiscordHook = "Discord webhook"
)

// structures are tries by what they begin with.
var structures = map[string]try{
	"eyJ": jwt, "---": pem, "://": urlSecret, "hoo": slackHook, "api": discordHook, "aut": header, "Bea": header,
}

// telegramToken is a number, a colon at i, and 35 characters that begin with A. core.telegram.org/bots/features
func telegramToken(text string, i, from int) (Found, bool) {
	const body, leastDigits, mostDigits = 35, 6, 16
	before := digits.back(text, i, from, mostDigits)
	if before < leastDigits || i+1 >= len(text) || text[i+1] != 'A' || token.run(text, i+1, body+1) != body {
		return Found{}, false
	}
	start := i - before
	if start > from && (word[text[start-1]]) {
		if !strings.HasSuffix(text[from:start], "bot") { // as in the addresses of the Bot API
			return Found{}, false
		}
	}
	return Found{start, i + 1 + body, kindTelegram}, true
}

// discordToken is an id in base64, a dot at i, six characters, a dot, and at least 27 more.
// discord.com/developers/docs/reference#authentication
func discordToken(text string, i, from int) (Found, bool) {
	const middle, least, leastID, mostID = 6, 27, 23, 30
	if i+middle+1 >= len(text) || text[i+middle+1] != '.' || token.run(text, i+1, middle+1) != middle {
		return Found{}, false
	}
	before := token.back(text, i, from, mostID)
	n := token.run(text, i+middle+2, longest)
	if before < leastID || n < least || !strings.ContainsRune("MNO", rune(text[i-before])) {
		return Found{}, false
	}
	return Found{i - before, i + middle + 2 + n, kindDiscord}, true
}

// jwt is three parts in base64, of which the first two are JSON. RFC 7519
func jwt(text string, i, _ int) (Found, bool) {
	const least = 10
	if text[i:i+3] != "eyJ" || i > 0 && token[text[i-1]] {
		return Found{}, false
	}
	at := i
	for part := range 3 {
		n := token.run(text, at, longest)
		if n < least && part < 2 {
			return Found{}, false
		}
		at += n
		if part == 0 && (at+3 >= len(text) || text[at:at+3] != ".ey") || part == 1 && (at >= len(text) || text[at] != '.') {
			return Found{}, false
		}
		if part < 2 {
			at++
		}
	}
	return Found{i, at, kindJWT}, true
}

// pemBegin is how the first line of a key or certificate begins.
const pemBegin = "-----BEGIN "

// pem is a private key between its lines; without the second one to the end. RFC 7468
func pem(text string, i, _ int) (Found, bool) {
	const begin, key, dashes = pemBegin, "PRIVATE KEY", "-----"
	if !strings.HasPrefix(text[i:], begin) {
		return Found{}, false
	}
	const longestLabel = 40
	label := text[i+len(begin) : min(len(text), i+len(begin)+longestLabel)]
	at := strings.Index(label, key)
	if at < 0 || strings.ContainsAny(label[:at], "\n-") {
		return Found{}, false
	}
	rest := text[i+len(begin)+at:]
	end := strings.Index(rest, "-----END ")
	if end < 0 {
		return Found{i, len(text), kindPEM}, true
	}
	stop := i + len(begin) + at + end + len("-----END ")
	if n := strings.Index(text[stop:min(len(text), stop+longestLabel+len(dashes))], dashes); n >= 0 {
		stop += n + len(dashes)
	}
	return Found{i, stop, kindPEM}, true
}

var (
	inPath       = classOf("a-z", "A-Z", "0-9", "/_-")
	aroundScheme = classOf(" \t\"':=")
	credentials  = classOf("a-z", "A-Z", "0-9", "_-.~+/=")
	inUserInfo   = classOf("a-z", "A-Z", "0-9", "_-.~!$&'()*+,;=%:#^")
	userName     = classOf("a-z", "A-Z", "0-9", "_-.~!$&()*+,;=%")
)

// urlSecret is the password of a URL, or a token that stands in the place of a user. RFC 3986, 3.2.1
func urlSecret(text string, i, _ int) (Found, bool) {
	const longestInfo, leastToken = 512, 20
	if text[i:i+3] != "://" {
		return Found{}, false
	}
	start := i + 3
	n := inUserInfo.run(text, start, longestInfo)
	at := start + n
	// A password may hold an @ or a slash that nobody encoded: the last @ before the end of the word counts.
	if last := lastAt(text[start:]); last > 0 {
		at = start + last
	}
	if at >= len(text) || text[at] != '@' || at == start {
		return Found{}, false
	}
	info := text[start:at]
	user, password, ok := strings.Cut(info, ":")
	if !ok {
		if len(info) < leastToken || !mixed(info) || userName.run(info, 0, len(info)) < len(info) {
			return Found{}, false
		}
		return Found{start, at, kindURLToken}, true
	}
	if password == "" || userName.run(user, 0, len(user)) < len(user) || placeholder(password) {
		return Found{}, false
	}
	return Found{start + len(user) + 1, at, kindPassword}, true
}

// lastAt is where the last @ of the authority of a URL stands, -1 without one.
func lastAt(rest string) int {
	const longestAuthority = 512
	rest = rest[:min(len(rest), longestAuthority)]
	last, slash, colon := -1, false, -1
	for i := range len(rest) {
		switch c := rest[i]; {
		case c == '@' && !slash:
			last = i
		case c == ':' && colon < 0:
			colon = i
		case c == '/' || c == '?': // of the path, unless it stands in a password
			slash = slash || last >= 0 || colon < 0 || digits.run(rest, colon+1, i) == i-colon-1
		case c <= ' ' || c == '"' || c == '<' || c == '>' || c == '`' || c == '\'' || c > '~':
			return last
		}
	}
	return last
}

// slackHook is the address to which anybody may post. api.slack.com/messaging/webhooks
func slackHook(text string, i, _ int) (Found, bool) {
	const begin = "hooks.slack.com/"
	if !strings.HasPrefix(text[i:], begin) {
		return Found{}, false
	}
	at := i + len(begin)
	n := inPath.run(text, at, longest)
	if !strings.HasPrefix(text[at:], "services/") && !strings.HasPrefix(text[at:], "triggers/") &&
		!strings.HasPrefix(text[at:], "workflows/") || n < 30 {
		return Found{}, false
	}
	return Found{at, at + n, kindSlackHook}, true
}

// discordHook is the address to which anybody may post. discord.com/developers/docs/resources/webhook
func discordHook(text string, i, _ int) (Found, bool) {
	const begin, least = "api/webhooks/", 40
	if !strings.HasPrefix(text[i:], begin) {
		return Found{}, false
	}
	at := i + len(begin)
	id := digits.run(text, at, 20)
	if id < 15 || at+id >= len(text) || text[at+id] != '/' {
		return Found{}, false
	}
	at += id + 1
	if n := token.run(text, at, longest); n >= least {
		return Found{at, at + n, kindDiscordHook}, true
	}
	return Found{}, false
}

// header is what stands behind Bearer, Basic and their like. RFC 9110, 11.6.2
func header(text string, i, _ int) (Found, bool) {
	const least = 12
	rest := text[i:]
	for _, scheme := range []string{"Bearer ", "bearer ", "Basic ", "basic ", "Token ", "token ", "Bot ", "ApiKey "} {
		name := "authorization"
		at := 0
		if len(rest) > len(name) && strings.EqualFold(rest[:len(name)], name) {
			at = len(name)
			at += aroundScheme.run(rest, at, len(name))
		} else if scheme != "Bearer " || i > 0 && word[text[i-1]] {
			continue
		}
		if !strings.HasPrefix(rest[at:], scheme) {
			continue
		}
		at += len(scheme)
		n := credentials.run(rest, at, longest)
		for n > 0 && rest[at+n-1] == '.' {
			n--
		}
		if n >= least && mixed(rest[at:at+n]) && !placeholder(rest[at:at+n]) {
			return Found{i + at, i + at + n, kindHeader}, true
		}
	}
	return Found{}, false
}
