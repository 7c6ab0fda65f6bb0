import { Context } from '@temporalio/activity';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { ignoreNotFound, ServiceError } from '../../src/errors.ts';
import {
  addClaim,
  type DomainClaim,
  expireClaim,
  findVerifiedRival,
  releaseClaim,
  verifyClaim,
} from '../../src/rules/domains/domain-claims.ts';
import { hostsOverlap } from '../../src/rules/domains/host-name.ts';
import type { DomainVerdict } from '../../src/rules/domains/judge-domain.ts';
import { acceptedGenerationAnnotation, isCreatedByService } from '../../src/rules/conditions.ts';
import { type Domain, DomainKind, type DomainStatus, sweepShardLabel } from '../../src/rules/domains/kinds.ts';
import { registrableDomain } from '../../src/rules/domains/registrable-domain.ts';
import { domainsPerShard } from '../../src/rules/domains/sweep-buckets.ts';
import { orgNamespace } from '../../src/rules/resource.ts';
import { listAddressReservations } from '../../src/store/address-reservations.ts';
import { readDomainSettings } from '../../src/store/installation.ts';
import { assertNoActiveRestore } from '../assert-no-active-restore.ts';
import { getOrCreate } from '../get-or-create.ts';
import { domainTakenError, isClaimedByOthers, readClaims, updateDomainClaims } from './update-domain-claims.ts';
import { type DomainSnapshot, judgeCurrentState, toDomainStatus, toSnapshot } from './domain-status.ts';
import { inspectDomain, isDnsNameFree } from './inspect-domain.ts';
import { ensureManagedRecords, removeManagedRecords } from './managed-records.ts';
import { type DomainRef, recordChecks, type SweepDeps, type SweepDomainsInput, sweepShard } from './sweep-shard.ts';

export type DomainDeps = SweepDeps & {
  /** Applies the current state of a domain to the zones that have addresses under it. */
  applyDomainState: (ref: DomainRef) => Promise<void>;
};
export type { DomainSnapshot } from './domain-status.ts';
export type ClaimDomainInput = DomainRef & { kind: 'managed' | 'external'; shared: boolean };
type WaitForManagedDomainInput = DomainRef & { timeoutMs: number; intervalMs: number };

/** Far longer than an org takes to claim a name, so that a claim without its Domain was left by a deletion or a failure. */
const claimingMs = 10 * 60_000;

