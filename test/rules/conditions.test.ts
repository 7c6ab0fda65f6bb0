import { describe, expect, it } from 'vitest';
import {
  acceptedGenerationAnnotation,
  type Condition,
  applyingSinceAnnotation,
  isApplyingInterrupted,
  isBeingApplied,
  isCreatedByService,
  isReconciled,
  isRejected,
  withAcceptedCondition,
} from '../../src/rules/conditions.ts';
import { ProductKind } from '../../src/rules/products/kinds.ts';
import { buildResource } from './build-resource.ts';

const at = '2026-01-01T00:00:00.000Z';
const later = '2026-01-02T00:00:00.000Z';
const accept = withAcceptedCondition([], { rejection: undefined, generation: 1, at });
const reject = withAcceptedCondition([], { rejection: 'The name is taken.', generation: 1, at });

const withConditions = (conditions: Condition[] | undefined, accepted?: string) =>
  buildResource(ProductKind, {
    spec: { repos: [], delivery: { zones: [] } },
    metadata: {
      generation: 2,
      annotations: accepted === undefined ? {} : { [acceptedGenerationAnnotation]: accepted },
    },
    ...(conditions && { status: { conditions } }),
  });

describe('the condition Accepted', () => {
  it('is true for an accepted spec', () => {
    expect(accept).toEqual([
      {
        type: 'Accepted',
        status: 'True',
        reason: 'Accepted',
        message: 'The spec is valid and has been applied.',
        observedGeneration: 1,
        lastTransitionTime: at,
      },
    ]);
    expect(isRejected(withConditions(accept))).toBe(false);
  });

  it('is false with the reason of a rejection', () => {
    expect(reject).toMatchObject([{ status: 'False', reason: 'Rejected', message: 'The name is taken.' }]);
    expect(isRejected(withConditions(reject))).toBe(true);
  });

  it('is that of an earlier spec, when the current one is accepted', () => {
    expect(isRejected(withConditions(reject, '1'))).toBe(true);
    expect(isRejected(withConditions(reject, '2'))).toBe(false);
  });

  it('does not change for the same finding', () => {
    expect(withAcceptedCondition(accept, { rejection: undefined, generation: 1, at: later })).toBeUndefined();
  });

  it('keeps the transition time while the status stays the same', () => {
    const next = withAcceptedCondition(accept, { rejection: undefined, generation: 2, at: later });
    expect(next).toMatchObject([{ observedGeneration: 2, lastTransitionTime: at }]);
    const rejected = withAcceptedCondition(accept, { rejection: 'No.', generation: 2, at: later });
    expect(rejected).toMatchObject([{ lastTransitionTime: later }]);
  });

  it('keeps other conditions', () => {
    const [other] = accept ?? [];
    const conditions = other ? [{ ...other, type: 'Other' }] : [];
    expect(withAcceptedCondition(conditions, { rejection: undefined, generation: 1, at })).toHaveLength(2);
  });
});

it('a resource without conditions is not rejected', () => {
  expect(isRejected(withConditions(undefined))).toBe(false);
});

it.each([
  [undefined, false],
  ['2', false],
  ['3', true],
])('with the accepted generation %s, a resource of generation 3 is reconciled: %s', (accepted, expected) => {
  const annotations = accepted === undefined ? {} : { [acceptedGenerationAnnotation]: accepted };
  const spec = { repos: [], delivery: { zones: [] } };
  expect(isReconciled(buildResource(ProductKind, { spec, metadata: { generation: 3, annotations } }))).toBe(expected);
});

it('knows what the service created by its annotation', () => {
  const metadata = { annotations: { [acceptedGenerationAnnotation]: '1' } };
  expect(isCreatedByService({ metadata } as never)).toBe(true);
  expect(isCreatedByService({ metadata: { annotations: { other: '1' } } } as never)).toBe(false);
  expect(isCreatedByService({ metadata: {} } as never)).toBe(false);
});

it.each([
  [undefined, false, false],
  ['2026-01-01T23:59:01.000Z', true, false],
  ['2026-01-01T23:59:00.000Z', true, true],
  ['not a time', true, true],
])(
  'with the mark %s, a resource is being applied: %s, and that was interrupted: %s',
  (since, applying, interrupted) => {
    const annotations = since === undefined ? {} : { [applyingSinceAnnotation]: since };
    const object = buildResource(ProductKind, {
      spec: { repos: [], delivery: { zones: [] } },
      metadata: { annotations },
    });
    expect([isBeingApplied(object), isApplyingInterrupted(object, new Date(later))]).toEqual([applying, interrupted]);
  },
);
