package scrub

// prefix is a kind of secret that begins with letters of its own.
type prefix struct {
	kind  string
	begin string
	body  *class
	least int // bytes of the body
	most  int // 0: as many as there are
	mixed bool
}

// longest bounds the body of a secret whose length nobody tells.
const longest = 4096

// prefixes are what vendors let their keys begin with, from their documentation and from the list of GitHub's secret
// scanning (docs.github.com, "Supported secret scanning patterns"); lengths as seen there, or shorter.
var prefixes = []prefix{
	// Messengers. api.slack.com/authentication/token-types
	{kind: "Slack token", begin: "xoxb-", body: token, least: 10},
	{kind: "Slack token", begin: "xoxp-", body: token, least: 10},
	{kind: "Slack token", begin: "xoxa-", body: token, least: 10},
	{kind: "Slack token", begin: "xoxr-", body: token, least: 10},
	{kind: "Slack token", begin: "xoxs-", body: token, least: 10},
	{kind: "Slack token", begin: "xoxc-", body: token, least: 10},
	{kind: "Slack token", begin: "xoxd-", body: classOf("a-z", "A-Z", "0-9", "_-%+/="), least: 10},
	{kind: "Slack token", begin: "xoxe-", body: token, least: 10},
	{kind: "Slack token", begin: "xoxe.", body: dotted, least: 10},
	{kind: "Slack app token", begin: "xapp-", body: token, least: 10},
	{kind: "Slack workflow token", begin: "xwfp-", body: token, least: 10},
	// Code hosts. github.blog, "Behind GitHub's new authentication token formats"; docs.gitlab.com, "Token overview"
	{kind: "GitHub token", begin: "ghp_", body: word, least: 30},
	{kind: "GitHub token", begin: "gho_", body: word, least: 30},
	{kind: "GitHub token", begin: "ghu_", body: word, least: 30},
	{kind: "GitHub token", begin: "ghs_", body: word, least: 30},
	{kind: "GitHub token", begin: "ghr_", body: word, least: 30},
	{kind: "GitHub token", begin: "github_pat_", body: word, least: 22},
	{kind: "GitLab token", begin: "glpat-", body: dotted, least: 20},
	{kind: "GitLab token", begin: "gldt-", body: dotted, least: 20},
	{kind: "GitLab token", begin: "glrt-", body: dotted, least: 20},
	{kind: "GitLab token", begin: "glptt-", body: dotted, least: 20},
	{kind: "GitLab token", begin: "glcbt-", body: dotted, least: 20},
	{kind: "Atlassian token", begin: "ATATT3", body: classOf("a-z", "A-Z", "0-9", "-_="), least: 60},
	// Clouds. docs.aws.amazon.com, "IAM identifiers"; cloud.google.com/docs/authentication/api-keys
	{kind: "AWS access key", begin: "AKIA", body: upper, least: 16, most: 16},
	{kind: "AWS access key", begin: "ASIA", body: upper, least: 16, most: 16},
	{kind: "AWS access key", begin: "ABIA", body: upper, least: 16, most: 16},
	{kind: "AWS access key", begin: "ACCA", body: upper, least: 16, most: 16},
	{kind: "Google API key", begin: "AIza", body: token, least: 35, most: 35},
	{kind: "Google OAuth token", begin: "ya29.", body: dotted, least: 20},
	{kind: "Google client secret", begin: "GOCSPX-", body: token, least: 28},
	{kind: "DigitalOcean token", begin: "dop_v1_", body: hex, least: 64, most: 64},
	{kind: "DigitalOcean token", begin: "doo_v1_", body: hex, least: 64, most: 64},
	{kind: "DigitalOcean token", begin: "dor_v1_", body: hex, least: 64, most: 64},
	{kind: "Netlify token", begin: "nfp_", body: word, least: 36},
	{kind: "Heroku key", begin: "HRKU-", body: token, least: 36},
	// Models.
	{kind: "Anthropic key", begin: "sk-ant-", body: token, least: 20},
	{kind: "OpenRouter key", begin: "sk-or-v1-", body: hex, least: 32},
	{kind: "OpenAI key", begin: "sk-proj-", body: token, least: 20},
	{kind: "OpenAI key", begin: "sk-svcacct-", body: token, least: 20},
	{kind: "OpenAI key", begin: "sk-admin-", body: token, least: 20},
	{kind: "OpenAI key", begin: "sk-", body: alnum, least: 20, mixed: true}, // and those of servers that do like it
	{kind: "Hugging Face token", begin: "hf_", body: alnum, least: 30, mixed: true},
	{kind: "Groq key", begin: "gsk_", body: alnum, least: 40},
	{kind: "xAI key", begin: "xai-", body: alnum, least: 40},
	{kind: "Perplexity key", begin: "pplx-", body: alnum, least: 40},
	{kind: "Replicate token", begin: "r8_", body: alnum, least: 37},
	{kind: "Tavily key", begin: "tvly-", body: token, least: 16, mixed: true},
	{kind: "ElevenLabs key", begin: "sk_", body: lowHex, least: 48, most: 48},
	// Payments and mail. stripe.com/docs/keys
	{kind: "Stripe key", begin: "sk_live_", body: alnum, least: 16},
	{kind: "Stripe key", begin: "sk_test_", body: alnum, least: 16},
	{kind: "Stripe key", begin: "rk_live_", body: alnum, least: 16},
	{kind: "Stripe key", begin: "rk_test_", body: alnum, least: 16},
	{kind: "Stripe webhook secret", begin: "whsec_", body: classOf("a-z", "A-Z", "0-9", "+/="), least: 24},
	{kind: "SendGrid key", begin: "SG.", body: dotted, least: 60},
	{kind: "Mailgun key", begin: "key-", body: lowHex, least: 32, most: 32},
	{kind: "Square token", begin: "sq0atp-", body: token, least: 22},
	{kind: "Square token", begin: "sq0csp-", body: token, least: 40},
	{kind: "Shopify token", begin: "shpat_", body: hex, least: 32, most: 32},
	{kind: "Shopify token", begin: "shpca_", body: hex, least: 32, most: 32},
	{kind: "Shopify token", begin: "shppa_", body: hex, least: 32, most: 32},
	{kind: "Shopify token", begin: "shpss_", body: hex, least: 32, most: 32},
	// Packages and builds.
	{kind: "npm token", begin: "npm_", body: alnum, least: 36, most: 36},
	{kind: "PyPI token", begin: "pypi-AgEI", body: token, least: 50},
	{kind: "Docker Hub token", begin: "dckr_pat_", body: token, least: 20},
	{kind: "RubyGems key", begin: "rubygems_", body: hex, least: 48, most: 48},
	// Operations.
	{kind: "Vault token", begin: "hvs.", body: token, least: 24},
	{kind: "Vault token", begin: "hvb.", body: token, least: 24},
	{kind: "Grafana token", begin: "glsa_", body: word, least: 32},
	{kind: "Grafana token", begin: "glc_", body: base64, least: 32},
	{kind: "New Relic key", begin: "NRAK-", body: upper, least: 27},
	{kind: "Sentry token", begin: "sntrys_", body: classOf("a-z", "A-Z", "0-9", "+/=_-"), least: 40},
	{kind: "Sentry token", begin: "sntryu_", body: hex, least: 64},
	{kind: "Databricks token", begin: "dapi", body: lowHex, least: 32},
	{kind: "Doppler token", begin: "dp.pt.", body: alnum, least: 40},
	{kind: "PlanetScale token", begin: "pscale_tkn_", body: dotted, least: 32},
	{kind: "Supabase token", begin: "sbp_", body: hex, least: 40},
	{kind: "Postman key", begin: "PMAK-", body: token, least: 50},
	{kind: "age key", begin: "AGE-SECRET-KEY-1", body: upper, least: 50},
	// Work.
	{kind: "Notion token", begin: "ntn_", body: alnum, least: 40},
	{kind: "Linear key", begin: "lin_api_", body: alnum, least: 32},
	{kind: "Figma token", begin: "figd_", body: token, least: 32},
}

// at implements try.
func (p *prefix) at(text string, i, from int) (Found, bool) {
	if len(text)-i < len(p.begin)+p.least || text[i:i+len(p.begin)] != p.begin || i > 0 && word[text[i-1]] && i != from {
		return Found{}, false
	}
	most := p.most
	if most == 0 {
		most = longest
	}
	begin := i + len(p.begin)
	n := p.body.run(text, begin, most)
	for p.most == 0 && n > p.least && (text[begin+n-1] == '.' || text[begin+n-1] == '-') { // the end of a sentence
		n--
	}
	end := begin + n
	switch {
	case n < p.least:
		return Found{}, false
	case p.most > 0 && end < len(text) && word[text[end]]: // something longer is something else
		return Found{}, false
	case p.mixed && !mixed(text[begin:end]):
		return Found{}, false
	}
	return Found{i, end, p.kind}, true
}
