module github.com/mesh-gateway/mesh-go/.ci/speclint

go 1.25.0

require github.com/speakeasy-api/openapi v1.25.1

require (
	github.com/kr/text v0.2.0 // indirect
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/text v0.41.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)
