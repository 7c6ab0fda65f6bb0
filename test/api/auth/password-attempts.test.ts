import { describe, expect, it } from 'vitest';
import { createPasswordAttempts, type SignInAttempt } from '../../../api/auth/password-attempts.ts';
import { ConfigMapKind } from '../../../src/kinds/kubernetes.ts';
import { accountLimit, addressLimit, signInWindowMs } from '../../../src/rules/access/sign-in-throttle.ts';
import { signInAttemptLabels } from '../../../src/rules/expiry.ts';
import { openTestStore } from '../../support/open-test-store.ts';

const jo = { account: 'jo', address: '192.0.2.1' };

function startReplicas() {
  const store = openTestStore();
  const replicas = [createPasswordAttempts(store), createPasswordAttempts(store)] as const;
  const fail = async (count: number, toAttempt: (index: number) => SignInAttempt): Promise<void> => {
    for (let attempt = 0; attempt < count; attempt += 1)
      await (replicas[attempt % 2] ?? replicas[0]).count(toAttempt(attempt), attempt);
  };
  const [attempts] = replicas;
  const listObjects = async () => (await store.list(ConfigMapKind, { labels: signInAttemptLabels })).items;
  return { attempts, replicas, fail, listObjects };
}

describe('attempts at one account', () => {
  it('are limited per address over all replicas, so that the owner can sign in from another one', async () => {
    const { replicas, attempts, fail } = startReplicas();
    await fail(accountLimit.attemptsMax, () => jo);
    for (const replica of replicas) await expect(replica.count(jo, 100)).rejects.toThrow('sign in to this account');
    await attempts.count({ ...jo, address: '192.0.2.2' }, 100);
    await attempts.count({ ...jo, account: 'ada' }, 100);
  });

  it('are limited when they arrive at the same time', async () => {
    const { replicas } = startReplicas();
    const tries = Array.from({ length: 15 }).flatMap(() => replicas.map(async (replica) => await replica.count(jo, 1)));
    const results = await Promise.allSettled(tries);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(accountLimit.attemptsMax);
  });

  it('are forgotten after a reset', async () => {
    const { replicas, fail } = startReplicas();
    await fail(accountLimit.attemptsMax, () => jo);
    await replicas[0].reset(jo, 50);
    await expect(replicas[1].count(jo, 100)).resolves.toBeUndefined();
  });
});

describe('attempts from one address', () => {
  const toPerson = (index: number): SignInAttempt => ({ ...jo, account: `person-${index}` });

  it('are limited over all accounts, until the window is over', async () => {
    const { attempts, fail } = startReplicas();
    await fail(addressLimit.attemptsMax, toPerson);
    await expect(attempts.count(jo, 100)).rejects.toThrow('sign in from this address');
    await attempts.count({ account: 'jo', address: '192.0.2.2' }, 100);
    await expect(attempts.count(jo, signInWindowMs - 1)).rejects.toThrow('sign in from this address');
    await attempts.count(jo, signInWindowMs);
  });

  it('are not reset by a caller who signs in to an account of their own', async () => {
    const { attempts, fail } = startReplicas();
    await fail(addressLimit.attemptsMax - 1, toPerson);
    await attempts.count(jo, 50);
    await attempts.reset(jo, 50);
    await attempts.count(jo, 51);
    await expect(attempts.count({ ...jo, account: 'victim' }, 52)).rejects.toThrow('sign in from this address');
  });

  it('are in a bounded number of objects, which name no account and no address', async () => {
    const { fail, listObjects } = startReplicas();
    await fail(600, (index) => ({ account: `person-${index}`, address: `198.51.100.${index}` }));
    const objects = await listObjects();
    expect(objects.length).toBeGreaterThan(200);
    expect(objects.length).toBeLessThanOrEqual(256);
    expect(JSON.stringify(objects)).not.toMatch(/person|198\.51/);
  });
});
