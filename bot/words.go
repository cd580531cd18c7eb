package bot

import (
	"crypto/sha256"
	"encoding/base32"
	"fmt"

	"github.com/leadhand/leadhand/agent/llm"
	"github.com/leadhand/leadhand/bot/inbox"
)

// What people are told when there is no answer. Words name what happened and what can be done, never internals; the
// reference leads to the log.
const (
	wordsStopped  = "Stopped."
	wordsNotBegun = "Stopped before I began."
	wordsDead     = "I began this %d times and the program broke off each time, so I gave it up. " +
		"Please put it another way, or tell whoever runs me. (reference %s)"
	noticeDead  = "A message in %s was given up after %d attempts that broke off. (reference %s)"
	wordsFailed = "Something went wrong on my side, so I have no answer. Please try again. (reference %s)"
)

var modelWords = map[llm.Reason]string{
	llm.Unreachable: "I can't reach the model right now, so I have no answer. Please try again in a few minutes.",
	llm.Overloaded:  "The model is overloaded right now, so I have no answer. Please try again in a few minutes.",
	llm.Auth:        "The model refused my credentials, so I have no answer. Whoever runs me has to check key and credit.",
	llm.TooLong:     "This is too long for the model, even shortened. `new` starts a fresh session.",
	llm.Rejected:    "The model refused this request, so I have no answer. Putting it another way may help.",
	llm.BadAnswer:   "The model answered with something unreadable, so I have no answer. Please try again.",
}

// failureWords explains err to the person whose message failed.
func failureWords(err error, ref string) string {
	if words, ok := modelWords[llm.ReasonOf(err)]; ok {
		return fmt.Sprintf("%s (reference %s)", words, ref)
	}
	return fmt.Sprintf(wordsFailed, ref)
}

// reference is a short name of a turn, the same at every attempt.
func reference(it *inbox.Item) string { return Reference(fmt.Sprintf("%s/%d", it.Session, it.Seq)) }

// Reference is a short name for what people are told, that leads to the log.
func Reference(of string) string {
	sum := sha256.Sum256([]byte(of))
	return base32.StdEncoding.EncodeToString(sum[:5])
}

// Count is a number with what is counted: "1 message", "2 messages".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
