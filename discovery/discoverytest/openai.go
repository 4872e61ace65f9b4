package discoverytest

import _ "embed"

// openAIModels have a shutdown_date that is a date, null or absent.
//
//go:embed openai.json
var openAIModels []byte
