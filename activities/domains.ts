import { Context } from '@temporalio/activity';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError, unlessGone } from '../src/errors.ts';
import { addressLabels } from '../src/rules/domains/address-claims.ts';
import { claim, lapse, leave, prove } from '../src/rules/domains/claims.ts';
import { type DomainVerdict, judgeDomain } from '../src/rules/domains/judge-domain.ts';
import { type Domain, DomainKind, type DomainStatus, shardLabel } from '../src/rules/domains/kinds.ts';
import { familyOf } from '../src/rules/domains/refuse-name.ts';
import { domainsPerShard } from '../src/rules/domains/sweeps.ts';
import { ConfigMapKind } from '../src/rules/core-kinds.ts';
import { orgNamespace, systemNamespace } from '../src/rules/resource.ts';
import { createOrGet } from './create-or-get.ts';
import { changeClaims, takenBy } from './domains/claims.ts';
import { inspect, isFree } from './domains/inspect.ts';
import { ensureManagedRecords, removeManagedRecords } from './domains/managed-records.ts';
import { type DomainRef, type Sweep, type SweepDeps, sweep, writeChecks } from './domains/sweep.ts';

export type DomainDeps = SweepDeps;
export type NewDomain = DomainRef & { kind: 'managed' | 'external'; shared: boolean };
/** Where a domain stands, and when time alone may change that. */
export type DomainStand = {
  state: DomainStatus['state'];
  kind: 'managed' | 'external';
  shard: number;
  termAt?: string;
};

