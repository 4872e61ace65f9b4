package discoverytest

import _ "embed"

// deepSeekModels has rows in the current and in the older form.
//
//go:embed deepseek.json
var deepSeekModels []byte

// deepSeekBalance has both currencies, with every amount in quotes.
//
//go:embed deepseek_balance.json
var deepSeekBalance []byte
