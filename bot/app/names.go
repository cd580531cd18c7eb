package app

import (
	"maps"
	"slices"
)

// names are the keys of a map, in order.
func names[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
