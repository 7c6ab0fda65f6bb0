import { describe, expect, it } from 'vitest';
import {
  isAllowedInside,
  parseInsideDestination,
  toInsideDestination,
} from '../../../src/rules/network/allowed-inside.ts';

describe('parseInsideDestination', () => {
  it.each([
    ['registry.internal', { host: 'registry.internal', port: undefined }],
    ['Registry.internal:4873', { host: 'registry.internal', port: 4873 }],
    ['10.0.0.5:443', { host: '10.0.0.5', port: 443 }],
    ['[fd00::5]:443', { host: 'fd00::5', port: 443 }],
    ['fd00::5', { host: 'fd00::5', port: undefined }],
    ['FD00:0:0:0::5', { host: 'fd00::5', port: undefined }],
    ['[fd00:0::0:5]:443', { host: 'fd00::5', port: 443 }],
    ['10.0.0.0/8', { range: '10.0.0.0/8' }],
    ['fd00::/8', { range: 'fd00::/8' }],
  ])('reads %s', (text, expected) => {
    expect(parseInsideDestination(text)).toEqual(expected);
  });

  it.each(['', 'http://registry.internal', 'host:99999', '10.0.0.0/99', 'a b', 'host:', '*.internal', '[host]:1'])(
    'rejects %j',
    (text) => {
      expect(parseInsideDestination(text)).toBeUndefined();
    },
  );
});

describe('isAllowedInside', () => {
  const listed = 'registry.internal:4873 models.internal 10.1.0.0/16 [fd00::5]:443 ::ffff:10.3.0.0/112 ::ffff:10.4.0.1';
  const allowed = listed.split(' ').flatMap((text) => parseInsideDestination(text) ?? []);
  const isAllowed = (host: string, port: number, address: string) => isAllowedInside(allowed, { host, port, address });

  it.each([
    ['registry.internal', 4873, '10.9.9.9'],
    ['REGISTRY.internal', 4873, '203.0.113.80'],
    ['models.internal', 11434, '127.0.0.1'],
    ['anything', 80, '10.1.2.3'],
    ['anything', 80, '::ffff:10.1.2.3'],
    ['anything', 80, '10.3.4.5'],
    ['anything', 80, '::ffff:10.3.4.5'],
    ['10.4.0.1', 80, '10.4.0.1'],
    ['[::ffff:a04:1]', 80, '10.4.0.1'],
    ['[fd00::5]', 443, 'fd00::5'],
    ['[FD00:0:0::5]', 443, 'fd00::5'],
  ])('allows %s:%i at %s', (host, port, address) => {
    expect(isAllowed(host, port, address)).toBe(true);
  });

  it.each([
    ['registry.internal', 443, '10.9.9.9'],
    ['evil.registry.internal', 4873, '10.9.9.9'],
    ['anything', 80, '10.2.0.1'],
    ['anything', 80, '10.4.0.1'],
    ['[fd00::5]', 80, 'fd00::5'],
    // A listed name may not lead to the metadata service of a cloud.
    ['models.internal', 80, '169.254.169.254'],
  ])('refuses %s:%i at %s', (host, port, address) => {
    expect(isAllowed(host, port, address)).toBe(false);
  });
});

describe('toInsideDestination', () => {
  it('allows the host and the port of a URL, and no other', () => {
    const allowed = [toInsideDestination('http://localhost:3000/api/v3'), toInsideDestination('https://[fd00::5]')];
    const isAllowed = (host: string, port: number, address: string) =>
      isAllowedInside(allowed, { host, port, address });
    expect(isAllowed('localhost', 3000, '127.0.0.1')).toBe(true);
    expect(isAllowed('localhost', 3001, '127.0.0.1')).toBe(false);
    expect(isAllowed('other', 3000, '127.0.0.1')).toBe(false);
    expect(isAllowed('[fd00::5]', 443, 'fd00::5')).toBe(true);
    const mapped = [toInsideDestination('http://[::ffff:10.0.0.1]:3000')];
    for (const host of ['10.0.0.1', '[::ffff:a00:1]'])
      expect(isAllowedInside(mapped, { host, port: 3000, address: '10.0.0.1' })).toBe(true);
  });
});
