//go:build race

package whole

const race = true
