package telegramfake

import (
	"errors"

	"github.com/leadhand/leadhand/channels/channeltest/fakekit"
	"github.com/leadhand/leadhand/channels/channeltest/specs"
)

// apiSpec is the machine-readable Bot API description.
type apiSpec struct {
	Version string             `json:"version"`
	Methods map[string]*entity `json:"methods"`
	Types   map[string]*entity `json:"types"`
}

type entity struct {
	Name     string   `json:"name"`
	Fields   []*field `json:"fields"`
	Returns  []string `json:"returns"`
	Subtypes []string `json:"subtypes"`
}

type field struct {
	Name        string   `json:"name"`
	Types       []string `json:"types"`
	Required    bool     `json:"required"`
	Description string   `json:"description"`
}

func (e *entity) field(name string) *field {
	for _, f := range e.Fields {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// loadSpec returns the API description, or nil when there is none.
func loadSpec() (*apiSpec, error) {
	spec, err := specs.Load[apiSpec](specs.Telegram)
	if errors.Is(err, specs.ErrNotFound) {
		return nil, nil
	}
	return spec, err
}

// legacyParams are parameters that the Bot API has replaced but that its
// server still accepts.
var legacyParams = map[string]*field{
	"reply_to_message_id":         {Types: []string{"Integer"}},
	"allow_sending_without_reply": {Types: []string{"Boolean"}},
	"disable_web_page_preview":    {Types: []string{"Boolean"}},
	"thumb":                       {Types: []string{"InputFile", "String"}},
}

// CheckObject validates a value against a type of the Bot API, such as
// "Update", and returns what is wrong with it. The error is
// [specs.ErrNotFound] when there is no API description.
func CheckObject(typeName string, v any) ([]string, error) {
	spec, err := specs.Load[apiSpec](specs.Telegram)
	if err != nil {
		return nil, err
	}
	decoded, err := fakekit.Convert(v)
	if err != nil {
		return nil, err
	}
	c := &checker{spec: spec}
	c.checkTypes(typeName, []string{typeName}, decoded)
	return c.errs, nil
}
