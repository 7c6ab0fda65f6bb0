import uuid

import schemathesis


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
