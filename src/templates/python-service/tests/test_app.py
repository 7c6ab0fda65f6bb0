import json
import threading
import unittest
from urllib.error import HTTPError
from urllib.request import urlopen

from service.app import create_server


class AppTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.server = create_server(("127.0.0.1", 0), version="v1.2.3")
        cls.url = f"http://127.0.0.1:{cls.server.server_port}"
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.server.shutdown()
        cls.server.server_close()

    def get(self, path: str) -> str:
        with urlopen(self.url + path) as response:
            return response.read().decode()

    def test_front_page_shows_the_name_of_the_service(self) -> None:
        self.assertIn("<h1>python-service</h1>", self.get("/"))

    def test_healthz_returns_ok(self) -> None:
        self.assertEqual(self.get("/healthz"), "ok")

    def test_version_returns_the_version_that_runs(self) -> None:
        self.assertEqual(json.loads(self.get("/version")), {"version": "v1.2.3"})

    def test_unknown_page_is_not_found(self) -> None:
        with self.assertRaises(HTTPError) as caught:
            self.get("/nothing")
        caught.exception.close()
        self.assertEqual(caught.exception.code, 404)
