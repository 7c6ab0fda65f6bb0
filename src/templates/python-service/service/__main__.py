import os
import signal
import sys

from service.app import create_server

host = os.environ.get("HOST", "")
port = int(os.environ.get("PORT", "3000"))
server = create_server((host, port), version=os.environ.get("RELEASE_VERSION", "unreleased"))
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
print(f"listening on port {port}", flush=True)
server.serve_forever()
