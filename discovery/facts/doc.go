// Package facts has this module's tables about models: prices, fees, factors and
// regions, and retirement dates. Packages prices and models are views:
//
//	list := prices.Of(facts.BuiltIn())     // the same as prices.BuiltIn()
//	registry := models.Of(facts.BuiltIn()) // the same as models.Retirements()
//
// Newer facts come as one file, which
// [github.com/mesh-gateway/mesh-go/discovery.Client.UpdateFacts] requests, or as a
// directory:
//
//	newer, err := facts.ReadFS(os.DirFS("mesh-go/discovery/facts"))
//	if err == nil {
//		err = newer.Newer(facts.BuiltIn())
//	}
//	if err != nil {
//		return err // the built-in facts stay in use
//	}
//	list := prices.Of(newer)
//
// README.md in this directory describes the tables. This package sends nothing.
package facts
