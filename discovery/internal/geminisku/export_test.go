// Names that package geminisku_test needs.

package geminisku

var (
	Read          = read
	WithoutVendor = withoutVendor
)

func Match(names, hint []string, anchored bool) (map[string]bool, error) {
	return newModelNames(names).match(hint, anchored)
}