export function createDomainActivities(deps: DomainDeps) {
  const { store, dns, domains, now } = deps;
  const refOf = ({ org, domain }: DomainRef) => ({ namespace: orgNamespace(org), name: domain });
  const familyFor = (domain: string): string => familyOf(domain, domains);

  const settle = async (ref: DomainRef): Promise<DomainStand | undefined> => {
    const found = await store.find(DomainKind, refOf(ref));
    if (!found) return undefined;
    const verdict = judge(found, now());
    const before = found.status?.state;
    const outcome = verdict.state === 'Verified' && before !== 'Verified' ? await proven(ref) : verdict;
    if (outcome.state === 'Failed' && before === 'Verified')
      await changeClaims(store, familyFor(ref.domain), (claims) => ({
        claims: lapse(claims, { host: ref.domain, org: ref.org }),
      }));
    await store.updateStatus(DomainKind, refOf(ref), (current) => settled(current, outcome, now()));
    return standOf(found, outcome);
  };

  /** Whoever proves a name first has it: the unproven claims of others that stood in the way end here. */
  const proven = async ({ org, domain }: DomainRef): Promise<DomainVerdict> => {
    const outcome = await changeClaims(store, familyFor(domain), (claims) =>
      prove(claims, { host: domain, org, at: now() }),
    );
    if ('refused' in outcome) return { state: 'Failed', message: takenBy(outcome.refused, domain).message };
    for (const rival of outcome.outdone) {
      await releaseAddresses({ org: rival.org, domain: rival.host });
      await store
        .updateStatus(
          DomainKind,
          refOf({ org: rival.org, domain: rival.host }),
          ({ status }) => status && { ...status, state: 'Failed' as const, message: outdone(domain) },
        )
        .catch(unlessGone);
    }
    return { state: 'Verified' };
  };

  const addressClaims = async ({ org, domain }: DomainRef) => {
    const { items } = await store.list(ConfigMapKind, { namespace: systemNamespace, labels: addressLabels(domain) });
    return items.filter(({ data }) => data?.['domain'] === domain && data['domainOrg'] === org);
  };
  const releaseAddresses = async (ref: DomainRef): Promise<void> => {
    for (const { metadata } of await addressClaims(ref)) await store.delete(ConfigMapKind, metadata).catch(unlessGone);
  };

  const check = async (ref: DomainRef): Promise<DomainStand | undefined> => {
    const found = await store.find(DomainKind, refOf(ref));
    if (!found) return undefined;
    await writeChecks(deps, found, await inspect(deps, found, { thorough: true }));
    return await settle(ref);
  };

  return {
    /** Takes a name for an org, with a token of its own, or says what stands in the way. */
    claimDomain: async ({ kind, shared, ...ref }: NewDomain): Promise<DomainStand> => {
      let found = await store.find(DomainKind, refOf(ref));
      if (!found) {
        if (kind === 'managed') await refuseUnlessFree(ref.domain);
        const outcome = await changeClaims(store, familyFor(ref.domain), (claims) =>
          claim(claims, { host: ref.domain, org: ref.org, at: now() }),
        );
        if ('refused' in outcome) throw takenBy(outcome.refused, ref.domain);
        found = await createOrGet(store, DomainKind, {
          metadata: { ...refOf(ref), labels: { [shardLabel]: String(await nextShard()) } },
          spec: { name: ref.domain, kind, shared, token: randomBytes(20).toString('hex') },
        });
      }
      if (kind === 'managed') await ensureManagedRecords(store, found, domains);
      const verdict = judge(found, now());
      await store.updateStatus(DomainKind, refOf(ref), (current) => current.status ?? settled(current, verdict, now()));
      return standOf(found, verdict);
    },

    /** Judges what was last seen of a domain; undefined once there is none. */
    settleDomain: settle,

    /** Asks DNS now, at every server of the zone. */
    checkDomain: check,

    /** Looks until the records of a managed domain are there, or it is clear that this will take longer. */
    awaitManagedDomain: async ({ withinMs, everyMs, ...ref }: DomainRef & { withinMs: number; everyMs: number }) => {
      const { cancellationSignal: signal } = Context.current();
      for (const giveUpAt = Date.now() + withinMs; ; await sleep(everyMs, undefined, { signal })) {
        const stand = await check(ref);
        if (stand?.state !== 'WaitingForDns' || Date.now() >= giveUpAt) return stand;
      }
    },

    /** From here on nothing can begin to use the domain; refused while a zone has an address under it. */
    beginDomainRemoval: async (ref: DomainRef): Promise<void> => {
      const mark = async (removal: string | undefined): Promise<void> => {
        await store.updateStatus(DomainKind, refOf(ref), ({ status }) => {
          const { removal: _, ...rest } = status ?? { state: 'WaitingForDns' as const, claimedAt: now().toISOString() };
          return removal === undefined ? rest : { ...rest, removal };
        });
      };
      await mark('it is being removed');
      const [used] = await addressClaims(ref);
      if (!used) return;
      await mark(undefined);
      const { product = '', zone = '', host = '' } = used.data ?? {};
      throw new ServiceError(
        'conflict',
        `The domain "${ref.domain}" is in use: the zone "${zone}" of Product "${product}" has the address ${host}. Take the address off the zone first.`,
      );
    },

    /** Takes away what the service made; records at somebody else's DNS provider stay. */
    forgetDomain: async ({ org, domain }: DomainRef): Promise<void> => {
      const found = await store.find(DomainKind, refOf({ org, domain }));
      if (found?.spec.kind === 'managed') await removeManagedRecords(store, domain);
      if (found) await store.delete(DomainKind, refOf({ org, domain })).catch(unlessGone);
      await changeClaims(store, familyFor(domain), (claims) => ({ claims: leave(claims, { host: domain, org }) }));
    },

    /** Asks for all domains of one shard, a round at a time, for as many rounds. */
    sweepDomains: async (input: Sweep): Promise<void> => await sweep(deps, input, Context.current().cancellationSignal),
  };

  async function refuseUnlessFree(name: string): Promise<void> {
    const free = await isFree(dns, name);
    if (free === true) return;
    const why =
      free === 'unknown'
        ? 'it could not be asked whether it has DNS records. Try again soon'
        : 'it has a DNS record already, which the service did not make. Choose another name';
    throw new ServiceError('conflict', `The domain "${name}" cannot be claimed: ${why}.`);
  }

  async function nextShard(): Promise<number> {
    const { items } = await store.list(DomainKind);
    return Math.floor(items.length / domainsPerShard);
  }
}

function judge({ spec, status, metadata }: Domain, at: Date): DomainVerdict {
  return judgeDomain(
    {
      kind: spec.kind === 'managed' ? 'managed' : 'external',
      state: status?.state ?? 'WaitingForDns',
      ownership: status?.checks?.ownership.verdict,
      authoritative: status?.checks?.ownership.authoritative ?? false,
      claimedAt: status?.claimedAt ?? metadata.creationTimestamp,
      absentSince: status?.absentSince,
    },
    at,
  );
}

function settled({ status, metadata }: Domain, { state, message, absentSince }: DomainVerdict, at: Date): DomainStatus {
  const { message: _, absentSince: __, ...rest } = status ?? {};
  return {
    claimedAt: metadata.creationTimestamp,
    ...rest,
    state,
    ...(message !== undefined && { message }),
    ...(absentSince !== undefined && { absentSince }),
    ...(state === 'Verified' && status?.state !== 'Verified' && { verifiedAt: at.toISOString() }),
  };
}

const standOf = ({ spec, metadata }: Domain, { state, termAt }: DomainVerdict): DomainStand => ({
  state,
  kind: spec.kind === 'managed' ? 'managed' : 'external',
  shard: Number(metadata.labels?.[shardLabel] ?? 0),
  ...(termAt !== undefined && { termAt }),
});

const outdone = (domain: string): string =>
  `Another org has proven that ${domain} is its own. If that is wrong, ask a platform admin.`;
