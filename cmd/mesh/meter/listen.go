package meter

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/files"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/proxy"
	"github.com/mesh-gateway/mesh-go/internal/openfile"
)

// args requires either COMMAND or --listen.
func (o *Options) args(cmd *cobra.Command, command []string) error {
	switch {
	case o.listen == "" && o.env != "":
		return exit.Usagef("--env needs --listen")
	case o.listen == "":
		return cobra.MinimumNArgs(1)(cmd, command)
	case len(command) > 0:
		return exit.Usagef("--listen takes no COMMAND")
	case o.intercept:
		return exit.Usagef("--listen and --intercept cannot be used together: an --intercept certificate is for one run")
	case o.log == "":
		return exit.Usagef("--listen needs --log")
	}
	if at, err := netip.ParseAddrPort(o.listen); err != nil || at.Addr().String() != "127.0.0.1" {
		return exit.Usagef("--listen %q must be 127.0.0.1:PORT", o.listen)
	}
	if names := proxy.Leading(os.Environ(), o.listen); names != nil {
		return exit.Usagef("these variables lead to --listen %s itself; unset them, and name other upstreams with --upstream: %s", o.listen, strings.Join(names, " "))
	}
	return nil
}

// SecretFile has the secret for --listen, in the --log directory. It isn't a calls file.
const SecretFile = ".mesh-meter-secret" //nolint:gosec // the name of a file

// in bytes
const maxSecret = 1 << 10

// as rand.Text returns it
var secretForm = regexp.MustCompile(`^[A-Z2-7]{26,64}$`)

// listenSecret returns the same secret for the same directory, or "" without --listen.
func (o *Options) listenSecret() (string, error) {
	if o.listen == "" {
		return "", nil
	}
	name := filepath.Join(o.log, SecretFile)
	secret, err := readSecret(o.log)
	if errors.Is(err, fs.ErrNotExist) {
		secret = rand.Text()
		err = files.WriteAll(name, []byte(secret+"\n"))
	}
	if err != nil {
		return "", exit.Usagef("--listen: %s: %w", name, exit.WithoutPath(err))
	}
	return secret, nil
}

// readSecret refuses a secret that other users may know.
func readSecret(folder string) (string, error) {
	file, err := openfile.BelowDir(folder, SecretFile)
	if err != nil {
		return "", err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !openfile.IsOurs(info, 0o077) {
		return "", errors.New("other users may know the secret; remove the file, and set the new variables")
	}
	text, err := openfile.Content(file, maxSecret)
	if err != nil {
		return "", err
	}
	secret := strings.TrimSpace(string(text))
	if !secretForm.MatchString(secret) {
		return "", errors.New("has no secret; remove the file, and set the new variables")
	}
	return secret, nil
}

// checkOutput refuses to write the secret to a file readable by other users.
func (o *Options) checkOutput() error {
	file, ok := o.Out.(*os.File)
	if o.listen == "" || o.env != "" || !ok {
		return nil
	}
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() && !openfile.IsOurs(info, 0o077) {
		return exit.Usagef("--listen: other users can read the file that stdout goes to, and with it the secret; --env FILE writes a file that only you can read")
	}
	return nil
}

// serve writes the proxy's variables and runs until interrupted, then waits for running
// calls. A second signal ends them.
func (o *Options) serve(ctx context.Context, p *proxy.Proxy) error {
	interrupted, stop := app.UntilInterrupted(ctx)
	defer stop()
	if err := o.writeVariables(p.Environment(os.Environ())[len(os.Environ()):]); err != nil {
		return err
	}
	<-interrupted.Done()
	return p.Shutdown(ctx)
}

// writeVariables writes to --env, which only the user can read, or to stdout.
func (o *Options) writeVariables(variables []string) error {
	values := map[string]string{}
	var exports bytes.Buffer
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		values[name] = value
		fmt.Fprintf(&exports, "export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
	}
	if o.env == "" {
		return o.PrintLine(values, output.Fixed(exports.String()))
	}
	if err := files.WriteAll(o.env, exports.Bytes()); err != nil {
		return exit.Usagef("--env %s: %w", o.env, exit.WithoutPath(err))
	}
	o.Note("wrote " + output.Line(o.env))
	return nil
}
