package terminal

import (
	"charm.land/glamour/v2/ansi"
)

// plainStyle lays Markdown out with characters alone, for NO_COLOR.
func plainStyle() ansi.StyleConfig {
	style := layout()
	style.Emph = ansi.StylePrimitive{BlockPrefix: "*", BlockSuffix: "*"}
	style.Strong = ansi.StylePrimitive{BlockPrefix: "**", BlockSuffix: "**"}
	style.Strikethrough = ansi.StylePrimitive{BlockPrefix: "~~", BlockSuffix: "~~"}
	style.Code.StylePrimitive = ansi.StylePrimitive{Prefix: "`", Suffix: "`"}
	return style
}

// colorStyle uses the sixteen colours of the terminal and no background, so it is readable on light and dark alike.
func colorStyle() ansi.StyleConfig {
	style := layout()
	style.Heading.StylePrimitive = ansi.StylePrimitive{BlockSuffix: "\n", Bold: new(true), Color: new("6")}
	style.Emph = ansi.StylePrimitive{Italic: new(true)}
	style.Strong = ansi.StylePrimitive{Bold: new(true)}
	style.Strikethrough = ansi.StylePrimitive{CrossedOut: new(true)}
	style.Code.StylePrimitive = ansi.StylePrimitive{Color: new("3")}
	style.Link = ansi.StylePrimitive{Underline: new(true), Color: new("4")}
	style.LinkText = ansi.StylePrimitive{Bold: new(true)}
	style.BlockQuote.StylePrimitive = ansi.StylePrimitive{Italic: new(true)}
	style.CodeBlock.Chroma = &ansi.Chroma{
		Comment:       ansi.StylePrimitive{Color: new("#7f7f7f"), Italic: new(true)},
		Keyword:       ansi.StylePrimitive{Color: new("#7f007f")},
		KeywordType:   ansi.StylePrimitive{Color: new("#007f7f")},
		NameFunction:  ansi.StylePrimitive{Color: new("#00007f")},
		LiteralString: ansi.StylePrimitive{Color: new("#007f00")},
		LiteralNumber: ansi.StylePrimitive{Color: new("#7f7fe0")},
	}
	return style
}

// layout is what both styles share: everything stands two columns in, under the text that the person typed.
func layout() ansi.StyleConfig {
	return ansi.StyleConfig{
		Document:              ansi.StyleBlock{Margin: new(uint(2))},
		Heading:               ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{BlockSuffix: "\n"}},
		H2:                    heading("## "),
		H3:                    heading("### "),
		H4:                    heading("#### "),
		H5:                    heading("##### "),
		H6:                    heading("###### "),
		BlockQuote:            ansi.StyleBlock{Indent: new(uint(1)), IndentToken: new("│ ")},
		List:                  ansi.StyleList{LevelIndent: 2},
		Item:                  ansi.StylePrimitive{BlockPrefix: "• "},
		Enumeration:           ansi.StylePrimitive{BlockPrefix: ". "},
		Task:                  ansi.StyleTask{Ticked: "[✓] ", Unticked: "[ ] "},
		HorizontalRule:        ansi.StylePrimitive{Format: "\n────────\n"},
		ImageText:             ansi.StylePrimitive{Format: "Image: {{.text}} →"},
		CodeBlock:             ansi.StyleCodeBlock{StyleBlock: ansi.StyleBlock{Margin: new(uint(2))}},
		DefinitionDescription: ansi.StylePrimitive{BlockPrefix: "\n– "},
	}
}

func heading(prefix string) ansi.StyleBlock {
	return ansi.StyleBlock{StylePrimitive: ansi.StylePrimitive{Prefix: prefix}}
}
