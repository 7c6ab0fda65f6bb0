package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestPages(t *testing.T) {
	for _, test := range []struct {
		path   string
		status int
		body   string
	}{
		{"/", http.StatusOK, "<h1>go-service</h1>"},
		{"/healthz", http.StatusOK, "ok"},
		{"/version", http.StatusOK, `{"version":"v1.2.3"}`},
		{"/nothing", http.StatusNotFound, "not found"},
	} {
		t.Run(test.path, func(t *testing.T) {
			recorder := httptest.NewRecorder()
			newHandler("v1.2.3").ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, test.path, nil))
			if recorder.Code != test.status || !strings.Contains(recorder.Body.String(), test.body) {
				t.Errorf("got %d %q, want %d %q", recorder.Code, recorder.Body, test.status, test.body)
			}
		})
	}
}
