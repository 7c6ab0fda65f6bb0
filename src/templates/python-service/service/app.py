"""The pages of the service."""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def create_server(address: tuple[str, int], version: str) -> ThreadingHTTPServer:
    """Creates the server, which listens but does not serve yet."""
    pages = {
        "/": ("text/html; charset=utf-8", "<!doctype html><title>python-service</title><h1>python-service</h1>"),
        "/healthz": ("text/plain", "ok"),
        "/version": ("application/json", json.dumps({"version": version})),
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.split("?")[0]
            status = 200 if path in pages else 404
            content_type, text = pages.get(path, ("text/plain", "not found"))
            body = text.encode()
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return ThreadingHTTPServer(address, Handler)
