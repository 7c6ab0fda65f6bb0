import { expect, it } from 'vitest';
import { createSignInThrottle } from '../../../api/auth/sign-in-throttle.ts';
import { deviceLimit, providerLimit } from '../../../src/rules/access/sign-in-throttle.ts';

const address = '192.0.2.1';

it('limits the responses of an identity provider per address, except those that were verified', () => {
  const throttle = createSignInThrottle();
  for (let response = 0; response < 2 * providerLimit.attemptsMax; response += 1) {
    throttle.countProviderSignIn(address, response);
    throttle.forgetProviderSignIn(address);
  }
  for (let response = 0; response < providerLimit.attemptsMax; response += 1)
    throttle.countProviderSignIn(address, response);
  expect(() => throttle.countProviderSignIn(address, 100)).toThrow('sign in from this address');
  expect(() => throttle.countProviderSignIn('192.0.2.2', 100)).not.toThrow();
  expect(() => throttle.countDevice(address, 100)).not.toThrow();
});

it('limits the tools that start to sign in per address', () => {
  const throttle = createSignInThrottle();
  for (let tool = 0; tool < deviceLimit.attemptsMax; tool += 1) throttle.countDevice(address, tool);
  expect(() => throttle.countDevice(address, 100)).toThrow('sign in a tool from this address');
  expect(() => throttle.countDevice('192.0.2.2', 100)).not.toThrow();
  expect(() => throttle.countProviderSignIn(address, 100)).not.toThrow();
});

it('forgets the address that has been away the longest when there are too many', () => {
  const throttle = createSignInThrottle();
  const reachLimit = (from: string, at: number): void => {
    for (let tool = 0; tool < deviceLimit.attemptsMax; tool += 1) throttle.countDevice(from, at);
  };
  reachLimit(address, 0);
  reachLimit('192.0.2.2', 1);
  for (let other = 0; other < 9_998; other += 1) throttle.countDevice(`${other}`, 2);
  expect(() => throttle.countDevice(address, 3)).toThrow('sign in a tool from this address');
  throttle.countDevice('one more', 3);
  expect(() => throttle.countDevice(address, 4)).not.toThrow();
});