export function createDomainActivities(deps: DomainDeps) {
  const { store, dns, now } = deps;
  const toRef = ({ org, domain }: DomainRef) => ({ namespace: orgNamespace(org), name: domain });
  const registrableDomainFor = async (domain: string): Promise<string> =>
    registrableDomain(domain, await readDomainSettings(store, deps.domains));

  /** Returns undefined when the domain does not exist. */
  const refreshState = async (ref: DomainRef): Promise<DomainSnapshot | undefined> => {
    await assertNoActiveRestore(store);
    const domain = await store.find(DomainKind, toRef(ref));
    if (!domain || !isCreatedByService(domain)) return undefined;
    const verdict = judgeCurrentState(domain, now());
    const before = domain.status?.state;
    const isProven = verdict.state === 'Verified' && before !== 'Verified';
    const outcome = isProven ? await recordVerification(ref) : await withDisplacement(ref, verdict);
    if (outcome.state === 'Failed' && before === 'Verified')
      await updateDomainClaims(store, await registrableDomainFor(ref.domain), (claims) => ({
        claims: expireClaim(claims, { host: ref.domain, org: ref.org }),
      }));
    const recorded = await store
      .updateStatus(DomainKind, toRef(ref), (current) => toDomainStatus(current, outcome, now()))
      .catch(ignoreNotFound);
    if (!recorded) return undefined;
    if (outcome.state !== 'Failed') await requestMissingRecords(ref, domain);
    await deps.applyDomainState(ref);
    return toSnapshot(domain, outcome);
  };

  /** The records may be those of another ingress, or have been deleted with those of another org's claim. */
  const requestMissingRecords = async (ref: DomainRef, { spec, status }: Domain): Promise<void> => {
    if (spec.kind !== 'managed' || status?.checks?.ownership.verdict === 'verified') return;
    await ensureManagedRecords(store, { spec }, deps.domains);
    // A removal at the same time may have looked for the records before.
    if (!(await store.find(DomainKind, toRef(ref)))) await removeRecords(ref);
  };

  /** The records serve every org that claims the name: one that lost it must not take them from the next. */
  const removeRecords = async ({ org, domain: host }: DomainRef): Promise<void> => {
    const isShared = await isClaimedByOthers(store, await registrableDomainFor(host), { host, org });
    if (!isShared) await removeManagedRecords(store, host);
  };

  /**
   * Ends the claims to a name whose Domain was deleted with kubectl: they would keep the name from everyone, and its hosts
   * and records would stay with the zones of their org.
   */
  const endLeftClaims = async (domain: string): Promise<void> => {
    const registrable = await registrableDomainFor(domain);
    for (const claim of await readClaims(store, registrable)) {
      const ref = { org: claim.org, domain: claim.host };
      if (!hostsOverlap(claim.host, domain) || isBeingClaimed(claim, now())) continue;
      if (await store.find(DomainKind, toRef(ref))) continue;
      await deps.applyDomainState(ref);
      await removeRecords(ref);
      await updateDomainClaims(store, registrable, (claims) => ({
        claims: claims.filter((held) => !isDeepStrictEqual(held, claim)),
      }));
    }
  };

  /** The first org that verifies a name gets it; unverified claims of other orgs that overlap with it end. */
  const recordVerification = async ({ org, domain }: DomainRef): Promise<DomainVerdict> => {
    const registrable = await registrableDomainFor(domain);
    await endLeftClaims(domain);
    const outcome = await updateDomainClaims(store, registrable, (claims) =>
      verifyClaim(claims, { host: domain, org, at: now() }),
    );
    if ('conflict' in outcome) return { state: 'Failed', message: domainTakenError(outcome.conflict, domain).message };
    for (const rival of outcome.displaced) {
      const rivalRef = { org: rival.org, domain: rival.host };
      await store
        .updateStatus(
          DomainKind,
          toRef(rivalRef),
          ({ status }) => status && { ...status, state: 'Failed' as const, message: displacedMessage(domain) },
        )
        .catch(ignoreNotFound);
      await deps.applyDomainState(rivalRef);
      // A repetition after an interruption finds the claims of the orgs that do not know of it yet.
      await updateDomainClaims(store, registrable, (claims) => ({ claims: releaseClaim(claims, rival) }));
    }
    return { state: 'Verified' };
  };

  /** Another org may have verified the name since: without its own record, that is why the domain does not work. */
  const withDisplacement = async ({ org, domain }: DomainRef, verdict: DomainVerdict): Promise<DomainVerdict> => {
    if (verdict.state === 'Verified') return verdict;
    const claims = await readClaims(store, await registrableDomainFor(domain));
    const rival = findVerifiedRival(claims, { host: domain, org });
    return rival ? { state: 'Failed', message: displacedMessage(rival.host) } : verdict;
  };

  const checkNow = async (ref: DomainRef): Promise<DomainSnapshot | undefined> => {
    await assertNoActiveRestore(store);
    const domain = await store.find(DomainKind, toRef(ref));
    if (!domain || !isCreatedByService(domain)) return undefined;
    await recordChecks(deps, domain, await inspectDomain(deps, domain, { allServers: true }));
    return await refreshState(ref);
  };

  return {
    /** Claims a name for an org and creates its Domain with a challenge token. */
    claimDomain: async ({ kind, shared, ...ref }: ClaimDomainInput): Promise<DomainSnapshot> => {
      await assertNoActiveRestore(store);
      let domain = await store.find(DomainKind, toRef(ref));
      if (!domain) {
        await endLeftClaims(ref.domain);
        if (kind === 'managed') await assertNameFree(ref.domain);
        const outcome = await updateDomainClaims(store, await registrableDomainFor(ref.domain), (claims) =>
          addClaim(claims, { host: ref.domain, org: ref.org, at: now() }),
        );
        if ('conflict' in outcome) throw domainTakenError(outcome.conflict, ref.domain);
        domain = await getOrCreate(store, DomainKind, {
          metadata: {
            ...toRef(ref),
            labels: { [sweepShardLabel]: String(await pickShard()) },
            annotations: { [acceptedGenerationAnnotation]: '1' },
          },
          spec: { name: ref.domain, kind, shared, token: randomBytes(20).toString('hex') },
        });
      }
      // Its token may be one that another org has published.
      if (!isCreatedByService(domain))
        throw new ServiceError(
          'already-exists',
          `A Domain "${ref.domain}" exists that the service did not create. Delete it with kubectl, and claim the domain again.`,
        );
      if (kind === 'managed') await ensureManagedRecords(store, domain, deps.domains);
      const verdict = judgeCurrentState(domain, now());
      await store.updateStatus(
        DomainKind,
        toRef(ref),
        (current) => current.status ?? toDomainStatus(current, verdict, now()),
      );
      return toSnapshot(domain, verdict);
    },

    /** Judges the last recorded checks of a domain, without new DNS queries. */
    refreshDomainState: refreshState,

    /** Queries all servers of the DNS zone and judges the answers. */
    checkDomain: checkNow,

    /** Checks a managed domain until its records exist, or the timeout has passed. */
    waitForManagedDomain: async ({ timeoutMs, intervalMs, ...ref }: WaitForManagedDomainInput) => {
      const { cancellationSignal: signal } = Context.current();
      for (const deadline = Date.now() + timeoutMs; ; await sleep(intervalMs, undefined, { signal })) {
        const snapshot = await checkNow(ref);
        if (snapshot?.state !== 'WaitingForDns' || Date.now() >= deadline) return snapshot;
      }
    },

    /**
     * Keeps zones from starting to use the domain; fails while a zone has an address under it. A repeated workflow task
     * may find the domain already deleted.
     */
    beginDomainRemoval: async (ref: DomainRef): Promise<void> => {
      await assertNoActiveRestore(store);
      if (!(await store.find(DomainKind, toRef(ref)))) return;
      const setRemovalMessage = async (removalMessage: string | undefined): Promise<void> => {
        await store.updateStatus(DomainKind, toRef(ref), ({ status }) => {
          const initial: DomainStatus = { state: 'WaitingForDns', claimedAt: now().toISOString() };
          const { removalMessage: _, ...rest } = status ?? initial;
          return removalMessage === undefined ? rest : { ...rest, removalMessage };
        });
      };
      await setRemovalMessage('it is being removed');
      const reservations = await listAddressReservations(store, ref.domain);
      const reservation = reservations.find(({ data }) => data?.['domainOrg'] === ref.org);
      if (!reservation) return;
      await setRemovalMessage(undefined);
      const { product = '', zone = '', host = '' } = reservation.data ?? {};
      throw new ServiceError(
        'domain-in-use',
        `The domain "${ref.domain}" is in use: the zone "${zone}" of Product "${product}" has the address ${host}. Remove the address from the zone first.`,
      );
    },

    /** Deletes the Domain, its claim and its managed records; records at an external DNS provider stay. */
    deleteDomainResources: async ({ org, domain: name }: DomainRef): Promise<void> => {
      await assertNoActiveRestore(store);
      const ref = toRef({ org, domain: name });
      const domain = await store.find(DomainKind, ref);
      if (domain?.spec.kind === 'managed') await removeRecords({ org, domain: name });
      if (domain) await store.delete(DomainKind, ref).catch(ignoreNotFound);
      await updateDomainClaims(store, await registrableDomainFor(name), (claims) => ({
        claims: releaseClaim(claims, { host: name, org }),
      }));
    },

    /** Checks all due domains of one shard, round after round. */
    sweepDomains: async (input: SweepDomainsInput): Promise<void> =>
      await sweepShard(deps, input, Context.current().cancellationSignal),
  };

  async function assertNameFree(name: string): Promise<void> {
    const free = await isDnsNameFree(dns, name);
    if (free === true) return;
    const message = `The domain "${name}" cannot be claimed:`;
    throw free === 'unknown'
      ? new ServiceError('dns-lookup-failed', `${message} the lookup of its DNS records failed. Try again later.`)
      : new ServiceError(
          'dns-record-exists',
          `${message} it has a DNS record that the service did not create. Choose another name.`,
        );
  }

  async function pickShard(): Promise<number> {
    const { items } = await store.list(DomainKind);
    return Math.floor(items.length / domainsPerShard);
  }
}

/** A claim is made before its Domain. */
const isBeingClaimed = ({ verified, claimedAt }: DomainClaim, at: Date): boolean =>
  !verified && at.getTime() - Date.parse(claimedAt) < claimingMs;

const displacedMessage = (domain: string): string =>
  `Another org has verified the domain ${domain}. If that is wrong, ask a platform admin.`;
