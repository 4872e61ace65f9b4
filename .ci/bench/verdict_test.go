package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/mesh-gateway/mesh-go/.ci/bench/measure"
)

// ratios makes pairs with these CPU and allocation ratios, and different counts.
func ratios(cpu, allocs []float64) (all []pair) {
	for i := range cpu {
		before := measure.Cost{Count: 10, CPU: int64(1e9 * (i + 1)), Allocs: 9_990}
		now := measure.Cost{Count: 20, CPU: int64(2 * cpu[i] * float64(before.CPU)), Allocs: int64(allocs[i]*20_000) - 20}
		all = append(all, pair{before, now})
	}
	return all
}

func TestThreeOfFivePairsDecide(t *testing.T) {
	t.Parallel()
	same := []float64{1, 1, 1, 1, 1}
	for _, c := range []struct {
		name        string
		cpu, allocs []float64
		want        verdict
	}{
		{"nothing changes", same, same, passes},
		{"faster", []float64{0.2, 0.3, 0.2, 0.5, 0.2}, []float64{0.1, 0.1, 0.1, 0.1, 0.1}, passes},
		{"two pairs of noise", []float64{1, 9, 1.2, 0.9, 7}, same, passes},
		{"CPU at the limit", []float64{1.2999, 1.2999, 1.2999, 9, 9}, same, passes},
		{"CPU above it", []float64{1.31, 0.8, 1.32, 1.1, 1.4}, same, fails},
		{"allocations at the limit", same, []float64{1.0999, 1.0999, 1.0999, 5, 5}, passes},
		{"allocations above it", same, []float64{1.11, 1.11, 1.11, 1, 1}, fails},
		{"more allocations for less CPU", []float64{0.5, 0.5, 0.5, 0.5, 0.5}, []float64{2, 2, 2, 2, 2}, fails},
	} {
		assert.Equal(t, c.want, judge(ratios(c.cpu, c.allocs)), c.name)
	}
}

func TestAllocationsOfAPathWithout(t *testing.T) {
	t.Parallel()
	of := func(before, now int64) []pair {
		return []pair{{measure.Cost{Count: 1000, CPU: 1, Allocs: before}, measure.Cost{Count: 1000, CPU: 1, Allocs: now}}}
	}
	assert.Equal(t, passes, judge(of(0, 12)), "the runtime's own")
	assert.Equal(t, passes, judge(of(12, 0)))
	assert.Equal(t, fails, judge(of(0, 1000)), "one for each operation")
}

func TestShortRunsGetMoreOperations(t *testing.T) {
	t.Parallel()
	for cpu, want := range map[int64]int{0: 100_000_000, 1_000_000: 100, 99_000_000: 2, 100_000_000: 1, 5_000_000_000: 1} {
		assert.Equal(t, want, longer(cpu), cpu)
	}
}

// Noise is measured again before a run fails.
func TestNoiseIsMeasuredAgain(t *testing.T) {
	t.Parallel()
	slow, fine := ratios([]float64{2, 2, 2, 2, 2}, []float64{1, 1, 1, 1, 1}), ratios([]float64{1, 1, 1, 1, 1}, []float64{1, 1, 1, 1, 1})
	for _, c := range []struct {
		measured [][]pair
		want     verdict
		counts   []int
	}{
		{[][]pair{fine}, passes, []int{5}},
		{[][]pair{slow, fine}, passes, []int{5, 11}},
		{[][]pair{slow, slow}, fails, []int{5, 11}},
	} {
		var counts []int
		_, got, err := decide(func(count int) ([]pair, error) {
			counts = append(counts, count)
			return c.measured[len(counts)-1], nil
		})
		assert.NoError(t, err)
		assert.Equal(t, c.want, got)
		assert.Equal(t, c.counts, counts)
	}
}
