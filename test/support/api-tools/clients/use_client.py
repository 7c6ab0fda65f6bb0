"""Reads and changes the data of the walk-through with the generated client, and prints what it received as JSON."""

import json
import sys
from typing import TypeVar

from service_client import AuthenticatedClient
from service_client.api.access import get_me
from service_client.api.changes import get_run, list_runs
from service_client.api.issues import create_issue
from service_client.api.orgs import list_orgs
from service_client.api.products import get_product, list_products, replace_product
from service_client.api.releases import get_release, list_releases
from service_client.api.zones import get_zone, list_zones
from service_client.models import (
    AgentWorkflowRun,
    AgentWorkflowRunStatus,
    CreateIssueBody,
    Issue,
    ListOrgsResponse200,
    ListProductsResponse200,
    ListReleasesResponse200,
    ListRunsResponse200,
    ListZonesResponse200,
    Me,
    Problem,
    Product,
    Release,
    ReleaseStatus,
    ReplaceProductBody,
    ReplaceProductBodySpec,
    ZoneDetails,
)

T = TypeVar("T")
client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])


def expect(kind: type[T], result: object) -> T:
    if not isinstance(result, kind):
        raise TypeError(f"Expected {kind.__name__}, received {result}")
    return result


me = expect(Me, get_me.sync(client=client))
orgs = expect(ListOrgsResponse200, list_orgs.sync(client=client))
products = expect(ListProductsResponse200, list_products.sync("acme", client=client))
product = expect(Product, get_product.sync("acme", "hello", client=client))
zones = expect(ListZonesResponse200, list_zones.sync("acme", "hello", client=client))
production = expect(ZoneDetails, get_zone.sync("acme", "hello", "hello-prod", client=client))
runs = expect(ListRunsResponse200, list_runs.sync("acme", client=client))
run = expect(AgentWorkflowRun, get_run.sync("acme", runs.items[0].name, client=client))
releases = expect(ListReleasesResponse200, list_releases.sync("acme", client=client))
release = expect(Release, get_release.sync("acme", releases.items[0].name, client=client))

body = ReplaceProductBody(spec=ReplaceProductBodySpec.from_dict(product.spec.to_dict()))
stale = replace_product.sync_detailed("acme", "hello", client=client, body=body, if_match='"1"')
current = replace_product.sync_detailed(
    "acme", "hello", client=client, body=body, if_match=f'"{product.resource_version}"'
)
missing = get_product.sync_detailed("acme", "nosuch", client=client)
greeting = CreateIssueBody(title="Greet visitors in their language", body="", labels=[])
issue = expect(Issue, create_issue.sync("acme", "hello", client=client, body=greeting))

def misspell() -> object:
    return issue.titel  # type: ignore[attr-defined]


def to_reason(problem: object) -> str:
    return expect(Problem, problem).reason.value


print(
    json.dumps(
        {
            "me": me.email,
            "orgs": [org.name for org in orgs.items],
            "products": [[item.name, item.spec.repos] for item in products.items],
            "zones": sorted(zone.name for zone in zones.items),
            "production": production.status.release,
            "run": [
                expect(AgentWorkflowRunStatus, run.status).phase.value,
                len(run.spec.steps) > 0,
                len(run.spec.roles.additional_properties) > 0,
            ],
            "release": [expect(ReleaseStatus, release.status).phase.value, release.spec.version],
            "stale": [stale.status_code.value, to_reason(stale.parsed)],
            "current": [current.status_code.value, expect(Product, current.parsed).name],
            "missing": [missing.status_code.value, to_reason(missing.parsed)],
            "issue": [issue.title, issue.number > 0],
        }
    )
)
