package profile

import (
	"fmt"
	"os"
	"path/filepath"
)

// Flags are the flags that settings come from. "" is a flag that is not given.
type Flags struct{ Node, GatewayURL, TokenFile, Profile string }

// Setting is a value and where it comes from. Both are "" for a value that is not given.
type Setting struct {
	Value  string `json:"value"`
	Source string `json:"source"`
}

// Settings are the values that a command needs for a gateway.
type Settings struct {
	// Profile is the name of the profile, or "".
	Profile       string
	Node, Gateway Setting
	// TokenFile is "" if the token is that of the environment, or if there is none.
	TokenFile Setting

	ownGateway bool // the gateway is that of the profile
	explicit   bool // the profile is that of --profile
	values     Profile
}

// Read returns the settings of the flags, of --profile, of the environment and of the default profile, in this order.
//
// A token goes only to the gateway that it was given for: the token of the environment never goes to the gateway of a profile, and
// that of a profile only to its own gateway.
func Read(flags Flags) (Settings, error) {
	s, err := choose(flags.Profile)
	if err != nil {
		return s, err
	}
	s.Node = s.pick("--node", flags.Node, "MESH_NODE", s.values.Node)
	s.Gateway = s.pick("--gateway-url", flags.GatewayURL, "MESH_GATEWAY_URL", s.values.GatewayURL)
	s.ownGateway = s.values.GatewayURL != "" && s.Gateway.Source == s.source()
	switch {
	case flags.TokenFile != "":
		s.TokenFile = Setting{flags.TokenFile, "--token-file"}
	case s.ownGateway && s.values.TokenFile != "":
		s.TokenFile = Setting{s.values.TokenFile, s.source()}
	case !s.ownGateway && os.Getenv(TokenFileVariable) != "":
		s.TokenFile = Setting{os.Getenv(TokenFileVariable), TokenFileVariable}
	}
	if file := os.Getenv(TokenFileVariable); file != "" && !filepath.IsAbs(file) { // it would depend on the folder of a command
		return s, fmt.Errorf("%s must be an absolute path", TokenFileVariable)
	}
	return s, nil
}

// choose returns the settings with the profile of that name, or for "" with the default profile.
func choose(name string) (s Settings, err error) {
	all, err := OfUser()
	if err != nil {
		return s, err
	}
	s.Profile, s.explicit = all.Default, name != ""
	if s.explicit {
		s.Profile = name
	}
	values, ok := all.Profiles[s.Profile]
	if s.explicit && !ok {
		return s, fmt.Errorf("--profile: %s has no profile %q", all.File, name)
	}
	s.values = values
	return s, nil
}

// source is where the values of the profile come from.
func (s Settings) source() string {
	if s.explicit {
		return "profile " + s.Profile
	}
	return "default profile " + s.Profile
}

// pick returns the first value that is given.
func (s Settings) pick(flagName, flag, variable, ofProfile string) Setting {
	own := Setting{ofProfile, s.source()}
	switch env := os.Getenv(variable); {
	case flag != "":
		return Setting{flag, flagName}
	case ofProfile != "" && s.explicit:
		return own
	case env != "":
		return Setting{env, variable}
	case ofProfile != "":
		return own
	default:
		return Setting{}
	}
}
