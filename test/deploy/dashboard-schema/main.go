// Checks dashboards against Grafana's schema: each file must consist of known fields with values of the right type.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func main() {
	plugins.RegisterDefaultPlugins()
	failed := false
	for _, path := range os.Args[1:] {
		if err := check(path); err != nil {
			fmt.Printf("%s: %v\n", path, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

func check(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var parsed dashboard.Dashboard
	if err := parsed.UnmarshalJSONStrict(text); err != nil && !isEmpty(err) {
		return err
	}
	return parsed.Validate()
}

// The library returns an empty list of errors for a dashboard without any.
func isEmpty(err error) bool {
	var listed cog.BuildErrors
	return errors.As(err, &listed) && len(listed) == 0
}
