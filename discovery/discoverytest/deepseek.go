package discoverytest

import _ "embed"

// deepSeekModels has rows in the current and in the older form.
//
//go:embed deepseek.json
var deepSeekModels []byte

// deepSeekBalance has both currencies, with every amount in quotes.
const deepSeekBalance = `{"is_available": true, "balance_infos": [
	{"currency": "CNY", "total_balance": "110.00", "granted_balance": "10.00", "topped_up_balance": "100.00"},
	{"currency": "USD", "total_balance": "42.50", "granted_balance": "2.50", "topped_up_balance": "40.00"}
]}`
