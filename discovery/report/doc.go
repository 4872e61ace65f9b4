// Package report answers what calls cost, why that changed, and what to do.
package report
