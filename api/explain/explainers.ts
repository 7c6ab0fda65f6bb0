import { invalid, notFound } from '../../src/errors.ts';
import { AgentWorkflowKind } from '../../src/rules/agents/kinds.ts';
import { AgentWorkflowRunKind, type AgentWorkflowRun } from '../../src/rules/changes/kinds.ts';
import { explainDelivery } from '../../src/rules/explain/explain-delivery.ts';
import { explainDomain } from '../../src/rules/explain/explain-domain.ts';
import { explainPromotion } from '../../src/rules/explain/explain-promotion.ts';
import { explainRun } from '../../src/rules/explain/explain-run.ts';
import { explainSchedule } from '../../src/rules/explain/explain-schedule.ts';
import { type Explanation, toFacts } from '../../src/rules/explain/explanation.ts';
import { DeliveryKind } from '../../src/rules/intake/kinds.ts';
import { findOfferedRelease } from '../../src/rules/environments/find-offered-release.ts';
import { ReleaseKind } from '../../src/rules/releases/kinds.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { getDomain } from '../domains/domain.ts';
import { uiPaths } from '../http/ui-paths.ts';
import { getOrganization } from '../orgs/org.ts';
import { getZoneStatus, getProductByName } from '../products/product.ts';
import type { ExplanationView } from './schemas.ts';

type Subject = { reads: Store; now: Date; org: string; name: string };
type Items = ExplanationView['items'];
type Link = Items[number]['links'][number];

/** The subjects, each with an example. */
export const subjectForms = {
  delivery: 'delivery:<id>',
  issue: 'issue:<owner>/<repo>#<number>',
  schedule: 'schedule:<agentworkflow>',
  domain: 'domain:<name>',
  run: 'run:<name>',
  zone: 'zone:<product>/<zone>',
  promotion: 'promotion:<release>/<zone>',
} as const;
type SubjectKind = keyof typeof subjectForms;
export const isSubject = (text: string): text is SubjectKind => Object.hasOwn(subjectForms, text);

