package pricelist

// textual is a modality that may cost as much as text.
type textual struct {
	Scope

	modality string
	text     bool
}

func readTextual(cells []string) textual {
	return textual{newScope(cells[0], cells[3], "", ""), cells[1], cells[2] == "text"}
}

// Textual reports whether the provider documents the text price for a prompt modality.
func (t *Terms) Textual(provider, modality, model string) (text bool) {
	longest := 0
	for _, m := range t.textuals {
		if m.Provider != provider || m.modality != modality {
			continue
		}
		if length := m.match(model); length > longest {
			longest, text = length, m.text
		}
	}
	return text
}
