import { expect, it } from 'vitest';
import { findPreviousRelease } from '../../../src/rules/releases/find-previous-release.ts';
import type { Release } from '../../../src/rules/releases/kinds.ts';

const createRelease = (version: string, at: string, { repo = 'acme/shop', digest = 'sha256:1' } = {}): Release =>
  ({
    metadata: { name: `shop-${version}`, creationTimestamp: at },
    spec: { product: 'shop', repo, commit: version, version, startedBy: 'jo' },
    status: { phase: 'Succeeded', zones: [], ...(digest !== '' && { digest }) },
  }) as unknown as Release;

const [noon, later] = ['2026-01-01T12:00:00Z', '2026-01-01T13:00:00Z'];

it('is the newest older Release of the repo that was built', () => {
  const release = createRelease('v1.0.0', later);
  const expected = createRelease('v0.9.0', noon);
  const others = [
    createRelease('v0.1.0', '2026-01-01T11:00:00Z'),
    expected,
    createRelease('v0.9.1', noon, { digest: '' }),
    createRelease('v0.9.2', noon, { repo: 'acme/till' }),
    release,
    createRelease('v2.0.0', '2026-01-01T14:00:00Z'),
  ];
  expect(findPreviousRelease(release, others)).toBe(expected);
  expect(findPreviousRelease(others[0]!, others)).toBeUndefined();
});

it('is the one of the version before when both were created in the same second', () => {
  const releases = ['v1.9.0', 'v1.10.0', 'v1.11.0'].map((version) => createRelease(version, noon));
  expect(findPreviousRelease(releases[1]!, releases)).toBe(releases[0]);
});
