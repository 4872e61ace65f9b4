// Command generate writes Go code for an OpenAPI document with oapi-codegen.
//
//	go run ./internal/generate [-overlay FILE] [-config FILE] [-operations ID,…] [-package NAME] [-o FILE] DOCUMENT
//	go run ./internal/generate -normalize [-o FILE] DOCUMENT
//
// Without -config, it generates only models. Paths in the configuration are relative to
// the current directory.
//
// For documents written by others, oapi-codegen alone isn't enough. This command also
//
//   - converts OpenAPI 3.1 to 3.0, and joins a document's files, which must be next to
//     the document;
//   - selects operations (-operations), and writes a document for comparison (-normalize,
//     for make drift);
//   - refuses documents that neither Go nor the template in specs/templates can express,
//     and code that doesn't compile. The error names the place in the document and the
//     remedy.
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
	overlay := flags.String("overlay", "", "the overlay to apply, instead of the configured one")
	config := flags.String("config", "", "an oapi-codegen configuration")
	operations := flags.String("operations", "", "comma-separated ids of the operations to generate (default all)")
	name := flags.String("package", "", "package name")
	normalized := flags.Bool("normalize", false, "write the normalized document as JSON instead of code")
	output := flags.String("o", "", "the file to write (default standard output)")
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

// readConfig rejects keys that oapi-codegen doesn't have.
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

// generatorVersion returns oapi-codegen's version from go.mod, for the header in the
// code.
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
