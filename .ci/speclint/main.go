// Command speclint lints OpenAPI documents: it says what is wrong, one finding to a line, and fails when there is anything.
//
//	speclint rules.yaml document.yaml...
//
// It is a module of its own, so that what it needs is nobody's dependency but ours.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/speakeasy-api/openapi/linter"
	"github.com/speakeasy-api/openapi/openapi"
	rules "github.com/speakeasy-api/openapi/openapi/linter"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: speclint rules.yaml document.yaml...")
		os.Exit(2)
	}
	findings, err := lint(context.Background(), os.Args[1], os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, finding := range findings {
		fmt.Fprintln(os.Stdout, finding)
	}
	fmt.Fprintf(os.Stdout, "%d documents, %d findings\n", len(os.Args)-2, len(findings))
	if len(findings) > 0 {
		os.Exit(1)
	}
}

func lint(ctx context.Context, config string, documents []string) ([]string, error) {
	settings, err := linter.LoadConfigFromFile(config)
	if err != nil {
		return nil, err
	}
	linter, err := rules.NewLinter(settings)
	if err != nil {
		return nil, err
	}
	if err := known(settings, linter); err != nil {
		return nil, err
	}
	var findings []string
	for _, document := range documents {
		found, err := lintOne(ctx, linter, document)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", document, err)
		}
		for _, finding := range found {
			findings = append(findings, fmt.Sprintf("%s:%v", document, finding))
		}
	}
	return findings, nil
}

// known refuses a misspelled rule: the linter itself passes over it, and the reason beside it would explain nothing.
func known(settings *linter.Config, linter *rules.Linter) error {
	var all []error
	for _, rule := range settings.Rules {
		if _, ok := linter.Registry().GetRule(rule.ID); !ok {
			all = append(all, fmt.Errorf("there is no rule %q", rule.ID))
		}
	}
	return errors.Join(all...)
}

func lintOne(ctx context.Context, l *rules.Linter, document string) ([]error, error) {
	file, err := os.Open(document) //nolint:gosec // its whole purpose is to read what it is given
	if err != nil {
		return nil, err
	}
	defer file.Close()
	doc, broken, err := openapi.Unmarshal(ctx, file)
	if err != nil {
		return nil, err
	}
	out, err := l.Lint(ctx, linter.NewDocumentInfo(doc, document), broken, nil)
	if err != nil {
		return nil, err
	}
	return out.Results, nil
}
