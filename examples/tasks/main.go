// Command tasks adds a task to a gateway, claims it and completes it, with types
// generated from a running gateway's document. Use the same approach for any operation
// that package client has no method for.
//
//	MESH_GATEWAY_URL=http://127.0.0.1:8787 go run ./examples/tasks -node node-a
//
// Only a ratified node can claim tasks, and only the gateway's operator can ratify one.
// Until then the gateway answers 403 with the reason, and the task stays pending: the
// token isn't wrong.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/http"
	"time"

	"github.com/mesh-gateway/mesh-go/client"
)

//go:generate go run github.com/mesh-gateway/mesh-go/internal/generate -config tasks.codegen.yaml -operations task_create_tasks_post,task_claim_tasks_claim_post,task_complete_tasks__task_pk__complete_post,task_fail_tasks__task_pk__fail_post -o tasks.gen.go ../../internal/generate/testdata/running-openapi.json

// category must be one that the gateway accepts: audit, commander_approved, debug, doc,
// research, survey.
const category = "debug"

// Task is a task as returned by the gateway. It's written by hand, because the document
// describes responses as objects without properties. It has only the fields that this
// program needs.
type Task struct {
	PK     int64           `json:"id"`
	TaskID string          `json:"task_id"`
	Spec   json.RawMessage `json:"spec_json"`
}

func main() {
	node := flag.String("node", "node-a", "this node's name")
	flag.Parse()
	if err := connect(*node); err != nil {
		log.Fatal(err)
	}
}

func connect(node string) error {
	c, err := client.New(node)
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return run(ctx, c)
}

func run(ctx context.Context, c *client.MeshClient) error {
	spec := map[string]any{"text": "hello"}
	if err := add(ctx, c, TaskCreateRequest{TaskID: "example-" + rand.Text(), Category: category, AddedBy: c.Node(), SpecJSON: spec}); err != nil {
		return err
	}
	task, err := claim(ctx, c)
	if err != nil || task == nil {
		return err
	}
	output, err := work(*task)
	if err != nil {
		return fail(ctx, c, *task, err)
	}
	return complete(ctx, c, *task, output)
}

// add creates a task. It's sent once: the gateway has no idempotency keys for tasks, but
// refuses a known task id.
func add(ctx context.Context, c *client.MeshClient, task TaskCreateRequest) error {
	return post(ctx, c, "/tasks", task, nil)
}

// claim returns the next task in the category, or nil.
func claim(ctx context.Context, c *client.MeshClient) (*Task, error) {
	of := category
	var response struct {
		Claimed *Task  `json:"claimed"`
		Reason  string `json:"reason"`
	}
	err := post(ctx, c, "/tasks/claim", TaskClaimRequest{ClaimedBy: c.Node(), Category: &of}, &response)
	if err == nil && response.Claimed == nil {
		fmt.Println("no task:", response.Reason)
	}
	return response.Claimed, err
}

// work carries out a task and returns its output path.
func work(task Task) (string, error) {
	var spec struct{ Text string }
	if err := json.Unmarshal(task.Spec, &spec); err != nil {
		return "", err
	}
	fmt.Printf("%s: %s\n", task.TaskID, spec.Text)
	return "/tmp/" + task.TaskID, nil
}

func complete(ctx context.Context, c *client.MeshClient, task Task, output string) error {
	cost := json.Number("0.10")
	return post(ctx, c, fmt.Sprintf("/tasks/%d/complete", task.PK), TaskCompleteRequest{OutputPath: &output, CostActualUSD: &cost}, nil)
}

// fail reports a task that will never succeed. retryable defaults to true, so false must
// be sent.
func fail(ctx context.Context, c *client.MeshClient, task Task, reason error) error {
	retryable := false
	return post(ctx, c, fmt.Sprintf("/tasks/%d/fail", task.PK), TaskFailRequest{Error: reason.Error(), Retryable: &retryable}, nil)
}

func post(ctx context.Context, c *client.MeshClient, path string, body, out any) error {
	return c.Do(ctx, client.Request{Method: http.MethodPost, Path: path, Body: body}, out)
}
