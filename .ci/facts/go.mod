module github.com/mesh-gateway/mesh-go/.ci/facts

go 1.25
