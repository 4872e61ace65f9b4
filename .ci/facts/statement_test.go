package main

import (
	"testing"
)

func TestDecimal(t *testing.T) {
	for text, want := range map[string]string{
		"1.25e-07": "0.125", "3e-6": "3", "0.0": "0", "-1": "", "1/2": "", "1e999999999": "", "0x1p-2": "", "": "", "NaN": "", "2.4999999999999998e-07": "0.25",
	} {
		if got := decimal(text, 1e6); got != want {
			t.Errorf("decimal(%q) = %q, want %q", text, got, want)
		}
	}
}
