package messages

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/mesh-gateway/mesh-go/client"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/app"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/exit"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/mail"
	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/output"
)

// printArrivals prints unread messages until it is interrupted. An error of the gateway is a warning, since polling goes on; but a wrong
// token stays wrong.
func (o *inboxOptions) printArrivals(ctx context.Context) error {
	o.Progress.Stop()
	ctx, stop := app.UntilInterrupted(ctx)
	defer stop()
	var denied *client.MeshAuthError
	watch := mail.Polls(o.interval)
	watch.FromNode, watch.ThreadID = o.FromNode, o.ThreadID
	if o.Kind != "" {
		watch.Kinds = []client.Kind{o.Kind}
	}
	for m, err := range o.Client.Watch(ctx, watch) {
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &denied) || err != nil && exit.Code(err) == exit.Usage:
			return err
		case err != nil:
			o.Warn(err)
		default:
			if err := o.PrintLine(m, func(w io.Writer) error { return messageLine(w, m) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// messageLine prints a message in one line, which is cut or broken where the terminal would break it.
func messageLine(w io.Writer, m client.MeshMessage) error {
	line := fmt.Sprintf("%d  %s  %s  %s  %s", m.ID, mail.ShownNode(m.FromNode), mail.ShownKind(m.Kind), output.Time(m.CreatedAt), output.Shorten(m.GetContent()))
	if _, wide := w.(output.Wide); wide {
		line = output.Wrap(output.Line(line), mail.Indent, output.Width(w))
	} else {
		line = output.Cut(output.Line(line), output.Width(w))
	}
	_, err := fmt.Fprintln(w, line)
	return err
}
