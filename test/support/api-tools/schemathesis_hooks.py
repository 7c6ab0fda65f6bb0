import io
import uuid
import zipfile

import schemathesis
from hypothesis import strategies as st


def to_zip(files):
    """Returns an archive of files by name."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return archive.getvalue()


names = st.text("abc/.-_", min_size=1, max_size=20)
archives = st.dictionaries(names, st.binary(max_size=200), max_size=5).map(to_zip)
schemathesis.openapi.media_type("application/zip", archives, aliases=["application/x-zip-compressed"])


@schemathesis.hook
def before_call(context, case, kwargs):
    """Makes requests independent of each other: limits per address and idempotency keys are tested elsewhere."""
    headers = case.headers
    if headers is None:
        return
    key = headers.get("Idempotency-Key")
    if isinstance(key, str) and 0 < len(key) <= 160:
        headers["Idempotency-Key"] = f"{key}-{uuid.uuid4()}"
    headers["X-Forwarded-For"] = f"2001:db8::{uuid.uuid4().hex[:4]}:{uuid.uuid4().hex[:4]}"
