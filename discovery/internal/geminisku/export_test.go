// These names are for package geminisku_test only.

package geminisku

var (
	Read          = read
	WithoutVendor = withoutVendor
)

func Match(names, hint []string, anchored bool) (map[string]bool, error) {
	return newModelNames(names).match(hint, anchored)
}
