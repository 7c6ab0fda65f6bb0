package main

import (
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"github.com/temporalio/ui-server/v2/server/config"
	"github.com/temporalio/ui-server/v2/server/route"
	"github.com/temporalio/ui-server/v2/ui"
)

// The cookie of a browser that opened the address with the secret.
const uiCookie = "temporal_ui"

// serveUI serves Temporal's Web UI to browsers that know the secret of this start, and under its own names only: a page
// whose host name was rebound to this machine sends another Host.
func serveUI(o options, creds *credentials) error {
	e := echo.New()
	e.HideBanner = true
	e.HidePort = true
	e.Use(middleware.Recover())
	e.Use(demandHost(fmt.Sprintf("%s:%d", loopback, o.uiPort), fmt.Sprintf("%s:%d", serverName, o.uiPort)))
	e.Use(demandSecret(creds.uiSecret))
	e.Use(middleware.Gzip())
	e.Use(middleware.Secure())
	e.Use(middleware.CSRFWithConfig(middleware.CSRFConfig{CookiePath: "/", CookieSameSite: http.SameSiteStrictMode}))
	provider, err := config.NewConfigProviderWithRefresh(&config.Config{
		TemporalGRPCAddress: fmt.Sprintf("%s:%d", loopback, o.port),
		DefaultNamespace:    o.namespace,
		EnableUI:            true,
		HideLogs:            true,
		TLS: config.TLS{
			CaData: base64.StdEncoding.EncodeToString(creds.authority), CertData: base64.StdEncoding.EncodeToString(creds.client.certificate),
			KeyData: base64.StdEncoding.EncodeToString(creds.client.key), EnableHostVerification: true, ServerName: serverName,
		},
	})
	if err != nil {
		return err
	}
	if err := route.SetAPIRoutes(e, provider, nil); err != nil {
		return err
	}
	route.SetAuthRoutes(e, provider)
	assets, err := ui.Assets()
	if err != nil {
		return err
	}
	local, err := fs.Sub(assets, "local")
	if err != nil {
		return err
	}
	if err := route.SetUIRoutes(e, "", local); err != nil {
		return err
	}
	route.SetRenderRoute(e, "")
	return e.Start(fmt.Sprintf("%s:%d", loopback, o.uiPort))
}

func demandHost(names ...string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if !slices.Contains(names, c.Request().Host) {
				return c.String(http.StatusMisdirectedRequest, "Open the Web UI by the address that the platform prints.\n")
			}
			return next(c)
		}
	}
}

// demandSecret exchanges the secret in the address for a cookie, so that it stays out of the browser's history.
func demandSecret(secret string) echo.MiddlewareFunc {
	isSecret := func(text string) bool { return subtle.ConstantTimeCompare([]byte(text), []byte(secret)) == 1 }
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if c.Path() == "/" || c.Request().URL.Path == "/" {
				if isSecret(c.QueryParam("secret")) {
					c.SetCookie(&http.Cookie{Name: uiCookie, Value: secret, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
					return c.Redirect(http.StatusSeeOther, "/")
				}
			}
			if cookie, err := c.Cookie(uiCookie); err == nil && isSecret(cookie.Value) {
				return next(c)
			}
			return c.String(http.StatusUnauthorized, "Open the Web UI by the address with the secret that the platform prints.\n")
		}
	}
}
