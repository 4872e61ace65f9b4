package main

import (
	"strings"
	"testing"
)

func TestPrices(t *testing.T) {
	dir := write(t, map[string]string{
		"prices.csv":  "# comment\nprovider,model_id,above,input\nopenai,gpt-5,0,1,,,,2\nopenai,gpt-6,0,,,,,\n",
		"fees.csv":    "openai,web_search,request,0.01,gpt-5*\nopenai,web_search,request,,gpt-6*\n",
		"factors.csv": "openai,batch,0.5,*\nopenai,fast,2,gpt-7\n",
		"regions.csv": "openai,us.*,1.1,gpt-6*;gpt-8*\n",
	})
	list, err := readPrices(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	ok := list.checkModels(&out)
	list.coverage(&out, "openai", map[string]bool{"gpt-5": true, "gpt-5-new": true, "gpt-6": true})
	want := "factors.csv: openai: gpt-7 is not in the price table\nregions.csv: openai: gpt-8* is not in the price table\n" +
		"openai: 1 of 3 ids have a price, 2 the fee of a search\n"
	if ok || out.String() != want {
		t.Errorf("%v, %q", ok, &out)
	}
	if _, err := readPrices(t.TempDir()); err == nil {
		t.Error("a directory without fees is read")
	}
}
