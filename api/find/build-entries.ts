import { defined } from '../../src/defined.ts';
import { AgentWorkflowRunKind, type AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';
import { DomainKind, type Domain } from '../../src/rules/domains/kinds.ts';
import type { FindEntry } from '../../src/rules/find/rank-entries.ts';
import { getIncidentStatus } from '../../src/rules/incidents/get-incident-status.ts';
import { IncidentKind, type Incident } from '../../src/rules/incidents/kinds.ts';
import { issueKey } from '../../src/rules/products/board.ts';
import { ProductKind, type Product } from '../../src/rules/products/kinds.ts';
import { ReleaseKind, type Release } from '../../src/rules/releases/kinds.ts';
import { toOrgName, type StoredObject } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { uiPaths } from '../http/ui-paths.ts';
import type { IssueSource, OpenIssue } from './issue-index.ts';
import type { FoundItemView } from './schemas.ts';

/** An entry of a Product contains its repos, whose issues can be found too. */
export type Entry = FindEntry & { item: FoundItemView; repos?: string[] };
type Texts = { keys: (string | undefined)[]; text?: (string | undefined)[] };
type ZoneAddress = (zone: string) => string;

/** Builds what can be found in one org, or without a namespace in all of them. */
export async function buildEntries(
  reads: Store,
  zoneAddress: ZoneAddress,
  namespace: string | undefined,
): Promise<Entry[]> {
  const options = namespace === undefined ? {} : { namespace };
  const [products, runs, releases, incidents, domains] = await Promise.all([
    reads.list(ProductKind, options),
    reads.list(AgentWorkflowRunKind, options),
    reads.list(ReleaseKind, options),
    reads.list(IncidentKind, options),
    reads.list(DomainKind, options),
  ]);
  return [
    ...products.items.flatMap((product) => [toProductEntry(product), ...toZoneEntries(product, zoneAddress)]),
    ...runs.items.map(toRunEntry),
    ...releases.items.map(toReleaseEntry),
    ...incidents.items.map(toIncidentEntry),
    ...domains.items.map(toDomainEntry),
  ];
}

/** Products come before their zones, and the newest work before older work. */
function toEntry(item: FoundItemView, order: string, { keys, text = [] }: Texts): Entry {
  const toLower = (texts: (string | undefined)[]): string[] =>
    texts.filter((one) => one !== undefined).map((one) => one.toLowerCase());
  return {
    item: defined(item),
    order,
    keys: toLower([item.name, item.path, ...keys]),
    text: toLower([item.title, item.name, item.note, item.org, item.product, ...text]).join(' '),
  };
}

const toOrg = ({ metadata }: StoredObject): string => toOrgName(metadata.namespace);

function toProductEntry(product: Product): Entry {
  const { metadata, spec } = product;
  const org = toOrg(product);
  const item: FoundItemView = {
    kind: 'product',
    org,
    name: metadata.name,
    title: spec.displayName ?? metadata.name,
    path: uiPaths.product(org, metadata.name),
  };
  return { ...toEntry(item, '9', { keys: spec.repos, text: [spec.description] }), repos: spec.repos };
}

function toZoneEntries(product: Product, zoneAddress: ZoneAddress): Entry[] {
  const { metadata, spec, status } = product;
  const org = toOrg(product);
  return spec.delivery.zones.map(({ name, addresses = [] }) => {
    const { address = zoneAddress(name), version } = status?.zones?.find((zone) => zone.name === name) ?? {};
    const hosts = addresses.map(({ domain, name: label }) => (label === '' ? domain : `${label}.${domain}`));
    const item: FoundItemView = {
      kind: 'zone',
      org,
      product: metadata.name,
      name,
      title: name,
      ...(version !== undefined && { note: version }),
      path: uiPaths.zone(org, metadata.name, name),
    };
    return toEntry(item, '8', { keys: [address, URL.parse(address)?.hostname, ...hosts], text: hosts });
  });
}

function toRunEntry(run: AgentWorkflowRun): Entry {
  const { metadata, spec, status } = run;
  const org = toOrg(run);
  const { issue, pullRequest } = status ?? {};
  const target = spec.target && `${spec.target.repo}#${spec.target.number}`;
  const numbers = [spec.target?.number, pullRequest?.number].filter((one) => one !== undefined);
  const item: FoundItemView = {
    kind: 'run',
    org,
    product: spec.product,
    name: metadata.name,
    title: issue?.title ?? spec.agentWorkflow,
    ...(target !== undefined && { note: target }),
    ...(status && { phase: status.phase }),
    path: uiPaths.run(org, metadata.name),
  };
  return toEntry(item, `7 ${metadata.creationTimestamp}`, {
    keys: [
      target,
      ...numbers.flatMap((number) => [`#${number}`, `${number}`]),
      status?.branch,
      pullRequest?.headSha,
      status?.mergeCommit,
      issue?.url,
      pullRequest?.url,
    ],
    text: [status?.branch],
  });
}

export function toIssueEntry({ org, product, repo }: IssueSource & { product: string }, issue: OpenIssue): Entry {
  const { number, title, url, labels, createdAt } = issue;
  const name = issueKey({ repo, number });
  const item: FoundItemView = {
    kind: 'issue',
    org,
    product,
    name,
    title,
    note: name,
    path: uiPaths.issue(org, product, name),
  };
  return toEntry(item, `7 ${createdAt}`, { keys: [`#${number}`, `${number}`, url], text: labels });
}

function toReleaseEntry(release: Release): Entry {
  const { metadata, spec, status } = release;
  const org = toOrg(release);
  const item: FoundItemView = {
    kind: 'release',
    org,
    product: spec.product,
    name: metadata.name,
    title: `${spec.product} ${spec.version}`,
    ...(status && { phase: status.phase }),
    path: uiPaths.release(org, metadata.name),
  };
  return toEntry(item, `6 ${metadata.creationTimestamp}`, {
    keys: [spec.version, spec.commit, status?.digest, status?.url],
  });
}

function toIncidentEntry(incident: Incident): Entry {
  const { metadata, spec } = incident;
  const org = toOrg(incident);
  const { state, openedAt } = getIncidentStatus(incident);
  const item: FoundItemView = {
    kind: 'incident',
    org,
    product: spec.product,
    name: metadata.name,
    title: spec.title,
    note: spec.zone ?? spec.product,
    phase: state,
    path: uiPaths.incident(org, metadata.name),
  };
  const { alert } = spec;
  return toEntry(item, `6 ${openedAt}`, { keys: [alert?.slo], text: [alert?.name, alert?.slo] });
}

function toDomainEntry(domain: Domain): Entry {
  const { spec, status } = domain;
  const org = toOrg(domain);
  const item: FoundItemView = {
    kind: 'domain',
    org,
    name: spec.name,
    title: spec.name,
    phase: status?.state ?? 'WaitingForDns',
    path: uiPaths.domain(org, spec.name),
  };
  return toEntry(item, '5', { keys: [] });
}
