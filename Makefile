# Everything here is plain go commands; `make ci` is what a pull request has to pass.
GO        ?= go
LINT      := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
FUZZTIME  ?= 20000x
SOAK      ?= 2m
SEED      ?= 0
MUTATE    ?= ./client
SHIPPED   := ./client/... ./discovery/... ./scan/... ./internal/...

.DEFAULT_GOAL := help

.PHONY: help
help: ## show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: generate
generate: ## make gen/ from specs/
	$(GO) generate .

.PHONY: check-gen
check-gen: ## fail when gen/ is not what specs/ says; touches nothing
	@./.ci/check-gen

.PHONY: api
api: ## list incompatible changes of exported names since a commit: make api BASE=main
	@./.ci/api

.PHONY: lint-specs
lint-specs: ## lint the documents
	@./.ci/lint-specs

.PHONY: spec-diff
spec-diff: ## what breaks clients since a commit: make spec-diff BASE=main
	@./.ci/spec-diff

.PHONY: test
test: ## run the tests
	$(GO) test ./...

.PHONY: race
race: ## run the tests with the race detector, in random order
	$(GO) test -race -shuffle=on -count=1 ./...

.PHONY: lint
lint: ## gofmt, vet, golangci-lint (built from the module proxy; the first time takes minutes), tidy
	@test -z "$$(gofmt -l .)" || { echo "not gofmt-ed:"; gofmt -l .; exit 1; }
	$(GO) vet ./...
	$(GO) mod tidy -diff
	$(GO) run $(LINT) run ./...

.PHONY: fuzz
fuzz: ## fuzz every target for FUZZTIME (20000x; 10m is ten minutes)
	@FUZZTIME=$(FUZZTIME) ./.ci/fuzz

.PHONY: faults
faults: ## play every fault to every operation, and print what becomes of each
	$(GO) test -count=1 -run '^TestMatrix$$' -v ./internal/test/faults

.PHONY: soak
soak: ## 200 nodes and a gateway that spoils one answer in ten, for SOAK (2m), by SEED: nothing lost, nothing twice, memory flat
	$(GO) test -count=1 -timeout 0 -run '^TestSoak$$' -v ./internal/test/soak -soak $(SOAK) -seed $(SEED)

.PHONY: bench
bench: ## compare with a baseline (benchstat); some minutes, on an idle machine
	@./.ci/bench $(GO)

.PHONY: mutate
mutate: ## change the code in one place at a time, and list the changes that no test notices
	$(GO) run github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0 unleash $(MUTATE)

.PHONY: cover
cover: ## coverage of the shipped hand-written code, function by function; fails under 92 %
	@./.ci/cover $(SHIPPED)

.PHONY: ci
ci: ## everything that has to pass; eight minutes on two cores, and more the first time
	@./.ci/run
