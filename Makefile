# Everything here is plain go commands; `make ci` is what a pull request has to pass.
GO        ?= go
LINT      := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
FUZZTIME  ?= 10s
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
fuzz: ## fuzz every target for FUZZTIME (10s)
	@FUZZTIME=$(FUZZTIME) ./.ci/fuzz

.PHONY: bench
bench: ## measure client and discovery, each figure beside its baseline
	$(GO) test -run '^$$' -bench . -benchmem ./client ./discovery

.PHONY: bench-scan
bench-scan: ## print how many times as fast as twelve regexps the scan is; fails below what was asked for
	$(GO) test -run '^$$' -bench '^BenchmarkFind$$' -benchtime 0.1s -count 3 ./scan | $(GO) run ./scan/internal/benchtable

.PHONY: cover
cover: ## coverage of the shipped hand-written code, function by function; fails under 90 %
	@./.ci/cover $(SHIPPED)

.PHONY: ci
ci: ## everything that has to pass
	@./.ci/run