export const explainers: Record<SubjectKind, (subject: Subject) => Promise<Items>> = {
  async delivery({ reads, org, name }) {
    const items = await explainDeliveries(reads, org, ({ deliveryId }) => deliveryId === name);
    if (items.length === 0) throw notFound('delivery', name, `org "${org}"`);
    return items;
  },
  async issue({ reads, org, name }) {
    const [, repo = '', number] = /^([^/\s]+\/[^/#\s]+)#(\d{1,15})$/.exec(name) ?? [];
    if (number === undefined) throw wrongForm('issue');
    const isSame = (target: { repo: string; number: number }) =>
      target.repo.toLowerCase() === repo.toLowerCase() && target.number === Number(number);
    const { items: runs } = await reads.list(AgentWorkflowRunKind, { namespace: orgNamespace(org) });
    const newest = runs
      .filter(({ spec }) => spec.target !== undefined && isSame(spec.target))
      .toSorted((one, other) => other.metadata.creationTimestamp.localeCompare(one.metadata.creationTimestamp))[0];
    const items = [
      ...(newest ? toRunItems(org, newest) : []),
      ...(await explainDeliveries(reads, org, (delivery) => isSame(delivery))),
    ];
    return items.length > 0 ? items : [withLinks(noEvent(name), [])];
  },
  async schedule({ reads, now, org, name }) {
    const agentWorkflow = await reads.get(AgentWorkflowKind, {
      namespace: orgNamespace(org),
      name: toName(name, 'schedule'),
    });
    return [withLinks(explainSchedule(agentWorkflow, await getOrganization(reads, org), now), [])];
  },
  async domain({ reads, org, name }) {
    const domain = await getDomain(reads, { org, domain: name });
    const link = { title: domain.spec.name, url: uiPaths.domain(org, domain.metadata.name) };
    return explainDomain(domain).map((item) => withLinks(item, [link]));
  },
  async run({ reads, org, name }) {
    return toRunItems(
      org,
      await reads.get(AgentWorkflowRunKind, { namespace: orgNamespace(org), name: toName(name, 'run') }),
    );
  },
  async zone({ reads, org, name }) {
    const [productName, zone] = splitPair('zone', name);
    const product = await getProductByName(reads, { org, product: productName });
    const status = getZoneStatus(product, zone);
    const link = { title: zone, url: uiPaths.zone(org, productName, zone) };
    if (status?.removal)
      return [
        withLinks({ state: 'running', rule: 'zone-removing', message: status.removal.message, facts: [] }, [link]),
      ];
    const release = status?.currentPromotion?.release ?? status?.release;
    if (release !== undefined) return await explainReleaseInZone(reads, { org, release, zone });
    const { items } = await reads.list(ReleaseKind, {
      namespace: orgNamespace(org),
      fields: { 'spec.product': productName },
    });
    const offered = findOfferedRelease(product, zone, items);
    return [withLinks(nothingRuns(zone, offered?.spec.version), [link])];
  },
  async promotion({ reads, org, name }) {
    const [release, zone] = splitPair('promotion', name);
    return await explainReleaseInZone(reads, { org, release, zone });
  },
};

async function explainReleaseInZone(
  reads: Store,
  { org, release: name, zone }: { org: string; release: string; zone: string },
): Promise<Items> {
  const release = await reads.get(ReleaseKind, { namespace: orgNamespace(org), name: name });
  const product = await getProductByName(reads, { org, product: release.spec.product });
  getZoneStatus(product, zone);
  const pullRequest = release.status?.zones.find((entry) => entry.name === zone)?.pullRequest;
  const links = [
    { title: release.spec.version, url: uiPaths.release(org, name) },
    { title: zone, url: uiPaths.zone(org, release.spec.product, zone) },
    ...(pullRequest ? [{ title: 'Pull request in the gitops repo', url: pullRequest.url }] : []),
  ];
  return [withLinks(explainPromotion({ product, release, zone }), links)];
}

const withLinks = (explanation: Explanation, links: Link[]): Items[number] => ({ ...explanation, links });

async function explainDeliveries(
  reads: Store,
  org: string,
  matches: (delivery: { deliveryId: string; repo: string; number: number }) => boolean,
): Promise<Items> {
  const { items } = await reads.list(DeliveryKind, { namespace: orgNamespace(org) });
  return items
    .filter(({ spec }) => matches(spec))
    .toSorted((one, other) => other.spec.at.localeCompare(one.spec.at))
    .map(({ spec }) => {
      const links = spec.run === undefined ? [] : [{ title: spec.run, url: uiPaths.run(org, spec.run) }];
      return withLinks(explainDelivery(spec), links);
    });
}

function toRunItems(org: string, run: AgentWorkflowRun): Items {
  const { issue, pullRequest } = run.status ?? {};
  const links = [
    { title: run.metadata.name, url: uiPaths.run(org, run.metadata.name) },
    ...(issue ? [{ title: issue.title, url: issue.url }] : []),
    ...(pullRequest ? [{ title: `Pull request #${pullRequest.number}`, url: pullRequest.url }] : []),
  ];
  return explainRun(run).map((item) => withLinks(item, links));
}

const noEvent = (target: string): Explanation => ({
  state: 'nothing',
  rule: 'no-event',
  message: `No event of ${target} that a trigger handles has arrived, and no run worked on it.`,
  facts: toFacts({ target }),
  fix: 'Add a trigger for such events to an AgentWorkflow, check the deliveries at the code host, or start a run manually.',
});

const nothingRuns = (zone: string, version: string | undefined): Explanation => ({
  state: 'nothing',
  rule: 'nothing-promoted',
  message: `The zone "${zone}" runs nothing, and no promotion is in progress.`,
  facts: toFacts({ offered: version }),
  fix:
    version === undefined
      ? 'Start a Release on the Releases page.'
      : `Promote ${version} manually on the Product page.`,
});

function splitPair(kind: SubjectKind, name: string): [string, string] {
  const [first, second, ...rest] = name.split('/');
  if (!first || !second || rest.length > 0) throw wrongForm(kind);
  return [toName(first, kind), toName(second, kind)];
}

/** A text that no resource can have as its name does not reach the store. */
function toName(text: string, kind: SubjectKind): string {
  if (/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(text)) return text;
  throw wrongForm(kind);
}

const wrongForm = (kind: SubjectKind): Error =>
  invalid('The subject is incomplete.', [{ pointer: '?about', detail: `must be of the form ${subjectForms[kind]}` }]);
