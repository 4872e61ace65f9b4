// Command generate writes the Go code of an OpenAPI document with oapi-codegen, which alone is not enough for documents that others
// write. This program adds what that needs:
//
//   - It brings OpenAPI 3.1 into the form of 3.0, and joins the files of a document. It reads nothing that is not beside the document.
//
//   - -operations selects operations, and -normalize writes the document for a comparison (make drift).
//
//   - It refuses what the code or the template in specs/templates cannot express, and code that does not compile. The error names the
//     part of the document and the remedy.
//
//     go run ./internal/generate [-overlay FILE] [-config FILE] [-operations ID,…] [-package NAME] [-o FILE] DOCUMENT
//     go run ./internal/generate -normalize [-o FILE] DOCUMENT
//
// Without -config it generates the models alone. Paths in the configuration are relative to the current directory.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/oapi-codegen/oapi-codegen/v2/pkg/codegen"
	"gopkg.in/yaml.v3"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("generate", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // the caller prints the error
	overlay := flags.String("overlay", "", "the overlay to apply to the document, instead of that of the configuration")
	config := flags.String("config", "", "a configuration of oapi-codegen")
	operations := flags.String("operations", "", "the ids of the operations to generate, separated by commas; the default is all")
	name := flags.String("package", "", "the name of the package")
	normalized := flags.Bool("normalize", false, "write the normalized document as JSON instead of code")
	output := flags.String("o", "", "the file to write; the default is the standard output")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("exactly one document is required, after the flags")
	}
	settings, err := readConfig(*config)
	if err != nil {
		return err
	}
	if *name != "" {
		settings.PackageName = *name
	}
	if *overlay != "" {
		settings.OutputOptions.Overlay.Path = *overlay
	}
	if *operations != "" {
		settings.OutputOptions.IncludeOperationIDs = strings.Split(*operations, ",")
	}
	from := generate
	if *normalized {
		from = normalizedText
	}
	code, err := from(flags.Arg(0), settings)
	if err != nil {
		return err
	}
	return write(*output, code, stdout)
}

// readConfig reads a configuration file. A key that oapi-codegen does not have is an error.
func readConfig(file string) (codegen.Configuration, error) {
	settings := codegen.Configuration{}
	if file == "" {
		settings.Generate.Models = true
		return settings.UpdateDefaults(), nil
	}
	data, err := os.ReadFile(file) //nolint:gosec // the file is an argument of the command
	if err != nil {
		return settings, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&settings); err != nil {
		return settings, fmt.Errorf("%s: %w", file, err)
	}
	return settings.UpdateDefaults(), nil
}

func write(file, code string, stdout io.Writer) error {
	if file == "" {
		_, err := io.WriteString(stdout, code)
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(code), 0o600)
}

// generatorVersion returns the version of oapi-codegen for the header of the code, as go.mod has it.
func generatorVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "github.com/oapi-codegen/oapi-codegen/v2" {
				return module.Version
			}
		}
	}
	return "unknown"
}
