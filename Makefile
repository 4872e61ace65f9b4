# Every target is one go command or one script. `make ci` runs everything a change has to pass.
GO        ?= go
LINT      := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GREMLINS  := github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0
GORELEASER := github.com/goreleaser/goreleaser/v2@v2.12.7
FUZZTIME  ?= 20000x
SOAK      ?= 2m
SEED      ?= 0
MUTATE    ?= ./internal/call
SHIPPED   := ./client/... ./discovery/... ./scan/... ./internal/...

.DEFAULT_GOAL := help

.PHONY: help
help: ## show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: generate
generate: ## generate gen/ from specs/
	$(GO) generate . ./internal/test/... ./examples/tasks

.PHONY: check-gen
check-gen: ## fail when gen/ differs from what specs/ generates
	@./.ci/check-gen

.PHONY: api
api: ## write the exported names of the candidates for version 1 to api/
	$(GO) test -run '^TestAPI$$' . -update

.PHONY: documents
documents: ## check the OpenAPI documents with tools from npm
	@./.ci/documents

.PHONY: agents
agents: ## run two agents with the official TypeScript client of the Model Context Protocol, from npm
	@./.ci/agents

.PHONY: agents-metered
agents-metered: ## run SDKs and agents from npm behind mesh meter and print what was counted; downloads 1.7 GB
	@./.ci/agents-metered

.PHONY: facts
facts: ## compare the tables of dates, prices, fees and factors with the newest official SDKs; needs the module proxy and npm
	@cd .ci/facts && GOWORK=off $(GO) run . -facts ../../discovery/facts

.PHONY: sdks
sdks: ## compare discoverytest and discovery with the official SDKs; compiling them takes minutes the first time
	cd internal/test/sdks && GOWORK=off $(GO) test -count=1 ./...

.PHONY: spec-diff
spec-diff: ## fail on breaking changes of the OpenAPI documents: make spec-diff BASE=main
	@./.ci/spec-diff

# make fails with 2. It fails with 1 only under -q, which runs the lines with a plus, if other lines are left.
ifeq ($(MAKECMDGOALS),drift)
MAKEFLAGS += -q
DRIFT := $(shell mktemp)
endif
.PHONY: drift drift-run
drift: drift-run ## compare the document of a gateway with ours: make drift URL=http://HOST/openapi.json, or FILE=
	$(eval status := $(file <$(DRIFT)))$(shell rm -f $(DRIFT))$(if $(filter 1,$(status)),@false)$(if $(filter 2,$(status)),$(error the document cannot be compared))
drift-run:
	+@URL='$(URL)' FILE='$(FILE)' ./.ci/drift; echo $$? >$(DRIFT)

.PHONY: adopt
adopt: ## add new response members of a gateway to specs/gateway.yaml, and what follows: make adopt URL=, or FILE=
	@ADOPT=1 URL='$(URL)' FILE='$(FILE)' ./.ci/drift

.PHONY: test
test: ## run the tests
	$(GO) test ./... ./cmd/mesh/...

.PHONY: examples
examples: ## test the examples with modules of their own
	@./.ci/examples

.PHONY: race
race: ## run the tests with the race detector, in random order
	$(GO) test -race -shuffle=on ./... ./cmd/mesh/...

.PHONY: lint
lint: ## gofmt, go vet, go mod tidy, golangci-lint
	@test -z "$$(gofmt -l .)" || { echo "not gofmt-ed:"; gofmt -l .; exit 1; }
	$(GO) vet ./... ./cmd/mesh/...
	$(GO) mod tidy -diff
	cd cmd/mesh && $(GO) mod tidy -diff
	$(GO) run $(LINT) run ./... ./cmd/mesh/...

.PHONY: prose
prose: ## check the English; needs a C compiler
	@vale/check

.PHONY: cover
cover: ## print the statement coverage; fail below 92 %
	@./.ci/cover $(SHIPPED)

.PHONY: weight
weight: ## print the tokens of shipped code by package, beside those of the last tag, or of BASE
	@$(GO) run ./.ci/weight $(BASE)

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME (20000x, or a duration such as 10m)
	@FUZZTIME=$(FUZZTIME) ./.ci/fuzz

.PHONY: faults
faults: ## run every fault against the operations and print the outcomes
	MESH_TESTS=whole $(GO) test -count=1 -run '^Test(Matrix|Sequences)$$' -v ./internal/test/faults

.PHONY: soak
soak: ## run 200 nodes against a faulty gateway that restarts, for twice SOAK (2m), with the faults of SEED
	$(GO) test -count=1 -timeout 0 -run '^TestSoak$$' -v ./internal/test/soak -soak $(SOAK) -seed $(SEED)

.PHONY: mutate
mutate: ## list the mutants of package MUTATE that no test catches; fail below the thresholds of .gremlins.yaml
	$(GO) run $(GREMLINS) unleash $(MUTATE)

.PHONY: bench
bench: ## fail if a path is slower than at BASE, or at the commit in .ci/bench-base
	@$(GO) run ./.ci/bench $(BASE)

.PHONY: release-check
release-check: ## build the last commit as a release and check its archives; takes minutes
	@./.ci/release $(GORELEASER)

.PHONY: ci
ci: ## run everything a change has to pass
	@./.ci/run
