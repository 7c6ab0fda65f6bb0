import { expect, it } from 'vitest';
import { toOpenZone } from '../../../src/rules/backups/to-open-zone.ts';
import type { Product } from '../../../src/rules/products/kinds.ts';
import type { Promotion, PromotionSpec, PromotionStatus } from '../../../src/rules/promotions/kinds.ts';
import type { Release } from '../../../src/rules/releases/kinds.ts';

const at = '2026-01-01T00:00:00.000Z';
const freeze = { reason: 'Holidays', by: 'ada@example.com', since: at };
const hold = { version: 'v0.1.0', newestVersion: 'v0.2.0', by: 'ada@example.com', since: at };

const promotion = (version: string, status: Partial<PromotionStatus>, spec: Partial<PromotionSpec> = {}) =>
  ({
    metadata: { name: `hello-${version}-hello-prod-1a2b3c4d` },
    spec: {
      product: 'hello',
      zone: 'hello-prod',
      release: `hello-${version}`,
      version,
      commit: 'abc',
      trigger: 'release',
      startedBy: 'ada@example.com',
      ...spec,
    },
    status: { phase: 'Verified', phases: [], ...status },
  }) as Promotion;

const release = (version: string) =>
  ({ metadata: { name: `hello-${version}` }, status: { digest: `sha256:${version}` } }) as Release;

const product = (zone: object = {}) =>
  ({ metadata: { name: 'hello' }, status: { zones: [{ name: 'hello-prod', ...zone }] } }) as unknown as Product;

const releases = ['v0.1.0', 'v0.2.0', 'v0.10.0'].map(release);
const rebuild = (zone: object, promotions: Promotion[]) =>
  toOpenZone(product(zone), 'hello-prod', { promotions, releases });

it('queues the promotions that have not ended, with the attempts that they are', () => {
  const open = rebuild({}, [
    promotion('v0.1.0', {}),
    promotion('v0.2.0', { phase: 'WaitingForApproval' }),
    promotion('v0.10.0', { phase: 'Deploying' }, { trigger: 'manual' }),
    promotion('v0.9.0', { phase: 'Promoting' }, { zone: 'hello-rc' }),
  ]);
  expect(open).toEqual({
    product: 'hello',
    zone: 'hello-prod',
    queue: [
      {
        release: 'hello-v0.2.0',
        version: 'v0.2.0',
        commit: 'abc',
        digest: 'sha256:v0.2.0',
        attempt: { id: '1a2b3c4d' },
      },
      {
        release: 'hello-v0.10.0',
        version: 'v0.10.0',
        commit: 'abc',
        digest: 'sha256:v0.10.0',
        attempt: { id: '1a2b3c4d', cause: { trigger: 'manual', by: 'ada@example.com' } },
      },
    ],
    newestVersion: 'v0.10.0',
  });
});

it('keeps an approval that was given', () => {
  const decision = { by: 'bob@example.com', role: 'member', outcome: 'approved', at } as const;
  const approved = rebuild({}, [promotion('v0.2.0', { phase: 'Promoting', decision })]);
  expect(approved.approvedRelease).toBe('hello-v0.2.0');
  expect(rebuild({}, [promotion('v0.2.0', { phase: 'Verified', decision })]).approvedRelease).toBeUndefined();
});

it('keeps a freeze, a hold, settings that are being applied and a removal', () => {
  const removal = { by: 'ada@example.com', since: at, message: 'x', remaining: [] };
  expect(rebuild({ freeze, hold, removal, settings: { generation: 3, phase: 'Applying', at } }, [])).toEqual({
    product: 'hello',
    zone: 'hello-prod',
    queue: [],
    freeze,
    hold,
    settingsGeneration: 3,
    removal: { by: 'ada@example.com' },
  });
  expect(rebuild({ settings: { generation: 3, phase: 'Applied', at } }, [])).not.toHaveProperty('settingsGeneration');
});
