import { describe, expect, it } from 'vitest';
import { createSignInThrottle } from '../../../api/auth/sign-in-throttle.ts';
import {
  accountLimit,
  addressLimit,
  deviceLimit,
  providerLimit,
  signInWindowMs,
} from '../../../src/rules/access/sign-in-throttle.ts';

const jo = { account: 'jo', address: '192.0.2.1' };

function failAttempts(count: number) {
  const throttle = createSignInThrottle();
  for (let attempt = 0; attempt < count; attempt += 1) throttle.countAttempt(jo, attempt);
  return throttle;
}

describe('attempts at one account', () => {
  it('are limited per address, so that the owner can sign in from another one', () => {
    const throttle = failAttempts(accountLimit.attemptsMax);
    expect(() => throttle.countAttempt(jo, 100)).toThrow('sign in to this account');
    expect(() => throttle.countAttempt({ ...jo, address: '192.0.2.2' }, 100)).not.toThrow();
    expect(() => throttle.countAttempt({ ...jo, account: 'ada' }, 100)).not.toThrow();
  });

  it('are forgotten after a reset', () => {
    const throttle = failAttempts(accountLimit.attemptsMax);
    throttle.reset(jo);
    expect(() => throttle.countAttempt(jo, 100)).not.toThrow();
  });
});

describe('responses of an identity provider', () => {
  it('are limited per address, except those that were verified', () => {
    const throttle = createSignInThrottle();
    for (let response = 0; response < 2 * providerLimit.attemptsMax; response += 1) {
      throttle.countProviderSignIn(jo.address, response);
      throttle.forgetProviderSignIn(jo.address);
    }
    for (let response = 0; response < providerLimit.attemptsMax; response += 1)
      throttle.countProviderSignIn(jo.address, response);
    expect(() => throttle.countProviderSignIn(jo.address, 100)).toThrow('sign in from this address');
    expect(() => throttle.countProviderSignIn('192.0.2.2', 100)).not.toThrow();
    expect(() => throttle.countAttempt(jo, 100)).not.toThrow();
  });
});

describe('tools that start to sign in', () => {
  it('are limited per address, and do not keep its people from signing in', () => {
    const throttle = createSignInThrottle();
    for (let tool = 0; tool < deviceLimit.attemptsMax; tool += 1) throttle.countDevice(jo.address, tool);
    expect(() => throttle.countDevice(jo.address, 100)).toThrow('sign in a tool from this address');
    expect(() => throttle.countDevice('192.0.2.2', 100)).not.toThrow();
    expect(() => throttle.countAttempt(jo, 100)).not.toThrow();
  });
});

describe('a flood of made-up accounts', () => {
  const flood = (throttle: ReturnType<typeof createSignInThrottle>, count: number): void => {
    for (let at = 0; at < count; at += 1) throttle.countAttempt({ account: `made-up-${at}`, address: `${at}` }, at);
  };

  it('displaces the attempts that are the longest ago, and no others', () => {
    const throttle = failAttempts(accountLimit.attemptsMax);
    flood(throttle, 9_999);
    expect(() => throttle.countAttempt(jo, 100)).toThrow('sign in to this account');
    throttle.countAttempt({ account: 'one-more', address: '192.0.2.9' }, 100);
    expect(() => throttle.countAttempt(jo, 100)).not.toThrow();
    const renewed = createSignInThrottle();
    renewed.countAttempt(jo, 0);
    flood(renewed, 9_998);
    for (let attempt = 1; attempt < accountLimit.attemptsMax; attempt += 1) renewed.countAttempt(jo, attempt);
    renewed.countAttempt({ account: 'one-more', address: '192.0.2.9' }, 100);
    renewed.countAttempt({ account: 'two-more', address: '192.0.2.9' }, 100);
    expect(() => renewed.countAttempt(jo, 100)).toThrow('sign in to this account');
  });
});

describe('attempts from one address', () => {
  const tryAccounts = (throttle: ReturnType<typeof createSignInThrottle>, count: number): void => {
    for (let attempt = 0; attempt < count; attempt += 1)
      throttle.countAttempt({ ...jo, account: `person-${attempt}` }, attempt);
  };

  it('are limited over all accounts, until the window is over', () => {
    const throttle = createSignInThrottle();
    expect(() => tryAccounts(throttle, 30)).toThrow('sign in from this address');
    expect(() => throttle.countAttempt({ account: 'jo', address: '192.0.2.2' }, 100)).not.toThrow();
    expect(() => throttle.countAttempt(jo, signInWindowMs + addressLimit.attemptsMax)).not.toThrow();
  });

  it('are not reset by a caller who signs in to an account of their own', () => {
    const throttle = createSignInThrottle();
    tryAccounts(throttle, addressLimit.attemptsMax - 1);
    throttle.countAttempt(jo, 50);
    throttle.reset(jo);
    throttle.countAttempt(jo, 51);
    expect(() => throttle.countAttempt({ ...jo, account: 'victim' }, 52)).toThrow('sign in from this address');
  });
});
