// Package requests has request types that a running gateway accepts and that package
// client doesn't send. Tests in internal/generate check that they can contain null, an
// empty string and a zero value.
package requests

//go:generate go run github.com/mesh-gateway/mesh-go/internal/generate -config requests.codegen.yaml -operations peer_ratify_peers__name__patch,task_create_tasks_post,task_fail_tasks__task_pk__fail_post -o requests.gen.go ../../generate/testdata/running-openapi.json
