package main

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
)

func TestTextMayBeginWithAHyphen(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"reply|14|answer|- first":                      "reply|14|answer|--|- first",
		"reply|14|answer|- first|--read":               "reply|14|answer|--read|--|- first",
		"reply|--read|14|answer|--- a/file":            "reply|--read|14|answer|--|--- a/file",
		"reply|14|answer|--thread x":                   "reply|14|answer|--|--thread x",
		"reply|14|answer|-hello|-o|json":               "reply|14|answer|-o|json|--|-hello",
		"reply|14|answer|-only|-ojson":                 "reply|14|answer|-ojson|--|-only",
		"--node|node-a|reply|14|answer|-x":             "reply|--node|node-a|14|answer|--|-x",
		"send|node-b|fyi|-5 degrees|--thread|- builds": "send|node-b|fyi|--thread|- builds|--|-5 degrees",
		"send|node-b|fyi|--key=1|--=x":                 "send|node-b|fyi|--key=1|--|--=x",
		"ask|node-b|node-c|- first|--timeout|5m":       "ask|node-b|node-c|--timeout|5m|--|- first",
		"reply|14|answer|-":                            "",
		"reply|14|answer|-h":                           "",
		"reply|14|answer|--read":                       "",
		"reply|14|answer|--|--read":                    "",
		"reply|14|-x|- first":                          "",
		"reply|14|- first":                             "",
		"reply|14|answer|-x|y":                         "",
		"send|node-b|fyi|--thread":                     "",
		"ask|- first":                                  "",
		"inbox|- first":                                "",
		"nothing|- first":                              "",
		"send|node-b|fyi|x":                            "",
	} {
		given := strings.Split(line, "|")
		if want == "" {
			want = line
		}
		assert.Equal(t, want, strings.Join(app.ProtectText(newRoot(&app.App{In: strings.NewReader(""), Out: io.Discard, Errs: io.Discard}), given), "|"), line)
	}
}
