import {
  ApplicationFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { DomainStand } from '../../activities/domains.ts';
import type { Activities } from '../../activities/index.ts';
import { outside, store, watching } from '../activity-options.ts';
import { inOrder } from '../in-order.ts';
import { startApart } from '../start-apart.ts';
import { type VerifyDomainInput, checkNow, claimDomain, observed, removeDomain, sweepDnsId } from './messages.ts';
import type { sweepDns } from './sweep-dns.ts';

const { settleDomain, beginDomainRemoval, forgetDomain } = proxyLocalActivities<Activities>(store);
const { claimDomain: claim, checkDomain: checkElsewhere } = proxyActivities<Activities>(outside);
/** Somebody looks on: in the task that the wish came with, for any other would cost more than the questions. */
const { checkDomain } = proxyLocalActivities<Activities>({ ...store, startToCloseTimeout: '1 minute' });
const { awaitManagedDomain } = proxyActivities<Activities>(watching);

/** Records appear within seconds; what takes longer is found by the sweep. */
const usualPace = { managedWithinMs: 60_000, managedEveryMs: 1_000, sweepMs: 60_000 };

/** What the loop knows between messages; handlers write it, the loop acts on it. */
type Name = {
  input: VerifyDomainInput;
  /** The orgs that claim the name, each with the moment at which time alone may change how its claim stands. */
  terms: Map<string, number>;
  /** Whose claim is to be judged anew. */
  due: Set<string>;
  /** Whose managed records were asked for a moment ago. */
  arriving: Set<string>;
  /** The sweeps that ask for the name; false until it is known to be there. */
  sweeps: Map<number, boolean>;
  isTouched: boolean;
  inOrder: ReturnType<typeof inOrder>;
};

/**
 * Decides about one name: whose it is, and whether that is proven. It asks nobody by itself but when told to: the sweep
 * tells it what is new, and time tells it when a term is over.
 */
export async function verifyDomain(input: VerifyDomainInput): Promise<void> {
  const { domain } = input;
  const name: Name = {
    input,
    terms: new Map((input.orgs ?? []).map((org) => [org, Infinity])),
    due: new Set([...(input.orgs ?? []), ...(input.due ?? [])]),
    arriving: new Set(),
    sweeps: new Map(),
    isTouched: input.orgs !== undefined,
    inOrder: inOrder(),
  };
  listen(name);

  for (;;) {
    await condition(() => hasWork(name) || isOver(name), untilNextTerm(name));
    for (const [shard, isThere] of name.sweeps) {
      name.sweeps.set(shard, true);
      if (!isThere) await ensureSweep(shard, input.pace?.sweepMs ?? usualPace.sweepMs);
    }
    for (const [org, at] of name.terms) if (at <= Date.now()) name.due.add(org);
    for (const org of name.arriving) {
      name.arriving.delete(org);
      note(name, org, await awaitManagedDomain({ org, domain, ...arrivalPace(input) }));
    }
    for (const org of name.due) {
      name.due.delete(org);
      await name.inOrder(async () => note(name, org, await settleDomain({ org, domain })));
    }
    if (isOver(name)) return;
    if (!workflowInfo().continueAsNewSuggested) continue;
    await condition(allHandlersFinished);
    await continueAsNew<typeof verifyDomain>({ ...input, orgs: [...name.terms.keys()], due: [...name.due] });
  }
}

const hasWork = ({ due, arriving, sweeps }: Name): boolean =>
  due.size > 0 || arriving.size > 0 || [...sweeps.values()].includes(false) || workflowInfo().continueAsNewSuggested;
/** Nobody claims the name any more, or the one who asked was refused. */
const isOver = ({ isTouched, terms, due }: Name): boolean =>
  isTouched && terms.size === 0 && due.size === 0 && allHandlersFinished();

/** Longer than any term: where there is none, it wakes up for nothing once in a while. */
const longestMs = 30 * 24 * 60 * 60_000;
const untilNextTerm = ({ terms }: Name): number =>
  Math.max(1, Math.min(longestMs, ...[...terms.values()].map((at) => at - Date.now())));

const arrivalPace = ({ pace }: VerifyDomainInput) => ({
  withinMs: pace?.managedWithinMs ?? usualPace.managedWithinMs,
  everyMs: pace?.managedEveryMs ?? usualPace.managedEveryMs,
});

function listen(name: Name): void {
  const { domain } = name.input;
  setHandler(observed, ({ org }) => {
    name.isTouched = true;
    name.due.add(org);
  });
  const touching = async <T>(work: () => Promise<T>): Promise<T> => {
    name.isTouched = true;
    return await name.inOrder(work);
  };
  setHandler(claimDomain, async (request) => {
    await touching(async () => {
      if (name.terms.has(request.org)) throw refused(`The org "${request.org}" has the domain "${domain}" already.`);
      const stand = await claim({ domain, ...request });
      note(name, request.org, stand);
      if (stand.kind === 'managed') name.arriving.add(request.org);
    });
  });
  setHandler(checkNow, async ({ org }) => {
    await touching(async () => {
      const check = patched('check-in-place') ? checkDomain : checkElsewhere;
      note(name, org, await check({ org, domain }));
    });
  });
  setHandler(removeDomain, async ({ org }) => {
    await touching(async () => {
      await beginDomainRemoval({ org, domain });
      await forgetDomain({ org, domain });
      note(name, org, undefined);
    });
  });
}

const refused = (message: string): ApplicationFailure => ApplicationFailure.nonRetryable(message, 'conflict');

function note(name: Name, org: string, stand: DomainStand | undefined): void {
  if (stand && !name.sweeps.has(stand.shard)) name.sweeps.set(stand.shard, false);
  if (stand) name.terms.set(org, stand.termAt === undefined ? Infinity : Date.parse(stand.termAt));
  else name.terms.delete(org);
  setCurrentDetails(stand ? `**${stand.state}** for ${org}` : 'Nobody claims it');
}

/** The sweep belongs to all domains of its shard, not to the one that came first. */
async function ensureSweep(shard: number, paceMs: number): Promise<void> {
  await startApart<typeof sweepDns>('sweepDns', {
    workflowId: sweepDnsId({ shard }),
    args: [{ shard, paceMs }],
    staticSummary: `DNS of all domains, shard ${shard}`,
  });
}
