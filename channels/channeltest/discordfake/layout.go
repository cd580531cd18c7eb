package discordfake

import (
	"fmt"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
)

// Limits of messages that are laid out with components.
const (
	MaxComponents = 40
	MaxDisplayed  = 4000
)

// legacyField refuses what such messages can't have.
func legacyField(name string) *Error {
	return formError(name, "MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2",
		fmt.Sprintf("The '%s' field cannot be used when using MessageFlags.IS_COMPONENTS_V2", name))
}

// checkLayout checks the limits that hold for all components together.
func checkLayout(list []any) *Error {
	total, text := measure(list)
	switch {
	case total > MaxComponents:
		return formError("components", "COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED", "The total number of components exceeds 40")
	case text > MaxDisplayed:
		return formError("components", "COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED",
			"The total size of all displayable text exceeds 4000")
	}
	return nil
}

// measure counts components, with those that stand in others, and the characters of their texts.
func measure(list []any) (total, text int) {
	for _, item := range list {
		c, _ := item.(fakekit.Object)
		total++
		if fakekit.Text(c["type"]) == "10" {
			text += len([]rune(fakekit.Text(c["content"])))
		}
		children, _ := c["components"].([]any)
		if a, ok := c["accessory"].(fakekit.Object); ok {
			children = append(children, a)
		}
		n, t := measure(children)
		total, text = total+n, text+t
	}
	return total, text
}
