import { expect, it } from 'vitest';
import { isReservedDomainLabel, isReservedLabel } from '../../../src/rules/domains/reserved-labels.ts';

it('reserves labels of the installation and lookalikes for zones and domains, and environments for domains only', () => {
  expect(['www', 'login', 'xn--80ak6aa92e', 'staging', 'shop'].map(isReservedLabel)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(['www', 'staging', 'shop'].map(isReservedDomainLabel)).toEqual([true, true, false]);
});
