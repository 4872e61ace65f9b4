package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

var (
	comment   = regexp.MustCompile(`(?s)/\*.*?\*/`)
	star      = regexp.MustCompile(`(?m)^\s*\*`)
	lineNote  = regexp.MustCompile(`(?m)^\s*//.*$`)
	union     = regexp.MustCompile(`(?ms)^(?:export )?(?:declare )?type \w*Model\w* =(.*?);\s*$`)
	quoted    = regexp.MustCompile(`'[^'\n]*'|"[^"\n]*"`)
	deprecate = regexp.MustCompile(`(?s)const DEPRECATED_MODELS\b[^=]*=\s*\{(.*?)\}`)
	pair      = regexp.MustCompile(`['"]([^'"]+)['"]:\s*['"]([^'"]+)['"],?`)
	// remark matches the remarks about several ids in a doc comment.
	remark = regexp.MustCompile(`"([^"]+(?:", "[^"]+)*)": (?:Announced shutdown date: (\S+)|Not a supported model ID)`)
)

// typescript collects model ids and shutdown dates from an SDK's source.
type typescript struct {
	ids, unsupported map[string]bool
	dates            map[string]string
}

func newTypescript() *typescript {
	return &typescript{make(map[string]bool), make(map[string]bool), make(map[string]string)}
}

// read returns an error for a date in an unknown form, which would otherwise be lost.
func (t *typescript) read(text string) error {
	for _, c := range comment.FindAllString(text, -1) {
		if err := t.readComment(c); err != nil {
			return err
		}
	}
	text = lineNote.ReplaceAllString(comment.ReplaceAllString(text, ""), "")
	for _, found := range union.FindAllStringSubmatch(text, -1) {
		if members := strings.ReplaceAll(found[1], "(string & {})", ""); !strings.Contains(members, "{") {
			t.readUnion(members)
		}
	}
	for _, found := range deprecate.FindAllStringSubmatch(text, -1) {
		if err := t.readTable(found[1]); err != nil {
			return err
		}
	}
	return nil
}

func (t *typescript) readUnion(members string) {
	for _, literal := range quoted.FindAllString(members, -1) {
		if id := literal[1 : len(literal)-1]; modelID.MatchString(id) {
			t.ids[id] = true
		}
	}
}

// readComment reads OpenAI's form: - "gpt-4", "gpt-4-0613": Announced shutdown date:
// 2026-10-23.
func (t *typescript) readComment(text string) error {
	text = strings.Join(strings.Fields(star.ReplaceAllString(text, "")), " ")
	dated := 0
	for _, found := range remark.FindAllStringSubmatch(text, -1) {
		for _, id := range strings.Split(found[1], `", "`) {
			if found[2] == "" {
				t.unsupported[id] = true
			} else if err := t.date(id, strings.TrimRight(found[2], ".,;")); err != nil {
				return err
			}
		}
		if found[2] != "" {
			dated++
		}
	}
	if strings.Count(strings.ToLower(text), "shutdown date") != dated {
		return errors.New("a comment has a shutdown date in an unknown form")
	}
	return nil
}

// readTable reads Anthropic's form: 'claude-opus-4-5': 'January 22nd, 2027',
func (t *typescript) readTable(text string) error {
	if rest := strings.TrimSpace(pair.ReplaceAllString(text, "")); rest != "" {
		return errors.New("DEPRECATED_MODELS has an unknown form")
	}
	for _, found := range pair.FindAllStringSubmatch(text, -1) {
		day, err := time.Parse("January 2, 2006", ordinal.ReplaceAllString(found[2], "$1"))
		if err != nil {
			return err
		}
		t.ids[found[1]] = true
		if err := t.date(found[1], day.Format(time.DateOnly)); err != nil {
			return err
		}
	}
	return nil
}

func (t *typescript) date(id, date string) error {
	if !modelID.MatchString(id) || !isDate(date) {
		return fmt.Errorf("%q has the shutdown date %q", id, date)
	}
	return addDate(t.dates, id, date)
}

// models leaves out ids that only a comment has.
func (t *typescript) models() (ids map[string]bool, dates map[string]string, err error) {
	for id := range t.unsupported {
		delete(t.ids, id)
	}
	if len(t.ids) == 0 {
		err = errors.New("it has no ids")
	}
	return t.ids, t.dates, err
}
