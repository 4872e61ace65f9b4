package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mesh-gateway/mesh-go/cmd/mesh/internal/profile"
)

// setting is a value and where it comes from. Both are "" for a value that is not given.
type setting struct {
	Value  string `json:"value"`
	Source string `json:"source"`
}

// settings are the values that a command needs for a gateway.
type settings struct {
	profile         string // name, or ""
	node, gateway   setting
	tokenFile       setting // "" for the token of the environment
	ownGateway      bool    // the gateway is that of the profile
	profileExplicit bool
	values          profile.Profile
}

// readSettings returns the settings of the flags, of --profile, of the environment and of the default profile, in this order.
//
// A token goes only to the gateway that it was given for: the token of the environment never goes to the gateway of a profile, and
// that of a profile only to its own gateway.
func (a *app) readSettings() (settings, error) {
	s, err := a.chooseProfile()
	if err != nil {
		return s, err
	}
	s.node = s.pick("--node", a.node, "MESH_NODE", s.values.Node)
	s.gateway = s.pick("--gateway-url", a.gatewayURL, "MESH_GATEWAY_URL", s.values.GatewayURL)
	s.ownGateway = s.values.GatewayURL != "" && s.gateway.Source == s.source()
	switch {
	case a.tokenFile != "":
		s.tokenFile = setting{a.tokenFile, "--token-file"}
	case s.ownGateway && s.values.TokenFile != "":
		s.tokenFile = setting{s.values.TokenFile, s.source()}
	case !s.ownGateway && os.Getenv(tokenFileVariable) != "":
		s.tokenFile = setting{os.Getenv(tokenFileVariable), tokenFileVariable}
	}
	return s, checkTokenFile()
}

// chooseProfile returns the settings with the profile of --profile, or else with the default profile.
func (a *app) chooseProfile() (s settings, err error) {
	all, err := profiles()
	if err != nil {
		return s, err
	}
	s.profile, s.profileExplicit = all.Default, a.profile != ""
	if s.profileExplicit {
		s.profile = a.profile
	}
	values, ok := all.Profiles[s.profile]
	if s.profileExplicit && !ok {
		return s, usagef("--profile: %s has no profile %q", all.File, a.profile)
	}
	s.values = values
	return s, nil
}

// profiles reads the profiles of the user. A user without a configuration folder, as in a service, has none.
func profiles() (profile.Profiles, error) {
	file, err := profile.File()
	if err != nil {
		return profile.Profiles{File: "the configuration folder"}, nil //nolint:nilerr // see above
	}
	all, err := profile.Load(file)
	if err != nil {
		return all, &usageError{err}
	}
	return all, nil
}

// source is where the values of the profile come from.
func (s settings) source() string {
	if s.profileExplicit {
		return "profile " + s.profile
	}
	return "default profile " + s.profile
}

// pick returns the first value that is given.
func (s settings) pick(flagName, flag, variable, ofProfile string) setting {
	own := setting{ofProfile, s.source()}
	switch env := os.Getenv(variable); {
	case flag != "":
		return setting{flag, flagName}
	case ofProfile != "" && s.profileExplicit:
		return own
	case env != "":
		return setting{env, variable}
	case ofProfile != "":
		return own
	default:
		return setting{}
	}
}

// readToken returns the token for the gateway, or "" without one.
func (a *app) readToken() (string, error) {
	s, err := a.settings()
	switch {
	case err != nil:
		return "", err
	case s.tokenFile.Value != "":
		return a.tokenOf(s.tokenFile)
	case s.ownGateway:
		return "", nil
	default:
		return os.Getenv(tokenVariable), nil
	}
}

const (
	tokenVariable     = "MESH_GATEWAY_TOKEN"
	tokenFileVariable = "MESH_TOKEN_FILE" //nolint:gosec // the name of a variable
)

// checkTokenFile returns an error if MESH_TOKEN_FILE depends on the folder of a command.
func checkTokenFile() error {
	if file := os.Getenv(tokenFileVariable); file != "" && !filepath.IsAbs(file) {
		return usagef("%s must be an absolute path", tokenFileVariable)
	}
	return nil
}

// checkToken returns an error if package client would take the token of the environment for the gateway of a profile.
func (s settings) checkToken() error {
	for _, variable := range []string{tokenVariable, tokenFileVariable} {
		if s.ownGateway && s.tokenFile.Value == "" && os.Getenv(variable) != "" {
			return usagef("%s has a gateway_url and no token_file, and %s is not sent to it: add token_file, pass --token-file, or unset %[2]s", s.source(), variable)
		}
	}
	return nil
}

// completeProfile completes the name of a profile.
func completeProfile(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	all, err := profiles()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return all.Names(), cobra.ShellCompDirectiveNoFileComp
}

// tokenSource returns where the token comes from; "" is no token. It never contains the token.
func (s settings) tokenSource() string {
	switch {
	case s.tokenFile.Value != "":
		return fmt.Sprintf("%s: %s", s.tokenFile.Source, s.tokenFile.Value)
	case !s.ownGateway && os.Getenv(tokenVariable) != "":
		return tokenVariable
	default:
		return ""
	}
}
